#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares the ratios of `nocturne bench --json` with those that are kept, and refuses what is slower or faster by more
# than the limit: a change that makes something faster keeps the new ratios in its commit.
#   tb/bench.sh BENCH.json KEPT.json [keep]
set -eu
ratios='def ratios: (.units | map_values(.ratio) | with_entries(.key += ", lockstep over bare")) +
  (.frame // {} | if .golden_cpu_s then {"frame, golden over lockstep": (.golden_cpu_s / .lockstep_cpu_s),
    "frame, rendering over golden": (.render_cpu_s / .golden_cpu_s)} else {} end);'
if [ "${3:-}" = keep ]; then
  jq -S "$ratios"' {limit: 1.3, ratios: (ratios | map_values(. * 1000 | round / 1000))}' "$1" >"$2.new"
  mv "$2.new" "$2"
  exit
fi
jq -r --slurpfile kept "$2" "$ratios"' $kept[0] as $kept | ratios | to_entries[] |
  $kept.ratios[.key] as $was | (if $was then .value / $was else null end) as $change |
  [.key, .value, $was // 0, if $change == null then "new" elif $change * $kept.limit < 1 then "SLOWER"
    elif $change > $kept.limit then "FASTER" else "same" end] | @tsv' "$1" |
  awk -F '\t' '{ printf "%-44s %6.3f, kept %6.3f: %s\n", $1, $2, $3, $4; if ($4 ~ /R$/) wrong = 1 }
    END { if (wrong) print "bench: beyond the limit; look for the cause, or keep what is meant: make bench KEEP=1"
      exit wrong }'
