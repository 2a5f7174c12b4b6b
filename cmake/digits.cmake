# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# data/digits-* as arrays in C, so that the command finds them wherever it is.
set(source "#include \"digits.h\"\n")
foreach(file images-idx3 labels-idx1)
  set(path ${PROJECT_SOURCE_DIR}/data/digits-${file}-ubyte)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "-.*" "" name ${file})
  string(APPEND source "const unsigned char train_digits_${name}[] = {${bytes}};\n"
    "const size_t train_digits_${name}_nbytes = sizeof train_digits_${name};\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/digits.c CONTENT "${source}" @ONLY)
