#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A unit is one page. A bit more on the draw scheduler, in a copy: the page, the RTL, the golden
# model and the contract's text, and nothing else. A bit that only one of page and RTL has ends the
# unit's build by name. And how many lines are written for the units beside RTL and golden model.
set -u
. tests/scripts/lib.sh
copy=$t/copy
page=csim/units/draw_scheduler/page.yaml
rtl=rtl/chopin/draw_scheduler.sv

# The page's and the RTL's part of an output that says whether a group is open.
on_page() {
  sed -i 's/^pins: {policy/pins: {group_open: {dir: out, bits: 1}, policy/; $a\  group_open_o: a group is open' "$copy/$page"
}
in_rtl() {
  sed -i 's/^\( *output logic *\)quiescent_o,/&\n\1group_open_o,/
    s/^  assign error_o = error_q;/&\n  assign group_open_o = open_q;/' "$copy/$rtl"
}
in_golden() {
  sed -i "s/^  out->error = golden->error;/&\n  out->group_open = golden->$1;/" \
    "$copy/csim/units/draw_scheduler/golden.c"
}
in_contract() { sed -i 's/^## State after reset/group_open_o is 1 while a group is open.\n\n&/' "$copy/docs/units/draw_scheduler.md"; }

fresh() {
  rm -rf "$copy"
  mkdir -p "$copy/build/units"
  cp -rp Makefile csim dpi tb rtl docs "$copy/"
  cp -rp build/{obj,unit,unit_generator} "$copy/build/"
  ln -s "$root"/build/units/{library-*,store} "$copy/build/units/"
}
made() { make -C "$copy" --no-print-directory build/unit/made; }
unit() { (cd "$copy" && make --no-print-directory -s -f tb/unit.mk UNIT=draw_scheduler PARAMS=NumGpus=4); }
fails_with() { # PATTERN COMMAND...: it fails and says so
  local pattern=$1
  shift
  ! "$@" >"$t/said" 2>&1 && has "$t/said" "$pattern"
}

fresh
on_page
made >"$t/log" 2>&1
check 'a bit on the page but not in the RTL' fails_with "Pin not found.*group_open_o" unit
fresh
in_rtl
made >"$t/log" 2>&1
check 'a bit in the RTL but not on the page' fails_with 'group_open_o' unit

on_page
in_golden open
in_contract
check 'a bit more: built' make -C "$copy" -j2 --no-print-directory build/nocturne
lockstep() { (cd "$copy" && build/nocturne unit draw_scheduler --seed 3 --cycles 3000 --set paper "$@"); }
passes() { lockstep >"$t/said" 2>&1 && has "$t/said" '3000 compared, 0 mismatches'; }
check 'a bit more: lockstep' passes
differing() { diff -rq --exclude=build . "$copy" | sed -n 's/^Files \.\?\/\?\([^ ]*\) and .* differ$/\1/p' | sort | tr '\n' ' '; }
only() { [ "$(differing)" = "csim/units/draw_scheduler/golden.c $page docs/units/draw_scheduler.md $rtl " ] || { differing; return 1; }; }
check 'a bit more: four files' only
# `make docs` writes it into the contract's table.
documented() {
  (cd "$copy" && tb/docs_ports.sh) && has "$copy/docs/units/draw_scheduler.md" '^\| `group_open_o` .* a group is open \|$' && only
}
check 'a bit more: documented' documented
# The bit is compared: golden says the contrary.
sed -i 's/golden->open;/!golden->open;/' "$copy/csim/units/draw_scheduler/golden.c"
check 'a bit more: built wrong' make -C "$copy" -j2 --no-print-directory build/nocturne
check 'a bit more: compared' fails_with '^  signal group_open: expected' lockstep
rm -rf "$copy"

# What is written for one unit: its page without the ports' meanings, and what names it in dpi/ and tb/harness.
lines=0
for page in csim/units/*/page.yaml; do
  unit=$(basename "$(dirname "$page")")
  of_unit=$({ sed '/^doc:/,$d' "$page"; find dpi tb/harness csim/unit -name "*$unit*" -exec cat {} +; } | wc -l)
  named=$(grep -rhow "$unit" dpi tb/harness csim/unit --include='*.[ch]' --include='*.sv' \
    --include='*.cpp' | wc -l)
  lines=$((lines + of_unit + named))
done
# (700 for nine.)
limit=$((700 * $(wc -w <<<"$units") / 9))
what="lines for $(wc -w <<<"$units") units"
if [ "$lines" -lt $limit ]; then good "$what: $lines"; else bad "$what" "$lines, expected below $limit"; fi
