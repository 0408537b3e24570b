# An installed ricochet: find_package(ricochet) gives ricochet::core (the headers) and one target per compiled room.
# Included after the tests are switched on, because the installation is tested too (tests/install).
include(CMakePackageConfigHelpers)

get_property(ricochet_libraries GLOBAL PROPERTY RICOCHET_LIBRARIES)
get_property(ricochet_programs GLOBAL PROPERTY RICOCHET_PROGRAMS)

# What a user's project has to find before our targets can name it: read off what our targets link.
set(ricochet_dependencies)
foreach(target IN ITEMS ricochet_core LISTS ricochet_libraries)
  foreach(property INTERFACE_LINK_LIBRARIES LINK_LIBRARIES)
    get_target_property(links ${target} ${property})
    foreach(link IN LISTS links)
      string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" link "${link}")
      if(link STREQUAL "Eigen3::Eigen")
        list(APPEND ricochet_dependencies "find_dependency(Eigen3 3.4)")
      elseif(link MATCHES "^Boost::")
        list(APPEND ricochet_dependencies "find_dependency(Boost 1.74)")
      elseif(link MATCHES "^(fmt|tomlplusplus|nlohmann_json|CLI11|TBB|Threads)::")
        list(APPEND ricochet_dependencies "find_dependency(${CMAKE_MATCH_1})")
      elseif(link MATCHES "^PkgConfig::(.*)$")
        # pkg-config names are lower case with dashes by the convention of our CMake files: PkgConfig::HDF5_SERIAL
        # comes from pkg_check_modules(HDF5_SERIAL … hdf5-serial). HDF5 alone means Debian's serial library too.
        string(TOLOWER "${CMAKE_MATCH_1}" module)
        string(REPLACE "_" "-" module "${module}")
        if(module STREQUAL "hdf5")
          set(module hdf5-serial)
        endif()
        list(APPEND ricochet_dependencies "find_dependency(PkgConfig)"
             "pkg_check_modules(${CMAKE_MATCH_1} REQUIRED QUIET IMPORTED_TARGET GLOBAL ${module})")
      elseif(link MATCHES "^ricochet(_|::)" OR link MATCHES "^-" OR NOT link)
        # our own, or a plain linker flag
      else()
        message(WARNING "cmake/Install.cmake does not say how an installed ricochet finds ${link} (used by ${target}).")
      endif()
    endforeach()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES ricochet_dependencies)
string(JOIN "\n" RICOCHET_DEPENDENCIES ${ricochet_dependencies})

# A library built for one processor aligns its Eigen members for it: whoever links it must do the same.
if(RICOCHET_NATIVE)
  target_compile_options(ricochet_core INTERFACE $<INSTALL_INTERFACE:-march=native>)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ricochet)
install(TARGETS ricochet_core ${ricochet_libraries} EXPORT ricochetTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT ricochetTargets NAMESPACE ricochet:: DESTINATION ${package_dir})
install(DIRECTORY src/ricochet/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ricochet FILES_MATCHING PATTERN "*.hpp")
if(ricochet_programs)
  install(TARGETS ${ricochet_programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY scenes/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ricochet/scenes FILES_MATCHING PATTERN "*.toml")
install(DIRECTORY papers/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ricochet/papers
        FILES_MATCHING PATTERN "*.toml" PATTERN "*.py" PATTERN "*.md" PATTERN "__pycache__" EXCLUDE)

configure_package_config_file(cmake/ricochetConfig.cmake.in ${PROJECT_BINARY_DIR}/ricochetConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ricochetConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ricochetConfig.cmake ${PROJECT_BINARY_DIR}/ricochetConfigVersion.cmake
        DESTINATION ${package_dir})

if(RICOCHET_TESTS)
  add_subdirectory(tests/install)
endif()
