#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Golden model and RTL proved equal, each unit at its smallest size; and wrong lines of each, which must
# be refuted (docs/proved.md).
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh

prove() { # tree, arguments of prove.sh...: its status; what it says in $t/said
  local tree=$1
  shift
  (cd "$tree" && tb/prove/prove.sh -s -b "$root/$build/prove" "$@") >"$t/said" 2>&1
}

expect() { # name status pattern command...
  local name=$1 status=$2 pattern=$3
  shift 3
  "$@"
  local got=$?
  if [ $got -eq "$status" ] && grep -qE "$pattern" "$t/said"; then
    good "$name"
  else
    bad "$name" "status $got, expected $status and '$pattern'" "$t/said"
  fi
}

# Each instruction against clang, what is refused, what is owed.
names() { sed -n 's/^define i64 @\([a-z_]*\)(i64 %a, i64 %b, i64 %c).*/\1/p' "$1"; }
instructions() {
  clang-14 -Wno-override-module -c -emit-llvm tests/prove/instructions.ll -o "$t/instructions.bc" &&
    clang-14 -Wno-override-module -O0 -shared -fPIC tests/prove/instructions.ll -o "$t/instructions.so" &&
    "$build/tests/prove_instructions" "$t/instructions.bc" "$t/instructions.so" $(names tests/prove/instructions.ll)
}
check "$(names tests/prove/instructions.ll | wc -l) instructions on random words" instructions
clang-14 -Wno-override-module -c -emit-llvm tests/prove/refused.ll -o "$t/refused.bc"
awk -F '[@(:]' '/^; (refused|owed):/ { kind = substr($1, 3); what = substr($2, 2) }
  /^define/ { print kind, $2, what }' tests/prove/refused.ll | sort -u >"$t/refused.list"
while read -r kind name what; do
  "$build/tests/prove_instructions" "$t/refused.bc" - "$name" >"$t/said" 2>&1
  status=$?
  case $kind in
    refused) wanted="^prove: not known to the translator: .*$what.*, in $name" expected=2 ;;
    *) wanted="^owed: $what in $name" expected=0 ;;
  esac
  if grep -q "$wanted" "$t/said" && [ $status -eq $expected ]; then
    good "$kind: $what"
  else
    bad "$kind: $what" "status $status" "$t/said"
  fi
done <"$t/refused.list"

proved=$(sed -n 's/^\([a-z_]*\)  *short .*/\1/p' tests/prove/sizes.txt | sort -u)
for unit in $proved; do
  expect "$unit is proved" 0 "^$unit .* proved" prove . -f -o "$t/proofs" "$unit"
done
expect 'what was proved is kept' 0 ' proved +kept$' prove . -o "$t/proofs" composition_scheduler
expect 'an unknown unit' 2 '^prove: nothing: not in' prove . nothing
mkdir -p "$t/empty"
expect 'a missing tool' 3 '^prove: clang-14 is missing' \
  env PATH="$t/empty" "$BASH" -c 'tb/prove/prove.sh >"$1" 2>&1' - "$t/said"

# What the translator made of the golden model, and Yosys of the RTL, answers as the compiled golden model.
plays() { # unit gpus
  local folder
  folder=$(ls -d "$t/proofs/$1/NumGpus=$2-"* | head -n 1)
  "$n" unit "$1" --gpus "$2" --seed 5 --cycles 2000 --engine golden --record "$t/vectors" &&
    "$build/prove" "$1" "$(head -n 1 "$t/vectors/$1-0.vec" | cut -d ' ' -f 4-)" --golden "$folder/golden.bc" \
      --rtl "$folder/rtl.aig" --play "$t/vectors/$1-0.vec"
}
check 'recorded vectors of composition_scheduler in the graphs' plays composition_scheduler 2

