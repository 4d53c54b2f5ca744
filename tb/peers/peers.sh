#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a user would drive a unit with instead, on recorded vectors; for `nocturne bench --peers`.
#   tb/peers/peers.sh VECTORS FOLDER [ROUNDS]
# VECTORS: a file that `nocturne unit UNIT --record` wrote, of a unit without events. FOLDER: where things are built.
# In each of ROUNDS (2) every peer plays the vectors once and then more often: the processor time of the difference is
# that of its cycles, without start and end; the best counts. Icarus plays the first 2,000 only. Prints a line for each
# peer: name, cycles a second, then `right` if all outputs and all of the observed state, in every cycle, were those of
# the vectors, else its first mismatch.
#   user_verilator              tb/peers/user_bench.cpp: a bench in C++ that compares only at the end of a pass
#   vpi_verilator, vpi_icarus   tb/peers/vpi_bench.c: a bench in C over VPI, as cocotb drives a unit
#   sv_verilator, sv_icarus     tb/harness/replay.sv: a bench in SystemVerilog
# PEERS: only these of them. Exit status: 1 a mismatch, or one that cannot be built; 2 bad usage; 3 a tool is missing.
set -u -o pipefail
cd "$(dirname "$0")/../.." || exit 1
LC_ALL=C
vectors=$(realpath -m -- "${1:-}") folder=${2:-} rounds=${3:-2}
header=$(head -n 1 "$vectors" 2>/dev/null)
unit=${header%% *}
made=build/unit/$unit
if [ -z "$folder" ] || [ ! -f "$made/bare_$unit.sv" ] || grep -q '^events:' "csim/units/$unit/page.yaml"; then
  echo "peers: expected VECTORS FOLDER [ROUNDS], VECTORS of a unit without events" >&2
  exit 2
fi
for tool in verilator iverilog vvp gcc g++; do
  command -v $tool >/dev/null || { echo "peers: $tool is missing; install it with: make setup" >&2; exit 3; }
done
mkdir -p "$folder" && folder=$(realpath "$folder") || exit 1
values=$(echo "$header" | cut -d ' ' -f 4-)
top=bare_$unit
mapfile -t rtl < <(rtl/synth/files.sh "$unit" | grep "\.sv$")
rtl=("-I$(dirname rtl/*/"$unit.sv")" -Irtl/common "${rtl[@]}")

# What the generated top has besides clock and reset, in the order of the vectors.
{
  echo "$top"
  sed -nE 's/^  (in|out)put +logic (\[.*\] )?([a-z0-9_]+),?$/\1 \3/p' "$made/$top.sv" | grep -vE ' (clk_i|rst_ni)$'
} >"$folder/ports"
# Of each simulator the vectors, and the same without the line that names the unit.
cp "$vectors" "$folder/verilator.vec"
head -n 2001 "$vectors" >"$folder/icarus.vec"
for simulator in verilator icarus; do tail -n +2 "$folder/$simulator.vec" >"$folder/$simulator.hex"; done
count() { wc -l <"$folder/$1.hex"; }
read -r in_bits out_bits < <(echo "$header" | cut -d ' ' -f 2-3)
params=$(sed -E 's/([A-Za-z0-9]+)=([0-9]+)/.\1(\2)/g; s/ /,/g' <<<"$values")
defines=(-DUNIT="vectors_$unit" -DIN_BITS="$in_bits" -DOUT_BITS="$out_bits" -DPARAMS="$params"
  -DIN_NIBBLES=$(((in_bits + 3) / 4)) -DOUT_NIBBLES=$(((out_bits + 3) / 4)))
# As the units are built here: the fastest that is right (tb/unit.mk).
verilate=(verilator -O3 -fno-const-bit-op-tree -fno-dfg --x-assign unique -Wno-fatal -Wno-lint -Wno-style)
compile=(gcc -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror)

