// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The text of ibnetdiscover, line by line:
 *
 *	vendid=0x2c9				what follows is said of the next node
 *	switchguid=0x2c9...(2c9...)
 *	Switch	24 "S-0002c9..."		# "its description" enhanced port 0 lid 2 lmc 0
 *	[1]	"H-0002c9..."[1](2c9...)	# "the other's description" lid 3 4xHDR
 *
 * A cable may lead to a node that comes later, so cables are kept until all nodes are there.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "fabric/topology.h"

#define ARRAY_LENGTH(a) (sizeof(a) / sizeof((a)[0]))
#define FIRST_CABLES 256u
#define GUID_DIGITS 16u
#define MOST_SHOWN 40 /* bytes of a word */

struct slice {
	const char *at;
	const char *end;
};

/* A cable as its line has it. */
struct cable {
	struct subnet_at from;
	struct slice peer;
	uint8_t peer_port;
	uint32_t line;
};

/**
 * struct parser - Where we are.
 * @rest: Of the line.
 * @line: Its number.
 * @t: What there is.
 * @next: What was said of the node to come.
 * @node: The last one, whose cables follow; TOPOLOGY_NO_NODE at first.
 * @cable: All cables; @cables of them, room for @room.
 * @error: What is wrong.
 */
struct parser {
	struct slice rest;
	uint32_t line;
	struct topology *t;
	struct subnet_node_config next;
	uint32_t node;
	struct cable *cable;
	uint32_t cables;
	uint32_t room;
	struct topology_error *error;
};

__attribute__((format(printf, 2, 3))) static int refuse(struct parser *p, const char *format, ...)
{
	va_list args;

	p->error->line = p->line;
	va_start(args, format);
	vsnprintf(p->error->text, sizeof(p->error->text), format, args);
	va_end(args);
	return -EINVAL;
}

static int length_of(struct slice s)
{
	return s.end - s.at < MOST_SHOWN ? (int)(s.end - s.at) : MOST_SHOWN;
}

static void skip_blanks(struct slice *s)
{
	while (s->at < s->end && isblank((unsigned char)*s->at))
		s->at++;
}

