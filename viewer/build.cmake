# cmake -DNODE= -DNPM= -DVIEWER= -DTEMPLATE= -P build.cmake: packages only when they are missing or the lock file changed,
# then the page. A machine without a network still builds the program: it goes without the page, and is told so.
cmake_minimum_required(VERSION 3.25)
get_filename_component(node_dir ${NODE} DIRECTORY)
set(ENV{PATH} "${node_dir}:$ENV{PATH}")
get_filename_component(out ${TEMPLATE} DIRECTORY)
file(MAKE_DIRECTORY ${out})

# Two build directories may come here at once; the packages are theirs in common.
file(LOCK ${VIEWER} DIRECTORY GUARD PROCESS TIMEOUT 300)
file(SHA256 ${VIEWER}/package-lock.json wanted)
set(stamp ${VIEWER}/node_modules/.ricochet-lock)
set(installed "")
if(EXISTS ${stamp})
  file(READ ${stamp} installed)
endif()
if(NOT installed STREQUAL wanted)
  execute_process(COMMAND ${NPM} ci --no-audit --no-fund --loglevel=error WORKING_DIRECTORY ${VIEWER}
                  RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(failed)
    message("The packages of the page could not be installed (no network?): runs will leave no report.html for now.")
    return()
  endif()
  file(WRITE ${stamp} ${wanted})
endif()

execute_process(COMMAND ${NODE} node_modules/vite/bin/vite.js build --logLevel warn --outDir ${out}
                WORKING_DIRECTORY ${VIEWER} RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "vite could not build the page.")
endif()
file(TOUCH ${TEMPLATE})
