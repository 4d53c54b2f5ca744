#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Units from outside the tree proved with no wrapper at all: a description, a golden model and RTL.
# A wrong line of each is refuted by a run from reset that the harness repeats.
set -u
. tests/scripts/lib.sh

prove() { # PATTERN STATUS UNIT SIZE [OPTION...]
  local own=$t/$3
  "$n" prove -o "$t/proofs" --page "$own/$3.yaml" --golden "$own/$3.so" --size "$4" "${@:5}" >"$t/said" 2>&1
  local code=$?
  [ $code -eq "$2" ] || { echo "status $code, expected $2"; cat "$t/said"; return 1; }
  has "$t/said" "$1"
}
begin() { # UNIT
  "$n" unit --new "tests/outside/$1/$1.yaml" "$t/$1" &&
    cp "tests/outside/$1/$1.sv" "tests/outside/$1/$1_golden.c" "$t/$1/" && make -C "$t/$1" NOCTURNE="$root"
}
lockstep() { # UNIT KNOB
  "$n" unit --page "$t/$1/$1.yaml" --golden "$t/$1/$1.so" --cycles 5000 --knob "param.$2" >"$t/said" 2>&1
  has "$t/said" '^passed: .* 5000 compared, 0 mismatches'
}
refuted() { # UNIT SIZE FILE SED
  local here=tests/outside/$1/$3 own=$t/$1/$3 code
  sed -i "$4" "$own"
  ! cmp -s "$here" "$own" || { echo "the line has changed; adapt this script"; return 1; }
  prove '^  from reset, in [0-9]+ cycles' 1 "$1" "$2" && has "$t/said" '^  replayed in (lockstep|the RTL)'
  code=$?
  cp "$here" "$own"
  return $code
}

for unit in fifo reorder_buffer; do
  begin $unit >"$t/log" 2>&1 || bad "$unit: begins" "" "$t/log"
  check "$unit: lint" verilator --lint-only -Wall "tests/outside/$unit/$unit.sv"
done
check 'FIFO: both do the same' lockstep fifo depth=5
check 'FIFO: proved' prove '^fifo +Depth=4 Width=16 +proved' 0 fifo 'Depth=4 Width=16' --certify
check 'FIFO: what was found, by another solver' grep -qE '^  from reset: proved, invariant of [1-9]' \
  <(sed '1,/found, not written; proved again by CryptoMiniSat/d' "$t/said")
size='Depth=3 Width=2'
[ -z "$MORE" ] ||
  check 'FIFO: refuted: RTL: full when the last place is written' refuted fifo "$size" fifo.sv \
    's/comes & (write_next == read_q)/comes \& (write_q == Last)/'
check 'FIFO: refuted: RTL: the ring is one place too long' refuted fifo "$size" fifo.sv "s/Index'(Depth - 1)/Index'(Depth)/"
check 'FIFO: refuted: golden: a place that comes free is used at once' refuted fifo "$size" fifo_golden.c \
  's/in->push_valid && !has_room/in->push_valid \&\& g->count == g->p.depth/'

check 'reorder buffer: both do the same' lockstep reorder_buffer slots=3
check 'reorder buffer: proved' prove '^reorder_buffer +Slots=4 Width=16 +proved' 0 reorder_buffer 'Slots=4 Width=16'
size='Slots=4 Width=2'
[ -z "$MORE" ] ||
  check 'reorder buffer: refuted: RTL: a result stays when it has left' refuted reorder_buffer "$size" reorder_buffer.sv \
    "/done_q.oldest_q. <= 1'b0;/d"
check 'reorder buffer: refuted: RTL: a slot that comes free may still have a result' refuted reorder_buffer "$size" \
  reorder_buffer.sv "s/under_way.i. = 1'b0;/under_way[i] = 1'b1;/"
check 'reorder buffer: refuted: golden: the last refusal is kept' refuted reorder_buffer "$size" reorder_buffer_golden.c \
  's/g->error ? g->error : error;/error;/'
