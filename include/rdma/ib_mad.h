/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Management datagrams: agents on QP 0 and QP 1 of a port, which send MADs and receive them.
 *
 * The shortest use: ib_register_mad_agent() on both sides; ib_create_send_mad(), fill in header and
 * address, ib_post_send_mad(); in the handlers ib_free_send_mad() and ib_free_recv_mad().
 */
#ifndef VERBENA_RDMA_IB_MAD_H
#define VERBENA_RDMA_IB_MAD_H

#include <linux/bitops.h>
#include <linux/list.h>
#include <rdma/ib_mad_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ib_mad_agent;
struct ib_mad_recv_wc;
struct ib_mad_send_wc;

/**
 * struct ib_mad_send_buf - A MAD to be sent.
 * @next: The next one of a chain that is posted at once.
 * @mad: Its headers, and behind them its data: all of it, if it takes several segments. The layer
 *	numbers the segments in these very headers.
 * @mad_agent: Who sends it.
 * @ah: Where to. The client's, who keeps it until the send has completed.
 * @context: The client's.
 * @hdr_len: Bytes of the headers that each segment begins with.
 * @data_len: Bytes behind them.
 * @seg_count: Segments; 0 without RMPP.
 * @seg_size: Bytes of data of a segment.
 * @seg_rmpp_size: Bytes of a segment as RMPP counts them: all behind its own header.
 * @timeout_ms: How long to wait for a response, from when it has been sent; 0: there is none.
 * @retries: In: how often it is sent again without a response. Out: how often it was.
 */
struct ib_mad_send_buf {
	struct ib_mad_send_buf *next;
	void *mad;
	struct ib_mad_agent *mad_agent;
	struct ib_ah *ah;
	void *context[2];
	int hdr_len;
	int data_len;
	int seg_count;
	int seg_size;
	int seg_rmpp_size;
	int timeout_ms;
	int retries;
};

/**
 * typedef ib_mad_send_handler - A send has completed: its buffer is the client's again.
 * @mad_agent: Whose.
 * @mad_send_wc: Which, and how; valid during the call.
 *
 * Context: Where work is done (<linux/workqueue.h>), or in ib_unregister_mad_agent(). No lock is
 *	held: MADs may be posted, freed and cancelled. One handler of a port runs at a time.
 */
typedef void (*ib_mad_send_handler)(struct ib_mad_agent *mad_agent,
				    struct ib_mad_send_wc *mad_send_wc);

/**
 * typedef ib_mad_recv_handler - A MAD has arrived.
 * @mad_agent: For whom.
 * @send_buf: The request that it is the response to, whose send_handler call follows; or NULL.
 * @mad_recv_wc: It. The client's, for ib_free_recv_mad().
 *
 * Context: As &ib_mad_send_handler.
 */
typedef void (*ib_mad_recv_handler)(struct ib_mad_agent *mad_agent,
				    struct ib_mad_send_buf *send_buf,
				    struct ib_mad_recv_wc *mad_recv_wc);

/**
 * struct ib_mad_agent - A client's registration on a port.
 * @device: Device.
 * @qp: QP 0 or QP 1 of the port.
 * @recv_handler: May be NULL for an agent that only sends.
 * @send_handler: May be NULL for an agent that only receives.
 * @context: The client's.
 * @hi_tid: To be the upper half of the TID of each request that is to be answered.
 * @flags: IB_MAD_USER_RMPP.
 * @security: NULL.
 * @mad_agent_sec_list: Empty.
 * @port_num: Port.
 * @rmpp_version: 0, or IB_MGMT_RMPP_VERSION.
 * @smp_allowed: It may send SMPs.
 */
struct ib_mad_agent {
	struct ib_device *device;
	struct ib_qp *qp;
	ib_mad_recv_handler recv_handler;
	ib_mad_send_handler send_handler;
	void *context;
	u32 hi_tid;
	u32 flags;
	void *security;
	struct list_head mad_agent_sec_list;
	u8 port_num;
	u8 rmpp_version;
	bool smp_allowed;
};

/**
 * struct ib_mad_send_wc - How a send ended.
 * @send_buf: It.
 * @status: IB_WC_SUCCESS: sent, and answered if a response was wanted. IB_WC_RESP_TIMEOUT_ERR: not
 *	answered. IB_WC_WR_FLUSH_ERR: cancelled. IB_WC_REM_ABORT_ERR: RMPP gave up.
 * @vendor_err: Id of the cause, for verbena_cause_name(); of IB_WC_REM_ABORT_ERR the RMPP status.
 */
struct ib_mad_send_wc {
	struct ib_mad_send_buf *send_buf;
	enum ib_wc_status status;
	u32 vendor_err;
};

