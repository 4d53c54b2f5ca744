#!/bin/bash
# Bad input: one line with place and remedy, the documented exit status.
set -u
n=build/nocturne
t=build/test/bad
mkdir -p "$t"
expect() { # name status pattern command...
  local name=$1 status=$2 pattern=$3
  shift 3
  "$@" >"$t/out" 2>"$t/err" </dev/null
  local got=$?
  local lines
  lines=$(grep -vc '^Try ' "$t/err")
  if [ "$got" -eq "$status" ] && grep -qE "$pattern" "$t/err" && [ "$lines" -eq 1 ]; then
    echo "ok $name"
  else
    echo "not ok $name: status $got, expected $status; $(head -n 2 "$t/err")"
  fi
}
c=vectors/config/chopin.yaml
printf 'gpus: 8\nscheem: chopin\n' >"$t/unknown.yaml"
printf 'gpus: [8\n' >"$t/broken.yaml"
printf 'gpus: 1\nscheme: chopin\n' >"$t/impossible.yaml"
expect unknown-key 2 'unknown.yaml:2:1: .*scheme' "$n" run "$t/unknown.yaml"
expect broken-yaml 2 'broken.yaml:[0-9]+:[0-9]+: ' "$n" run "$t/broken.yaml"
expect missing-config 2 'nowhere.yaml: ' "$n" run "$t/nowhere.yaml"
expect out-of-range 2 'gpus=65' "$n" run $c --set gpus=65
expect impossible 2 'gpus=1: scheme chopin needs' "$n" run "$t/impossible.yaml"
expect bad-set 2 'nonsense' "$n" run $c --set nonsense=1
expect missing-frame 2 'none.nframe: ' "$n" run $c --frame "$t/none.nframe"
expect unknown-generated 2 'gen:quake' "$n" run $c --frame gen:quake
head -c 20000 vectors/frames/nexuiz/bench1_ultra.nframe >"$t/cut.nframe"
expect truncated-frame 2 'cut.nframe: byte [0-9]+' "$n" run $c --frame "$t/cut.nframe"
cp vectors/frames/nexuiz/bench1_ultra.nframe "$t/hurt.nframe"
printf 'X' | dd of="$t/hurt.nframe" bs=1 seek=300000 conv=notrunc 2>/dev/null
expect damaged-frame 2 'hurt.nframe: byte [0-9]+: section' "$n" frame info "$t/hurt.nframe"
expect full-disk 1 '/dev/full' "$n" run $c --frame gen:test-1 --engine golden --json /dev/full
expect bad-engine 2 'expected golden, rtl or lockstep' "$n" run $c --engine fast
expect bad-unit 2 'no such unit' "$n" unit rasteriser
expect bad-command 2 "no command 'ruin'" "$n" ruin
# A machine without Verilator: the PATH holds what make needs, and nothing else.
mkdir -p "$t/bin"
for tool in sh make cat ls; do ln -sf "$(command -v $tool)" "$t/bin/$tool"; done
expect no-verilator 3 'verilator is missing' env PATH="$t/bin" "$n" run $c --frame gen:test-1
