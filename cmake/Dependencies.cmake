# Everything liftgen takes from outside, as the one target liftgen_dependencies. Also read by the installed
# package, so it sets up targets only. Packages are named as in Debian 12; cmake/packages.txt says what each is for.
#
# OpenCL contributes its headers only: liftgen opens the loader at run time, as it does CUDA's libraries.

# Reading the installed package (find_package(liftgen)): what only sources of liftgen include is not needed, and what is
# missing makes the package not found, with a reason, rather than ending the configuration.
if(CMAKE_FIND_PACKAGE_NAME STREQUAL "liftgen")
  set(liftgen_installed TRUE)
  include(CMakeFindDependencyMacro)
else()
  set(liftgen_installed FALSE)
endif()

# Messages begin with a blank, so that CMake keeps them in one line.
function(liftgen_missing what package)
  set(text "${what} is missing: install the Debian package ${package} (apt-get install ${package})")
  if(NOT liftgen_installed)
    message(FATAL_ERROR " ${text}")
  endif()
  set(liftgen_FOUND FALSE PARENT_SCOPE)
  set(liftgen_NOT_FOUND_MESSAGE "${text}" PARENT_SCOPE)
endfunction()

# A macro, because find_package sets variables that callers and later find_package calls need.
macro(liftgen_require name package)
  if(liftgen_installed)
    find_dependency(${name} ${ARGN})
  else()
    find_package(${name} ${ARGN} QUIET)
    if(NOT ${name}_FOUND)
      liftgen_missing(${name} ${package})
    endif()
  endif()
endmacro()

# A header, and a library unless LIBRARY is left out, that come without a CMake package.
function(liftgen_require_files target header package)
  cmake_parse_arguments(arg "" "LIBRARY" "" ${ARGN})
  if(TARGET ${target})
    return()
  endif()
  string(MAKE_C_IDENTIFIER "LIFTGEN_${target}" prefix)
  find_path(${prefix}_INCLUDE ${header})
  mark_as_advanced(${prefix}_INCLUDE)
  if(NOT ${prefix}_INCLUDE)
    liftgen_missing("<${header}>" ${package})
    return(PROPAGATE liftgen_FOUND liftgen_NOT_FOUND_MESSAGE)
  endif()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${${prefix}_INCLUDE})
  if(arg_LIBRARY)
    find_library(${prefix}_LIBRARY ${arg_LIBRARY})
    mark_as_advanced(${prefix}_LIBRARY)
    if(NOT ${prefix}_LIBRARY)
      liftgen_missing(lib${arg_LIBRARY} ${package})
      return(PROPAGATE liftgen_FOUND liftgen_NOT_FOUND_MESSAGE)
    endif()
    target_link_libraries(${target} INTERFACE ${${prefix}_LIBRARY})
  endif()
endfunction()

set(THREADS_PREFER_PTHREAD_FLAG ON)
liftgen_require(Threads libc6-dev)
liftgen_require(fmt libfmt-dev)
liftgen_require_files(liftgen_hana boost/hana.hpp libboost1.81-dev)
liftgen_require_files(liftgen_xxhash xxhash.h libxxhash-dev LIBRARY xxhash)
liftgen_require_files(liftgen_hwloc hwloc.h libhwloc-dev LIBRARY hwloc)
liftgen_require(SQLite3 libsqlite3-dev)
liftgen_require(SQLiteCpp libsqlitecpp-dev)
set(liftgen_source_dependencies)
if(NOT liftgen_installed)
  if(LIFTGEN_COMMAND)
    liftgen_require(CLI11 libcli11-dev)
  endif()
  liftgen_require(nlohmann_json nlohmann-json3-dev)
  liftgen_require(range-v3 librange-v3-dev)
  liftgen_require_files(liftgen_opencl_headers CL/cl.h opencl-headers)
  find_file(LIFTGEN_CHART_JS chart.min.js PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist
                                          NO_DEFAULT_PATH)
  mark_as_advanced(LIFTGEN_CHART_JS)
  if(NOT LIFTGEN_CHART_JS)
    liftgen_missing(chart.min.js libjs-chart.js)
  endif()
  set(liftgen_source_dependencies nlohmann_json::nlohmann_json range-v3::range-v3 liftgen_opencl_headers)
endif()

# Integer sets, for the rival `isl` of liftgen compare. Without them the target is empty, and that rival says what it lacks;
# programs that use an installed liftgen have no use for it.
set(LIFTGEN_HAS_ISL FALSE)
if(NOT liftgen_installed)
  find_path(LIFTGEN_ISL_INCLUDE isl/cpp.h)
  find_library(LIFTGEN_ISL_LIBRARY isl)
  mark_as_advanced(LIFTGEN_ISL_INCLUDE LIFTGEN_ISL_LIBRARY)
  if(LIFTGEN_ISL_INCLUDE AND LIFTGEN_ISL_LIBRARY)
    set(LIFTGEN_HAS_ISL TRUE)
  else()
    message(STATUS "isl is missing: liftgen compare goes without it; install the Debian package libisl-dev for it")
  endif()
endif()
if(NOT TARGET liftgen_isl)
  add_library(liftgen_isl INTERFACE IMPORTED GLOBAL)
  if(LIFTGEN_HAS_ISL)
    target_include_directories(liftgen_isl SYSTEM INTERFACE ${LIFTGEN_ISL_INCLUDE})
    target_link_libraries(liftgen_isl INTERFACE ${LIFTGEN_ISL_LIBRARY})
  endif()
endif()

if(NOT TARGET liftgen_dependencies)
  add_library(liftgen_dependencies INTERFACE IMPORTED GLOBAL)
  target_link_libraries(
    liftgen_dependencies
    INTERFACE fmt::fmt
              ${liftgen_source_dependencies}
              liftgen_hana
              liftgen_xxhash
              liftgen_hwloc
              SQLiteCpp
              Threads::Threads
              ${CMAKE_DL_LIBS})
  target_compile_definitions(liftgen_dependencies INTERFACE CL_TARGET_OPENCL_VERSION=300)
endif()
