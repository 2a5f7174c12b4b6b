#!/bin/sh
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# compare.sh PROGRAM EXPECTED: the program must succeed and print exactly what the file holds.
output=$("$1") || { echo "$1 failed"; exit 1; }
printf '%s\n' "$output" | diff "$2" -
