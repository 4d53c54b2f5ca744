#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What each extension brings on a sequence of frames: a row for the paper's machine and one more
# extension in each row after it, over primitive duplication. By-all draws and weights need a frame
# before, so the first frame stands apart.
#   tb/extensions.sh NOCTURNE SEQUENCE OUT [ENGINE [OPTION...]]
# ENGINE: of the first and the last CHOPIN machine; golden for what lies between. Results: OUT/*.json
set -eu
nocturne=$1 frames=$2 out=$3 engine=${4:-golden}
shift "$(($# < 4 ? $# : 4))"
mkdir -p "$out"

run() { # name engine configuration argument...
  name=$1 with=$2 config=$3
  shift 3
  "$nocturne" run "vectors/config/$config.yaml" --frames "$frames" --engine "$with" \
    --json "$out/$name.json" "$@" >"$out/$name.log" || { cat "$out/$name.log"; exit 1; }
}
row() { # name words
  awk -v words="$2" -v base="$out/duplication.json" '
    function read(file, cycles,   n, line) {
      while ((getline line < file) > 0)
        if (line ~ /^      "cycles": /) { gsub(/[^0-9]/, "", line); cycles[++n] = line }
      close(file)
      return n
    }
    BEGIN {
      n = read(ARGV[1], ours); read(base, theirs)
      for (i = 2; i <= n; i++) { a += ours[i]; b += theirs[i] }
      printf "  %-26s %11d %9.3f", words, ours[1], theirs[1] / ours[1]
      if (n > 1) printf " %13d %9.3f", a / (n - 1), b / a
      print ""
    }' "$out/$1.json"
}

ahead="--set gpu.queue=64 --set draw_scheduler.opaque_ahead=8"
echo "                             first frame   speedup    later, mean   speedup"
run duplication golden chopin --set scheme=duplication "$@"
row duplication "primitive duplication"
run paper "$engine" chopin "$@"
row paper "CHOPIN as in the paper"
# shellcheck disable=SC2086
run ahead golden chopin $ahead "$@"
row ahead "+ OpaqueAhead"
# shellcheck disable=SC2086
run lookahead golden chopin $ahead --set composition_scheduler.lookahead=8 "$@"
row lookahead "+ Lookahead"
run by_all golden extended --set driver.weights=false "$@"
row by_all "+ by-all draws"
run extended "$engine" extended "$@"
row extended "+ weights: extended.yaml"
