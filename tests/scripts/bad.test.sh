#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Bad input: one line with place and remedy, the documented exit status.
set -u
. tests/scripts/lib.sh
expect() { # name status pattern command...
  local name=$1 status=$2 pattern=$3
  shift 3
  "$@" >"$t/out" 2>"$t/err" </dev/null
  local got=$?
  local lines
  lines=$(grep -vc '^Try ' "$t/err")
  if [ "$got" -eq "$status" ] && grep -qE "$pattern" "$t/err" && [ "$lines" -eq 1 ]; then
    good "$name"
  else
    bad "$name" "status $got, expected $status" "$t/err"
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
expect retain-design 2 'gpu.retain=5: only with texture.design=rate' "$n" run vectors/config/atfim.yaml --set gpu.retain=5
expect g80-rate 2 'gpu.dispatch=g80: only with gpu.shader=warp$' "$n" run $c --set gpu.dispatch=g80
expect batch-rate 2 'gpu.batch_warps=8: only with gpu.shader=warp' "$n" run $c --set gpu.batch_warps=8
expect g80-clusters 2 'gpu.sms=14: gpu.dispatch=g80 needs 6 clusters, gpu.cluster_sms=2 makes 7' \
  "$n" run vectors/config/g80.yaml --set gpu.sms=14
em=vectors/config/emerald.yaml
expect l1-map 2 'emerald.yaml:28:7: gpu.l1=cluster: only with a static map' "$n" run $em --set gpu.dispatch=free
expect line-bytes 2 'gpu.line_bytes is .32., expected one of 64, 128 or 256' "$n" run $em --set gpu.line_bytes=32
expect linear-lines 2 'gpu.line_bytes=64: expected 128 with gpu.surface_layout=linear' "$n" run $em --set gpu.line_bytes=64
expect dfsl-map 2 'dfsl.mode=on: only with gpu.dispatch=work_tile' "$n" run $c --set dfsl.mode=on
expect dfsl-sizes 2 'dfsl.min_wt=11: expected at most dfsl.max_wt=10' "$n" run $em --set dfsl.mode=on --set dfsl.min_wt=11
expect dfsl-frame 2 'dfsl.mode=on: only with --frames' "$n" run $em --set dfsl.mode=on --frame gen:w3
expect model 2 'gen:w7: no such frame, expected .* w1 to w6' "$n" run $em --frame gen:w7
expect tc-rate 2 'gpu.tc_engines=2: only with gpu.shader=warp' "$n" run $em --set gpu.tc_engines=2 --set gpu.shader=rate
expect tc-map 2 'gpu.tc_engines=2: only with gpu.dispatch=work_tile' "$n" run $em --set gpu.tc_engines=2 --set gpu.dispatch=g80
expect tc-batch 2 'gpu.tc_engines=2: only with gpu.batch_warps=0' "$n" run $em --set gpu.tc_engines=2 --set gpu.batch_warps=8
expect tc-fifo 2 'gpu.tc_engines=2: gpu.cluster_fifo must hold 2 warps' "$n" run $em --set gpu.tc_engines=2 --set gpu.cluster_fifo=1
expect front-map 2 'gpu.front=cluster: only with gpu.dispatch=work_tile' "$n" run $c --set gpu.front=cluster
expect front-clusters 2 'gpu.front=cluster: 17 clusters, expected at most 16; raise gpu.cluster_sms or lower gpu.sms' "$n" run $em --set gpu.front=cluster --set gpu.sms=17
expect masks 2 'gpu.masks is 1, out of range' "$n" run $em --set gpu.masks=1
expect setup-latency 2 'gpu.setup_latency is 1001, out of range' "$n" run $em --set gpu.setup_latency=1001
so='vectors/config/soc.yaml --frames gen:m2-64x48 --count 1 --engine golden'
soc() { # NAME PATTERN SETTINGS...
  # shellcheck disable=SC2046,SC2086
  expect "soc-$1" 2 "$2" "$n" run $so $(printf -- "--set %s " "${@:3}")
}
soc scheme 'soc.yaml:33:14: soc.scheduler: only with scheme=single' scheme=chopin gpus=4
soc design 'soc.scheduler: only with texture.design=baseline' texture.design=b_pim
soc memory 'soc.scheduler: only with texture.shares_memory=true' texture.shares_memory=false
soc channels 'gddr5.channels=4: split between CPUs and IPs there are two channels; set 2' soc.organization=split gddr5.channels=4
soc many-channels 'gddr5.channels=8: soc.scheduler with DASH takes 4 at most' soc.scheduler=dash_all gddr5.channels=8
soc reserve 'gddr5.reserve=10: 6 sources .* set 9 at most' gddr5.reserve=10
soc rows 'gddr5.rows=1024: the CPUs. memory ends beyond the DRAM; set a larger gddr5.rows' gddr5.rows=1024
soc split-rows 'gddr5.rows=1024: the CPUs. memory ends beyond the DRAM; set a larger gddr5.rows' soc.organization=split gddr5.rows=1024
soc period 'dash.gpu_period is 0, out of range' dash.gpu_period=0
soc display-period 'dash.display_period is 0, out of range' dash.display_period=0
soc pace 'soc.pace is 0, out of range' soc.pace=0
soc buffer 'display.buffer is 511, out of range' display.buffer=511
soc name 'soc.scheduler is .fcfs., expected' soc.scheduler=fcfs
expect soc-frame 2 'soc.scheduler: only with --frames' "$n" run vectors/config/soc.yaml --frame gen:m2-64x48
cpus() { # NAME PATTERN EXPRESSION
  sed -E "$3" vectors/sets/soc.cpu/app.yaml >"$t/$1.yaml"
  soc "cpu-$1" "$2" "soc.cpu=$t/$1.yaml"
}
cpus unknown "unknown entry 'windows' of soc.cpu, expected perhaps window" 's/^window:/windows:/'
cpus missing "no entry 'window', expected 1 to 64 reads" '/^window:/d'
cpus no-cores 'cores is 0, out of range' 's/^cores: 4/cores: 0/'
cpus many-cores 'cores is 9, out of range' 's/^cores: 4/cores: 9/'
cpus no-misses 'soc.cpu: mpki_1 is 0, expected 1 to 1000 .cores: 4' 's/^mpki_1: 3/mpki_1: 0/'
cpus misses 'mpki_1 is 1001, out of range' 's/^mpki_1: 3/mpki_1: 1001/'
cpus no-window 'window is 0, out of range' 's/^window: 8/window: 0/'
cpus absent 'soc.cpu: mpki_3 is 1, expected 0, there is no such core' 's/^cores: 4/cores: 3/'
cpus absent-work 'soc.cpu: core 4 has work, expected 0' 's/^beside_4: 0/beside_4: 5/'
expect texture-ways 2 'gpu.texture_lines=100: expected a multiple of gpu.texture_ways' "$n" run $em --set gpu.texture_lines=100
expect l2-set 2 'gpu.l2_kib=3: it must hold gpu.l2_ways lines' "$n" run $em --set gpu.l2_kib=3
expect ip-mapping 2 'gddr5.ip_mapping: only IPs with a channel of their own' "$n" run vectors/config/atfim.yaml --set texture.design=baseline --set gddr5.ip_mapping=bank_low
printf 'scheme: single\ngpu:\n  l1_misses: 4\ntexture:\n  design: baseline\n  shares_memory: true\n' >"$t/shared.yaml"
expect l1-misses 2 'gpu.l1_misses=4: only with a GPU.s own DRAM' "$n" run vectors/config/atfim.yaml --set gpu.l1_misses=4
expect l1-shared 2 "shared.yaml:3:14: gpu.l1_misses=4: only with a GPU.s own DRAM" "$n" run "$t/shared.yaml"
expect l2-lines 2 'gpu.l2_lines=2: only with a GPU.s own DRAM' "$n" run vectors/config/atfim.yaml --set gpu.l2_lines=2
expect raster-order 2 'gpu.raster_order is .rows.' "$n" run $c --set gpu.raster_order=rows
expect shared-buffer 2 'link.shared_buffer=447: it must hold a beat of each link, 7 times distributor.beat_bytes=64' "$n" run vectors/config/chopin.yaml --set link.shared_buffer=447
expect direct-order 2 'direct.order is .one.' "$n" run vectors/config/chopin.yaml --set direct.order=one
expect ideal-merge 2 'ideal.merge is .gpu.' "$n" run vectors/config/chopin.yaml --set ideal.merge=gpu
expect ideal-broadcast 2 'ideal.broadcast is .half.' "$n" run vectors/config/chopin.yaml --set ideal.broadcast=half
expect opaque-ahead 2 'draw_scheduler.opaque_ahead is 1024, out of range' "$n" run vectors/config/chopin.yaml --set draw_scheduler.opaque_ahead=1024
expect by-all 2 'driver.by_all is .some.' "$n" run vectors/config/chopin.yaml --set driver.by_all=some
expect weights 2 'driver.weights is .2.' "$n" run vectors/config/chopin.yaml --set driver.weights=2
expect by-all-pixels 2 'driver.by_all_pixels is a constant' "$n" run vectors/config/chopin.yaml --set driver.by_all_pixels=1
expect next-read 2 'gpu.texture_next_cycles is 10001, out of range' "$n" run vectors/config/chopin.yaml --set gpu.texture_next_cycles=10001
expect bad-set 2 'nonsense' "$n" run $c --set nonsense=1
expect set-entry 2 'set hmc.trc=4000: hmc.trc is an entry of a set, expected hmc.timing with' "$n" run $c \
  --set hmc.trc=4000
expect constant 2 'gpu.draw_cycles is a constant \(16 cycles: chosen\), expected' "$n" run $c --set gpu.draw_cycles=3
expect gone-key 2 'hmc.refresh is no key any more, expected trefi: 0 in a file' "$n" run $c --set hmc.refresh=false
expect missing-set 2 'hmc.timing is .cashmk., and vectors/sets/hmc.timing/cashmk.yaml cannot' "$n" run $c \
  --set hmc.timing=cashmk
sed '/^trp:/d' vectors/sets/hmc.timing/gem5.yaml >"$t/short.yaml"
printf 'scheme: single\nhmc:\n  timing: %s\n' "$t/short.yaml" >"$t/own.yaml"
expect short-set 2 "^nocturne: $t/short.yaml:[0-9]+:1: no entry 'trp', expected 1 to 1000000 ps" "$n" run "$t/own.yaml"
expect missing-frame 2 'none.nframe: ' "$n" run $c --frame "$t/none.nframe"
expect unknown-generated 2 'gen:quake' "$n" run $c --frame gen:quake
head -c 20000 vectors/frames/nexuiz/bench1_ultra.nframe >"$t/cut.nframe"
expect truncated-frame 2 'cut.nframe: byte [0-9]+' "$n" run $c --frame "$t/cut.nframe"
cp vectors/frames/nexuiz/bench1_ultra.nframe "$t/hurt.nframe"
printf 'X' | dd of="$t/hurt.nframe" bs=1 seek=300000 conv=notrunc 2>/dev/null
expect damaged-frame 2 'hurt.nframe: byte [0-9]+: section' "$n" frame info "$t/hurt.nframe"
"$n" frame generate gen:test-3 "$t/four.nframe" 1 4
head -c 16000 "$t/four.nframe" >"$t/four-cut.nframe"
cp "$t/four.nframe" "$t/four-hurt.nframe"
printf 'X' | dd of="$t/four-hurt.nframe" bs=1 seek=15000 conv=notrunc 2>/dev/null
expect cut-sequence 2 'four-cut.nframe: byte 16000: section [A-Z]+ of frame [0-9]: the file ends' "$n" run $c \
  --frames "$t/four-cut.nframe"
expect damaged-sequence 2 'four-hurt.nframe: byte [0-9]+: section [A-Z]+ of frame [0-9]: ' "$n" frame info \
  "$t/four-hurt.nframe"
expect sequence-as-frame 2 'four.nframe: byte 8: section HEAD: a sequence of frames, expected one frame' "$n" run $c \
  --frame "$t/four.nframe"
expect frames-beyond 2 'first 3 --count 2: gen:test-3, 4 frames has the frames 0 to 3' "$n" run $c \
  --frames "$t/four.nframe" --first 3 --count 2
expect first-beyond 2 'has the frames 0 to 3' "$n" run $c --frames "$t/four.nframe" --first 4
expect frame-and-frames 2 'expected one of them' "$n" run $c --frame gen:test-1 --frames gen:test-1
expect count-alone 2 'are of --frames' "$n" run $c --count 2
expect no-frames 2 'count 0: expected a number from 1 to 256' "$n" run $c --frames gen:test-1 --count 0
expect many-frames 2 'count 257: expected a number from 1 to 256' "$n" run $c --frames gen:test-1 --count 257
expect bad-count 2 'count 257: expected a number from 1 to 256' "$n" frame generate gen:test-1 "$t/x.nframe" 1 257
expect work-together 2 'frame.work=1: the 4 frames have 4 million .* together, expected at most that' "$n" run $c \
  --frames "$t/four.nframe" --set frame.work=1
expect much-work 2 'frame.work=1: the frame has [0-9]+ million' "$n" run $c --set frame.work=1
expect much-memory 2 'frame.memory=9: the frame.s surfaces take [0-9]+ MiB' "$n" run $c \
  --set frame.memory=9
expect bad-engine 2 'expected golden, rtl, lockstep or gates' "$n" run $c --engine fast
expect list-keys 2 'list-keys=xml: expected csv, schema, or nothing' "$n" run --list-keys=xml
expect bad-unit 2 'no such unit' "$n" unit rasteriser
expect bad-command 2 "no command 'ruin', expected perhaps run;" "$n" ruin
expect no-such-command 2 "no command 'synthesize'; .nocturne --help. lists them" "$n" synthesize
expect misspelt-option 2 '^nocturne run: unknown option --enigne, expected perhaps --engine$' "$n" run $c --enigne golden
expect misspelt-option-of-many 2 'regress: unknown option --filetr, expected perhaps --filter$' "$n" regress -j 2 --seeds=3 --filetr=x
expect option-like-none 2 "unrecognized option '--zzzzzzzzzz'" "$n" run $c --zzzzzzzzzz
expect help-of-none 2 "no command 'ran', expected perhaps run;" "$n" help ran
expect negative-seed 2 '^nocturne run: --seed -3: expected a number' "$n" run $c --seed -3
expect huge-seed 2 'seed 99999999999999999999: expected' "$n" run $c --seed 99999999999999999999
expect no-cycles 2 'cycles 0: expected a number from 1' "$n" unit draw_scheduler --cycles 0
expect two-units 2 'atfim: one unit only' "$n" unit draw_scheduler atfim
expect bad-knob 2 'draw_scheduler has no such knob' "$n" unit draw_scheduler --engine golden \
  --cycles 10 --knob nonsense=1
expect golden-waves 2 'a.fst: the golden engine has none' "$n" unit draw_scheduler --engine golden \
  --waves "$t/a.fst"
expect backward-waves 2 'to 3 is before --from 5' "$n" run $c --from 5 --to 3
expect bad-waves-unit 2 'waves-unit rasteriser:1: expected' "$n" run $c --waves-unit rasteriser:1
expect bad-window 2 'window 5: expected BEFORE:AFTER' "$n" rerun some/test --window 5
expect two-tests 2 'b: one test only' "$n" rerun a b
expect bad-frame-seed 2 'seed one: expected a number' "$n" frame generate gen:test-1 "$t/a.nframe" one
expect no-list 2 'nowhere.yaml: No such file' "$n" regress "$t/nowhere.yaml"
expect folder-list 2 'vectors: Is a directory' "$n" regress vectors
printf 'tests:\n  - {name: "{}", each: "nowhere/*.json", play: "{}"}\n' >"$t/each.yaml"
expect no-each 2 'each.yaml:2:5: each: nowhere/\*.json: expected units, or a pattern' "$n" regress "$t/each.yaml" --list
printf 'include: [nowhere/*.yaml]\n' >"$t/pattern.yaml"
expect no-pattern 2 'pattern.yaml:1:10: include: nowhere/\*.yaml: no such file' "$n" regress "$t/pattern.yaml" --list
# A test of all units is one of each; a room's tests are for the list that includes it, with its defaults.
mkdir -p "$t/room"
printf 'defaults: {unit: atfim}\nlists:\n  few: [{name: a}]\n  many: [{name: b}]\n' >"$t/room/tests.yaml"
printf 'defaults: {cycles: 7}\ninclude: [room/*.yaml]\ntests:\n  - {name: "{}-x", unit: all}\n' >"$t/few.yaml"
"$n" regress "$t/few.yaml" --list | awk '{ $2 = ""; print }' >"$t/few.txt"
{ echo 'a/seed-1  unit atfim --cycles 7 --seed 1'
  for u in $units; do echo "$u-x/seed-1  unit $u --cycles 7 --seed 1"; done; } | diff - "$t/few.txt" >"$t/few.diff" &&
  good "tests of all units and of a room" || bad "tests of all units and of a room" "" "$t/few.diff"
expect no-such-set 2 'set slim: draw_scheduler has the parameter sets paper, narrow, ' "$n" unit draw_scheduler \
  --set tiny,slim
expect empty-set 2 'set : draw_scheduler has the parameter sets paper, narrow, ' "$n" unit draw_scheduler --set tiny,
expect signed-knob 2 'knob command=-1: expected' "$n" unit draw_scheduler --knob command=-1
printf 'tests:\n  - {name: a, command: ["true"]}\n' >"$t/list.yaml"
expect no-report 1 'nowhere/a.xml: ' "$n" regress "$t/list.yaml" --folder "$t/regress" \
  --junit "$t/nowhere/a.xml"
expect no-folder 1 'nowhere/logs: No such file' "$n" regress "$t/list.yaml" --folder "$t/no/nowhere"
expect bad-jobs 2 'j 0: expected a number from 1' "$n" regress tests/lists/units.yaml -j 0
expect bad-missed 2 'missed -1: expected a number' "$n" cover tests/lists/units.yaml --missed -1
expect bad-threshold 2 'threshold 1.7x: expected texels, 0.5 to 16' "$n" quality gen:test-1 --threshold 1.7x
expect bad-stream 2 'stream hmc:X: expected hmc: or gddr5:' "$n" memory --stream hmc:X
expect bad-area-unit 2 '^nocturne area: rasteriser: no such unit' "$n" area rasteriser
expect bad-area-check 2 'budgets are of netlists with the search' "$n" area --no-search --check tests/units
expect bad-area-jobs 2 'jobs two: expected a number' "$n" area draw_scheduler --jobs two
expect no-sweep 2 'nowhere.yaml: No such file' "$n" sweep "$t/nowhere.yaml"
expect missing-sequence 2 'nowhere.json: No such file' "$n" unit --play "$t/nowhere.json"
expect folder-vectors 2 'vectors: Is a directory' "$n" unit --vectors vectors
expect folder-sequence 2 'vectors: Is a directory' "$n" unit --play vectors
# A sequence gives no port bits or elements that the hardware does not have, and ends.
play_bad() { # name pattern sed-expression
  sed "$3" docs/units/images/draw_scheduler_credits.json >"$t/$1.json"
  expect "$1" 2 "$2" "$n" unit --engine golden --play "$t/$1.json"
}
play_bad wide-value 'cmd_op_i: a value is wider than the port' 's/\[0, 1, 1, 1, 1, 1\]/[0, 1, 4, 1, 1, 1]/'
play_bad wide-given 'cmd_kind: a value is wider than the port' 's/"cmd_kind": 1}/"cmd_kind": 9}/'
play_bad wide-parameter 'gpus: beyond its range' 's/"gpus": 3/"gpus": 4294967299/'
play_bad wide-index 'cmd_valid_i\[1\]: a wrong index' 's/"cmd_valid_i"/"cmd_valid_i[1]"/'
play_bad no-such-lane 'credit_i\[3\]: a wrong index' 's/"credit_i\[2\]"/"credit_i[3]"/'
play_bad endless 'repeat: beyond its range' 's/"repeat": 4/"repeat": 4000000000/'
expect missing-vectors 2 'nowhere.vec: No such file' "$n" unit --vectors "$t/nowhere.vec"
"$n" unit draw_scheduler --engine golden --cycles 9 --record "$t" >/dev/null
head -n 1 "$t/draw_scheduler-0.vec" >"$t/none.vec"
expect no-vectors 2 'none.vec:2:1: expected a vector' "$n" unit --engine golden --vectors "$t/none.vec"
expect unwritable-vectors 1 'nowhere/draw_scheduler-0.vec: cannot be written: No such file' "$n" unit \
  draw_scheduler --engine golden --cycles 9 --record "$t/no/nowhere"
expect other-instance 1 'no waves: there is no draw_scheduler 3' "$n" unit draw_scheduler \
  --cycles 10 --waves "$t/a.fst" --waves-unit draw_scheduler:3
status=0
for command in run sweep area frame config unit regress rerun bench cover memory quality; do
  "$n" $command --help >"$t/out" 2>"$t/err" </dev/null && grep -q "^Usage: nocturne $command" "$t/out" &&
    [ ! -s "$t/err" ] || { echo "--help of $command"; status=1; }
done
[ $status -eq 0 ] && good help || bad help
same_help() { diff <("$n" help unit) <("$n" unit --help) && diff <("$n" help) <("$n" --help); }
check help-command same_help
# The revision that the program was built from, if from one.
version() {
  "$n" --version >"$t/version" && has "$t/version" '^nocturne [0-9.]+, (revision [0-9a-f]{7,}(-dirty)?|built outside git)$' &&
    has "$t/version" '^compiler: (gcc|clang) [0-9]' && has "$t/version" '^verilator: Verilator [0-9]' || return
  [ ! -e "$build/revision" ] || has "$t/version" "revision $(cat "$build/revision")\$"
}
check version version

# Damage at fifty places: cut there, and a byte changed there.
status=0
size=$(stat -c %s vectors/frames/openarena/demo088_test1.nframe)
for i in $(seq 0 49); do
  at=$((i < 12 ? i * 7 : (size - 1) * (i - 11) / 38))
  head -c $at vectors/frames/openarena/demo088_test1.nframe >"$t/sweep.nframe"
  cut=$("$n" frame info "$t/sweep.nframe" 2>&1)
  [ $? -eq 2 ] && [[ $cut =~ ^nocturne:\ .*sweep.nframe:\ byte\ [0-9]+:\ section\ [A-Z]+(\ of\ frame\ [0-9]+)?:\ [^$'\n']*$ ]] ||
    { echo "cut at $at: $cut"; status=1; }
  cp vectors/frames/openarena/demo088_test1.nframe "$t/sweep.nframe"
  byte=$(od -An -tu1 -j $at -N 1 "$t/sweep.nframe")
  # shellcheck disable=SC2059
  printf "\\$(printf %03o $((byte ^ 1 << i % 8)))" |
    dd of="$t/sweep.nframe" bs=1 seek=$at conv=notrunc 2>/dev/null
  flip=$("$n" frame info "$t/sweep.nframe" 2>&1)
  [ $? -eq 2 ] && [[ $flip =~ ^nocturne:\ .*sweep.nframe:\ byte\ [0-9]+:\ section\ [A-Z]+(\ of\ frame\ [0-9]+)?:\ [^$'\n']*$ ]] ||
    { echo "changed at $at: $flip"; status=1; }
done
[ $status -eq 0 ] && good damaged-sweep || bad damaged-sweep

# A full disk: a small file system where one may be mounted, else a limit on files' sizes.
# What stood there stays, and no temporary is left. Devices are never replaced.
small=$t/small
mkdir -p "$small"
if mount -t tmpfs -o size=16k tmpfs "$small" 2>/dev/null; then
  cleanup() { umount "$small"; }
  full() { "$@"; }
else
  trap '' XFSZ
  full() { (ulimit -f 1; "$@"); }
fi
run="$n run $c --frame gen:cod2 --engine golden"
keeps() { # name file: it holds what it did, and nothing stands beside it
  if [ "$(cat "$2")" = old ] && [ "$(ls -A "$small")" = "$(basename "$2")" ]; then
    good "$1-kept"
  else
    bad "$1-kept" "$(ls -lA "$small")"
  fi
  rm -f "$small"/*
}
expect no-folder-json 1 'nowhere/a.json: cannot be written: No such file' "$n" run $c --frame "$t/nowhere" \
  --json "$t/nowhere/a.json"  # said before the frame is looked at
for kind in json image; do
  echo old >"$small/old"
  head -c 9000 /dev/zero >"$small/fill"
  expect "full-$kind" 1 'small/old: .*(No space left|File too large)' full $run --$kind "$small/old"
  rm -f "$small/fill"
  keeps "full-$kind" "$small/old"
done
echo old >"$small/old"
expect full-frame 1 'small/old: cannot be written: ' full "$n" frame generate gen:test-1 "$small/old"
keeps full-frame "$small/old"
expect full-vectors 1 'small/draw_scheduler-0.vec: the vectors are incomplete' full "$n" unit \
  draw_scheduler --engine golden --cycles 2000 --record "$small"
rm -f "$small"/*
# (The writer of waves maps a temporary file, so a limit on sizes kills it.)
mountpoint -q "$small" && expect full-waves 1 'small/a.fst: the waves are incomplete' full "$n" unit draw_scheduler \
  --gpus 3 --cycles 5000 --waves "$small/a.fst"
rm -f "$small"/*
ln -sf /dev/full "$t/full"
expect full-device-json 1 'bad/full: .*No space left' $run --json "$t/full"
expect full-device-image 1 'bad/full: .*No space left' $run --image "$t/full"
expect device-frame 1 'bad/full: not a regular file' "$n" frame generate gen:test-1 "$t/full"
expect near-unit 2 "draw_sheduler: no such unit; expected perhaps draw_scheduler$" "$n" unit draw_sheduler
expect far-knob 2 '\-\-knob cdm: draw_scheduler has no such knob, expected one of .*command, ready, credit, .*; --knobs lists them$' "$n" unit \
  draw_scheduler --engine golden --knob cdm=4 --cycles 100
expect near-room 2 '^nocturne: draw_sheduler: no tests/units/draw_sheduler/unit.yaml with prove, expected perhaps draw_scheduler$' \
  "$n" prove draw_sheduler
expect near-knob 2 '\-\-knob progres: draw_scheduler has no such knob, expected perhaps progress; ' "$n" unit \
  draw_scheduler --engine golden --cycles 10 --knob progres=4
expect two-parameters 2 'set Units=8,Slots=9: expected one parameter and its values; another one has a --set' "$n" area \
  --set Units=8,Slots=9 offload_unit
[ -c /dev/full ] && good device-stays || bad device-stays
# What a command prints is lost as a file is.
lost() { # COMMAND...
  "$@" >/dev/full 2>"$t/said"
  [ $? -eq 1 ] && [ "$(wc -l <"$t/said")" -eq 1 ] && has "$t/said" 'No space left|cannot be written'
}
for words in --help --version 'help run' 'run --list-keys' 'config --markdown' 'frame info gen:test-1' 'memory --table' \
  'unit draw_scheduler --knobs' 'sweep vectors/sweeps/designs.yaml --list' room 'regress tests/lists/test.yaml --list' \
  'unit offload_unit --engine golden --cycles 100' "run $c --engine golden --frame gen:test-1" \
  'unit offload_unit --engine golden --cycles 100 --json -'; do
  # shellcheck disable=SC2086
  check "full-output ${words// /-}" lost "$n" $words
done
commands=$("$n" help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p')
for command in $commands; do
  "$n" $command -h >"$t/said" 2>&1 && has "$t/said" "^Usage: nocturne ($command|COMMAND)" && "$n" $command --version >"$t/said" 2>&1 &&
    has "$t/said" '^nocturne [0-9.]*, ' || { bad "help of $command" "" "$t/said"; continue; }
done >"$t/log" 2>&1
if [ -s "$t/log" ]; then bad "-h and --version of every command" "" "$t/log"; else good "-h and --version of every command"; fi
expect no-folder-waves 1 'nowhere/a.fst: the waves cannot be written: No such file' "$n" unit \
  draw_scheduler --gpus 3 --cycles 10 --waves "$t/nowhere/a.fst"

# A run that is killed leaves the old results or the new ones: in the middle of the writing (by
# the limit on files' sizes), and with SIGKILL at moments of a run.
whole() { # file: old, or complete
  case $(head -c 3 "$1") in
    old) true ;;
    '{'*) [ "$(tail -n 1 "$1")" = '}' ] ;;
    *) tail -c 8 "$1" | grep -aq IEND ;;
  esac
}
trap - XFSZ
for kind in json image frame; do
  echo old >"$t/killed"
  if [ $kind = frame ]; then
    (ulimit -c 0 -f 1; exec "$n" frame generate gen:test-1 "$t/killed") >/dev/null 2>&1
  else
    # shellcheck disable=SC2086
    (ulimit -c 0 -f 1; exec $run --$kind "$t/killed") >/dev/null 2>&1
  fi
  got=$?
  if [ $got -eq 153 ] && [ "$(cat "$t/killed")" = old ]; then
    good "killed-$kind"
  else
    bad "killed-$kind" "status $got, $(head -c 20 "$t/killed")"
  fi
  rm -f "$t"/killed*
done
killed=0
status=0
# (Moments of its processor time: a busy machine moves the clock on the wall.)
ticks() { # false once it has ended
  awk '{ sub(/.*\) /, ""); print $12 + $13; exit $1 == "Z" }' "/proc/$1/stat" 2>/dev/null
}
took=$({ TIMEFORMAT='%U %S'; time $n run $c --frame gen:cod2 --engine golden --set scheme=single >/dev/null 2>&1; } 2>&1 |
  awk -v hz="$(getconf CLK_TCK)" '{ printf "%d", hz * ($1 + $2) }')
for part in 1 5 20 40 60 80 90 94 97 99; do
  echo old >"$t/killed.json"
  echo old >"$t/killed.png"
  $n run $c --frame gen:cod2 --engine golden --set scheme=single --json "$t/killed.json" --image "$t/killed.png" >/dev/null 2>&1 &
  pid=$!
  while now=$(ticks $pid) && [ "${now:-$took}" -lt $((took * part / 100)) ]; do sleep 0.01; done
  { ticks $pid >/dev/null && kill -9 $pid && killed=$((killed + 1)); wait $pid; } 2>/dev/null
  whole "$t/killed.json" && whole "$t/killed.png" || { echo "cut at $part % of $took ticks"; status=1; }
done
rm -f "$t"/killed*
if [ $killed -gt 4 ] && [ $status -eq 0 ]; then
  good "killed: $killed of 10 runs"
else
  bad "killed: $killed of 10 runs"
fi

# Too little memory ends with 3 and one line, wherever it is found out.
lacks=0
wrong=""
for limit in 20000 24000 28000 34000 40000 48000 60000 80000 120000 180000 260000 400000; do
  for command in "run $c --engine golden --image $t/memory.png" "frame info vectors/frames/nexuiz/bench1_ultra.nframe"; do
    # (What is enough is so for more, too.)
    [ "${command%% *}" = run ] || [ $limit -le 120000 ] || continue
    # shellcheck disable=SC2086
    (ulimit -v $limit; exec "$n" $command) >"$t/out" 2>"$t/err" </dev/null
    got=$?
    [ $got -ne 3 ] || lacks=$((lacks + 1))
    [ $got -eq 0 ] || { [ $got -eq 3 ] && [ "$(wc -l <"$t/err")" -eq 1 ] && grep -q memory "$t/err"; } ||
      wrong="$wrong ${command%% *} in $limit kB: status $got, $(head -n 1 "$t/err");"
  done
done
[ -z "$wrong" ] && [ $lacks -ge 8 ] && good too-little-memory || bad too-little-memory "$lacks lack it;$wrong"

# `make run` asks for no more than it takes: nothing for synthesis, proofs, plots or other tests.
rm -rf "$t/fresh"
mkdir -p "$t/fresh"
printf '#!/bin/sh\nexit 1\n' >"$t/fresh/dpkg-query"
printf '#!/bin/sh\necho 1000\n' >"$t/fresh/id"
printf '#!/bin/sh\nexit 1\n' >"$t/fresh/sudo"
chmod +x "$t"/fresh/*
expect setup-names 3 '^setup: missing: .* yosys .*qflow' env PATH="$t/fresh:$PATH" tb/setup.sh
expect setup-run-names 3 '^setup: missing: .* verilator ' env PATH="$t/fresh:$PATH" tb/setup.sh run
if grep -qE 'yosys|iverilog|qflow|gnuplot|cmocka|lcov|llvm|chromium|slurm|lintian' "$t/err"; then
  bad setup-run "" "$t/err"
else
  good setup-run
fi

# A machine without Verilator: the PATH holds what make needs, and nothing else.
rm -rf "$t/bin"
mkdir -p "$t/bin"
for tool in sh make cat ls; do ln -sf "$(command -v $tool)" "$t/bin/$tool"; done
expect no-verilator 3 'verilator is missing' env PATH="$t/bin" "$n" run $c --frame gen:test-1
expect no-verilator-unit 3 'verilator is missing' env PATH="$t/bin" "$n" unit draw_scheduler
ln -sf "$(command -v verilator)" "$t/bin/verilator"
expect no-compiler 3 'gcc is missing' env PATH="$t/bin" "$n" unit draw_scheduler
rm "$t/bin/make"
expect no-make 3 'make is missing' env PATH="$t/bin" "$n" unit draw_scheduler
expect no-wavedrom 3 'wavedrom-cli is missing' env PATH="$t/bin" tb/docs.sh
