#!/bin/bash
# The log of transactions: the same bytes from golden and RTL, for each unit and the machine; a
# wrong line of RTL shows in diff.
set -u
n=build/nocturne
t=build/test/waves
rm -rf "$t"
mkdir -p "$t"
status=0
good() { echo "ok $1"; }
bad() {
  echo "not ok $1: $2"
  status=1
}

# A copy of the sources with one wrong line, and its own build folder.
plant() { # folder file sed-expression
  mkdir -p "$1/build" "$1/csim"
  cp -r rtl dpi tb waves "$1/" 2>/dev/null
  cp -r csim/unit "$1/csim/"
  ln -sf "$PWD/$n" "$1/build/nocturne"
  ln -sf "$PWD/vectors" "$1/vectors"
  sed -i "$3" "$1/$2"
  ! cmp -s "$1/$2" "$2"
}

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
for vectors in tb/sv/vectors_*.sv; do
  unit=${vectors#tb/sv/vectors_}
  unit=${unit%.sv}
  same_logs "$unit" unit "$unit" --cycles 3000 --seed 3
done
same_logs machine run vectors/config/chopin.yaml --frame gen:test-1 --set driver.threshold=20

tree=$t/planted
plant "$tree" rtl/chopin/draw_scheduler.sv \
  's/tree_count\[2\*i+1\] < tree_count\[2\*i\]/tree_count[2*i+1] <= tree_count[2*i]/' ||
  bad "planted bug" "the wrong line no longer applies"
(
  cd "$tree" || exit 1
  for engine in golden rtl; do
    build/nocturne unit draw_scheduler --knob params=0 --engine $engine \
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
exit $status
