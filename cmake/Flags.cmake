# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# verbena_flags: the language, the warnings and the include paths of all our code.

set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(verbena_public INTERFACE) # what a consumer of the library sees
target_include_directories(verbena_public INTERFACE ${PROJECT_SOURCE_DIR}/include)

add_library(verbena_flags INTERFACE)
target_include_directories(verbena_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
target_compile_definitions(verbena_flags INTERFACE _GNU_SOURCE)
# The preload library defines open() and its like itself, so it cannot have their inline variants,
# which distributions ask for. The archive inside it is optimised together with it.
target_compile_options(verbena_flags INTERFACE -U_FORTIFY_SOURCE)
target_link_libraries(verbena_flags INTERFACE verbena_public Threads::Threads)

set(warnings -Wall -Wextra -Wconversion -Wshadow -Wswitch-enum -Wvla -Wstrict-prototypes
	-Wmissing-prototypes)
if(VERBENA_WERROR)
	list(APPEND warnings -Werror)
endif()
if(CMAKE_C_COMPILER_ID STREQUAL "Clang")
	# The kernel's user ABI ends structures in flexible arrays, and what follows lies behind them.
	list(APPEND warnings -Wthread-safety -Wno-gnu-variable-sized-type-not-at-end)
endif()
# Thread-local storage without a call: our libraries are loaded with the program, and what they keep there
# is small enough for the loader's spare room where they are not.
target_compile_options(verbena_flags INTERFACE "$<$<COMPILE_LANGUAGE:C>:${warnings}>"
	-fno-semantic-interposition -ftls-model=initial-exec)

# LTO. With gcc the objects also carry machine code: tests are linked from that, quickly.
if(VERBENA_LTO)
	include(CheckIPOSupported)
	check_ipo_supported(LANGUAGES C)
	set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
	if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
		add_compile_options(-ffat-lto-objects)
		set(verbena_test_link_options -fno-lto)
	endif()
endif()

# VERBENA_SANITIZE: a list for -fsanitize=, for all code and all links.
if(VERBENA_SANITIZE)
	string(REPLACE ";" "," sanitize "${VERBENA_SANITIZE}")
	set(verbena_sanitize_flags -fsanitize=${sanitize})
	add_compile_options(${verbena_sanitize_flags} -fno-sanitize-recover=all
		-fno-omit-frame-pointer)
	add_link_options(${verbena_sanitize_flags})
endif()
