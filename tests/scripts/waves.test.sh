#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The log of transactions: the same bytes from golden and RTL, for each unit and the machine; a
# wrong line of RTL shows in diff. Waves: the save files of waves/ are current and hold every port;
# a failed test opens in GTKWave with the failing signal and a marker at its cycle.
set -u
. tests/scripts/lib.sh

# ---- Logs
same_logs() { # name command...
  local name=$1
  shift
  for engine in golden rtl lockstep; do
    "$n" "$@" --engine $engine --log "$t/$name.$engine" >"$t/out" 2>&1 || {
      bad "log of $name" "$(tail -n 1 "$t/out")"
      return
    }
  done
  local lines
  lines=$(wc -l <"$t/$name.golden")
  if [ "$lines" -gt 100 ] && cmp -s "$t/$name.golden" "$t/$name.rtl" &&
    cmp -s "$t/$name.golden" "$t/$name.lockstep"; then
    good "log of $name: $lines lines"
  else
    bad "log of $name" "$(diff "$t/$name.golden" "$t/$name.rtl" | head -n 3)"
  fi
}
# (Parameter sets of other tests.)
for unit in $units; do
  same_logs "$unit" unit "$unit" --cycles 3000 --seed 1
done
same_logs machine run vectors/config/chopin.yaml --frame gen:test-1 --set driver.threshold=20

tree=$t/planted
plant "$tree" rtl/chopin/draw_scheduler.sv "$(wrong_tie)" ||
  bad "planted bug" "the wrong line no longer applies"
(
  cd "$tree" || exit 1
  for engine in golden rtl; do
    build/nocturne unit draw_scheduler --set paper --knob ready=1000 --engine $engine \
      --log $engine.log >/dev/null 2>&1
  done
)
first=$(diff "$tree/golden.log" "$tree/rtl.log" | awk '/^</ && !n++ || /^>/ && !m++')
if [ "$(echo "$first" | grep -c ' draw_scheduler.0 piece\[')" -eq 2 ]; then
  good "a wrong line of RTL shows in diff"
else
  bad "a wrong line of RTL shows in diff" "$first"
fi
for file in /nonexistent/log /dev/full; do
  if "$n" unit draw_scheduler --engine golden --cycles 3000 --log $file >"$t/out" 2>&1 ||
    ! grep -q "^nocturne: $file: the log " "$t/out"; then
    bad "log $file" "$(cat "$t/out")"
  else
    good "log $file is refused"
  fi
done

# ---- Save files
if tb/waves.sh save "$t/saved" >"$t/out" 2>&1 && diff -r waves "$t/saved" >"$t/diff"; then
  good "waves/ is current: $(wc -l <waves/digests.txt) save files"
else
  bad "waves/ is current" "run tb/waves.sh save: $(tail -n 1 "$t/out") $(head -n 3 "$t/diff")"
fi
# The signals of a save file, without ranges and elements.
shown() { grep -hoE '(top|machine)\.[a-zA-Z_0-9.]+' "$1" | sort -u; }
if command -v fst2vcd >/dev/null; then
  for file in build/waves/save/*.fst; do
    name=${file##*/}
    name=${name%.fst}
    fst2vcd "$file" 2>/dev/null | awk '/^\$scope/ { path = path (path ? "." : "") $3 }
      /^\$upscope/ { sub(/\.?[^.]*$/, "", path) }
      /^\$var/ && path ~ /^top\.tb_[a-z_0-9]*\.u_dut$/ && $5 ~ /_(i|ni|o)$/ { print path "." $5 }
      /^\$enddefinitions/ { exit }' | sort -u >"$t/ports"
    shown "build/waves/save/$name.gtkw" >"$t/shown"
    if [ -s "$t/ports" ] && difference=$(diff "$t/ports" "$t/shown"); then
      good "save file of $name: $(wc -l <"$t/ports") ports"
    else
      bad "save file of $name" "$(echo "$difference" | grep '^[<>]' | head -n 8 | tr '\n' ' ')"
    fi
  done
else
  echo "left out: fst2vcd is missing (tb/setup.sh waves): the ports in the save files"
fi

# ---- Waves of all units, from any engine
for engine in golden rtl; do
  "$n" run vectors/config/chopin.yaml --frame gen:test-1 --set driver.threshold=20 \
    --engine $engine --system-waves "$t/$engine.vcd" --from 2500 --to 2800 >"$t/out" 2>&1
