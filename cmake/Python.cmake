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

# A wheel has beside the package the libraries that are not part of every Linux; what they need themselves is found by the
# module's RPATH (as RUNPATH it would be for its own needs only). `pip wheel .` installs this component, and so does wheel.py.
set_target_properties(liftgen_python PROPERTIES INSTALL_RPATH "$ORIGIN/libs")
target_link_options(liftgen_python PRIVATE -Wl,--disable-new-dtags)
set(component COMPONENT python_package EXCLUDE_FROM_ALL)
install(TARGETS liftgen_python LIBRARY DESTINATION liftgen ${component})
install(CODE "set(module \"$<TARGET_FILE:liftgen_python>\")" ${component})
install(
  CODE [[
  file(GET_RUNTIME_DEPENDENCIES MODULES "${module}" RESOLVED_DEPENDENCIES_VAR needed UNRESOLVED_DEPENDENCIES_VAR missing
       PRE_EXCLUDE_REGEXES "^lib(c|m|dl|rt|pthread|gcc_s|stdc\\+\\+)[.]so" "^ld-linux")
  if(missing)
    message(FATAL_ERROR "libraries of the Python package are not found: ${missing}")
  endif()
  foreach(library ${needed})
    get_filename_component(name "${library}" NAME)
    file(REAL_PATH "${library}" real)
    set(libs "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/liftgen/libs")
    file(MAKE_DIRECTORY "${libs}")
    file(COPY_FILE "${real}" "${libs}/${name}")
  endforeach()
]] ${component})
if(NOT SKBUILD)  # which packs them itself
  install(FILES ${python_files} DESTINATION liftgen ${component})
  add_custom_target(
    wheel COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/wheel.py ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/dist
    DEPENDS liftgen_python COMMENT "A wheel of the Python package")
endif()
