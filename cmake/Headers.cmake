# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Each public header compiles alone, as C and as C++.

if(VERBENA_HEADER_CHECK)
	file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include
		${PROJECT_SOURCE_DIR}/include/*/*.h)
	foreach(header IN LISTS headers)
		string(MAKE_C_IDENTIFIER ${header} id)
		foreach(language c cc)
			set(source ${PROJECT_BINARY_DIR}/headers/${id}.${language})
			file(CONFIGURE OUTPUT ${source} CONTENT "#include <${header}>\n")
			list(APPEND header_sources ${source})
		endforeach()
	endforeach()
	if(header_sources)
		add_library(verbena_headers OBJECT ${header_sources})
		target_link_libraries(verbena_headers PRIVATE verbena_public)
		target_compile_options(verbena_headers PRIVATE -Wall -Wextra -Werror)
	endif()
endif()
