# What the public header brings along: users pay for it in every file. Run by ctest with -DCOMPILER -DSOURCE -DWORK.
file(WRITE ${WORK}/light_header.cpp "#include <liftgen/lift.hpp>\n")
execute_process(
  COMMAND ${COMPILER} -std=c++20 -M -I${SOURCE} -I${SOURCE}/include ${WORK}/light_header.cpp
  RESULT_VARIABLE status OUTPUT_VARIABLE found ERROR_VARIABLE errors)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${errors}")
endif()
if(NOT found MATCHES "/liftgen/compile.hpp")
  message(FATAL_ERROR "the compiler does not name the headers:\n${found}")
endif()
foreach(header filesystem mutex thread future ranges regex iostream fstream deque set CL/cl.h runtime/native.hpp
               runtime/grid_device.hpp)
  if(found MATCHES "/${header}[ \n]")
    message(FATAL_ERROR "#include <liftgen/lift.hpp> brings ${header} along: declare what is needed of it, and include it in the .cpp")
  endif()
endforeach()
