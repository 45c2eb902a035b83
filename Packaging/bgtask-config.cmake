# Part of bgtask, under the Apache License 2.0; see LICENSE.
#
#     find_package(bgtask REQUIRED)
#     target_link_libraries(hello PRIVATE bgtask::bgtask)          # the header of plugins; nothing to link
#     target_link_libraries(hello_test PRIVATE bgtask::testing)    # the host for unit tests of plugins

get_filename_component(_bgtask_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET bgtask::bgtask)
    add_library(bgtask::bgtask INTERFACE IMPORTED)
    set_target_properties(bgtask::bgtask PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_bgtask_prefix}/include")
endif()

if(NOT TARGET bgtask::testing AND EXISTS "${_bgtask_prefix}/lib/libbgtask-testing.a")
    include(CMakeFindDependencyMacro)
    find_dependency(Threads)
    add_library(bgtask::testing STATIC IMPORTED)
    set_target_properties(bgtask::testing PROPERTIES
        IMPORTED_LOCATION "${_bgtask_prefix}/lib/libbgtask-testing.a"
        INTERFACE_LINK_LIBRARIES "bgtask::bgtask;Threads::Threads")
endif()

unset(_bgtask_prefix)
