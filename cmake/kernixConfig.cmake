# find_package(kernix): the imported target kernix::runtime (headers and libkernix_runtime) and kernix_add_library().
get_filename_component(KERNIX_ROOT "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET kernix::runtime)
  add_library(kernix::runtime SHARED IMPORTED)
  set_target_properties(kernix::runtime PROPERTIES
    IMPORTED_LOCATION ${KERNIX_ROOT}/lib/libkernix_runtime.so.0
    IMPORTED_SONAME libkernix_runtime.so.0
    INTERFACE_INCLUDE_DIRECTORIES ${KERNIX_ROOT}/include)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/KernixAddLibrary.cmake)
