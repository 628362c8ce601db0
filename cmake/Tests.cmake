# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# tests/unit/<layer>/test_<file>.c   a cmocka program, in ctest as unit/<layer>/<file>
# tests/unit/<layer>/test_<file>.cc  a C++ program on the public headers, likewise
# tests/sim/test_<file>.c            the same, as sim/<file>
# tests/sim/seeds                    each line, as sim/seeds-<line>: verbena sim --seeds <line>
# tests/sim/seeds-<world>            the same, as sim/seeds-<world>-<line>, with --world <world>
# tests/script/<name>.sh             in ctest as script/<name>; exit 77 means skipped
#
# A test may #include a .c file of ours ("transport/rc_resp.c") to reach its statics. The
# program still links libverbena.a: the linker takes a member out of an archive only for a
# symbol that is undefined so far, and those of rc_resp.c are all defined by the test itself,
# so the archive's rc_resp.o stays out. It would come in, and clash, only if the test renamed
# or left out (#define, #if) one of the file's public symbols.

if(NOT TARGET verbena_base)
	return() # the harness stands on base/alloc.h
endif()

file(GLOB common CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/common/*.c)
list(FILTER common EXCLUDE REGEX "fuzz_replay\\.c$")
add_library(verbena_test_common STATIC ${common})
target_include_directories(verbena_test_common PUBLIC ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(verbena_test_common PUBLIC verbena_flags verbena_ext_cmocka
	verbena_ext_pcap verbena_ext_xxhash)

# verbena_link_test(<target>): everything, in link order. cli's main() stays out: see above.
function(verbena_link_test target)
	target_link_libraries(${target} PRIVATE verbena_flags verbena_test_common)
	foreach(lib verbena_cli verbena_sim verbena_daemon verbena_profile)
		if(TARGET ${lib})
			target_link_libraries(${target} PRIVATE ${lib})
		endif()
	endforeach()
	target_link_libraries(${target} PRIVATE verbena verbena_ext_isal)
	target_compile_definitions(${target} PRIVATE
		TEST_DATA_DIR="${PROJECT_SOURCE_DIR}/tests/data"
		PROFILE_DIR="${PROJECT_SOURCE_DIR}/profiles")
	target_link_options(${target} PRIVATE ${verbena_test_link_options})
endfunction()

string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
set(verbena_test_env
	"VERBENA_SOURCE_DIR=${PROJECT_SOURCE_DIR}"
	"VERBENA_BUILD_DIR=${PROJECT_BINARY_DIR}"
	"VERBENA_CC=${CMAKE_C_COMPILER}"
	"VERBENA_CFLAGS=${CMAKE_C_FLAGS_${build_type}} ${verbena_sanitize_flags}")

file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/tests
	${PROJECT_SOURCE_DIR}/tests/unit/*/test_*.c ${PROJECT_SOURCE_DIR}/tests/sim/test_*.c)
foreach(source IN LISTS sources)
	string(REGEX REPLACE "/test_([^/]*)\\.c$" "/\\1" name ${source})
	string(REPLACE "/" "_" target test_${name})
	get_filename_component(folder ${name} DIRECTORY)
	add_executable(${target} tests/${source})
	set_target_properties(${target} PROPERTIES
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/${folder})
	verbena_link_test(${target})
	add_test(NAME ${name} COMMAND ${target})
	set_tests_properties(${name} PROPERTIES TIMEOUT 300 ENVIRONMENT "${verbena_test_env}")
endforeach()

# A C++ program on the public headers, with a main() of its own.
file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/tests
	${PROJECT_SOURCE_DIR}/tests/unit/*/test_*.cc)
foreach(source IN LISTS sources)
	string(REGEX REPLACE "/test_([^/]*)\\.cc$" "/\\1" name ${source})
	string(REPLACE "/" "_" target test_${name})
	get_filename_component(folder ${name} DIRECTORY)
	add_executable(${target} tests/${source})
	set_target_properties(${target} PROPERTIES
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/${folder})
	target_compile_options(${target} PRIVATE -Wall -Wextra -Werror)
	target_link_libraries(${target} PRIVATE verbena)
	target_link_options(${target} PRIVATE ${verbena_test_link_options})
	add_test(NAME ${name} COMMAND ${target})
endforeach()

file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/script/*.sh)
foreach(script IN LISTS scripts)
	get_filename_component(name ${script} NAME_WE)
	add_test(NAME script/${name} COMMAND bash ${script}
		WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
	set_tests_properties(script/${name} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77
		ENVIRONMENT "${verbena_test_env}")
endforeach()
# It counts what two polling processes do, and wants the processors for itself.
set_tests_properties(script/calls PROPERTIES RUN_SERIAL TRUE)
# Thousands of messages between two that poll, each of which may wait for a processor where others want them.
set_tests_properties(script/bench_stock PROPERTIES TIMEOUT 1200)
# With VERBENA_LONG it takes most of an hour; it limits itself.
set_tests_properties(script/kill PROPERTIES TIMEOUT 7200)

if(TARGET verbena_sim AND TARGET verbena_program)
	file(GLOB seeds_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/sim/seeds
		${PROJECT_SOURCE_DIR}/tests/sim/seeds-*)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${seeds_files})
	foreach(seeds_file IN LISTS seeds_files)
		get_filename_component(name ${seeds_file} NAME)
		set(options --jobs 1)
		if(name MATCHES "^seeds-(.*)")
			list(APPEND options --world ${CMAKE_MATCH_1})
		endif()
		file(STRINGS ${seeds_file} lines REGEX "^[0-9]")
		foreach(line IN LISTS lines)
			string(REGEX MATCH "^[0-9.]+" seeds ${line})
			if(NOT seeds MATCHES "\\.\\.")
				set(seeds "${seeds}..${seeds}")
			endif()
			add_test(NAME sim/${name}-${seeds} COMMAND verbena_program sim ${options}
				--seeds ${seeds})
			set_tests_properties(sim/${name}-${seeds} PROPERTIES TIMEOUT 600
				ENVIRONMENT "${verbena_test_env}")
		endforeach()
	endforeach()
endif()
