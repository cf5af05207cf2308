# Compile options of this repository's own code; never exported with the installed package.
add_library(liftgen_warnings INTERFACE)
option(LIFTGEN_WERROR "Warnings are errors" ON)
target_compile_options(liftgen_warnings INTERFACE -Wall -Wextra $<$<BOOL:${LIFTGEN_WERROR}>:-Werror>)

if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # gcc 12 warns about its own library here: overlapping copies inside std::string's operator+ (gcc bug 105651), and
  # the members of a variant's or optional's other alternatives. clang and the sanitizers watch in their place.
  target_compile_options(liftgen_warnings INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
  if(CMAKE_UNITY_BUILD)
    # Warns of types with parts from an anonymous namespace where the file is included, be it into one of its own folder.
    target_compile_options(liftgen_warnings INTERFACE -Wno-subobject-linkage)
  endif()
endif()

if(LIFTGEN_SANITIZE)
  target_compile_options(liftgen_warnings INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                    -fno-omit-frame-pointer)
  target_link_options(liftgen_warnings INTERFACE -fsanitize=address,undefined)
endif()
