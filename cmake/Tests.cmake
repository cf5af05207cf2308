# tests/<layer>/*.cpp       -> test_<layer>, label quick
# tests/<layer>/long/*.cpp  -> test_<layer>_long, label long
# tests/fuzz/run.sh         -> fuzz_parse, label long: the parser's fuzzer, for so many texts
# tests/fuzz/programs/      -> test_fuzz_programs, test_fuzz_programs_long and, for hours of it in slices (--resume), fuzz_programs
# examples/*.cpp            -> example_<name>, label quick
# tests/python/             -> python, label quick: the Python package, its examples and its notebook
# tests/consumer/           -> a project of its own, see test_consumer.cmake
# A test program links every layer, so a layer's tests may use later ones as oracles.
liftgen_require(doctest doctest-dev)
liftgen_require(rapidcheck librapidcheck-dev)

add_library(liftgen_test_main OBJECT tests/main.cpp)
target_link_libraries(liftgen_test_main PUBLIC liftgen_all doctest::doctest rapidcheck PRIVATE liftgen_warnings)
target_compile_definitions(liftgen_test_main PUBLIC LIFTGEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                                    LIFTGEN_BINARY_DIR="${PROJECT_BINARY_DIR}")

function(liftgen_add_test_program name label timeout)
  if(NOT ARGN)
    return()
  endif()
  add_executable(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES UNITY_BUILD_MODE GROUP)
  liftgen_compile_together(${ARGN})
  target_link_libraries(${name} PRIVATE liftgen_test_main liftgen_warnings)
  if(TARGET liftgen)
    add_dependencies(${name} liftgen)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${timeout}
                                          ENVIRONMENT "LIFTGEN_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
endfunction()

