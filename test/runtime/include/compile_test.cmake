# test/runtime/include/compile_test.cmake - compiles a source with given options and compares what the compiler says.
#
#   cmake -DCOMMAND=<;-list> [-DEXPECTED=<regular expression>] -P compile_test.cmake
# Without EXPECTED the compiler must succeed in silence.
execute_process(COMMAND ${COMMAND} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "compiler failed:\n${output}")
endif()
if(EXPECTED AND NOT output MATCHES "${EXPECTED}")
  message(FATAL_ERROR "expected '${EXPECTED}' in:\n${output}")
endif()
if(NOT EXPECTED AND NOT output STREQUAL "")
  message(FATAL_ERROR "unexpected output:\n${output}")
endif()
