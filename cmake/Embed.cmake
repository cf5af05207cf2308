# The text of `file` as `const char* const text_of_NAME` in `namespace`, compiled into `target`.
function(liftgen_embed target file name namespace)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${file}")
  file(READ "${PROJECT_SOURCE_DIR}/${file}" text)
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
