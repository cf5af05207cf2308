# What must not compile, and the messages that the compiler gives. Run by ctest with -DCOMPILER -DSOURCE.
execute_process(
  COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${SOURCE} -I${SOURCE}/include ${SOURCE}/tests/embed/rejected/signatures.cpp
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0)
  message(FATAL_ERROR "all of it compiles")
endif()
foreach(text "write lift::array_view<T, Rank> in the signature"
             "numbers, and elements of arrays, are float, double, std::int32_t, std::int64_t or std::uint8_t"
             "parameters are float, double, std::int32_t, std::int64_t, std::uint8_t, contiguous ranges of these"
             "views have 1 to 6 dimensions"
             "a result is void, float, double, std::int32_t, std::int64_t, std::uint8_t, a std::vector of these"
             "what a queue works on later is on its device")
  string(FIND "${output}" "${text}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "the compiler does not say: ${text}\n${output}")
  endif()
endforeach()