make_user_verilator() {
  local mdir=$folder/user_verilator
  "${verilate[@]}" --cc --exe --no-timing ${values:+$(sed -E 's/(^| )/\1-G/g' <<<"$values")} --prefix Vbare --top-module "$top" \
    --Mdir "$mdir" -o bench "${rtl[@]}" "$made/$top.sv" "$PWD/tb/peers/user_bench.cpp" \
    -CFLAGS '-O3 -DMODEL=Vbare -DMODEL_HEADER=\"Vbare.h\"' &&
    sed -nE 's/^ *VL_(IN|OUT)[0-9W]*\(&([a-z0-9_]+),([0-9]+),.*/\2 \1(\2, \3 + 1)/p' "$mdir/Vbare.h" |
    awk 'NR == FNR { line[$1] = substr($0, length($1) + 2); next } FNR > 1 { print line[$2] }' - "$folder/ports" >"$mdir/ports.inc" &&
    make -s -C "$mdir" -f Vbare.mk OPT_FAST=-O3 OPT_GLOBAL=-O3 bench
}
make_vpi_verilator() {
  # Only the top's ports are left open to VPI; cocotb's own flags open every signal, which is slower.
  printf '`verilator_config\npublic_flat_rw -module "%s" -var "*"\n' "$top" >"$folder/ports.vlt"
  "${compile[@]}" "-I$(verilator --getenv VERILATOR_ROOT)/include/vltstd" -c tb/peers/vpi_bench.c \
    -o "$folder/vpi_bench.o" &&
    "${verilate[@]}" --cc --exe --vpi --no-timing ${values:+$(sed -E 's/(^| )/\1-G/g' <<<"$values")} --prefix Vbare \
      --top-module "$top" --Mdir "$folder/vpi_verilator" -o bench "$folder/ports.vlt" "${rtl[@]}" "$made/$top.sv" \
      "$PWD/tb/peers/verilator_main.cpp" "$folder/vpi_bench.o" -CFLAGS '-DMODEL=Vbare -DMODEL_HEADER=\"Vbare.h\"' &&
    make -s -C "$folder/vpi_verilator" -f Vbare.mk OPT_FAST=-O3 OPT_GLOBAL=-O3 bench
}
make_vpi_icarus() {
  "${compile[@]}" -fPIC -shared -I/usr/include/iverilog tb/peers/vpi_bench.c -o "$folder/vpi_bench.vpi" &&
    iverilog -g2012 -o "$folder/bare.vvp" -s "$top" $(sed -E "s/([A-Za-z0-9]+=)/-P$top.\1/g" <<<"$values") \
      "${rtl[@]}" "$made/$top.sv"
}
make_sv_verilator() {
  "${verilate[@]}" --binary --timing "${defines[@]}" -DLINES="$(count verilator)" --top-module replay \
    --Mdir "$folder/sv_verilator" -CFLAGS -O3 -o bench "${rtl[@]}" "$made/vectors_$unit.sv" tb/harness/replay.sv
}
make_sv_icarus() {
  iverilog -g2012 -o "$folder/replay.vvp" -s replay "${defines[@]}" -DLINES="$(count icarus)" "${rtl[@]}" \
    "$made/vectors_$unit.sv" tb/harness/replay.sv
}
run() { # NAME PASSES
  local played=$folder/${1#*_}
  case $1 in
    user_verilator) "$folder/user_verilator/bench" "$played.vec" "$2" ;;
    vpi_verilator) "$folder/vpi_verilator/bench" +vectors="$played.vec" +ports="$folder/ports" +passes="$2" ;;
    vpi_icarus)
      vvp -n -M "$folder" -m vpi_bench "$folder/bare.vvp" +vectors="$played.vec" +ports="$folder/ports" +passes="$2" ;;
    sv_verilator) "$folder/sv_verilator/bench" +vectors="$played.hex" +passes="$2" ;;
    sv_icarus) vvp -n "$folder/replay.vvp" +vectors="$played.hex" +passes="$2" ;;
  esac
}
# Processor time of one run, in seconds.
TIMEFORMAT='%U %S'
seconds() { # NAME PASSES
  local spent
  spent=$({ time run "$1" "$2" >"$folder/$1.log" 2>&1; } 2>&1)
  awk '{ print $1 + $2 }' <<<"$spent"
}

peers=${PEERS:-user_verilator vpi_verilator sv_verilator vpi_icarus sv_icarus}
for peer in $peers; do
  make_$peer >"$folder/$peer.build" 2>&1 || {
    grep -m 3 -i error "$folder/$peer.build" >&2
    echo "peers: $peer cannot be built: $folder/$peer.build" >&2
    exit 1
  }
done
declare -A best verdict
for ((round = 0; round < rounds; round++)); do
  for peer in $peers; do
    more=2
    lines=$(count "${peer#*_}")
    [[ $peer != *_verilator ]] || more=9
    once=$(seconds "$peer" 1)
    often=$(seconds "$peer" "$more")
    best[$peer]=$(awk -v a="$once" -v b="$often" -v n="$(((more - 1) * lines))" -v best="${best[$peer]:-0}" \
      'BEGIN { hz = n / (b > a ? b - a : 0.001); print (hz > best ? hz : best) }')
    if grep -qE "^(PEER|REPLAY): $((more * lines)) lines, 0 mismatches" "$folder/$peer.log"; then
      verdict[$peer]=${verdict[$peer]:-right}
    else
      verdict[$peer]=$(grep -m 1 -E 'MISMATCH|PEER:|REPLAY:|rror' "$folder/$peer.log" || echo "no verdict")
    fi
  done
done
status=0
for peer in $peers; do
  printf '%s\t%.0f\t%s\n' "$peer" "${best[$peer]}" "${verdict[$peer]}"
  [ "${verdict[$peer]}" = right ] || status=1
done
exit $status