done
sed -n 's/^\$scope module \(.*\) \$end/\1/p' "$t/golden.vcd" >"$t/scopes"
awk '/^\$scope/ { path = path (path ? "." : "") $3 } /^\$upscope/ { sub(/\.?[^.]*$/, "", path) }
  /^\$var/ { sub(/\[.*/, "", $5); print path "." $5 }' "$t/golden.vcd" | sort -u >"$t/ports"
shown "$t/golden.gtkw" >"$t/shown"
if cmp -s "$t/golden.vcd" "$t/rtl.vcd" && [ "$(wc -l <"$t/scopes")" -eq 11 ] &&
  cmp -s "$t/ports" "$t/shown" && [ "$(awk -F'#' '/^#/ && $2 > 2500000 && $2 < 2800000' \
    "$t/golden.vcd" | wc -l)" -gt 10 ] &&
  grep -q '^#2800000$' "$t/golden.vcd" && ! grep -q '^#2801000$' "$t/golden.vcd"; then
  good "waves of the machine: $(wc -l <"$t/ports") signals"
else
  bad "waves of the machine" "$(diff "$t/golden.vcd" "$t/rtl.vcd" | head -n 3) $(diff "$t/ports" "$t/shown" | head -n 3)"
fi

# ---- `make waves` of a failed test
cp Makefile "$tree/"
cat >"$tree/list.yaml" <<'Y'
tests:
  - {name: draw, unit: draw_scheduler, gpus: 8, set: paper, seeds: 1}
  - {name: composition, unit: composition_scheduler, gpus: 8, cycles: 2000, seeds: 1}
Y
(
  cd "$tree" || exit 1
  unset DISPLAY WAYLAND_DISPLAY
  build/nocturne regress list.yaml >regress.log 2>&1
  tb/waves.sh show draw/seed-1 30:10 >show.log 2>&1
  echo "status $?" >>show.log
  tb/waves.sh show composition/seed-1 >passes.log 2>&1
  echo "status $?" >>passes.log
)
fst=$tree/build/waves/draw_scheduler-0.fst
cycle=$(sed -n 's/^MISMATCH: draw_scheduler 0, cycle \([0-9]*\).*/\1/p' "$tree/show.log")
# Without a viewer and without a display it says what is missing.
said='no display; where there is one: gtkwave build/waves/draw_scheduler-0.fst build'
command -v gtkwave >/dev/null || said='gtkwave is missing; install it with'
if [ -s "$fst" ] && grep -q "$said" "$tree/show.log" && grep -q 'status 3' "$tree/show.log" &&
  grep -q "^\*-12.0 ${cycle}500 ${cycle}500 -1" "${fst%.fst}.gtkw" &&
  grep -q '^-piece_valid_o: expected 0x1, actual 0x80' "${fst%.fst}.gtkw" &&
  grep -q 'composition/seed-1 passes: there is no failure to show' "$tree/passes.log" &&
  grep -q 'status 1' "$tree/passes.log"; then
  good "a failed test: cycle $cycle"
else
  bad "a failed test" "$(tail -n 2 "$tree/show.log" "$tree/passes.log")"
fi
if command -v gtkwave >/dev/null && command -v xvfb-run >/dev/null; then
  cat >"$t/look.tcl" <<'T'
set signal [lindex [gtkwave::getDisplayedSignals] 0]
puts "look: $signal = [gtkwave::getTraceValueAtMarkerFromName $signal] at [gtkwave::getMarker], [gtkwave::getWindowStartTime] to [gtkwave::getWindowEndTime], file ends [gtkwave::getMaxTime]"
exit
T
  xvfb-run -a gtkwave --script="$t/look.tcl" "$fst" "${fst%.fst}.gtkw" >"$t/look.log" 2>&1
  # In the failing cycle, in view, and the window ends 10 cycles past it (a check may clock that one again).
  if awk -v at="${cycle}500" -v last="$((cycle + 10))500" '/^look: / {
      good = $2 == "top.tb_draw_scheduler.u_dut.piece_valid_o[7:0]" && $4 == "80" && $6 == at "," &&
             $7 <= at && $9 + 0 >= at && $NF >= last && $NF < last + 500 } END { exit !good }' "$t/look.log"; then
    good "GTKWave shows it: $(sed -n 's/^look: //p' "$t/look.log")"
  else
    bad "GTKWave shows it" "$(tail -n 2 "$t/look.log")"
  fi
else
  echo "left out: gtkwave or xvfb-run is missing (tb/setup.sh waves): the failure in GTKWave"
fi
