#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Area and clock of the schedulers against the number of GPUs, and of the units against their main
# widths: CSV, JSON and plots.
#   tb/area/area_sweep.sh NOCTURNE OUT [N,N,...]
# WIDTHS in the environment: lines of UNIT PARAM VALUES in place of those below; empty: none.
# Writes OUT/area.{csv,json,svg}, OUT/widths.{csv,svg} and OUT/width/UNIT-PARAM.{csv,json}.
set -eu
nocturne=$1 out=$2 gpus=${3:-2,4,8,16,32,64}
command -v gnuplot >/dev/null || { echo "gnuplot is missing; run \`make setup\`" >&2; exit 3; }
mkdir -p "$out/width"
"$nocturne" area draw_scheduler composition_scheduler lookahead_scheduler --gpus "$gpus" \
  --csv "$out/area.csv" --json "$out/area.json"
gnuplot <<END
set terminal svg size 760,330 font "sans,11" background "white"
set output "$out/area.svg"
set datafile separator ","
set multiplot layout 1,2
set logscale xy
set xtics (2, 4, 8, 16, 32, 64)
set xrange [1.8:72]
set xlabel "GPUs"
set grid xtics ytics
set key bottom right
set style data linespoints
set format y "%g"
set title "area"
set ylabel "mm^2 at 28 nm"
plot "< grep ^draw_ $out/area.csv" using 3:(\$11/1e6) title "draw scheduler" pt 7 ps 0.5, \
  "< grep ^comp $out/area.csv" using 3:(\$11/1e6) title "composition scheduler" pt 5 ps 0.5, \
  "< grep ^look $out/area.csv" using 3:(\$11/1e6) title "with lookahead" pt 9 ps 0.5
set yrange [500:10000]
set ytics (500, 1000, 2000, 4000, 8000)
set key top right
set title "clock"
set ylabel "MHz at 28 nm"
plot "< grep ^draw_ $out/area.csv" using 3:13 title "draw scheduler" pt 7 ps 0.5, \
  "< grep ^comp $out/area.csv" using 3:13 title "composition scheduler" pt 5 ps 0.5, \
  "< grep ^look $out/area.csv" using 3:13 title "with lookahead" pt 9 ps 0.5, \
  1000 title "1 GHz" dt 2 lc "red"
END

# unit, parameter, values: those that a user of the papers would turn.
widths=${WIDTHS-"draw_scheduler CountWidth 32 48 64
draw_scheduler Credits 16 64 256
parent_texel_buffer Slots 4 16 64
child_consolidation Entries 16 64 256
child_consolidation Ways 1 2 4
combination_unit Slots 4 16 64
texel_generator Descriptors 64 1024 16384
texel_generator Slots 4 16 64
offload_unit Slots 4 16 32"}
[ -n "$widths" ] || exit 0
echo "$widths" | xargs -P 2 -L 1 sh -c 'out=$1/width/$2-$3; "$0" area "$2" --jobs 1 \
  --set "$3=$(shift 3; echo "$*" | tr " " ,)" --csv "$out.csv" --json "$out.json"' "$nocturne" "$out"
echo "$widths" | while read -r unit param _; do
  tail -n +2 "$out/width/$unit-$param.csv" | sed -E "s/^/$param,/; s/^([^,]*),([^,]*),([^,]*=([0-9]+)),/\1,\4,\2,\3,/"
done >"$out/widths.rows"
{ echo "parameter,value,$(head -n 1 "$out/area.csv")"; cat "$out/widths.rows"; } >"$out/widths.csv"
{
  echo "set terminal svg size 760,560 font \"sans,10\" background \"white\""
  echo "set output \"$out/widths.svg\"; set datafile separator \",\"; set multiplot layout 3,3"
  echo "set grid ytics; set yrange [0:*]; set y2range [0:*]; set ytics nomirror; set y2tics; unset key"
  echo "set logscale x 2; set style data linespoints; set format x \"%g\"; set format y \"%.2g\"; set border 11"
  echo "set ylabel \"mm^2\" tc \"dark-violet\"; set y2label \"MHz\" tc \"forest-green\""
  echo "$widths" | while read -r unit param values; do
    [ "$param" = Exact ] && continue
    echo "set title \"$unit\" noenhanced; set xlabel \"$param\"; set xtics ($(echo $values | tr ' ' ','))"
    echo "set xrange [${values%% *}*0.9:${values##* }*1.1]"
    echo "plot \"< grep ^$param,[0-9]*,$unit $out/widths.rows\" using 2:(\$13/1e6) lc \"dark-violet\" pt 7 ps 0.5," \
      "'' using 2:15 axes x1y2 lc \"forest-green\" pt 5 ps 0.5"
  done
} | gnuplot
rm -f "$out/widths.rows"