/**
 * struct ib_mad_recv_buf - One received MAD.
 * @list: In &ib_mad_recv_wc.rmpp_list.
 * @grh: Its GRH, if the completion has IB_WC_GRH.
 * @mad: It.
 * @opa_mad: It, where it is one of Omni-Path.
 */
struct ib_mad_recv_buf {
	struct list_head list;
	struct ib_grh *grh;
	union {
		struct ib_mad *mad;
		struct opa_mad *opa_mad;
	};
};

/**
 * struct ib_mad_recv_wc - What has been received: one MAD, or the segments of a transfer.
 * @wc: Completion of the first.
 * @recv_buf: The first.
 * @rmpp_list: All of them, in order.
 * @mad_len: Bytes of the whole: the headers, once, and the data.
 * @mad_seg_size: Bytes of a MAD of the port.
 */
struct ib_mad_recv_wc {
	struct ib_wc *wc;
	struct ib_mad_recv_buf recv_buf;
	struct list_head rmpp_list;
	int mad_len;
	size_t mad_seg_size;
};

/**
 * struct ib_mad_reg_req - Which requests an agent receives.
 * @mgmt_class: Of this class,
 * @mgmt_class_version: this version of it,
 * @oui: if it is a vendors' class (0x30 to 0x4f) of this vendor,
 * @method_mask: and these methods: a bit for each.
 */
struct ib_mad_reg_req {
	u8 mgmt_class;
	u8 mgmt_class_version;
	u8 oui[3];
	DECLARE_BITMAP(method_mask, IB_MGMT_MAX_METHODS);
};

/**
 * ib_response_mad() - Whether a MAD is a response.
 * @hdr: Its header.
 *
 * It is if its method has bit 7, or is TrapRepress, or if it is of the class of baseboard management
 * and its attribute modifier has bit 0.
 *
 * Context: Any.
 * Return: 1 or 0.
 */
int ib_response_mad(const struct ib_mad_hdr *hdr);

/**
 * ib_register_mad_agent() - Become a client of a port's QP 0 or QP 1.
 * @device: Device.
 * @port_num: Its port. The first agent of a port opens its QPs; they stay open until the device goes.
 * @qp_type: IB_QPT_SMI or IB_QPT_GSI.
 * @mad_reg_req: The requests to be received; copied. NULL: responses only.
 * @rmpp_version: IB_MGMT_RMPP_VERSION: transfers of several segments are possible; else 0.
 * @send_handler: Told of each send that has completed; needed in order to send.
 * @recv_handler: Told of each MAD that arrives; needed for requests, and for responses.
 * @context: For &ib_mad_agent.context.
 * @registration_flags: IB_MAD_USER_RMPP: the client does RMPP itself and sees each segment; or 0.
 *
 * Handlers may run before this has returned.
 *
 * Context: May sleep; not a handler.
 * Return: The agent, for ib_unregister_mad_agent(); or ERR_PTR, with a cause:
 *	-EPROTONOSUPPORT if the port has no such QP;
 *	-EINVAL if @qp_type, @rmpp_version or @registration_flags is none of these; if there is neither
 *	@mad_reg_req nor @send_handler; of @mad_reg_req: without @recv_handler, a class version from 0x83
 *	on, class 0, a class from 80 on other than 0x81, a vendors' class without OUI, a class that
 *	has no RMPP with @rmpp_version, a class of the other QP, or a method that another agent has;
 *	-ENODEV if there is no such port, or the device is being removed; -ENOMEM;
 *	-EBUSY if no &ib_mad_agent.hi_tid is free; or what opening the QPs says.
 */
struct ib_mad_agent *ib_register_mad_agent(struct ib_device *device, u32 port_num,
					   enum ib_qp_type qp_type,
					   struct ib_mad_reg_req *mad_reg_req, u8 rmpp_version,
					   ib_mad_send_handler send_handler,
					   ib_mad_recv_handler recv_handler, void *context,
					   u32 registration_flags);

/**
 * ib_unregister_mad_agent() - Be no client any more.
 * @mad_agent: From ib_register_mad_agent(); not to be used after.
 *
 * What is outstanding completes with IB_WC_WR_FLUSH_ERR, some of it in this call. It waits until
 * every buffer of the agent has been freed by ib_free_send_mad(). No handler runs after it.
 *
 * Context: May sleep; not a handler of the port.
 */
void ib_unregister_mad_agent(struct ib_mad_agent *mad_agent);

