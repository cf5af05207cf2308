# The Python package `liftgen`: python/*.cpp as the extension module liftgen._core beside the files of python/liftgen.
# In the build tree it lies in python/, where tests and people find it by PYTHONPATH; `pip install .` installs it.
if(NOT SKBUILD AND NOT DEFINED Python_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python_EXECUTABLE /usr/bin/python3)  # the one that has Debian's packages
endif()
set(Python_ARTIFACTS_INTERACTIVE ON)
find_package(Python 3.9 COMPONENTS Interpreter Development.Module QUIET)
if(NOT Python_Development.Module_FOUND)
  liftgen_missing("the development files of Python" python3-dev)
endif()
liftgen_require(pybind11 pybind11-dev)

file(GLOB python_sources CONFIGURE_DEPENDS python/*.cpp)
file(GLOB python_files CONFIGURE_DEPENDS python/liftgen/*.py python/liftgen/*.pyi python/liftgen/py.typed)
pybind11_add_module(liftgen_python MODULE NO_EXTRAS ${python_sources})
set_target_properties(liftgen_python PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/liftgen
                                                UNITY_BUILD_MODE GROUP)
liftgen_compile_together(${python_sources})
target_link_libraries(liftgen_python PRIVATE liftgen_all liftgen_warnings)
target_compile_definitions(liftgen_python PRIVATE LIFTGEN_VERSION="${PROJECT_VERSION}")

file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python/liftgen)
foreach(file ${python_files})
  cmake_path(GET file FILENAME name)
  file(CREATE_LINK ${file} ${PROJECT_BINARY_DIR}/python/liftgen/${name} SYMBOLIC)
endforeach()

if(SKBUILD)
  install(TARGETS liftgen_python LIBRARY DESTINATION liftgen)
endif()
