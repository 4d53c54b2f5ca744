#!/bin/bash
# Area and clock of both schedulers against the number of GPUs: CSV, JSON and a plot.
#   tb/area/sweep.sh NOCTURNE OUT [N,N,...]
set -eu
nocturne=$1 out=$2 gpus=${3:-2,4,8,16,32,64}
command -v gnuplot >/dev/null || { echo "gnuplot is missing; run \`make setup\`" >&2; exit 3; }
mkdir -p "$out"
"$nocturne" area draw_scheduler composition_scheduler --gpus "$gpus" \
  --csv "$out/area.csv" --json "$out/area.json"
gnuplot <<END
set terminal svg size 760,320 font "sans,11" background "white"
set output "$out/area.svg"
set datafile separator ","
set multiplot layout 1,2
set logscale x 2
set xtics (2, 4, 8, 16, 32, 64)
set xlabel "GPUs"
set grid ytics
set key top left
set style data linespoints
set logscale y
set format y "%.3g"
set title "area at 28 nm, mm^2"
plot "< grep ^draw_ $out/area.csv" using 3:(\$11/1e6) title "draw scheduler" pt 7 ps 0.5, \
  "< grep ^comp $out/area.csv" using 3:(\$11/1e6) title "composition scheduler" pt 5 ps 0.5
unset logscale y
set yrange [0:*]
set key top right
set title "clock at 28 nm, MHz"
plot "< grep ^draw_ $out/area.csv" using 3:13 title "draw scheduler" pt 7 ps 0.5, \
  "< grep ^comp $out/area.csv" using 3:13 title "composition scheduler" pt 5 ps 0.5, \
  1000 title "1 GHz" dt 2 lc "grey"
END