/**
 * ib_post_send_mad() - Send a MAD, or a chain of them.
 * @send_buf: The first, linked by &ib_mad_send_buf.next. NULL does nothing.
 * @bad_send_buf: Out, on failure only: the one that was refused. May be NULL.
 *
 * Those ahead of the refused one have been posted; it and those that follow are still the caller's.
 * Each that was posted leads to one call of the send_handler, in any order: without timeout_ms when it
 * has been sent, else after its response was handed to the recv_handler, or when time and retries are
 * used up. More than the send queue holds wait in a list.
 *
 * Context: Any, handlers included. Does not sleep.
 * Return: 0; or, with a cause,
 *	-EINVAL if the agent has no send_handler; timeout_ms is set and it has no recv_handler; the class
 *	has no RMPP though the agent does; a directed route that may not be sent from here; or what
 *	process_mad said to one that ends here makes no sense;
 *	-EACCES if the agent may not send SMPs; -ENOMEM; or what ib_post_send() says.
 */
int ib_post_send_mad(struct ib_mad_send_buf *send_buf, struct ib_mad_send_buf **bad_send_buf);

/**
 * ib_free_recv_mad() - Give a received MAD back.
 * @mad_recv_wc: As the recv_handler got it.
 *
 * Context: Any.
 */
void ib_free_recv_mad(struct ib_mad_recv_wc *mad_recv_wc);

/**
 * ib_modify_mad() - Change how long a send waits for its response.
 * @send_buf: Posted, and not freed yet.
 * @timeout_ms: From now on, or from when it has been sent. 0 cancels it: the send_handler is told
 *	IB_WC_WR_FLUSH_ERR, later.
 *
 * Context: Any, handlers included.
 * Return: 0; -EINVAL, with a cause, if it has completed or been cancelled already, or is NULL.
 */
int ib_modify_mad(struct ib_mad_send_buf *send_buf, u32 timeout_ms);

/**
 * ib_cancel_mad() - Do not wait for the response to a send any more.
 * @send_buf: Posted, and not freed yet. If it has completed nothing happens.
 *
 * Context: Any, handlers included. The send_handler is called later, with IB_WC_WR_FLUSH_ERR.
 */
static inline void ib_cancel_mad(struct ib_mad_send_buf *send_buf)
{
	(void)ib_modify_mad(send_buf, 0);
}

/**
 * ib_create_send_mad() - A buffer for a MAD.
 * @mad_agent: Who will send it. It cannot be gone before the buffer.
 * @remote_qpn: To which QP.
 * @pkey_index: P_Key to send it with, where it goes to QP 1.
 * @rmpp_active: It is sent by RMPP, in as many segments as it takes. For agents that leave it to this
 *	layer.
 * @hdr_len: Bytes of all headers: ib_get_mad_data_offset() of the class.
 * @data_len: Bytes behind them.
 * @gfp_mask: Whether it may sleep.
 * @base_version: IB_MGMT_BASE_VERSION; OPA_MGMT_BASE_VERSION on a port that has it makes MADs of 2048
 *	bytes.
 *
 * The headers are zero, but for version, type, flag and payload length of RMPP (@rmpp_active), where
 * the latter is the class's header and the data. So is the data without RMPP; with it only
 * what is added to fill the last segment. The data follows the headers; where it takes several
 * segments, too.
 *
 * Context: Any, if @gfp_mask says so.
 * Return: The buffer, for ib_free_send_mad(). Or ERR_PTR, with a cause: -EINVAL if @hdr_len or
 *	@data_len is out of range, it does not fit into a MAD and is not sent by RMPP, or
 *	@rmpp_active is not for this agent; -ENOMEM.
 */
struct ib_mad_send_buf *ib_create_send_mad(struct ib_mad_agent *mad_agent, u32 remote_qpn,
					   u16 pkey_index, int rmpp_active, int hdr_len,
					   int data_len, gfp_t gfp_mask, u8 base_version);

/**
 * ib_is_mad_class_rmpp() - Whether MADs of a class have an RMPP header.
 * @mgmt_class: Class.
 *
 * Return: 1 for SA, device management, device administration, BIS and the vendors' classes; or 0.
 */
int ib_is_mad_class_rmpp(u8 mgmt_class);

/**
 * ib_get_mad_data_offset() - Bytes of all headers of a class.
 * @mgmt_class: Class.
 *
 * Return: 56 of SA; 64 of device management, device administration and BIS; 40 of the vendors'
 *	classes; 24 of all others.
 */
int ib_get_mad_data_offset(u8 mgmt_class);

/**
 * ib_get_rmpp_segment() - Data of a segment.
 * @send_buf: Sent by RMPP.
 * @seg_num: From 1 to seg_count. There is no check.
 *
 * Return: Where its seg_size bytes are.
 */
