# What both projects have in common once they have kernix. TARGETS says for what the kernels are built.
set(TARGETS cpu CACHE STRING "cpu, cuda or both")
set(sources ${CMAKE_CURRENT_LIST_DIR})
kernix_add_library(project_kernels
  SOURCES ${sources}/saxpy.cu ${sources}/twin/saxpy.cu
  TARGETS ${TARGETS}
  INCLUDE_DIRECTORIES ${sources}/include
  DEFINITIONS PROJECT_OFFSET=2
  CUDA_ARCHITECTURES 80 90)

add_executable(caller ${sources}/main.cpp)
target_compile_features(caller PRIVATE cxx_std_20)
target_link_libraries(caller PRIVATE kernix::runtime)
target_compile_definitions(caller PRIVATE LIBRARY="${CMAKE_CURRENT_BINARY_DIR}/project_kernels.cpu.so")
