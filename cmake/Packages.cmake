# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# What must be on the machine. Nothing is optional: a missing piece stops the configuration
# and names the Debian package that brings it.

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_C_COMPILER_LAUNCHER)
	set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
	set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# verbena_need(<target> <header> <library> <apt package>): imported target verbena_ext_<target>
function(verbena_need target header library package)
	find_path(${target}_HEADER ${header})
	if(NOT ${target}_HEADER)
		message(FATAL_ERROR "<${header}> is missing: apt-get install ${package} "
			"(or scripts/install-packages for all that is needed)")
	endif()
	add_library(verbena_ext_${target} INTERFACE)
	if(library)
		find_library(${target}_LIBRARY ${library})
		if(NOT ${target}_LIBRARY)
			message(FATAL_ERROR "lib${library} is missing: apt-get install ${package} "
				"(or scripts/install-packages for all that is needed)")
		endif()
		target_link_libraries(verbena_ext_${target} INTERFACE ${${target}_LIBRARY})
	endif()
endfunction()

verbena_need(isal isa-l/crc.h isal libisal-dev)
verbena_need(xxhash xxhash.h xxhash libxxhash-dev)
verbena_need(cyaml cyaml/cyaml.h cyaml libcyaml-dev)
verbena_need(uthash uthash.h "" uthash-dev)
verbena_need(jansson jansson.h jansson libjansson-dev)
if(VERBENA_TESTS)
	verbena_need(cmocka cmocka.h cmocka libcmocka-dev)
	verbena_need(pcap pcap/pcap.h pcap libpcap-dev)
endif()
verbena_need(ibverbs infiniband/verbs.h "" libibverbs-dev)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