void *ib_get_rmpp_segment(struct ib_mad_send_buf *send_buf, int seg_num);

/**
 * ib_free_send_mad() - Give a buffer back.
 * @send_buf: Never posted, refused, or completed.
 *
 * Context: Any, handlers included.
 */
void ib_free_send_mad(struct ib_mad_send_buf *send_buf);

/**
 * ib_mad_kernel_rmpp_agent() - Whether this layer does RMPP for an agent.
 * @agent: Agent.
 *
 * Return: 1 or 0.
 */
int ib_mad_kernel_rmpp_agent(const struct ib_mad_agent *agent);

/**
 * ib_get_rmpp_resptime() - Response time, 0 to 31; IB_MGMT_RMPP_NO_RESPTIME: none.
 * @rmpp_hdr: Header.
 */
static inline u8 ib_get_rmpp_resptime(struct ib_rmpp_hdr *rmpp_hdr)
{
	return rmpp_hdr->rmpp_rtime_flags >> 3;
}

/**
 * ib_get_rmpp_flags() - IB_MGMT_RMPP_FLAG_*.
 * @rmpp_hdr: Header.
 */
static inline u8 ib_get_rmpp_flags(struct ib_rmpp_hdr *rmpp_hdr)
{
	return rmpp_hdr->rmpp_rtime_flags & 7;
}

/**
 * ib_set_rmpp_resptime() - Set the response time.
 * @rmpp_hdr: Header.
 * @rtime: Its low 5 bits count.
 */
static inline void ib_set_rmpp_resptime(struct ib_rmpp_hdr *rmpp_hdr, u8 rtime)
{
	rmpp_hdr->rmpp_rtime_flags = (u8)(ib_get_rmpp_flags(rmpp_hdr) | (rtime << 3));
}

/**
 * ib_set_rmpp_flags() - Set the flags.
 * @rmpp_hdr: Header.
 * @flags: Their low 3 bits count.
 */
static inline void ib_set_rmpp_flags(struct ib_rmpp_hdr *rmpp_hdr, u8 flags)
{
	rmpp_hdr->rmpp_rtime_flags = (u8)((rmpp_hdr->rmpp_rtime_flags & 0xf8) | (flags & 7));
}

/**
 * ib_get_cpi_resp_time() - RespTimeValue: 4.096 us * 2^value.
 * @cpi: ClassPortInfo.
 */
static inline u8 ib_get_cpi_resp_time(struct ib_class_port_info *cpi)
{
	return (u8)(be32_to_cpu(cpi->cap_mask2_resp_time) & IB_CLASS_PORT_INFO_RESP_TIME_MASK);
}

/**
 * ib_set_cpi_resp_time() - Set RespTimeValue.
 * @cpi: ClassPortInfo.
 * @rtime: Its low 5 bits count.
 */
static inline void ib_set_cpi_resp_time(struct ib_class_port_info *cpi, u8 rtime)
{
	const u32 rest = be32_to_cpu(cpi->cap_mask2_resp_time) &
			 ~(u32)IB_CLASS_PORT_INFO_RESP_TIME_MASK;

	cpi->cap_mask2_resp_time = cpu_to_be32(rest | (rtime & IB_CLASS_PORT_INFO_RESP_TIME_MASK));
}

/**
 * ib_get_cpi_capmask2() - CapabilityMask2, 27 bits.
 * @cpi: ClassPortInfo.
 */
static inline u32 ib_get_cpi_capmask2(struct ib_class_port_info *cpi)
{
	return be32_to_cpu(cpi->cap_mask2_resp_time) >> IB_CLASS_PORT_INFO_RESP_TIME_FIELD_SIZE;
}

/**
 * ib_set_cpi_capmask2() - Set CapabilityMask2.
 * @cpi: ClassPortInfo.
 * @capmask2: Its low 27 bits count.
 */
static inline void ib_set_cpi_capmask2(struct ib_class_port_info *cpi, u32 capmask2)
{
	cpi->cap_mask2_resp_time = cpu_to_be32(
		(capmask2 << IB_CLASS_PORT_INFO_RESP_TIME_FIELD_SIZE) | ib_get_cpi_resp_time(cpi));
}

/**
 * opa_get_cpi_capmask2() - CapabilityMask2, 27 bits.
 * @cpi: ClassPortInfo of Omni-Path.
 */
static inline u32 opa_get_cpi_capmask2(struct opa_class_port_info *cpi)
{
	return be32_to_cpu(cpi->cap_mask2_resp_time) >> IB_CLASS_PORT_INFO_RESP_TIME_FIELD_SIZE;
}

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_IB_MAD_H */
