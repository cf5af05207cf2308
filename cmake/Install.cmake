# cmake --install: the command, the layer archives, their headers, and a package for find_package(liftgen).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/liftgen)

if(TARGET liftgen)
  install(TARGETS liftgen EXPORT liftgenCommand RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(EXPORT liftgenCommand NAMESPACE liftgen:: DESTINATION ${package_dir})
  # The command writes its manual page and the shells' completions itself.
  install(
    CODE "
    set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
    file(MAKE_DIRECTORY \"\${share}/man/man1\" \"\${share}/bash-completion/completions\" \"\${share}/zsh/site-functions\")
    execute_process(COMMAND \"$<TARGET_FILE:liftgen>\" manual OUTPUT_FILE \"\${share}/man/man1/liftgen.1\" COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND \"$<TARGET_FILE:liftgen>\" completion bash OUTPUT_FILE \"\${share}/bash-completion/completions/liftgen\" COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND \"$<TARGET_FILE:liftgen>\" completion zsh OUTPUT_FILE \"\${share}/zsh/site-functions/_liftgen\" COMMAND_ERROR_IS_FATAL ANY)
  ")
endif()
install(TARGETS liftgen_all ${LIFTGEN_LAYER_TARGETS} EXPORT liftgenTargets ARCHIVE DESTINATION
                                                            ${CMAKE_INSTALL_LIBDIR}/liftgen)
# All headers lie in liftgen/, and name one another so: "ir/nat/nat.hpp" is "liftgen/layers/ir/nat/nat.hpp" there, and a
# user's own ir/nat/nat.hpp is nobody else's.
set(headers ${PROJECT_BINARY_DIR}/installed_headers)
string(REPLACE ";" "|" layers "${LIFTGEN_LAYERS}")
install(
  CODE "
  file(REMOVE_RECURSE \"${headers}\")
  foreach(folder include ${LIFTGEN_LAYERS})
    file(GLOB_RECURSE found RELATIVE \"${PROJECT_SOURCE_DIR}\" \"${PROJECT_SOURCE_DIR}/\${folder}/*.hpp\"
         \"${PROJECT_SOURCE_DIR}/\${folder}/*.h\")
    foreach(header \${found})
      file(READ \"${PROJECT_SOURCE_DIR}/\${header}\" text)
      string(REGEX REPLACE \"(#include \\\")(${layers})/\" \"\\\\1liftgen/layers/\\\\2/\" text \"\${text}\")
      if(folder STREQUAL include)
        string(REGEX REPLACE \"^include/\" \"\" header \"\${header}\")
      else()
        set(header liftgen/layers/\${header})
      endif()
      file(WRITE \"${headers}/\${header}\" \"\${text}\")
    endforeach()
  endforeach()
")
install(DIRECTORY ${headers}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT liftgenTargets NAMESPACE liftgen:: DESTINATION ${package_dir})

configure_package_config_file(cmake/liftgenConfig.cmake.in ${PROJECT_BINARY_DIR}/liftgenConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/liftgenConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/liftgenConfig.cmake ${PROJECT_BINARY_DIR}/liftgenConfigVersion.cmake
              cmake/Dependencies.cmake cmake/Kernels.cmake DESTINATION ${package_dir})
