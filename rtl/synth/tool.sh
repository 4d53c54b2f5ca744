#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds rtl/synth/NAME.c, a program that reads liberty files as tb/lab does, and prints its path.
#   rtl/synth/tool.sh NAME
set -eu
tool=build/area/$1
sources="rtl/synth/$1.c tb/lab/liberty.c tb/lab/liberty_function.c tb/lab/liberty_use.c"
for s in $sources tb/lab/liberty.h tb/lab/liberty_cell.h tb/lab/liberty_function.h; do
  [ "$tool" -nt "$s" ] && continue
  mkdir -p build/area
  ${CC:-gcc} -std=c11 -O2 -Wall -Wextra -Werror -I. $sources -ljansson -o "$tool.$$"
  mv "$tool.$$" "$tool"
  break
done
echo "$tool"