# A copy of what is proved, with a line changed; the harness works in it. sizes: instead of sizes.txt.
sizes=
planted() { # file sed
  rm -rf "$t/copy"
  mkdir -p "$t/copy/tests" "$t/copy/csim"
  cp -rp tests/prove "$t/copy/tests/"
  [ -z "$sizes" ] || echo "$sizes" >"$t/copy/tests/prove/sizes.txt"
  cp -rp csim/golden "$t/copy/csim/"
  plant "$t/copy" "$1" "$2"
}
refuted() { # name unit file sed pattern
  if ! planted "$3" "$4"; then
    bad "$1" "the line has changed; adapt this script"
    return
  fi
  expect "refuted: $1" 1 "$5" prove "$t/copy" -o proofs "$2"
  if grep -qE "^  replayed in (lockstep|the RTL)" "$t/said"; then
    good "replayed: $1"
  else
    bad "replayed: $1" "" "$t/said"
  fi
}

unit=composition_scheduler
rtl=rtl/chopin/$unit.sv golden=csim/golden/${unit}_golden.c
refuted 'RTL: a start is not held' $unit $rtl "s/if (is_free) begin/if (1'b1) begin/" 'signal start_valid'
refuted 'RTL: a ready while the release waits' $unit $rtl \
  's/is_ready_message & ~ready_q & ~release_valid_q/is_ready_message \& ~ready_q/' \
  '(signal cgid|broken: )'
refuted 'RTL: the error is not sticky' $unit $rtl 's/error_d = error_q;/error_d = ErrNone;/' \
  '(signal error|broken: )'
refuted 'golden: the group is not counted' $unit $golden 's/t->cgid\[i\]++;//' \
  '(signal cgid|broken: )'
refuted 'golden: a refused done' $unit $golden 's/if (!(before->receiving & me)) {/if (0) {/' \
  '(signal (received|receiving|error)|broken: )'

unit=lookahead_scheduler
rtl=rtl/chopin/$unit.sv golden=csim/golden/${unit}_golden.c any='(signal|register)'
refuted 'RTL: a refused ready' $unit $rtl \
  's/good_depth & ~pending_q/good_depth/' '(signal (cgid|depth|pending)|register pending)'
refuted 'golden: an ending twice' $unit $golden \
  's/ || bit(before->ended\[s\], d)//' '(signal (sending|receiving|error)|broken: )'

# Those whose proofs or runs from reset take longer, in LIST=full.
[ -n "${LONG:-}" ] || exit 0
refuted 'RTL: a transfer twice' $unit $rtl 's/~granted & ~(odd/~Self \& ~(odd/' "$any"
refuted 'RTL: a transfer to itself' $unit $rtl \
  's/~granted & ~(odd/~received_q[g*NumGpus +: NumGpus] \& ~(odd/' "$any"
refuted 'RTL: a transfer between kinds' $unit $rtl \
  '/~granted/s/ & ~(transparent_q ^ {NumGpus{transparent_q\[g\]}})//' "$any"
refuted 'RTL: an early reset' $unit $rtl "s/ && receiving_q\[g\*4 +: 4\] == 4'd0;/;/" "$any"
refuted 'RTL: a pending ready lost' $unit $rtl \
  's/<= wants & ~enter/<= taken_ready \& ~enter/' 'signal pending'
refuted 'RTL: a refused depth' $unit $rtl 's/is_ready_message & good_depth &/is_ready_message \&/' "$any"
refuted 'RTL: an ending twice' $unit $rtl 's/ && !ended_q\[g\*NumGpus + d\]//' "$any"
refuted 'RTL: the group ahead' $unit $rtl "s/\(cgid_q\[g\*8 +: 8\]  <= .* + 8'd\)1/\12/" 'signal cgid'
refuted 'RTL: the side in front' $unit $rtl \
  's/ && wraps\[s\]/ \&\& !wraps[s]/' 'signal start_front'
refuted 'RTL: a start is not held' $unit $rtl "s/if (is_free) begin/if (1'b1) begin/" 'signal start_valid'
refuted 'RTL: the error is not sticky' $unit $rtl \
  's/error_d = error_q;/error_d = ErrNone;/' '(signal error|broken: )'
refuted 'golden: the level of the cycle' $unit $golden \
  's/uint32_t level = lowest_level(g);/uint32_t level = g->level;/' \
  '(register level|broken: )'
