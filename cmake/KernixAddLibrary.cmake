# kernix_add_library(name SOURCES a.cu b.cu TARGETS cpu cuda
#                    [INCLUDE_DIRECTORIES dir...] [DEFINITIONS X=1...] [COMPILE_OPTIONS -O2...] [CUDA_ARCHITECTURES 80 90]
#                    [LINK_LIBRARIES lib...] [CONFIG bind.yaml] [OUTPUT_DIRECTORY dir])
#
# Compiles annotated CUDA C++ with clang and the kernix plugin into name.cpu.so and name.cuda.so, side by side, which
# kernix.load("name") opens. Custom target `name`; one more per kind, name_cpu and name_cuda. The project's own compiler
# may be another one: clang++ 22 is found apart (-DKERNIX_CLANG=... or $KERNIX_CLANG), and so is the CUDA toolkit
# (-DKERNIX_CUDA_ROOT=..., $CUDA_HOME or $CUDA_PATH, else /usr/local/cuda).
#
# As with other libraries: what include_directories() and add_compile_definitions() have said before holds, and a target
# in LINK_LIBRARIES brings its include directories and definitions. Options of the project's own compiler do not hold.

function(kernix_add_library name)
  cmake_parse_arguments(ARG "" "CONFIG;OUTPUT_DIRECTORY"
                        "SOURCES;TARGETS;INCLUDE_DIRECTORIES;DEFINITIONS;COMPILE_OPTIONS;CUDA_ARCHITECTURES;LINK_LIBRARIES" ${ARGN})
  _kernix_check_arguments()
  if(NOT ARG_OUTPUT_DIRECTORY)
    set(ARG_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  endif()
  cmake_path(ABSOLUTE_PATH ARG_OUTPUT_DIRECTORY BASE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  file(MAKE_DIRECTORY ${ARG_OUTPUT_DIRECTORY})
  _kernix_find_clang()
  _kernix_common_flags(flags)
  _kernix_dependencies(dependencies)
  add_custom_target(${name} ALL)
  foreach(target IN LISTS ARG_TARGETS)
    _kernix_link_libraries(libraries)
    if(target STREQUAL "cpu")
      _kernix_cpu_objects(objects)
    else()
      _kernix_find_cuda(${name})
      _kernix_cuda_objects(objects)
      list(PREPEND libraries ${KERNIX_CUDA_ROOT}/lib64/libcudart_static.a -ldl -lrt -lpthread)
    endif()
    set(output ${ARG_OUTPUT_DIRECTORY}/${name}.${target}.so)
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${KERNIX_CLANG} -shared ${objects} -o ${output} $<TARGET_FILE:kernix::runtime>
              -Wl,-rpath,$<TARGET_FILE_DIR:kernix::runtime> ${libraries}
      DEPENDS ${objects} $<TARGET_FILE:kernix::runtime> ${linked}
      COMMENT "Linking ${name}.${target}.so"
      VERBATIM)
    add_custom_target(${name}_${target} DEPENDS ${output})
    set_target_properties(${name}_${target} PROPERTIES KERNIX_LIBRARY ${output})
    add_dependencies(${name} ${name}_${target})
  endforeach()
endfunction()

# -- misuse --------------------------------------------------------------------------------------------------------

# These and those of the command lines read the arguments of kernix_add_library, ARG_*, and its name.
function(_kernix_error text)
  message(FATAL_ERROR "kernix_add_library(${name}): ${text}")
endfunction()

function(_kernix_check_arguments)
  if(name MATCHES "^(SOURCES|TARGETS)$")
    message(FATAL_ERROR "kernix_add_library: the first argument is the name of the library, not ${name}")
  endif()
  if(NOT name MATCHES "^[A-Za-z0-9_.+-]+$")
    _kernix_error("the name is that of a target and a file: letters, digits, and any of _ . + -")
  endif()
  if(TARGET ${name})
    _kernix_error("there is a target of this name already")
  endif()
  if(ARG_UNPARSED_ARGUMENTS)
    _kernix_error("unknown arguments ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_SOURCES OR NOT ARG_TARGETS)
    message(FATAL_ERROR "kernix_add_library(${name}) needs SOURCES and TARGETS (cpu, cuda)")
  endif()
  foreach(keyword IN LISTS ARG_KEYWORDS_MISSING_VALUES)
    if(keyword MATCHES "^(CONFIG|OUTPUT_DIRECTORY)$") # empty lists are common
      _kernix_error("${keyword} needs a value")
    endif()
  endforeach()
  foreach(target IN LISTS ARG_TARGETS)
    if(NOT target MATCHES "^(cpu|cuda)$")
      _kernix_error("unknown target '${target}'; there are cpu and cuda")
    endif()
  endforeach()
  foreach(architecture IN LISTS ARG_CUDA_ARCHITECTURES)
    if(NOT architecture MATCHES "^([0-9]+)[af]?$")
      _kernix_error("'${architecture}' is no CUDA architecture; they are numbers, such as 80 or 90a")
    elseif(CMAKE_MATCH_1 LESS 75)
      _kernix_error("CUDA architecture ${architecture}: 75 is the oldest one")
    endif()
  endforeach()
  _kernix_check_files("source" SOURCES)
  _kernix_check_files("file" CONFIG)
  foreach(argument TARGETS SOURCES)
    set(once ${ARG_${argument}})
    list(REMOVE_DUPLICATES once)
    if(NOT once STREQUAL "${ARG_${argument}}")
      list(JOIN ARG_${argument} " " all)
      _kernix_error("${argument} names something twice: ${all}")
    endif()
  endforeach()
endfunction()

# A file that the build makes need not be there yet.
function(_kernix_check_files what argument)
  foreach(file IN LISTS ARG_${argument})
    get_source_file_property(generated ${file} GENERATED)
    cmake_path(ABSOLUTE_PATH file OUTPUT_VARIABLE path)
    if(IS_DIRECTORY ${path})
      _kernix_error("the ${what} ${file} is a folder")
    elseif(NOT generated AND NOT EXISTS ${path})
      _kernix_error("the ${what} ${file} is not there (${path})")
    endif()
  endforeach()
endfunction()

# -- what is needed ------------------------------------------------------------------------------------------------

# Sets KERNIX_CLANG and KERNIX_CLANG_INCLUDE, once.
function(_kernix_find_clang)
  if(KERNIX_CLANG_CHECKED STREQUAL "${KERNIX_CLANG}" AND KERNIX_CLANG)
    return()
  endif()
  find_program(KERNIX_CLANG NAMES $ENV{KERNIX_CLANG} clang++-22 clang++ PATHS /usr/lib/llvm-22/bin
               DOC "clang++ 22, which loads the kernix plugin")
  set(install "apt-get install clang-22, or set KERNIX_CLANG to a clang++ of version 22")
  if(NOT KERNIX_CLANG)
    message(FATAL_ERROR "kernix needs clang++ 22, which was not found: ${install}")
  endif()
  execute_process(COMMAND ${KERNIX_CLANG} --version OUTPUT_VARIABLE text ERROR_QUIET)
  execute_process(COMMAND ${KERNIX_CLANG} -print-resource-dir OUTPUT_VARIABLE directory OUTPUT_STRIP_TRAILING_WHITESPACE
                  ERROR_QUIET)
  if(NOT text MATCHES "clang version 22\\.")
    set(found "something else")
    if(text MATCHES "clang version ([0-9.]+)")
      set(found "version ${CMAKE_MATCH_1}")
    endif()
    message(FATAL_ERROR "kernix needs clang++ 22, and ${KERNIX_CLANG} is ${found}: ${install}")
  endif()
  set(KERNIX_CLANG_INCLUDE ${directory}/include CACHE INTERNAL "clang's own headers")
  set(KERNIX_CLANG_CHECKED ${KERNIX_CLANG} CACHE INTERNAL "The compiler whose version was looked at")
endfunction()

# Sets KERNIX_CUDA_ROOT, once. A toolkit that was chosen is not replaced by another one.
function(_kernix_find_cuda name)
  if(DEFINED ENV{CUDA_HOME})
    set(folders $ENV{CUDA_HOME})
  elseif(DEFINED ENV{CUDA_PATH})
    set(folders $ENV{CUDA_PATH})
  else()
    set(folders /usr/local/cuda)
  endif()
  find_path(KERNIX_CUDA_ROOT NAMES include/cuda_runtime.h PATHS ${folders} DOC "The CUDA toolkit" NO_DEFAULT_PATH)
  set(install "install the CUDA 13 toolkit in /usr/local/cuda, or set CUDA_HOME or KERNIX_CUDA_ROOT to where it is")
  if(KERNIX_CUDA_ROOT)
    set(folders ${KERNIX_CUDA_ROOT})
  endif()
  if(NOT EXISTS ${folders}/include/cuda.h)
    _kernix_error("the target cuda needs a CUDA toolkit, and ${folders} has none: ${install}")
  endif()
  if(KERNIX_CUDA_CHECKED STREQUAL "${KERNIX_CUDA_ROOT}")
    return()
  endif()
  file(STRINGS ${KERNIX_CUDA_ROOT}/include/cuda.h version REGEX "^#define CUDA_VERSION [0-9]+" LIMIT_COUNT 1)
  if(NOT version MATCHES " (13[0-9][0-9][0-9])$")
    string(REGEX REPLACE "^.* " "" version "${version}")
    _kernix_error("${KERNIX_CUDA_ROOT} is CUDA ${version}, not 13: ${install}")
  endif()
  set(KERNIX_CUDA_CHECKED ${KERNIX_CUDA_ROOT} CACHE INTERNAL "The toolkit whose version was looked at")
endfunction()

# -- command lines -------------------------------------------------------------------------------------------------
# Flags of every pass.
function(_kernix_common_flags result)
  set(flags -O3 -gline-tables-only)
  get_directory_property(directories INCLUDE_DIRECTORIES)
  get_directory_property(definitions COMPILE_DEFINITIONS)
  foreach(directory IN LISTS ARG_INCLUDE_DIRECTORIES directories)
    if(NOT directory MATCHES "^\\$<")
      cmake_path(ABSOLUTE_PATH directory)
    endif()
    list(APPEND flags -I${directory})
  endforeach()
  foreach(definition IN LISTS definitions ARG_DEFINITIONS)
    string(REGEX REPLACE "^-D" "" definition "${definition}")
    list(APPEND flags -D${definition})
  endforeach()
  foreach(library IN LISTS ARG_LINK_LIBRARIES)
    if(TARGET ${library})
      set(directories $<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>)
      set(definitions $<TARGET_PROPERTY:${library},INTERFACE_COMPILE_DEFINITIONS>)
      list(APPEND flags $<$<BOOL:${directories}>:-I$<JOIN:${directories},$<SEMICOLON>-I>>
                        $<$<BOOL:${definitions}>:-D$<JOIN:${definitions},$<SEMICOLON>-D>>)
    endif()
  endforeach()
  list(APPEND flags ${ARG_COMPILE_OPTIONS})
  if(ARG_CONFIG)
    cmake_path(ABSOLUTE_PATH ARG_CONFIG)
    list(APPEND flags -fplugin-arg-kernix-config=${ARG_CONFIG})
  endif()
  set(${result} ${flags} PARENT_SCOPE)
endfunction()

# What the linker is given, and in `linked` the targets among it. As CMake has it: a target, a path, an option, or a name.
function(_kernix_link_libraries result)
  set(libraries)
  set(targets)
  foreach(library IN LISTS ARG_LINK_LIBRARIES)
    if(TARGET ${library})
      get_target_property(type ${library} TYPE)
      if(NOT type STREQUAL "INTERFACE_LIBRARY")
        list(APPEND libraries $<TARGET_LINKER_FILE:${library}>)
        list(APPEND targets ${library})
        if(type STREQUAL "SHARED_LIBRARY")
          list(APPEND libraries -Wl,-rpath,$<TARGET_FILE_DIR:${library}>)
        endif()
      endif()
    elseif(library MATCHES "^-|/|^\\$<")
      list(APPEND libraries ${library})
    else()
      list(APPEND libraries -l${library})
    endif()
  endforeach()
  set(${result} ${libraries} PARENT_SCOPE)
  set(linked ${targets} PARENT_SCOPE)
endfunction()

# What makes an object old, besides its source and what the source includes.
function(_kernix_dependencies result)
  set(files $<TARGET_FILE:kernix::runtime> ${KERNIX_ROOT}/lib/kernix.so ${KERNIX_ROOT}/lib/kernix-front.so)
  if(TARGET kernix)
    list(APPEND files kernix kernix-front)
  endif()
  foreach(config kernix-cpu-host kernix-cpu-device kernix-cuda)
    list(APPEND files ${KERNIX_ROOT}/share/kernix/${config}.cfg)
  endforeach()
  if(ARG_CONFIG)
    cmake_path(ABSOLUTE_PATH ARG_CONFIG)
    list(APPEND files ${ARG_CONFIG})
  endif()
  set(${result} ${files} PARENT_SCOPE)
endfunction()

# One compile step with its dependency file; the flags of the pass follow. `dependencies` and `stamp` are read; `stamp` is one more thing it depends on.
function(_kernix_compile object source)
  cmake_path(GET object FILENAME title)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${KERNIX_CLANG} ${ARGN} -MD -MQ ${object} -MF ${object}.d -c -x cuda ${source} -o ${object}
    DEPENDS ${source} ${dependencies} ${stamp}
    DEPFILE ${object}.d
    COMMENT "Compiling ${title}"
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

# Objects are numbered: two sources of one name may lie in two folders.
function(_kernix_cpu_objects result)
  set(stamp)
  set(objects)
  set(number 0)
  foreach(source IN LISTS ARG_SOURCES)
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(GET source STEM stem)
    # Keeps equal names of two files apart in one process.
    string(SHA256 unit "${name} ${source} ${flags}")
    string(SUBSTRING ${unit} 0 16 unit)
    foreach(pass host device)
      set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.${number}.${stem}.${pass}.o)
      _kernix_compile(${object} ${source} --config=${KERNIX_ROOT}/share/kernix/kernix-cpu-${pass}.cfg
                      -idirafter ${KERNIX_CLANG_INCLUDE} -fplugin-arg-kernix-unit=${unit} ${flags})
      list(APPEND objects ${object})
    endforeach()
    math(EXPR number "${number} + 1")
  endforeach()
  set(${result} ${objects} PARENT_SCOPE)
endfunction()

function(_kernix_cuda_objects result)
  if(NOT ARG_CUDA_ARCHITECTURES)
    set(ARG_CUDA_ARCHITECTURES 90)
  endif()
  set(architectures)
  foreach(architecture IN LISTS ARG_CUDA_ARCHITECTURES)
    list(APPEND architectures --cuda-gpu-arch=sm_${architecture})
  endforeach()
  set(objects)
  set(number 0)
  foreach(source IN LISTS ARG_SOURCES)
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(GET source STEM stem)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.${number}.${stem}.cuda.o)
    set(command --config=${KERNIX_ROOT}/share/kernix/kernix-cuda.cfg --cuda-path=${KERNIX_CUDA_ROOT}
                -Wno-unknown-cuda-version ${flags} -isystem ${KERNIX_CUDA_ROOT}/include/cccl)
    # clang writes the dependencies of the host pass only. What the device pass includes makes this stamp old, which makes
    # the object old.
    list(GET architectures 0 first)
    set(stamp ${object}.device)
    add_custom_command(
      OUTPUT ${stamp}
      COMMAND ${KERNIX_CLANG} ${command} ${first} --cuda-device-only -M -MQ ${stamp} -MF ${stamp}.d -x cuda ${source}
      COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
      DEPENDS ${source} ${dependencies}
      DEPFILE ${stamp}.d
      COMMENT "Reading what ${name}.${number}.${stem}.cuda.o includes"
      COMMAND_EXPAND_LISTS VERBATIM)
    _kernix_compile(${object} ${source} ${architectures} ${command})
    list(APPEND objects ${object})
    math(EXPR number "${number} + 1")
  endforeach()
  set(${result} ${objects} PARENT_SCOPE)
endfunction()
