#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds tb/area/tools/NAME.c, a program that reads liberty files as tb/area does, and prints its path.
#   tb/area/tools/tool.sh NAME
set -eu
tool=build/area/$1
sources="tb/area/tools/$1.c tb/area/liberty.c tb/area/liberty_function.c tb/area/liberty_use.c"
for s in $sources tb/area/liberty.h tb/area/liberty_cell.h tb/area/liberty_function.h; do
  [ "$tool" -nt "$s" ] && continue
  mkdir -p build/area
  ${CC:-gcc} -std=c11 -O2 -Wall -Wextra -Werror -I. $sources -ljansson -o "$tool.$$"
  mv "$tool.$$" "$tool"
  break
done
echo "$tool"
