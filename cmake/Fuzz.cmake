# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# tests/fuzz/fuzz_<name>.c defines LLVMFuzzerTestOneInput(); files in tests/fuzz/<name>/ belong to
# it. With preset fuzz it becomes a libFuzzer program. Elsewhere a small main() feeds it every file
# of tests/fuzz/corpus/<name>/, in ctest as fuzz/<name>.

if(NOT TARGET verbena_test_common)
	return()
endif()

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
foreach(source IN LISTS sources)
	get_filename_component(target ${source} NAME_WE)
	string(REGEX REPLACE "^fuzz_" "" name ${target})
	file(GLOB parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/${name}/*.c)
	add_executable(${target} ${source} ${parts})
	set_target_properties(${target} PROPERTIES
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/fuzz)
	verbena_link_test(${target})
	set(corpus ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
	if(VERBENA_FUZZ)
		target_link_options(${target} PRIVATE -fsanitize=fuzzer)
		add_test(NAME fuzz/${name} COMMAND ${target} -runs=0 ${corpus})
	else()
		target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/common/fuzz_replay.c)
		add_test(NAME fuzz/${name} COMMAND ${target} ${corpus})
	endif()
	set_tests_properties(fuzz/${name} PROPERTIES TIMEOUT 300
		ENVIRONMENT "${verbena_test_env}")
endforeach()