# What 2 GPUs don't show.
sizes='lookahead_scheduler short - NumGpus=3'
refuted 'RTL: not the lowest level' $unit $rtl 's/ && !level_any\[l-1\]//' 'register level_q'
refuted 'RTL: another group' $unit $rtl 's/ & ~(odd ^ {NumGpus{odd\[g\]}})//' "$any"
refuted 'RTL: no neighbour' $unit $rtl "s/(neighbour | {NumGpus{!transparent_q\[g\]}})/{NumGpus{1'b1}}/" "$any"
refuted 'RTL: beyond the depth' $unit $rtl \
  's/ready_q\[g\] && sending_q\[g\*4 +: 4\] < depth_q\[g\*4 +: 4\]/ready_q[g]/' "$any"
refuted 'RTL: a receiver beyond the depth' $unit $rtl \
  's/receiving_q\[g\*4 +: 4\] < depth_q/receiving_q[g*4 +: 4] <= depth_q/' "$any"
sizes=

# What joins A-TFIM's parts: their stand-ins have no runs to repeat.
joined() { # name file sed pattern
  if planted "$2" "$3"; then
    expect "refuted: $1" 1 "$4" prove "$t/copy" -o proofs atfim
  else
    bad "$1" "the line has changed; adapt this script"
  fi
}
rtl=rtl/atfim/atfim.sv golden=csim/golden/atfim_golden.c
joined 'RTL: a beat that is not taken is counted' $rtl \
  's/beat_valid_i(beat_valid & beat_ready)/beat_valid_i(beat_valid)/' 'register u_buffer.seen_q'
joined 'RTL: a tile of the other axis' $rtl \
  's/tile_x_i(package_i\[75:64\])/tile_x_i(package_i[87:76])/' 'register u_generator.seen_q'
joined 'RTL: the errors of two parts' $rtl \
  's/{combination_error, buffer_error,/{buffer_error, combination_error,/' 'signal error'
joined 'golden: a bit beside the reading' $golden 's/bits(words, 52, 1)/bits(words, 53, 1)/' \
  'register u_generator.seen_q'
joined 'golden: a beat that is not taken is counted' $golden \
  's/taken = ge->beat_valid && .*;/taken = ge->beat_valid;/' 'register u_buffer.seen_q'

unit=parent_texel_buffer sizes='parent_texel_buffer short - Slots=2'
rtl=rtl/atfim/$unit.sv golden=csim/golden/${unit}_golden.c any='(signal|register|broken: )'
refuted 'RTL: complete before the last beat' $unit $rtl 's/update_ok & seen_q\[update_slot\] &/update_ok \&/' "$any"
refuted 'RTL: a beat and an update of one slot' $unit $rtl \
  's/if (is_update && !is_beat) left_q/if (is_update) left_q/' "$any"
refuted 'RTL: a failure of an earlier row' $unit $rtl \
  's/(begun & failed_q\[update_slot\])/failed_q[update_slot]/' "$any"
refuted 'golden: a failure of a parent that takes nothing' $unit $golden \
  's/row->failed |= u->failed & u->add;/row->failed |= u->failed;/' "$any"
refuted 'golden: a beat and an update of one slot' $unit $golden \
  's/u->slot >= g->slots || row->left == 0/u->slot >= g->slots/' "$any"
sizes=

unit=offload_unit sizes="offload_unit short - NumTextureUnits=2 Slots=2 CountWidth=10"
rtl=rtl/atfim/$unit.sv golden=csim/golden/${unit}_golden.c
refuted "RTL: picked in the cycle of a reissue" $unit $rtl \
  "s/(pending_q | added | waiting_q)/((pending_q \& ~picked) | added | waiting_q)/" "$any"
refuted "RTL: a package more than the queue holds" $unit $rtl \
  "s/(package_count + 3'(s_valid_q) < 3'd4)/(package_count < 3'd4)/" "$any"
refuted "RTL: an answered slot is free before its answer is taken" $unit $rtl \
  "s/free_q <= (free_q & ~added) | left;/free_q <= (free_q \& ~added) | left | responded;/" "$any"
refuted "RTL: an old response is an error" $unit $rtl \
  "s/accept_response && !stale && named/accept_response \&\& named/" "signal error"
refuted "golden: what waits is not sent again" $unit $golden \
  "s/g->slot.pending\\[u\\] |= g->slot.waiting\\[u\\];//" "$any"
