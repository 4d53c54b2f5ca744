#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Draws, from the committed pages and tables of docs/results:
#   docs/images/stated-chopin.svg, stated-atfim.svg   each stated number of a paper: ours over it, its value marked
#   docs/images/gpu-time.svg                          where a GPU's time goes, by scheme, mean of the frames
#   tb/plots.sh [NAME...]                             those of these names (all)
set -eu -o pipefail
out=build/plots
mkdir -p "$out"

stated() { # paper
  # ours over stated (at most 2.2), verdict, what and both values: figures judged at least once, each once
  awk -F ' *[|] *' '
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

for name in ${*:-stated-chopin stated-atfim gpu-time}; do
  case $name in
    stated-chopin | stated-atfim) stated "${name#stated-}" ;;
    gpu-time) gpu_time ;;
    *) echo "plots: $name: no such plot; expected stated-chopin, stated-atfim or gpu-time" >&2; exit 2 ;;
  esac
  tb/products.sh record "docs/images/$name.svg"
done
