# Warnings of kernix's own code. They are errors with the compiler that kernix is developed with; with another one they
# are errors where kernix is the project, and not where it is a part of a project that chose the compiler.
add_library(kernix_warnings INTERFACE)
target_compile_options(kernix_warnings INTERFACE -Wall -Wextra -Wpedantic -Wno-unused-parameter)
if(PROJECT_IS_TOP_LEVEL OR (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^22\\."))
  target_compile_options(kernix_warnings INTERFACE -Werror)
endif()
