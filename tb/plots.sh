#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Draws, from the committed pages and tables of docs/results:
#   docs/images/stated-chopin.svg, stated-atfim.svg   each stated number of a paper: ours over it, its value marked
#   docs/images/gpu-time.svg                          where a GPU's time goes, by scheme, mean of the frames
#   docs/images/soc-bytes.svg                         bytes by source over time on the SoC; of runs, not of tables
#   tb/plots.sh [NAME...]                             those of these names (all)
set -eu -o pipefail
n=${NOCTURNE:-build/nocturne}
out=build/plots
mkdir -p "$out"

stated() { # paper
  # ours over stated (at most 2.2), verdict, what and both values: figures judged at least once, each once
  awk -F ' *[|] *' '
    { sub(/;.*/, "", $5) }
    $5 ~ /^-?[0-9.]+$/ && $4 ~ /^-?[0-9.]+( |$)/ && $9 != "not judged" {
      split($4, value, " ")
      if (value[1] == 0 || seen[$2]++) next
      ratio = $5 / value[1]
      what = $2
      sub(/ \([0-9.]+ as 1 \+ N\)/, "", $4)
      sub(/ \(stated[^)]*\)/, "", what)
      gsub(/"/, "", what)
      if (length(what) > 62) what = substr(what, 1, 60) "..."
      printf "%d %.4f %d \"%s\" \"%s (paper %s)\"\n", n++, (ratio > 2.2 ? 2.2 : ratio < 0 ? 0 : ratio), $9 ~ /missed/, what, $5, $4
    }' "docs/results/$1.md" >"$out/stated-$1.rows"
  gnuplot <<END
set terminal svg size 960,$((90 + 24 * $(wc -l <"$out/stated-$1.rows"))) font "sans,11" background "white"
set output "docs/images/stated-$1.svg"
set lmargin 60
set xrange [0:2.9]
set yrange [$(wc -l <"$out/stated-$1.rows"):-1]
set xtics 0.25
set grid xtics
set ytics out nomirror
set xlabel "ours over the paper's value; a bar is cut at 2.2"
set key outside top center horizontal
set style fill solid 0.7
set arrow from 1, graph 0 to 1, graph 1 nohead lw 2 lc "black" front
plot "$out/stated-$1.rows" using (\$3 == 0 ? \$2 / 2 : 1/0):1:(\$2 / 2):(0.35):ytic(4) with boxxyerror lc "#2b6ca3" title "held", \
  "" using (\$3 == 1 ? \$2 / 2 : 1/0):1:(\$2 / 2):(0.35) with boxxyerror lc "#b00020" title "missed", \
  "" using 2:1:5 with labels left offset 0.5,0 notitle, \
  keyentry with lines lw 2 lc "black" title "the paper's value"
END
}

gpu_time() {
  awk -F, '$1 == "mean"' docs/results/tables/chopin-fig14.csv >"$out/gpu-time.rows"
  gnuplot <<END
set terminal svg size 760,400 font "sans,12" background "white"
set output "docs/images/gpu-time.svg"
set datafile separator ","
set style data histograms
set style histogram rowstacked
set style fill solid 0.8 border lc "white"
set boxwidth 0.7
set title "8 GPUs, mean of eight generated frames"
set ylabel "time over that of duplication"
set yrange [0:*]
set grid ytics
set key outside right reverse Left invert
set xtics noenhanced
plot for [i = 3:10] "$out/gpu-time.rows" using i:xtic(2) lt (i - 2) \
  title word("geometry projection distribution raster fragment composition broadcasts idle", i - 2)
END
}

# GB a second of each source in each part of time, from the run's JSON: a block of rows for each scheduler.
soc_bytes() {
  local run="vectors/config/soc.yaml --frames gen:m1 --count 3 --set gddr5.timing=lpddr3_133" s
  for s in frfcfs dash_all; do
    # shellcheck disable=SC2086
    "$n" run $run --set soc.scheduler=$s --engine golden --json "$out/soc.json" >"$out/soc.log"
    jq -r '(.frames[-1].soc | .begin + .cycles) as $stop | .soc_parts as $p | [.soc.sources | keys[]] as $k |
      (["ms"] + $k | @tsv), (range(256) | select(. * $p.cycles < $stop) | . as $i |
        [$i, $i + 1 | . * $p.cycles / 1e6] as $t | [$k[] | $p[.][$i] / $p.cycles * 1000 | round / 1000] as $v |
        ([$t[0]] + $v, [$t[1]] + $v) | @tsv)' "$out/soc.json" >"$out/soc-$s.rows"
  done
  gnuplot <<END
set terminal svg size 960,520 font "sans,12" background "white"
set output "docs/images/soc-bytes.svg"
set multiplot layout 2,1
set key outside right reverse Left autotitle columnhead
set ylabel "GB/s"
set grid
set style fill solid 1.0
set yrange [0:1.2]
set format y "%.1f"
do for [s in "frfcfs dash_all"] {
  set title "gen:m1, high load, " . s noenhanced
  if (s eq "dash_all") { set xlabel "ms" }
  plot for [i = 7:2:-1] sprintf("$out/soc-%s.rows", s) \
    using 1:(sum [c = 2:i] column(c)) with filledcurves y1=0 lt (i - 1) title word("cpu0 cpu1 cpu2 cpu3 display gpu", i - 1)
}
END
}

for name in ${*:-stated-chopin stated-atfim gpu-time soc-bytes}; do
  case $name in
    stated-chopin | stated-atfim) stated "${name#stated-}" ;;
    gpu-time) gpu_time ;;
    soc-bytes) soc_bytes ;;
    *) echo "plots: $name: no such plot; expected stated-chopin, stated-atfim, gpu-time or soc-bytes" >&2; exit 2 ;;
  esac
  tb/products.sh record "docs/images/$name.svg"
done
