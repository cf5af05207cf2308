# The text of `file`, a path of its own or one from the repository's root, as `const char* const text_of_NAME` in `namespace`, compiled into `target`.
function(liftgen_embed target file name namespace)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
  file(READ "${path}" text)
  set(source "${PROJECT_BINARY_DIR}/embedded/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT [[
// The text of @file@.
namespace @namespace@ {
extern const char* const text_of_@name@;
const char* const text_of_@name@ = R"liftgen(@text@)liftgen";
}
]])
  target_sources(${target} PRIVATE "${source}")
endfunction()

# `lift::kSourceVersion` in `target`: a word for the sources of these layers (cmake/source_version.cmake), which changes when they do.
function(liftgen_add_source_version target)
  set(source "${PROJECT_BINARY_DIR}/embedded/source_version.cpp")
  set(read ${ARGN})
  list(TRANSFORM read APPEND "/*.[ch]pp")
  list(TRANSFORM read PREPEND "${PROJECT_SOURCE_DIR}/")
  file(GLOB_RECURSE read CONFIGURE_DEPENDS ${read})
  add_custom_command(
    OUTPUT "${source}" DEPENDS ${read} "${PROJECT_SOURCE_DIR}/cmake/source_version.cmake"
    COMMAND ${CMAKE_COMMAND} "-DROOT=${PROJECT_SOURCE_DIR}" "-DLAYERS=${ARGN}" "-DOUT=${source}" -P
            "${PROJECT_SOURCE_DIR}/cmake/source_version.cmake"
    COMMENT "Source version" VERBATIM)
  target_sources(${target} PRIVATE "${source}")
endfunction()
