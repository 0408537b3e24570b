# What every target of the project shares: warnings, sanitizers, and two ways to add one.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# Warnings are errors in our own code only: a target that links ricochet is not bound by them.
function(ricochet_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Werror)
endfunction()

if(RICOCHET_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=address,undefined)
endif()

# ricochet_library(NAME DEPENDS…): the compiled part of src/ricochet/NAME, as the target ricochet::NAME.
# Dependencies point from the left to the right of the flow of data (docs/concepts.md); linking enforces it.
function(ricochet_library name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_library(ricochet_${name} STATIC ${sources})
  add_library(ricochet::${name} ALIAS ricochet_${name})
  target_link_libraries(ricochet_${name} PUBLIC ricochet_core ${ARGN})
  ricochet_warnings(ricochet_${name})
  set_target_properties(ricochet_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY RICOCHET_LIBRARIES ricochet_${name})
endfunction()

# ricochet_test(NAME DEPENDS…): every tests/NAME/*.cpp in one executable test_NAME, its cases known to ctest.
function(ricochet_test name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${name} ${sources})
  target_link_libraries(test_${name} PRIVATE ricochet_core GTest::gtest_main ${ARGN})
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(test_${name} PRIVATE RICOCHET_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  ricochet_warnings(test_${name})
  gtest_discover_tests(test_${name} TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 600)
endfunction()
