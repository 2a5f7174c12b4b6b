# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# `cmake --install`: everything is found relative to the prefix, which may be moved afterwards.
include(CMakePackageConfigHelpers)

set(packages gelu)
install(FILES include/gelu.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS ${GELU_LIBRARIES} EXPORT gelu INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE README.md README.zh-CN.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(GELU_HAVE_IO)
  list(APPEND packages gelu-io)
  install(FILES include/gelu_io.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(TARGETS gelu_cli)
  # The command holds the digits, whose licence asks for their origin.
  install(FILES data/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME digits.md)
  install(FILES completions/gelu DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  foreach(section 1 3)
    file(GLOB pages CONFIGURE_DEPENDS docs/man/*.${section})
    # The list may be empty.
    install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
  endforeach()
endif()

set(GELU_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/gelu)
install(EXPORT gelu NAMESPACE gelu:: FILE geluTargets.cmake DESTINATION ${GELU_CMAKE_DIR})
configure_package_config_file(cmake/geluConfig.cmake.in ${PROJECT_BINARY_DIR}/geluConfig.cmake
  INSTALL_DESTINATION ${GELU_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/geluConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/geluConfig.cmake ${PROJECT_BINARY_DIR}/geluConfigVersion.cmake
  DESTINATION ${GELU_CMAKE_DIR})

# The prefix as seen from the .pc file; absolute when a distribution puts the libraries outside the prefix.
set(GELU_PC_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(GELU_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
  set(GELU_PC_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
  set(GELU_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  file(RELATIVE_PATH up /${GELU_PC_DIR} /)
  string(REGEX REPLACE "/$" "" up ${up})
  set(GELU_PC_PREFIX "\${pcfiledir}/${up}")
  set(GELU_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(GELU_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
# What a program that links the static library needs besides: names (-lgomp) or paths.
list(TRANSFORM GELU_OPENMP_LIBRARIES REPLACE "^([^/].*)$" " -l\\1" OUTPUT_VARIABLE GELU_PC_OPENMP)
list(TRANSFORM GELU_PC_OPENMP PREPEND " " REGEX "^/")
string(JOIN "" GELU_PC_OPENMP ${GELU_PC_OPENMP})
foreach(name ${packages})
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${GELU_PC_DIR})
endforeach()
