#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The timing diagrams of the units' contracts: the golden model and the RTL show every value
# that is drawn, and the pictures are those of the sources. A wrong value is found.
set -u
. tests/scripts/lib.sh
for json in docs/units/images/*.json; do
  name=$(basename "$json" .json)
  for engine in golden lockstep; do
    if "$n" unit --play "$json" --engine $engine >"$t/log" 2>&1; then
      good "$name, $engine: $(grep -o '[0-9]* values drawn' "$t/log")"
    else
      bad "$name, $engine" "" "$t/log"
    fi
  done
  sum=$(sha256sum <"$json" | cut -d ' ' -f 1)
  if tail -n 1 "${json%.json}.svg" | grep -q "$sum"; then
    good "$name: picture"
  else
    bad "$name: picture" "older than its source; make docs"
  fi
done
# Each of these changes must be found in one value or be refused.
refuse() { # name status pattern from to
  sed "s/$4/$5/" docs/units/images/draw_scheduler_opaque.json >"$t/$1.json"
  "$n" unit --play "$t/$1.json" --engine golden >"$t/log" 2>&1
  if [ $? -eq "$2" ] && grep -q "$3" "$t/log"; then good "refused: $1"; else bad "refused: $1" "" "$t/log"; fi
}
refuse late_piece 1 'cycle 4, piece_valid_o\[0\]: drawn 0x0, the unit shows 0x1' 0...10.1010.. 0....1.1010..
refuse unknown_port 2 'piece_vald_o\[0\]: no such port' 'piece_valid_o\[0\]' 'piece_vald_o[0]'
refuse short_row 2 'cmd_ready_o: another length' '"1............"' '"1..........."'
refuse unknown_parameter 2 'gpux: no such parameter' '"gpus"' '"gpux"'
refuse broken_json 2 'broken_json.json:[0-9]*:[0-9]*: ' '"params":' '"params"'