/* Returns whether @word is next; it is taken then. */
static bool take(struct slice *s, const char *word)
{
	const size_t bytes = strlen(word);

	if ((size_t)(s->end - s->at) < bytes || memcmp(s->at, word, bytes) != 0)
		return false;
	s->at += bytes;
	return true;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* Digits of @base, at least one; false, too, if the number is more than @most. */
static bool take_number(struct slice *s, unsigned int base, uint64_t most, uint64_t *number)
{
	const char *const from = s->at;

	for (*number = 0; s->at < s->end && digit_of(*s->at) < (int)base; s->at++) {
		const uint64_t digit = (uint64_t)digit_of(*s->at);

		if (*number > (most - digit) / base)
			return false;
		*number = *number * base + digit;
	}
	return s->at > from;
}

static bool take_quoted(struct slice *s, struct slice *text)
{
	const char *end;

	if (s->at == s->end || *s->at != '"')
		return false;
	end = memchr(s->at + 1, '"', (size_t)(s->end - s->at) - 1);
	if (!end)
		return false;
	*text = (struct slice){s->at + 1, end};
	s->at = end + 1;
	return true;
}

/* What a comment says of the line's node or cable: the description, in quotes, if it has one. */
static bool take_description(struct slice comment, struct slice *text)
{
	const char *quote = memchr(comment.at, '"', (size_t)(comment.end - comment.at));

	if (!quote)
		return false;
	comment.at = quote;
	return take_quoted(&comment, text);
}

static bool is_word(struct slice s, const char *word)
{
	return (size_t)(s.end - s.at) == strlen(word) && take(&s, word);
}

/* Attributes of the node to come: NAME=0xNUMBER, and, of GUIDs, that of port 0 in brackets, which says no more. */
static int parse_attribute(struct parser *p, struct slice name)
{
	static const struct {
		const char *name;
		uint64_t most;
	} known[] = {{"vendid", 0xffffff},	 {"devid", 0xffff},	 {"sysimgguid", UINT64_MAX},
		     {"switchguid", UINT64_MAX}, {"caguid", UINT64_MAX}, {"rtguid", UINT64_MAX}};
	uint64_t number;
	size_t i;

	for (i = 0; i < ARRAY_LENGTH(known) && !is_word(name, known[i].name); i++)
		;
	if (i == ARRAY_LENGTH(known))
		return refuse(
			p,
			"nothing is called \"%.*s\" here: vendid, devid, sysimgguid, switchguid, caguid are",
			length_of(name), name.at);
	(void)take(&p->rest, "0x");
	if (!take_number(&p->rest, 16, known[i].most, &number))
		return refuse(p, "%s is a hexadecimal number, at most 0x%llx", known[i].name,
			      (unsigned long long)known[i].most);
	if (i == 0)
		p->next.vendor_id = (uint32_t)number;
	else if (i == 1)
		p->next.device_id = (uint16_t)number;
	else if (i == 2)
		p->next.system_guid = number;
	else
		p->next.guid = number;
	return 0;
}

/* "S-0002c90200200000" says the GUID, too. */
static uint64_t guid_of_name(struct slice name)
{
	uint64_t guid = 0;

	if (name.end - name.at != GUID_DIGITS + 2 || name.at[1] != '-')
		return 0;
	name.at += 2;
	return take_number(&name, 16, UINT64_MAX, &guid) && name.at == name.end ? guid : 0;
}

static void describe(struct subnet_node_config *config, struct slice text)
{
	const size_t bytes = (size_t)(text.end - text.at);

	memcpy(config->description, text.at,
	       bytes < sizeof(config->description) ? bytes : sizeof(config->description));
}

static int add_node(struct parser *p, enum subnet_node_type type, uint64_t ports, struct slice name)
{
	struct subnet_node_config config = p->next;
	struct slice text = name;
	int ret;

	config.type = type;
	config.ports = (uint8_t)ports;
	if (!config.guid)
		config.guid = guid_of_name(name);
	(void)take_description(p->rest, &text);
	describe(&config, text);
	p->next = (struct subnet_node_config){.ports = 0};
	ret = topology_add(p->t, name.at, (size_t)(name.end - name.at), &config, &p->node);
	if (ret == -EEXIST)
		return refuse(
			p, "there is a node \"%.*s\" in line %u already", length_of(name), name.at,
			p->t->node[topology_find(p->t, name.at, (size_t)(name.end - name.at))].line);
	if (ret == -ENOSPC)
		return refuse(p, "more than %u nodes", TOPOLOGY_MAX_NODES);
	if (!ret)
		p->t->node[p->node].line = p->line;
	return ret;
}

static int parse_node(struct parser *p, enum subnet_node_type type)
{
	struct slice name;
	uint64_t ports;

	skip_blanks(&p->rest);
	if (!take_number(&p->rest, 10, SUBNET_MAX_PORTS, &ports) || !ports)
		return refuse(p, "a node has a number of ports, 1 to %u", SUBNET_MAX_PORTS);
	skip_blanks(&p->rest);
	if (!take_quoted(&p->rest, &name) || name.at == name.end)
		return refuse(p, "a node has a name in quotes");
	return add_node(p, type, ports, name);
}

/* "4xHDR" at the end of a cable's comment: what both its ends can do at least. */
static void learn_speed(struct subnet_node_config *config, struct slice comment)
{
	static const struct {
		const char *name;
		uint8_t speed, ext;
	} speeds[] = {{"SDR", 1, 0}, {"DDR", 3, 0}, {"QDR", 7, 0}, {"FDR10", 7, 0},
		      {"FDR", 7, 1}, {"EDR", 7, 3}, {"HDR", 7, 7}, {"NDR", 7, 15}};
	static const struct {
		const char *name;
		uint8_t width;
	} widths[] = {{"1x", 1}, {"4x", 3}, {"8x", 7}, {"12x", 11}, {"2x", 17}};
	struct slice word;

	while (comment.end > comment.at && isspace((unsigned char)comment.end[-1]))
		comment.end--;
	word = (struct slice){comment.end, comment.end};
	while (word.at > comment.at && !isspace((unsigned char)word.at[-1]))
		word.at--;
	for (size_t i = 0; i < ARRAY_LENGTH(widths); i++) {
		struct slice speed = word;

		if (!take(&speed, widths[i].name))
			continue;
		for (size_t j = 0; j < ARRAY_LENGTH(speeds); j++)
			if (is_word(speed, speeds[j].name)) {
				config->width |= widths[i].width;
				config->speed |= speeds[j].speed;
				config->speed_ext |= speeds[j].ext;
			}
	}
}

static int keep_cable(struct parser *p, const struct cable *cable)
{
	if (p->cables == p->room) {
		const uint32_t room = p->room ? 2 * p->room : FIRST_CABLES;
		struct cable *all = base_realloc(p->cable, room * sizeof(*all));

		if (!all)
			return -ENOMEM;
		p->cable = all;
		p->room = room;
	}
	p->cable[p->cables++] = *cable;
	return 0;
}

/* "[7]" or "[7](GUID)". */
static bool take_port(struct slice *s, uint64_t *port, uint64_t *guid)
{
	*guid = 0;
	if (!take(s, "[") || !take_number(s, 10, UINT8_MAX, port) || !take(s, "]"))
		return false;
	return !take(s, "(") || (take_number(s, 16, UINT64_MAX, guid) && take(s, ")"));
}

static int parse_cable(struct parser *p)
{
	struct subnet_node_config *config;
	struct cable cable = {.line = p->line};
	uint64_t port, peer_port, guid, peer_guid;

	if (p->node == TOPOLOGY_NO_NODE)
		return refuse(p,
			      "a cable of no node: a line such as Switch 8 \"name\" comes first");
	config = &p->t->node[p->node].config;
	if (!take_port(&p->rest, &port, &guid))
		return refuse(p, "a cable begins with the number of its port in brackets");
	if (!port || port > config->ports)
		return refuse(p, "\"%.*s\" has ports 1 to %u, not %llu", MOST_SHOWN,
			      p->t->node[p->node].name, config->ports, (unsigned long long)port);
	skip_blanks(&p->rest);
	if (!take_quoted(&p->rest, &cable.peer) || !take_port(&p->rest, &peer_port, &peer_guid))
		return refuse(p, "a cable ends at \"name\"[port]");
	cable.from = (struct subnet_at){p->node, (uint8_t)port};
	cable.peer_port = (uint8_t)peer_port;
	if (guid && config->type != SUBNET_SWITCH && !config->port_guid)
		config->port_guid = guid - (port - 1);
	learn_speed(config, p->rest);
	return keep_cable(p, &cable);
}

static bool is_remark(struct slice line)
{
	static const char *const remarks[] = {"Chassis", "Non-Chassis", "#"};

	for (size_t i = 0; i < ARRAY_LENGTH(remarks); i++) {
		struct slice s = line;

		if (take(&s, remarks[i]))
			return true;
	}
	return line.at == line.end;
}

static int parse_line(struct parser *p)
{
	static const struct {
		const char *word;
		enum subnet_node_type type;
	} kinds[] = {{"Switch", SUBNET_SWITCH},
		     {"Ca", SUBNET_CA},
		     {"Hca", SUBNET_CA},
		     {"Rt", SUBNET_ROUTER}};
	struct slice word;

	skip_blanks(&p->rest);
	while (p->rest.end > p->rest.at && isspace((unsigned char)p->rest.end[-1]))
		p->rest.end--;
	if (is_remark(p->rest))
		return 0;
	if (*p->rest.at == '[')
		return parse_cable(p);
	word.at = p->rest.at;
	while (p->rest.at < p->rest.end && isalnum((unsigned char)*p->rest.at))
		p->rest.at++;
	word.end = p->rest.at;
	if (take(&p->rest, "="))
		return parse_attribute(p, word);
	for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
		if (is_word(word, kinds[i].word))
			return parse_node(p, kinds[i].type);
	return refuse(p, "neither a node, a cable nor an attribute: \"%.*s\"",
		      length_of((struct slice){word.at, p->rest.end}), word.at);
}

static int parse_lines(struct parser *p, const char *text, size_t bytes)
{
	const char *const end = text + bytes;

	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		int ret;

		p->line++;
		p->rest = (struct slice){text, stop ? stop : end};
		ret = parse_line(p);
		if (ret)
			return ret;
		text = stop ? stop + 1 : end;
	}
	return 0;
}

