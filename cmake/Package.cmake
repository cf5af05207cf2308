# cpack: a Debian package of what cmake --install installs. What it links is found by dpkg-shlibdeps; a C compiler makes kernels at
# run time.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME liftgen)
set(CPACK_PACKAGE_CONTACT "The liftgen developers <liftgen@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "kernels for stencils and multigrid, generated and tuned")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Expressions of functional primitives are rewritten into variants, lowered to C with OpenMP, OpenCL or CUDA,
 verified, and timed on the machine at hand; the fastest is kept.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "gcc | clang, libc6-dev")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++, cmake, libboost1.81-dev, libfmt-dev, libxxhash-dev, libhwloc-dev, libsqlitecpp-dev, libsqlite3-dev")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "pocl-opencl-icd, clang-14, libomp-14-dev")
include(CPack)
