# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# verbena_<layer>: one static library per folder. A folder without a .c file yet is absent.
# libverbena holds src/*; sim/ and cli/ stand on it.

set(verbena_src_layers base packet core rdmavt transport wire mad fabric sm attach device uabi)

function(verbena_layer layer folder)
	file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.c)
	if(NOT sources)
		return()
	endif()
	add_library(verbena_${layer} STATIC ${sources})
	target_link_libraries(verbena_${layer} PUBLIC verbena_flags verbena_ext_isal
		verbena_ext_xxhash)
endfunction()

# How they find each other once installed: from folder to folder, wherever all of it is.
file(RELATIVE_PATH lib_from_bin /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
file(RELATIVE_PATH data_from_bin /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_DATADIR})
file(RELATIVE_PATH bin_from_lib /prefix/${CMAKE_INSTALL_LIBDIR} /prefix/${CMAKE_INSTALL_BINDIR})

foreach(layer IN LISTS verbena_src_layers)
	verbena_layer(${layer} src/${layer})
	if(TARGET verbena_${layer})
		list(APPEND verbena_objects $<TARGET_OBJECTS:verbena_${layer}>)
	endif()
endforeach()
verbena_layer(daemon src/daemon)
verbena_layer(profile src/profile)
verbena_layer(sim sim)
verbena_layer(cli cli)

if(TARGET verbena_attach)
	target_compile_definitions(verbena_attach PRIVATE VERBENA_BIN_FROM_LIB="${bin_from_lib}/")
endif()

if(verbena_objects)
	add_library(verbena STATIC ${verbena_objects})
	set_target_properties(verbena PROPERTIES LINKER_LANGUAGE C)
	target_link_libraries(verbena PUBLIC verbena_public verbena_ext_isal Threads::Threads)
	add_library(verbena_shared SHARED ${verbena_objects})
	set_target_properties(verbena_shared PROPERTIES LINKER_LANGUAGE C
		OUTPUT_NAME verbena VERSION ${PROJECT_VERSION} SOVERSION 0)
	target_link_libraries(verbena_shared PUBLIC verbena_public PRIVATE verbena_ext_isal
		verbena_ext_xxhash Threads::Threads)
	set(map ${PROJECT_SOURCE_DIR}/cmake/libverbena.map)
	target_link_options(verbena_shared PRIVATE -Wl,--version-script=${map})
	set_target_properties(verbena_shared PROPERTIES LINK_DEPENDS ${map})
endif()

# The preload library: libverbena inside, hooks of the C library outside, and nothing else exported.
# Its hooks are in no archive, for whoever linked that would be hooked, too; but for those on signals,
# which libverbena needs as well. What comes out of an archive is not exported, so they are compiled here.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/preload/*.c)
if(TARGET verbena AND sources)
	add_library(verbena_preload SHARED ${sources} ${PROJECT_SOURCE_DIR}/src/base/umem_signal.c)
	set_target_properties(verbena_preload PROPERTIES OUTPUT_NAME verbena-preload
		C_VISIBILITY_PRESET hidden LINKER_LANGUAGE C)
	target_link_libraries(verbena_preload PRIVATE verbena_flags verbena ${CMAKE_DL_LIBS})
	target_link_options(verbena_preload PRIVATE -Wl,--exclude-libs,ALL -Wl,-z,nodelete)
	# clang's sanitizers are in the program, and so missing from a library.
	if(NOT (VERBENA_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL "Clang"))
		target_link_options(verbena_preload PRIVATE -Wl,-z,defs)
	endif()
endif()

# Profiles want libcyaml, which the preload library must not bring into every process: it loads this
# when there is a profile.
if(TARGET verbena AND TARGET verbena_profile)
	target_link_libraries(verbena_profile PUBLIC verbena verbena_ext_cyaml)
	add_library(verbena_profile_module MODULE $<TARGET_OBJECTS:verbena_profile>)
	set_target_properties(verbena_profile_module PROPERTIES OUTPUT_NAME verbena-profile
		LINKER_LANGUAGE C)
	target_link_libraries(verbena_profile_module PRIVATE verbena_flags verbena verbena_ext_cyaml)
	target_link_options(verbena_profile_module PRIVATE -Wl,--exclude-libs,ALL
		-Wl,-soname,libverbena-profile.so)
endif()

# sim on libverbena; the program on both.
if(TARGET verbena_sim)
	target_link_libraries(verbena_sim PUBLIC verbena)
endif()
if(TARGET verbena_cli)
	target_compile_definitions(verbena_cli PRIVATE VERBENA_VERSION="${PROJECT_VERSION}"
		VERBENA_LIB_FROM_BIN="${lib_from_bin}/" VERBENA_DATA_FROM_BIN="${data_from_bin}/")
	target_link_libraries(verbena_cli PUBLIC verbena_profile verbena_ext_jansson)
	if(TARGET verbena_sim)
		target_link_libraries(verbena_cli PUBLIC verbena_sim)
	endif()
	target_link_libraries(verbena_cli PUBLIC verbena)
	add_executable(verbena_program $<TARGET_OBJECTS:verbena_cli>)
	set_target_properties(verbena_program PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME verbena)
	target_link_libraries(verbena_program PRIVATE $<TARGET_PROPERTY:verbena_cli,LINK_LIBRARIES>)
endif()

if(TARGET verbena_daemon)
	add_executable(verbenad $<TARGET_OBJECTS:verbena_daemon>)
	set_target_properties(verbenad PROPERTIES LINKER_LANGUAGE C)
	target_link_libraries(verbenad PRIVATE verbena verbena_flags verbena_ext_jansson
		verbena_ext_xxhash)
endif()

# Examples see the public headers only.
file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c)
if(TARGET verbena)
	foreach(source IN LISTS examples)
		get_filename_component(name ${source} NAME_WE)
		add_executable(example_${name} ${source})
		set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name}
			RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
		target_compile_definitions(example_${name} PRIVATE _GNU_SOURCE)
		target_compile_options(example_${name} PRIVATE ${warnings})
		target_link_libraries(example_${name} PRIVATE verbena)
	endforeach()
endif()
