#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Adds texture designs in a copy of the sources. Each takes its own file, a line of the list and a
# row of the page; docs/configuration.md is made. Each is the twin of a design, so it must have that
# design's results, and the tests of designs must include it.
set -u
. tests/scripts/lib.sh
copy=$t/copy
page=docs/texture-designs.md
header=csim/texture/texture_design.h
designs="baseline b_pim s_tfim a_tfim"
mkdir -p "$copy/build"
cp -rp Makefile csim dpi tb rtl docs tests vectors "$copy/"
cp -rp build/{obj,unit,unit_generator} "$copy/build/"

add_twin() { # DESIGN
  sed "s/texture_design_$1 =/texture_design_$1_twin =/" "csim/texture/design_$1.c" >"$copy/csim/texture/design_$1_twin.c"
  sed -i "/^  X(TextureBaseline,/i\\  X(TextureTwin_$1, $1_twin) \\\\" "$copy/$header"
  sed -i "/^| \`$1\` /{ p; s/\`$1\`/\`$1_twin\`/ }" "$copy/$page"
}
in_copy() { (cd "$copy" && "$@"); }
differing() {
  diff -rq --exclude=build . "$copy" |
    sed -n -E 's/^Files \.\/(.*) and .*/\1/p; s/^Only in [^:]*\/copy\/(.*): /\1\//p' | sort | tr '\n' ' '
}

for design in $designs; do
  add_twin $design
done
check built make -C "$copy" -j2 --no-print-directory build/nocturne build/tests/test_texture_unit
in_copy build/nocturne config --markdown >"$t/configuration.md" && cp "$t/configuration.md" "$copy/docs/configuration.md"
files=$(printf 'csim/texture/design_%s_twin.c\n' $designs | sort | tr '\n' ' ')
check "a file each, and three more" [ "$(differing)" = "$files$header docs/configuration.md $page " ]

result() { # DESIGN: all but what is about the run itself, and the name
  in_copy build/nocturne run vectors/config/atfim.yaml --engine golden --frame gen:test-1 \
    --set "texture.design=$1" --json - 2>"$t/log" |
    jq 'del(.version, .config, .config_sha256, .engine, .timing)'
}
same() { # DESIGN
  result "$1" >"$t/$1.json"
  result "$1_twin" >"$t/$1_twin.json"
  [ "$(jq .cycles "$t/$1.json")" -gt 0 ] && cmp "$t/$1.json" "$t/$1_twin.json"
}
for design in $designs; do
  check "$design: its twin has its results" same $design
done
check "designs differ" [ "$(jq .cycles "$t"/*_twin.json | sort -u | wc -l)" = 4 ]
check "units of all designs" in_copy build/tests/test_texture_unit
energy() { in_copy bash tests/scripts/energy.test.sh build/ | tee "$t/energy.log" && has "$t/energy.log" "^ok s_tfim_twin\$"; }
check "energy of all designs" energy
rm -rf "$copy"
