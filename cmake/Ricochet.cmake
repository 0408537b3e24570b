# What every target of the project shares: warnings, arithmetic, sanitizers, and one way to add each kind of target.

option(RICOCHET_PRECOMPILE "Precompile the headers of Eigen, of the standard library and of GoogleTest" ON)

option(RICOCHET_TOGETHER "Compile files that share much several at a time: less time from scratch, more after a change of one" ON)

# ccache keeps what was compiled with a precompiled header only if it is told to trust it.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  if(RICOCHET_PRECOMPILE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
    add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  endif()
endif()

# Warnings are errors in our own code only: a target that links ricochet is not bound by them. They are errors for
# the compiler that `make test` uses; another one (clang for fuzzing, a future g++) says what it thinks and goes on.
# Some warnings of g++ 12 come from its optimiser after inlining and are wrong about Boost's small_vector (growth it
# cannot rule out), about Eigen's fixed-size temporaries and about "text" + std::to_string(n) (its bug 105651); the
# sanitizers look for the real thing at run time.
function(ricochet_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion
    $<$<CXX_COMPILER_ID:GNU>:-Werror;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-maybe-uninitialized;-Wno-restrict>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>)
endfunction()

# Arithmetic. A run must repeat to the last bit on any machine, and symplecticity and momentum maps are checked to
# rounding: so no -ffast-math, and no contraction of a*b+c into one rounding where a processor happens to have it
# (g++ contracts by default: arm64 would differ from x86-64, and -march=native from a portable build).
set(RICOCHET_ARITHMETIC -ffp-contract=off)
add_compile_options(${RICOCHET_ARITHMETIC})
option(RICOCHET_NATIVE "Use every instruction of this machine's processor (the result runs here only)" OFF)
# g++ before 13 takes what <avx512fintrin.h> leaves undefined on purpose for a mistake of whoever uses it (its bug 105593),
# Eigen's pmax among others: on a processor with AVX-512 every native build would stop there.
set(RICOCHET_NATIVE_WARNINGS)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  set(RICOCHET_NATIVE_WARNINGS -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
if(RICOCHET_NATIVE)
  add_compile_options(-march=native ${RICOCHET_NATIVE_WARNINGS})
endif()

# g++ needs twice the time for four checks of pointers that it puts before every access through one: null and object
# size, which the address sanitizer sees as well, alignment (Eigen asserts its own) and the dynamic type of objects. The
# fuzzers, compiled by clang, keep them.
if(RICOCHET_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1
    $<$<CXX_COMPILER_ID:GNU>:-fno-sanitize=null,object-size,alignment,vptr>)
  add_link_options(-fsanitize=address,undefined)
endif()
if(RICOCHET_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Eigen and the standard library take three seconds of every translation unit: read once for all targets that compile
# alike (KIND: library, quick_library, program, test). Our own headers say what they need all the same: benchmarks,
# examples and the installed package are compiled without.
set(ricochet_headers <Eigen/Core> <Eigen/LU> <Eigen/QR> <algorithm> <array> <cmath> <cstdint> <cstdio> <functional> <limits> <map>
    <memory> <optional> <span> <string> <string_view> <utility> <variant> <vector>)
function(ricochet_precompiled target kind)
  if(NOT RICOCHET_PRECOMPILE)
    return()
  endif()
  set(host ricochet_headers_${kind})
  if(NOT TARGET ${host})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${host}.cpp CONTENT "int main() {}\n")
    if(kind MATCHES "library$")
      add_library(${host} OBJECT ${PROJECT_BINARY_DIR}/${host}.cpp)
    else()
      add_executable(${host} ${PROJECT_BINARY_DIR}/${host}.cpp)
    endif()
    target_link_libraries(${host} PRIVATE ricochet_core)
    ricochet_warnings(${host})  # they choose predefined macros, which have to agree
    if(NOT kind STREQUAL "library")
      ricochet_quick_to_compile(${host})  # g++ compiles at the level of the precompiled header, whatever it is told
    endif()
    if(kind STREQUAL "test")
      target_link_libraries(${host} PRIVATE GTest::gtest)
      list(PREPEND ricochet_headers <gtest/gtest.h>)
    endif()
    target_precompile_headers(${host} PRIVATE ${ricochet_headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${host})
endfunction()

# Files of one target that include and instantiate the same are compiled together (CMake's unity builds), which takes
# 0.4 to 0.9 of the time of compiling them one by one; files with compile options of their own stay alone:
#   ricochet_together(TARGET)                     files in the order of their names, eight at a time
#   ricochet_together(TARGET GROUP PATTERN…)      the files of those patterns as one, beside other groups; the rest alone
# Names in unnamed namespaces then have to differ within a group. The debug preset compiles every file alone.
function(ricochet_together target)
  if(NOT RICOCHET_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  if(ARGC GREATER 1)
    list(POP_FRONT ARGN group)
    file(GLOB sources CONFIGURE_DEPENDS ${ARGN})
    set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
    set_source_files_properties(${sources} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
  endif()
endfunction()

# ricochet_library(NAME [QUICK] DEPENDS…): the compiled part of src/ricochet/NAME, as the target ricochet::NAME; QUICK to
# compile. Dependencies point from the left to the right of the flow of data (docs/concepts.md; tests/architecture_test.py).
function(ricochet_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "QUICK" "" "")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_library(ricochet_${name} STATIC ${sources})
  add_library(ricochet::${name} ALIAS ricochet_${name})
  target_link_libraries(ricochet_${name} PUBLIC ricochet_core ${arg_UNPARSED_ARGUMENTS})
  ricochet_warnings(ricochet_${name})
  if(arg_QUICK)
    ricochet_quick_to_compile(ricochet_${name})
    ricochet_precompiled(ricochet_${name} quick_library)
  else()
    ricochet_precompiled(ricochet_${name} library)
  endif()
  set_target_properties(ricochet_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY RICOCHET_LIBRARIES ricochet_${name})
endfunction()

# ricochet_program(NAME FOLDER DEPENDS… [SHARED FILES…]): src/ricochet/FOLDER/*.cpp as the program bin/NAME, quick to compile:
# what takes time is in the libraries. The files that it shares with others are compiled once, as NAME_shared.
function(ricochet_program name folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SHARED")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  if(NOT sources)
    return()
  endif()
  list(TRANSFORM arg_SHARED PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/)
  list(REMOVE_ITEM sources ${arg_SHARED})
  add_library(${name}_shared STATIC ${arg_SHARED})
  target_link_libraries(${name}_shared PUBLIC ricochet_core ${arg_UNPARSED_ARGUMENTS})
  ricochet_warnings(${name}_shared)
  ricochet_quick_to_compile(${name}_shared)
  ricochet_precompiled(${name}_shared quick_library)
  ricochet_together(${name}_shared)
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ${name}_shared)
  ricochet_warnings(${name})
  ricochet_quick_to_compile(${name})
  ricochet_precompiled(${name} program)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  set_property(GLOBAL APPEND PROPERTY RICOCHET_PROGRAMS ${name})
endfunction()

# For code that nobody times, tests above all: of the templates of this project -O3 makes programs that run twice as
# fast as -O1's and take nearly twice as long to compile, which costs more than all tests take to run. The rounding of
# a sum is the same (see Arithmetic), and the program and its library are tested as users get them.
function(ricochet_quick_to_compile target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# Seconds after which a test counts as hung: the sanitizers make the longest ones ten times as long.
set(RICOCHET_TEST_SECONDS 600)
if(RICOCHET_SANITIZE)
  set(RICOCHET_TEST_SECONDS 3600)
endif()

# ricochet_test(NAME DEPENDS…): every *.cpp below tests/NAME in one executable test_NAME, its cases known to ctest.
# A suite whose name begins with Long carries the label `long`: `make test` leaves it out, `make long` runs it.
function(ricochet_test name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${name} ${sources})
  target_link_libraries(test_${name} PRIVATE ricochet_core GTest::gtest_main ${ARGN})
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(test_${name} PRIVATE RICOCHET_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  ricochet_warnings(test_${name})
  ricochet_quick_to_compile(test_${name})
  ricochet_precompiled(test_${name} test)
  # The second pattern is for value-parameterised suites, which gtest names Instantiation/Suite.Case.
  set(long "Long*.*:*/Long*.*")
  gtest_discover_tests(test_${name} TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST
                       TEST_FILTER "-${long}" PROPERTIES TIMEOUT ${RICOCHET_TEST_SECONDS} ENVIRONMENT "RC_PARAMS=seed=1")
  gtest_discover_tests(test_${name} TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST
                       TEST_FILTER "${long}" PROPERTIES TIMEOUT 86400 LABELS long)
endfunction()
