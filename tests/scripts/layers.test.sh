#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Who includes and who calls whom. A folder includes and calls only what the table allows; nothing
# under csim/ or dpi/ knows what stands above it; no file but its own folder's includes
# NAME_internal.h or the header of a part of the GPU; and within a folder the modules (NAME.c, NAME.h
# and NAME_internal.h count as one) make no circle, neither of includes nor of calls (external names
# of the objects, by nm).
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/scripts/lib.sh
. tests/scripts/lib.sh

# A folder, and whose headers it may include beside its own. The machine gets the golden models'
# engines handed in, so it does not know them.
cat >"$t/allowed" <<'END'
csim/base
csim/unit csim/base
csim/units csim/unit csim/base
csim/frame csim/unit csim/base
csim/link csim/unit csim/base
csim/memory csim/unit csim/base
csim/texture csim/frame csim/memory csim/unit csim/base
csim/gpu csim/frame csim/memory csim/texture csim/unit csim/base
csim/driver csim/frame csim/unit csim/base
csim/machine csim/driver csim/frame csim/gpu csim/link csim/memory csim/texture csim/unit csim/base
dpi csim/unit csim/base
tb/capture csim/frame csim/base
tb/prove csim/unit csim/base
tb/harness dpi csim/*
tb/result tb/harness dpi csim/*
tb/stimulus tb/harness dpi csim/*
tb/units tb/stimulus tb/harness dpi csim/*
tb/regress tb/stimulus tb/result tb/harness dpi csim/*
tb/prove/driver tb/regress tb/harness csim/*
tb/mutate tb/regress tb/harness csim/*
tb/fuzz tb/stimulus tb/harness dpi csim/*
tb/area tb/harness dpi csim/*
tb/area/tools tb/area
tb/sweep tb/regress tb/harness csim/*
tb/peers csim/base
tb/cli tb/* dpi csim/*
tb/library tb/result tb/harness dpi csim/*
END

# Of a tree: a line for each inclusion, "FILE HEADER", both paths from the tree's root. The
# vocabulary that the build makes of a unit's page counts as csim/unit's.
inclusions() { # TREE
  (cd "$1" && grep -Eo '^#include "[^"]+"' -r csim dpi tb --include='*.[ch]' --include='*.cpp') |
    awk -F '[:"]' -v tree="$1" '{
      folder = $1
      sub("/[^/]*$", "", folder)
      path = $3 ~ /^(csim|dpi|tb)\// ? $3 : folder "/" $3
      if ($3 ~ /^unit\//) { print $1, "csim/unit/" substr($3, 6); next }
      while (sub("[^/]+/\\.\\./", "", path)) {}
      if ((getline line < (tree "/" path)) >= 0) print $1, path
      close(tree "/" path)
    }'
}

# Of a build: a line for each pair of files of which one uses an external name of the other,
# "FILE FILE". A name that several files define is the one of the same folder, or else not that of a
# program with a main of its own.
calls() { # BUILD
  (cd "$1/obj" && find csim dpi tb unit -name '*.o' 2>/dev/null | while read -r object; do
    # An object of a file that has moved stays behind in the build.
    if [ -f "$root/${object%.o}.c" ] || [ "$1" != "$build" ]; then echo "$object"; fi
  done | xargs nm -A) | awk '
    function folder(path) { sub("/[^/]*$", "", path); return path }
    {
      file = $0; sub("\\.o:.*", ".c", file)
      kind = $(NF - 1); name = $NF
      if (file == "unit/units.c") next  # the list that the program is linked with
      if (kind == "U") uses[++count] = name " " file
      else if (kind ~ /[TDBRCVW]/) files[name] = files[name] " " file
    }
    END {
      for (i = 1; i <= count; i++) {
        split(uses[i], use, " ")
        many = split(files[use[1]], of, " ")
        best = ""
        for (k = 1; k <= many; k++) {
          if (folder(of[k]) == folder(use[2])) { best = of[k]; break }
          if (of[k] !~ "^tb/(prove|fuzz|capture)/") best = of[k]
        }
        if (best != "" && best != use[2]) print use[2], best
      }
    }' | sort -u
}

directions() { # inclusions|calls TREE: prints each that the table does not allow
  "$1" "$2" | awk -v table="$t/allowed" '
    function folder(path) {
      # The codec of packages is vocabulary, as what the build makes of a unit description is.
      if (path ~ /^csim\/units\/atfim\/package\.[ch]$/ || path ~ /^unit\//) return "csim/unit"
      sub("/[^/]*$", "", path)
      sub("^csim/unit/.*", "csim/unit", path)
      if (path ~ /^csim\/units\//) return "csim/units"
      if (path ~ /^tb\/units\//) return "tb/units"
      return path
    }
    BEGIN {
      while ((getline < table) > 0) {
        known[$1] = 1
        for (i = 2; i <= NF; i++) may[$1, $i] = 1
      }
    }
    {
      from = folder($1); to = folder($2)
      all = to; sub("/.*", "/*", all)
      if (!(from in known)) print $1 ": the folder is not in the table"
      else if (from != to && !((from, to) in may) && !((from, all) in may))
        print $1 " knows " $2
      else if (from != to && ($2 ~ /_internal\.h$/ ||
               ($2 ~ /^csim\/gpu\/gpu_.*\.h$/ && $2 !~ /gpu_(types|params)\.h$/)))
        print $1 " includes the insides " $2
    }'
}

# An interpreter calls itself: an instruction may be a call.
interpreter='^tb/prove/(by_value|execute|instruction|intrinsic|bitcode)$'

circles() { # inclusions|calls TREE: prints the modules of each circle
  "$1" "$2" | awk '
    function module(path) { sub("(_internal)?\\.[a-z]+$", "", path); return path }
    function folder(path) { sub("/[^/]*$", "", path); return path }
    folder($1) == folder($2) && module($1) != module($2) { print module($1), module($2) }' |
    sort -u | tsort 2>&1 >/dev/null | grep -v 'input contains a loop' | sed 's/^tsort: //' |
    grep -vE "$interpreter"
}

empty() { # COMMAND...: it prints nothing
  local said
  said=$("$@")
  [ -z "$said" ] || { echo "$said"; return 1; }
}

check 'every inclusion goes in an allowed direction' empty directions inclusions .
check 'every call goes in an allowed direction' empty directions calls "$build"
check 'no circle of inclusions within a folder' empty circles inclusions .
check 'no circle of calls within a folder' empty circles calls "$build"

# The same on a copy with a line too much.
copy() { # FILE LINE
  rm -rf "$t/copy"
  mkdir -p "$t/copy"
  cp -rp csim dpi tb "$t/copy/"
  sed -i "1i $2" "$t/copy/$1"
}
finds() { # COMMAND PATTERN
  $1 inclusions "$t/copy" >"$t/found"
  has "$t/found" "$2"
}
copy csim/machine/ideal.c '#include "../units/pixel_distributor/golden.h"'
check 'the machine does not know the golden models' finds directions '^csim/machine/ideal.c knows'
copy csim/memory/vault.c '#include "tb/harness/harness.h"'
check 'the model does not know the test bench' finds directions '^csim/memory/vault.c knows'
copy csim/base/sha256.h '#include "unit/draw_scheduler/draw_scheduler.h"'
check 'the base does not know the units' finds directions '^csim/base/sha256.h knows csim/unit/'
copy csim/machine/machine.c '#include "../gpu/gpu_part.h"'
check "a folder's insides are its own" finds directions 'the insides csim/gpu/gpu_part.h'
copy tb/library/library.c '#include "tb/cli/cli.h"'
check 'the library does not know the command' finds directions '^tb/library/library.c knows'
copy csim/machine/sync.h '#include "compose.h"'
sed -i '1i #include "sync.h"' "$t/copy/csim/machine/subimage.c"
check 'a circle is found' finds circles '^csim/machine/(sync|compose|subimage|exchange)'

# The same for calls, in objects of a few lines.
planted() { # FILE TEXT
  mkdir -p "$t/calls/obj/$(dirname "$1")"
  echo "$2" | gcc -x c -c - -o "$t/calls/obj/${1%.c}.o"
}
planted csim/base/low.c 'void high(void); void low(void) { high(); }'
planted csim/machine/high.c 'void side(void); void high(void) { side(); }'
planted csim/machine/side.c 'void high(void); void side(void) { high(); }'
called() { # COMMAND PATTERN
  $1 calls "$t/calls" >"$t/found"
  has "$t/found" "$2"
}
check 'a call upwards is found' called directions '^csim/base/low.c knows csim/machine/high.c'
check 'a circle of calls is found' called circles '^csim/machine/(high|side)$'
