# Compile options of this repository's own code; never exported with the installed package.
add_library(liftgen_warnings INTERFACE)
target_compile_options(liftgen_warnings INTERFACE -Wall -Wextra -Werror)

if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # gcc 12 reports overlapping copies inside std::string's own operator+ (gcc bug 105651).
  target_compile_options(liftgen_warnings INTERFACE -Wno-restrict)
endif()

if(LIFTGEN_SANITIZE)
  target_compile_options(liftgen_warnings INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                    -fno-omit-frame-pointer)
  target_link_options(liftgen_warnings INTERFACE -fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # The sanitizers' instrumentation hides initialisations from this analysis.
    target_compile_options(liftgen_warnings INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