refuted "golden: the unit served last comes first" $unit $golden \
  "s/first_from(g->pending_units, (g->last + 1) % g->units)/first_from(g->pending_units, g->last)/" "$any"
sizes=

unit=combination_unit sizes='combination_unit short - Slots=2 CountWidth=10'
rtl=rtl/atfim/$unit.sv golden=csim/golden/${unit}_golden.c
refuted 'RTL: a refusal and a row in one cycle' $unit $rtl \
  "s/(refused_count != '0) & row_ready_o & ~row_valid_i/(refused_count != '0) \& row_ready_o/" "$any"
refuted 'RTL: a void run without last keeps its line' $unit $rtl \
  's/run_take & (run_void_i | run_last_i)/run_take \& run_last_i/' "$any"
refuted 'RTL: half of 16 is not added' $unit $rtl "s/{8'd0, extent == 3'd4,/{8'd0, 1'b0,/" "$any"
refuted 'RTL: the last column is never bad' $unit $rtl \
  "s/bad = column_bad != '0/bad = column_bad[2:0] != '0/" "$any"
sizes=

unit=child_consolidation sizes='child_consolidation short - Entries=16 SetBits=1 Ways=2 CountWidth=10'
rtl=rtl/atfim/$unit.sv golden=csim/golden/${unit}_golden.c
refuted 'RTL: a beat joins a fetch that closes' $unit $rtl 's/ & joins & ~closing/ \& joins/' "$any"
refuted 'RTL: no take in the cycle of a last run' $unit $rtl 's/~busy_q | (emit & emit_last)/~busy_q/' "$any"
refuted 'RTL: a read beyond the queue' $unit $rtl "s/ & (way_pick != '0) & read_room;/ \& (way_pick != '0);/" "$any"
refuted 'RTL: an old tag names a fetch' $unit $rtl \
  's/assign closed_generation = \(.*\) + 3.d1;/assign closed_generation = \1;/' "$any"
refuted 'golden: an old tag names a fetch' $unit $golden \
  's/f->generation = (f->generation + 1) & GenerationMask;//' "$any"
sizes=

unit=pixel_distributor
sizes=$(sed -n "/^$unit /s/ full  runs / short - /p" tests/prove/sizes.txt)
golden=csim/golden/pixel_receiver_golden.c
refuted 'RTL: a piece twice' $unit rtl/chopin/pixel_receiver.sv \
  's/(piece <= last_piece_q)/(piece < last_piece_q)/' "$any"
refuted 'RTL: touched tiles that are not cleared' $unit rtl/chopin/touched_map.sv \
  "s/if (clear_i) touched_q <= '0;/if (1'b0) touched_q <= '0;/" "$any"
refuted 'RTL: a count of pixels that is right' $unit rtl/chopin/pixel_receiver.sv \
  's/beat_data_i\[31:0\] != received_q/beat_data_i[31:0] == received_q/' "$any"
refuted 'golden: a refused tile for good' $unit $golden \
  's/g->refused = g->has_piece = false;/g->has_piece = false;/' "$any"
refuted 'golden: a write of nothing' $unit $golden \
  's/if (g->b_valid && g->b.pieces.mask)/if (g->b_valid)/' "$any"
sizes=

# The draw scheduler's proof takes a minute.
unit=draw_scheduler
rtl=rtl/chopin/$unit.sv golden=csim/golden/${unit}_golden.c
refuted 'RTL: a credit back in the cycle in which one is spent' $unit $rtl \
  's/credit_i\[g\] & full & ~spend\[g\]/credit_i[g] \& full/' '(signal error|register credit_q)'
refuted 'RTL: a draw that would wrap is no error' $unit $rtl 's/err_wrap = act\[ActWrap\]/err_wrap = 1'"'b0/" \
  'signal error'
refuted 'RTL: ties the other way' $unit $rtl 's/\[0\] = ~after\[i\]/[0] = after[i]/' 'register (valid|scheduled)_q'
refuted 'golden: a credit too many' $unit $golden 's/changed &= ~(returned & golden->full);//' \
  '(register credit_q|broken: )'
refuted 'golden: the choice is remembered too long' $unit $golden \
  '/golden->remaining\[gpu\] -= count;/{n;s/golden->is_choice_known = false;//}' 'broken: the choice'
