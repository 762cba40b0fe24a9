# kernix_add_library(name SOURCES a.cu b.cu TARGETS cpu cuda
#                    [INCLUDE_DIRECTORIES dir...] [DEFINITIONS X=1...] [COMPILE_OPTIONS -O2...] [CUDA_ARCHITECTURES 80 90]
#                    [LINK_LIBRARIES lib...] [CONFIG bind.yaml] [OUTPUT_DIRECTORY dir])
#
# Compiles annotated CUDA C++ with clang and the kernix plugin into name.cpu.so and name.cuda.so, side by side, which
# kernix.load("name") opens. Custom target `name`; one more per kind, name_cpu and name_cuda. The project's own compiler
# may be another one: clang++ 22 is found apart ($KERNIX_CLANG or -DKERNIX_CLANG=...).

function(_kernix_find_clang)
  if(KERNIX_CLANG)
    return()
  endif()
  find_program(KERNIX_CLANG NAMES $ENV{KERNIX_CLANG} clang++-22 PATHS /usr/lib/llvm-22/bin
               DOC "clang++ 22, which loads the kernix plugin")
  if(NOT KERNIX_CLANG)
    message(FATAL_ERROR "kernix needs clang++ 22: apt-get install clang-22 (or set KERNIX_CLANG)")
  endif()
  execute_process(COMMAND ${KERNIX_CLANG} -print-resource-dir OUTPUT_VARIABLE directory OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(KERNIX_CLANG_INCLUDE ${directory}/include CACHE INTERNAL "clang's own headers")
endfunction()

function(kernix_add_library name)
  cmake_parse_arguments(ARG "" "CONFIG;OUTPUT_DIRECTORY"
                        "SOURCES;TARGETS;INCLUDE_DIRECTORIES;DEFINITIONS;COMPILE_OPTIONS;CUDA_ARCHITECTURES;LINK_LIBRARIES" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "kernix_add_library(${name}): unknown arguments ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_SOURCES OR NOT ARG_TARGETS)
    message(FATAL_ERROR "kernix_add_library(${name}) needs SOURCES and TARGETS (cpu, cuda)")
  endif()
  if(NOT ARG_OUTPUT_DIRECTORY)
    set(ARG_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  endif()
  _kernix_find_clang()
  add_custom_target(${name} ALL)
  set(flags -O3 -gline-tables-only)
  foreach(directory IN LISTS ARG_INCLUDE_DIRECTORIES)
    list(APPEND flags -I${directory})
  endforeach()
  foreach(definition IN LISTS ARG_DEFINITIONS)
    list(APPEND flags -D${definition})
  endforeach()
  list(APPEND flags ${ARG_COMPILE_OPTIONS})
  set(dependencies $<TARGET_FILE:kernix::runtime>)
  if(TARGET kernix)
    list(APPEND dependencies kernix kernix-front)
  endif()
  if(ARG_CONFIG)
    cmake_path(ABSOLUTE_PATH ARG_CONFIG)
    list(APPEND flags -fplugin-arg-kernix-config=${ARG_CONFIG})
    list(APPEND dependencies ${ARG_CONFIG})
  endif()
  foreach(target IN LISTS ARG_TARGETS)
    if(target STREQUAL "cpu")
      _kernix_cpu_objects(${name} "${flags}" "${dependencies}" objects ${ARG_SOURCES})
      set(libraries)
    elseif(target STREQUAL "cuda")
      _kernix_cuda_objects(${name} "${flags}" "${dependencies}" "${ARG_CUDA_ARCHITECTURES}" objects libraries ${ARG_SOURCES})
    else()
      message(FATAL_ERROR "kernix_add_library(${name}): unknown target '${target}'; there are cpu and cuda")
    endif()
    set(output ${ARG_OUTPUT_DIRECTORY}/${name}.${target}.so)
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${KERNIX_CLANG} -shared ${objects} -o ${output} $<TARGET_FILE:kernix::runtime>
              -Wl,-rpath,$<TARGET_FILE_DIR:kernix::runtime> ${libraries} ${ARG_LINK_LIBRARIES}
      DEPENDS ${objects} $<TARGET_FILE:kernix::runtime>
      COMMENT "Linking ${name}.${target}.so"
      COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(${name}_${target} DEPENDS ${output})
    set_target_properties(${name}_${target} PROPERTIES KERNIX_LIBRARY ${output})
    add_dependencies(${name} ${name}_${target})
  endforeach()
endfunction()

# One compile step with its dependency file.
function(_kernix_compile object source dependencies)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${KERNIX_CLANG} ${ARGN} -MD -MT ${object} -MF ${object}.d -c -x cuda ${source} -o ${object}
    DEPENDS ${source} ${dependencies}
    DEPFILE ${object}.d
    COMMENT "Compiling ${object}"
    VERBATIM)
endfunction()

function(_kernix_cpu_objects name flags dependencies result)
  set(objects)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(GET source FILENAME stem)
    # Equal names in two files must not meet in one library.
    string(SHA256 unit "${source} ${flags}")
    string(SUBSTRING ${unit} 0 16 unit)
    foreach(pass host device)
      set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.${stem}.${pass}.o)
      _kernix_compile(${object} ${source} "${dependencies}" --config=${KERNIX_ROOT}/share/kernix/kernix-cpu-${pass}.cfg
                      -idirafter ${KERNIX_CLANG_INCLUDE} -fplugin-arg-kernix-unit=${unit} ${flags})
      list(APPEND objects ${object})
    endforeach()
  endforeach()
  set(${result} ${objects} PARENT_SCOPE)
endfunction()

function(_kernix_cuda_objects name flags dependencies architectures result libraries)
  find_path(KERNIX_CUDA_ROOT NAMES include/cuda_runtime.h PATHS $ENV{CUDA_HOME} /usr/local/cuda
            DOC "The CUDA toolkit" NO_DEFAULT_PATH)
  if(NOT KERNIX_CUDA_ROOT)
    message(FATAL_ERROR "kernix_add_library(${name}): target cuda needs the CUDA 13 toolkit (set CUDA_HOME or KERNIX_CUDA_ROOT)")
  endif()
  if(NOT architectures)
    set(architectures 90)
  endif()
  foreach(architecture IN LISTS architectures)
    list(APPEND flags --cuda-gpu-arch=sm_${architecture})
  endforeach()
  set(objects)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(GET source FILENAME stem)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.${stem}.cuda.o)
    _kernix_compile(${object} ${source} "${dependencies}" --config=${KERNIX_ROOT}/share/kernix/kernix-cuda.cfg
                    --cuda-path=${KERNIX_CUDA_ROOT} -Wno-unknown-cuda-version ${flags}
                    -isystem ${KERNIX_CUDA_ROOT}/include/cccl)
    list(APPEND objects ${object})
  endforeach()
  set(${result} ${objects} PARENT_SCOPE)
  set(${libraries} ${KERNIX_CUDA_ROOT}/lib64/libcudart_static.a -ldl -lrt -lpthread PARENT_SCOPE)
endfunction()
