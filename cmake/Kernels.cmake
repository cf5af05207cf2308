# Kernels at build time, for projects that find liftgen or have it as a subdirectory:
#
#   liftgen_add_kernels(TARGET
#     [FILES "blur.lift" "heat.lift --size n=512" ...]          programs of one's own, as text
#     [OPERATORS smooth3d "residual3d --box 128 --boxes 1" ...] operators of the library
#     [DERIVATIONS blur=blur.derivation ...]                    how a kernel is computed, by its name; the default otherwise
#     [OPTIONS --symbolic ...]                                  for all of them, see liftgen emit --help
#     [TUNED])                                                  what exploring has found on this machine, where it has
#
# Each entry may carry options of `liftgen emit`. While the project is built, they become C files, which are compiled, and
# headers NAME.h that declare a function NAME each. TARGET gets both: an executable or a library that there is, or else a
# static library of that name. The program then needs neither liftgen nor a compiler.
function(liftgen_add_kernels target)
  cmake_parse_arguments(arg "TUNED" "" "FILES;OPERATORS;DERIVATIONS;OPTIONS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS OR NOT (arg_FILES OR arg_OPERATORS))
    message(FATAL_ERROR "liftgen_add_kernels(${target}): write FILES or OPERATORS, then names; see docs/kernels-at-build-time.md "
                        "(not understood: '${arg_UNPARSED_ARGUMENTS}')")
  endif()
  if(NOT TARGET liftgen::command)
    message(FATAL_ERROR "liftgen_add_kernels(${target}): needs the command liftgen; with add_subdirectory set LIFTGEN_COMMAND=ON "
                        "before it, or find an installed liftgen")
  endif()
  if(NOT TARGET ${target})
    add_library(${target} STATIC)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  get_target_property(type ${target} TYPE)
  set(scope PRIVATE)
  if(type STREQUAL "STATIC_LIBRARY")
    set(scope PUBLIC)
  endif()

  set(directory ${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels)
  set(database --no-db)
  if(arg_TUNED)
    set(database)
  endif()
  foreach(derivation ${arg_DERIVATIONS})
    if(NOT derivation MATCHES "^([A-Za-z_][A-Za-z0-9_]*)=(.+)$")
      message(FATAL_ERROR "liftgen_add_kernels(${target}): DERIVATIONS '${derivation}': write NAME=FILE, the name being the kernel's")
    endif()
    set(name ${CMAKE_MATCH_1})
    cmake_path(ABSOLUTE_PATH CMAKE_MATCH_2 BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE derivation_of_${name})
    list(APPEND derived ${name})
  endforeach()

  set(sources)
  foreach(entry ${arg_FILES} ${arg_OPERATORS})
    separate_arguments(words UNIX_COMMAND "${entry}")
    list(POP_FRONT words what)
    set(from)
    set(name ${what})
    if(entry IN_LIST arg_FILES)
      cmake_path(ABSOLUTE_PATH what BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE from)
      if(NOT EXISTS ${from})
        message(FATAL_ERROR "liftgen_add_kernels(${target}): there is no file ${from}")
      endif()
      # The program's name is what the file declares, or its own.
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${from})
      file(READ ${from} text)
      string(REGEX REPLACE "//[^\n]*" "" text "${text}")
      cmake_path(GET from STEM LAST_ONLY name)
      if(text MATCHES "(^|[ \t\r\n])program[ \t\r\n]+([A-Za-z_][A-Za-z0-9_]*)")
        set(name ${CMAKE_MATCH_2})
      endif()
      set(what ${from})
    endif()
    set(derivation)
    if(DEFINED derivation_of_${name})
      set(derivation --derivation ${derivation_of_${name}})
      list(REMOVE_ITEM derived ${name})
    endif()
    add_custom_command(
      OUTPUT ${directory}/${name}.c ${directory}/${name}.h
      COMMAND liftgen::command emit ${what} ${words} ${arg_OPTIONS} ${derivation} ${database} --quiet --out ${directory}
      DEPENDS liftgen::command ${from} ${derivation_of_${name}}
      COMMENT "liftgen: kernel ${name}"
      VERBATIM)
    list(APPEND sources ${directory}/${name}.c)
  endforeach()
  if(derived)
    message(FATAL_ERROR "liftgen_add_kernels(${target}): DERIVATIONS for '${derived}', which is none of its kernels")
  endif()

  set(native -march=native)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    set(native -mcpu=native)
  endif()
  if(DEFINED LIFTGEN_KERNEL_ARCHITECTURE)
    set(native ${LIFTGEN_KERNEL_ARCHITECTURE})
  endif()
  set(flags -O3 ${native} -fopenmp -ffp-contract=fast -fno-math-errno -fno-trapping-math)
  # Kernels are C and C++; a project without C compiles them as the latter.
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(language C)
  if(NOT "C" IN_LIST languages)
    set(language CXX)
    list(APPEND flags -x c++)
  endif()
  set_source_files_properties(${sources} PROPERTIES LANGUAGE ${language} COMPILE_OPTIONS "${flags}" SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${sources})
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${directory}>)
  target_link_options(${target} ${scope} -fopenmp)
  target_link_libraries(${target} ${scope} m)
endfunction()
