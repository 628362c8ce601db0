# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# cmake --install: programs, libraries, headers, pkg-config file, man pages, documents, examples.
# Nothing installed names a path of the build or the prefix: programs and libraries find each other
# by the way from one folder to the other, so that what was installed can be moved as a whole.

if(NOT TARGET verbena_program OR NOT TARGET verbenad OR NOT TARGET verbena_preload)
	return()
endif()

install(TARGETS verbena_program verbenad)
install(TARGETS verbena verbena_shared verbena_preload)
install(TARGETS verbena_profile_module DESTINATION ${CMAKE_INSTALL_LIBDIR})

# /usr/include/rdma and /usr/include/linux are others': ours are a folder deeper.
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/verbena FILES_MATCHING PATTERN *.h)

set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH VERBENA_PREFIX_FROM_PC /prefix/${pkgconfig_dir} /prefix)
configure_file(cmake/verbena.pc.in verbena.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/verbena.pc DESTINATION ${pkgconfig_dir})

foreach(section 1 7 8)
	file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.${section})
	install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
if(VERBENA_API_MAN)
	set(api_pages ${PROJECT_BINARY_DIR}/man9)
	file(GLOB public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/rdma/*.h
		${PROJECT_SOURCE_DIR}/include/verbena/*.h)
	add_custom_command(OUTPUT ${api_pages}/verbena_host_attach.9
		COMMAND ${PROJECT_SOURCE_DIR}/scripts/kernel-doc --pages ${api_pages}
		DEPENDS ${public_headers} ${PROJECT_SOURCE_DIR}/scripts/kernel-doc VERBATIM)
	add_custom_target(verbena_api_man ALL DEPENDS ${api_pages}/verbena_host_attach.9)
	install(DIRECTORY ${api_pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man9)
endif()

install(FILES README.md ARCHITECTURE.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs
	FILES_MATCHING PATTERN *.md PATTERN *.yml
	PATTERN api EXCLUDE PATTERN spec EXCLUDE PATTERN mutants EXCLUDE PATTERN man EXCLUDE)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY profiles DESTINATION ${CMAKE_INSTALL_DATADIR}/verbena)
