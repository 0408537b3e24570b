# Installs the build to an empty prefix, copies the example out of the tree, builds it against the prefix and runs it.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    string(JOIN " " command ${ARGV})
    message(FATAL_ERROR "${command} ended with ${result}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
file(COPY ${SOURCE}/examples/out-of-tree/ DESTINATION ${SCRATCH}/example)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)

# Nothing installed may lead back to where it was built.
file(GLOB package ${SCRATCH}/prefix/${LIBDIR}/cmake/ricochet/*.cmake)
if(NOT package)
  message(FATAL_ERROR "no CMake package was installed under ${SCRATCH}/prefix/${LIBDIR}/cmake/ricochet")
endif()
foreach(file IN LISTS package)
  file(READ ${file} text)
  foreach(place ${SOURCE}/src ${BUILD})
    string(FIND "${text}" "${place}" position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${file} names ${place}, a folder of the build")
    endif()
  endforeach()
endforeach()

set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=address,undefined")
endif()
function(build source build)
  run(${CMAKE_COMMAND} -S ${source} -B ${build} -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${SCRATCH}/prefix
      -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -D CMAKE_CXX_FLAGS=${flags})
  run(${CMAKE_COMMAND} --build ${build})
endfunction()

build(${SCRATCH}/example ${SCRATCH}/build)
run(${SCRATCH}/build/example)
message(STATUS "${output}")

# Every exported target can be linked: what it depends on is found by the package, not by the user.
file(WRITE ${SCRATCH}/every/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(every LANGUAGES CXX)\n"
     "find_package(ricochet REQUIRED)\nadd_executable(every main.cpp)\ntarget_link_libraries(every PRIVATE ${TARGETS})\n")
file(WRITE ${SCRATCH}/every/main.cpp "int main() {}\n")
build(${SCRATCH}/every ${SCRATCH}/build-every)
