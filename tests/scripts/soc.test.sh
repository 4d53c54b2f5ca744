#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A SoC over frames: the same bytes from golden, RTL and lockstep and whatever the job count, what its mechanisms do to a
# frame, a hang's report, the rows and words of a run.
set -u
. tests/scripts/lib.sh

soc="vectors/config/soc.yaml --frames gen:m1-128x96 --count 2 --set soc.pace=2000000 --set soc.cpu=light"
run() { # NAME ARGUMENTS...
  # shellcheck disable=SC2086
  "$n" run $soc "${@:2}" --json "$t/$1.json" >"$t/$1.log" 2>&1
}
bare() { jq -S 'del(.version, .config, .config_sha256, .engine, .timing)' "$t/$1.json"; }
of() { jq -r "$2" "$t/$1.json"; }
say() { if [ "$1" -eq 0 ]; then good "$2"; else bad "$2" "" "$t/$3.log"; fi; }

run golden --engine golden --set soc.scheduler=dash_all --explain
say $? golden golden
for e in rtl lockstep; do
  run "$e" --engine "$e" --set soc.scheduler=dash_all && [ "$(bare "$e")" = "$(bare golden)" ]
  say $? "$e: the bytes of golden" "$e"
done
[ "$(of lockstep .engine.units.dash_scheduler.mismatches)" = 0 ] &&
  [ "$(of lockstep .engine.units.dash_scheduler.cycles_compared)" -gt 100000 ] &&
  [ "$(of lockstep .engine.units.dash_scheduler.instances)" = 2 ]
say $? 'lockstep: the scheduler was compared, and no cycle differs' lockstep
for e in golden rtl; do
  run "log-$e" --engine $e --set soc.scheduler=dash_all --log "$t/$e.txt" --system-waves "$t/$e.vcd" --from 700000 --to 720000
done
cmp -s "$t/golden.txt" "$t/rtl.txt" && [ "$(grep -c 'dash_scheduler.0 start start_ip=0 ' "$t/golden.txt")" -eq 2 ] &&
  grep -q '^7[0-9]* dash_scheduler.0 served\[1\] .*served_source=' "$t/golden.txt"
say $? 'the log of the scheduler, of both frames, the same from golden and RTL' log-rtl
cmp -s "$t/golden.vcd" "$t/rtl.vcd" && [ "$(grep -c '^#' "$t/golden.vcd")" -gt 1000 ]
say $? 'waves of the scheduler at its boundary, the same from golden and RTL' log-rtl
run again --engine golden --set soc.scheduler=dash_all && [ "$(bare again)" = "$(bare golden)" ]
say $? 'the same seed, the same bytes' again
run other --engine golden --set soc.scheduler=dash_all --seed 2 && [ "$(of other .soc.sources.cpu0.accesses)" != "$(of golden .soc.sources.cpu0.accesses)" ]
say $? 'another seed, other misses' other

# Each mechanism acts.
run base --engine golden
run cpu --engine golden --set soc.scheduler=dash_cpu
run split --engine golden --set soc.organization=split --set gddr5.ip_mapping=bank_low
run slow --engine golden --set gddr5.timing=lpddr3_133
[ "$(of base .soc.dash)" = null ] && [ "$(of base .engine.units.dash_scheduler)" = null ]
say $? 'frfcfs has no scheduler' base
[ "$(of golden .soc.dash.display.urgent)" != 0.0 ] && [ "$(bare cpu | sha256sum)" != "$(bare golden | sha256sum)" ] &&
  [ "$(bare cpu | sha256sum)" != "$(bare base | sha256sum)" ]
say $? 'dash_cpu and dash_all differ, and from frfcfs' cpu
[ "$(of split .soc.gpu_cycles)" != "$(of base .soc.gpu_cycles)" ]
say $? 'split channels change the time of the GPU' split
jq -e -n --slurpfile a "$t/base.json" --slurpfile b "$t/slow.json" '$b[0].soc.gpu_cycles > 2 * $a[0].soc.gpu_cycles' >/dev/null
say $? 'a slow DRAM slows the GPU' slow
jq -e '[.frames[].soc | .prepare + ([.gpu, .beside] | max) == .cycles] | all' "$t/golden.json" >/dev/null &&
  jq -e '.frames[1].soc.begin == 2000000' "$t/golden.json" >/dev/null
say $? 'frames follow in their pace, and their phases make them up' golden
# All bytes that the DRAM moved are in the parts.
jq -e '.soc_parts | [.cpu0, .gpu, .display | add > 0] | all' "$t/golden.json" >/dev/null &&
  jq -e '(.soc_parts.gpu | add) >= .soc.sources.gpu.read_bytes + .soc.sources.gpu.write_bytes' "$t/golden.json" >/dev/null
say $? 'bytes by source over time' golden
# A GPU that misses every deadline is a result.
run misses --engine golden --set soc.scheduler=dash_all --set dash.gpu_period=10000 &&
  jq -e '.soc.deadlines.gpu | .met == 0 and .missed > 0' "$t/misses.json" >/dev/null
say $? 'a GPU that misses every deadline' misses
grep -qE '^  frame .* prepare +GPU +beside +whole  display$' "$t/golden.log" &&
  grep -q 'the GPU waited [0-9.]* for the CPUs to prepare it' "$t/golden.log"
say $? 'rows and words' golden

run late --engine golden --set limit=1000
[ $? -eq 1 ] && grep -q '^HANG: .*while the CPUs prepare a frame: the limit of cycles' "$t/late.log" &&
  [ "$(grep -cE '^  (CPU [0-3] works|display: refreshes|GPU waits)' "$t/late.log")" -eq 6 ]
say $? 'a hang names what each agent waits for' late

# Two at a time, and from one process each: the same bytes.
cat >"$t/list.yaml" <<END
tests:
  - {name: one, run: vectors/config/soc.yaml, frames: "gen:m2-64x48", set: [soc.pace=1000000, soc.cpu=light, soc.scheduler=dash_all], engine: golden}
  - {name: two, run: vectors/config/soc.yaml, frames: "gen:m4-64x48", set: [soc.pace=1000000, soc.cpu=light, soc.scheduler=dash_all], engine: golden}
END
for j in 1 2; do
  "$n" regress "$t/list.yaml" --folder "$t/r$j" -j $j >"$t/r$j.log" 2>&1
  cat "$t/r$j"/logs/*.json | jq -S 'del(.engine, .timing)' >"$t/r$j.json"
done
[ -s "$t/r1.json" ] && cmp -s "$t/r1.json" "$t/r2.json"
say $? 'the same bytes whatever -j' r2
