#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds tb/area/tools/NAME.c, a program that reads liberty files as tb/area does, and prints its path.
#   tb/area/tools/tool.sh NAME
set -eu
tool=build/area/$1
sources="tb/area/tools/$1.c $(echo tb/area/liberty*.c) csim/base/err.c csim/base/strings.c csim/base/text.c"
for s in $sources tb/area/liberty*.h csim/base/err.h csim/base/strings.h csim/base/text.h; do
  [ "$tool" -nt "$s" ] && continue
  mkdir -p build/area
  ${CC:-gcc} -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -I. $sources -ljansson -o "$tool.$$"
  mv "$tool.$$" "$tool"
  break
done
echo "$tool"