file(GLOB layers RELATIVE ${PROJECT_SOURCE_DIR}/tests CONFIGURE_DEPENDS tests/*)
foreach(layer ${layers})
  if(NOT IS_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/${layer} OR EXISTS ${PROJECT_SOURCE_DIR}/tests/${layer}/CMakeLists.txt)
    continue()
  endif()
  file(GLOB quick CONFIGURE_DEPENDS tests/${layer}/*.cpp)
  file(GLOB long CONFIGURE_DEPENDS tests/${layer}/long/*.cpp)
  liftgen_add_test_program(test_${layer} quick 1800 ${quick})
  liftgen_add_test_program(test_${layer}_long long 3600 ${long})
endforeach()

# Schedules are judged by isl, which knows nothing of liftgen's own analysis.
if(NOT LIFTGEN_HAS_ISL)
  liftgen_missing("<isl/cpp.h>" libisl-dev)
endif()
target_link_libraries(test_oracle PRIVATE liftgen_isl)

# What the tests' CUDA driver computes kernels with.
add_library(liftgen_emulated_kernels MODULE tests/runtime/emulated/kernels.cpp)
target_link_libraries(liftgen_emulated_kernels PRIVATE liftgen_runtime fmt::fmt liftgen_warnings)
foreach(layer bench runtime cli)
  add_dependencies(test_${layer} liftgen_emulated_kernels)
endforeach()

# Random programs: the machinery once, for the tests and for the driver.
file(GLOB programs CONFIGURE_DEPENDS tests/fuzz/programs/*.cpp)
list(FILTER programs EXCLUDE REGEX "(_test|/driver)[.]cpp$")
add_library(liftgen_fuzz_programs STATIC ${programs})
set_target_properties(liftgen_fuzz_programs PROPERTIES UNITY_BUILD_MODE GROUP)
liftgen_compile_together(${programs})
target_link_libraries(liftgen_fuzz_programs PUBLIC liftgen_all PRIVATE liftgen_warnings)
target_compile_options(liftgen_fuzz_programs PRIVATE $<$<CONFIG:Release>:-O1>)
add_executable(fuzz_programs tests/fuzz/programs/driver.cpp)
target_link_libraries(fuzz_programs PRIVATE liftgen_fuzz_programs CLI11::CLI11 liftgen_warnings)
liftgen_add_test_program(test_fuzz_programs quick 1800 tests/fuzz/programs/programs_test.cpp)
liftgen_add_test_program(test_fuzz_programs_long long 3600 tests/fuzz/programs/long/programs_test.cpp)
foreach(program test_fuzz_programs test_fuzz_programs_long)
  target_link_libraries(${program} PRIVATE liftgen_fuzz_programs)
endforeach()

file(GLOB examples CONFIGURE_DEPENDS examples/*.cpp)
foreach(source ${examples})
  cmake_path(GET source STEM name)
  add_executable(example_${name} ${source})
  target_link_libraries(example_${name} PRIVATE liftgen_all liftgen_warnings)
  add_test(NAME example_${name} COMMAND example_${name})
  set_tests_properties(example_${name} PROPERTIES LABELS quick TIMEOUT 1800)
endforeach()

# examples/gallery: each program against plain loops, at a small odd size
if(TARGET liftgen)
  add_test(NAME gallery COMMAND bash ${PROJECT_SOURCE_DIR}/examples/gallery/run --check)
  set_tests_properties(gallery PROPERTIES LABELS quick TIMEOUT 1800 ENVIRONMENT "LIFTGEN=$<TARGET_FILE:liftgen>")
endif()

if(TARGET liftgen_python)
  add_test(NAME python COMMAND ${Python_EXECUTABLE} -B -m pytest -q -p no:cacheprovider ${PROJECT_SOURCE_DIR}/tests/python)
  set_tests_properties(python PROPERTIES LABELS quick TIMEOUT 1800 ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/python")
endif()

if(TARGET liftgen_python)
  add_test(NAME wheel COMMAND bash ${PROJECT_SOURCE_DIR}/cmake/test_wheel.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${Python_EXECUTABLE})
  set_tests_properties(wheel PROPERTIES LABELS quick TIMEOUT 600)
endif()

# Figures of schedules are as the schedules are.
find_program(LIFTGEN_PYTHON python3)
mark_as_advanced(LIFTGEN_PYTHON)
if(TARGET liftgen AND LIFTGEN_PYTHON)
  add_test(NAME figures COMMAND ${LIFTGEN_PYTHON} ${PROJECT_SOURCE_DIR}/docs/figures/make.py --check --liftgen $<TARGET_FILE:liftgen>)
  set_tests_properties(figures PROPERTIES LABELS quick TIMEOUT 600)
  # bench/users: each program's default kernel against plain loops, at small sizes
  add_test(NAME users COMMAND ${LIFTGEN_PYTHON} ${PROJECT_SOURCE_DIR}/bench/users/run --check)
  set_tests_properties(users PROPERTIES LABELS quick TIMEOUT 1800 ENVIRONMENT "LIFTGEN=$<TARGET_FILE:liftgen>")
  if(TARGET bench_solvers)
    # bench/solvers: our multigrid solver and plain loops for its method, judged by a residual of neither, at small sizes
    add_test(NAME solvers COMMAND ${LIFTGEN_PYTHON} ${PROJECT_SOURCE_DIR}/bench/solvers/run --check --bench $<TARGET_FILE:bench_solvers>)
    set_tests_properties(solvers PROPERTIES LABELS quick TIMEOUT 600)
  endif()
  # Each seeded mistake says where it is made.
  add_test(NAME mutants_apply COMMAND ${LIFTGEN_PYTHON} ${PROJECT_SOURCE_DIR}/tests/mutants/run --check)
  set_tests_properties(mutants_apply PROPERTIES LABELS quick TIMEOUT 60)
  # Explorations that are killed, and whose kernels crash: what they had found is kept.
  add_test(NAME faults COMMAND ${LIFTGEN_PYTHON} ${PROJECT_SOURCE_DIR}/tests/faults/run --faults killed,crashing-kernels)
  set_tests_properties(faults PROPERTIES LABELS long TIMEOUT 600 ENVIRONMENT "LIFTGEN_BUILD=$<TARGET_FILE_DIR:liftgen>")
endif()

# Links of pages lead somewhere, files that pages name are there; the site can be made of them where mkdocs is installed (docs/site).
if(LIFTGEN_PYTHON)
  add_test(NAME links COMMAND ${LIFTGEN_PYTHON} -B ${PROJECT_SOURCE_DIR}/docs/site/links.py)
  set_tests_properties(links PROPERTIES LABELS quick TIMEOUT 60)
  find_program(LIFTGEN_MKDOCS mkdocs)
  mark_as_advanced(LIFTGEN_MKDOCS)
  if(LIFTGEN_MKDOCS)
    add_test(NAME site COMMAND ${LIFTGEN_PYTHON} -B ${PROJECT_SOURCE_DIR}/docs/site/build ${PROJECT_BINARY_DIR}/site)
    set_tests_properties(site PROPERTIES LABELS quick TIMEOUT 300)
  endif()
endif()

# The parser's fuzzer needs libFuzzer, and so clang; 15 is the first that knows std::source_location.
find_program(LIFTGEN_FUZZ_CXX NAMES clang++-15 clang++-16 clang++-17 clang++-18 clang++-19)
mark_as_advanced(LIFTGEN_FUZZ_CXX)
if(LIFTGEN_FUZZ_CXX)
  add_test(NAME fuzz_parse COMMAND bash ${PROJECT_SOURCE_DIR}/tests/fuzz/run.sh ${LIFTGEN_FUZZ_CXX} ${PROJECT_BINARY_DIR}/fuzz 20000)
  set_tests_properties(fuzz_parse PROPERTIES LABELS long TIMEOUT 3600)
endif()

add_test(NAME refused_signatures COMMAND ${CMAKE_COMMAND} -DCOMPILER=${CMAKE_CXX_COMPILER} -DSOURCE=${PROJECT_SOURCE_DIR} -P
                                         ${PROJECT_SOURCE_DIR}/cmake/test_refused.cmake)
set_tests_properties(refused_signatures PROPERTIES LABELS quick TIMEOUT 600)

add_test(NAME light_header COMMAND ${CMAKE_COMMAND} -DCOMPILER=${CMAKE_CXX_COMPILER} -DSOURCE=${PROJECT_SOURCE_DIR}
                                   -DWORK=${PROJECT_BINARY_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/test_light_header.cmake)
set_tests_properties(light_header PROPERTIES LABELS quick TIMEOUT 600)

add_test(NAME layer_order COMMAND ${CMAKE_COMMAND} "-DLAYERS=${LIFTGEN_LAYERS}" "-DFOLDERS=${LIFTGEN_FOLDERS}" -DROOT=${PROJECT_SOURCE_DIR} -P
                                  ${PROJECT_SOURCE_DIR}/cmake/check_layers.cmake)
set_tests_properties(layer_order PROPERTIES LABELS quick)

add_test(NAME format COMMAND bash ${PROJECT_SOURCE_DIR}/cmake/check_format.sh ${PROJECT_SOURCE_DIR})
set_tests_properties(format PROPERTIES LABELS quick TIMEOUT 600)

# Threads may be at work when a process ends.
if(NOT LIFTGEN_SANITIZE)
  set(archives)
  foreach(target ${LIFTGEN_LAYER_TARGETS})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL STATIC_LIBRARY)
      list(APPEND archives $<TARGET_FILE:${target}>)
    endif()
  endforeach()
  if(TARGET liftgen_python)
    list(APPEND archives $<TARGET_OBJECTS:liftgen_python>)
  endif()
  add_test(NAME statics COMMAND bash ${PROJECT_SOURCE_DIR}/cmake/check_statics.sh ${archives} COMMAND_EXPAND_LISTS)
  set_tests_properties(statics PROPERTIES LABELS quick TIMEOUT 600)
endif()

add_test(NAME locale COMMAND bash ${PROJECT_SOURCE_DIR}/cmake/check_locale.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
set_tests_properties(locale PROPERTIES LABELS quick TIMEOUT 600)

# On demand, clang-tidy reads files of a folder together, as they are compiled: a few of those that are not known to be
# clean, or all of them.
if(CMAKE_UNITY_BUILD)
  foreach(which some all)
    add_test(NAME tidy_${which} COMMAND bash ${PROJECT_SOURCE_DIR}/cmake/check_tidy.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}
                                        ${which})
    set_tests_properties(tidy_${which} PROPERTIES TIMEOUT 3600)
  endforeach()
  set_tests_properties(tidy_some PROPERTIES LABELS tidy)
  set_tests_properties(tidy_all PROPERTIES LABELS tidy PROCESSORS 64)
endif()

add_test(NAME launcher COMMAND bash ${PROJECT_SOURCE_DIR}/cmake/test_launcher.sh ${PROJECT_SOURCE_DIR})
set_tests_properties(launcher PROPERTIES LABELS quick TIMEOUT 600)

# Not with sanitizers, whose run time a consumer does not link.
if(LIFTGEN_INSTALL AND NOT LIFTGEN_SANITIZE)
  add_test(NAME consumer COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DBUILD=${PROJECT_BINARY_DIR}
                                 -DGENERATOR=${CMAKE_GENERATOR} -DCOMPILER=${CMAKE_CXX_COMPILER}
                                 -P ${PROJECT_SOURCE_DIR}/cmake/test_consumer.cmake)
  set_tests_properties(consumer PROPERTIES LABELS quick TIMEOUT 1800)
endif()

# Those that take longest begin first, so that no processor waits for the last of them: rough seconds of processor time.
foreach(cost "test_cli 400" "test_emit 300" "test_emit_long 250" "test_gmg 200" "test_lower 200" "fuzz_parse 130" "test_tuning 120"
             "test_rewrite 100" "test_fuzz_programs 90" "test_embed 80" "python 70" "users 60" "test_patterns 50")
  separate_arguments(cost)
  list(POP_FRONT cost name)
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES COST ${cost})
  endif()
endforeach()

# What the user's explorations have found is none of a test's business, nor the other way round. Memory in large pages
# where the system has them: emulated kernels run in processes of their own, hundreds of which are forked from large ones.
# Threads of kernels wait for one another asleep: where more tests run than there are processors, one that spins keeps the
# thread it waits for from running. Explorations need not know how fast memory is.
get_property(tests DIRECTORY PROPERTY TESTS)
set_property(TEST ${tests} APPEND PROPERTY ENVIRONMENT LIFTGEN_DB=none LIFTGEN_TRUST_TIMES=1 GLIBC_TUNABLES=glibc.malloc.hugetlb=1
                                            GOMP_SPINCOUNT=0 LIFTGEN_TRIAD_MB=1)