static int lay_cable(struct parser *p, const struct cable *cable)
{
	const struct topology_node *from = &p->t->node[cable->from.node];
	struct subnet_at to = {.port = cable->peer_port};
	int ret;

	p->line = cable->line;
	to.node = topology_find(p->t, cable->peer.at, (size_t)(cable->peer.end - cable->peer.at));
	if (to.node == TOPOLOGY_NO_NODE)
		return refuse(p, "no node is called \"%.*s\"", length_of(cable->peer),
			      cable->peer.at);
	ret = topology_connect(p->t, cable->from, to);
	if (ret == -EBUSY)
		return refuse(p, "port %u of \"%.*s\" or port %u of \"%.*s\" has another cable",
			      cable->from.port, MOST_SHOWN, from->name, to.port,
			      length_of(cable->peer), cable->peer.at);
	if (ret)
		return refuse(p, "\"%.*s\" has no port %u for this cable", length_of(cable->peer),
			      cable->peer.at, to.port);
	return 0;
}

int topology_parse(const char *text, size_t bytes, struct topology **topology,
		   struct topology_error *error)
{
	struct parser p = {.t = topology_new(), .node = TOPOLOGY_NO_NODE, .error = error};
	int ret = p.t ? 0 : -ENOMEM;

	*error = (struct topology_error){.line = 0};
	if (!ret)
		ret = parse_lines(&p, text, bytes);
	for (uint32_t i = 0; !ret && i < p.cables; i++)
		ret = lay_cable(&p, &p.cable[i]);
	if (!ret && !p.t->count)
		ret = refuse(&p, "there is no node in it");
	if (ret == -ENOMEM)
		(void)snprintf(error->text, sizeof(error->text), "there is no memory for it");
	base_free(p.cable);
	if (!ret)
		*topology = p.t;
	else
		topology_free(p.t);
	return ret;
}
