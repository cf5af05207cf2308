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
