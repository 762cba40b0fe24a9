# Warnings of kernix's own code; they are errors.
add_library(kernix_warnings INTERFACE)
target_compile_options(kernix_warnings INTERFACE -Wall -Wextra -Wpedantic -Wno-unused-parameter -Werror)
