#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How a regression on a cluster scales (docs/cluster.md), by tests that sleep, so that one machine can stand
# for many nodes. Needs Slurm (tb/setup.sh slurm).
#   tests/scripts/cluster_scaling.sh [BUILD [NODES...]]
# A row for each number of nodes: wall time of 4 tests of 2 s a node and of as many tests at a time without
# Slurm, and what the front end took of a processor. Then the front end alone: 2,000 tests that do nothing.
set -eu
build=${1:-build}
[ $# -eq 0 ] || shift
n=$build/nocturne t=$build/cluster-scaling
. tests/scripts/slurm.sh
missing=$(slurm_missing)
[ -z "$missing" ] || { echo "$missing is missing; run tb/setup.sh slurm" >&2; exit 3; }
rm -rf "$t"
mkdir -p "$t"
trap slurm_stop EXIT
tests() { # COUNT COMMAND: a list
  echo "tests:"
  echo "  - {name: t, command: [$2], repeats: $1}"
}
timed() { # OPTIONS...: wall seconds, processor seconds of the front end
  local TIMEFORMAT='%R %U %S'
  rm -rf "$t/r"
  { time "$n" regress "$t/list.yaml" --folder "$t/r" --no-cache "$@" >"$t/log" 2>&1; } 2>&1
}
nodes=${*:-1 4 16 64}
slurm_start "$t/cluster" "$(printf '%s\n' $nodes | sort -n | tail -n 1)" >&2
printf '%6s %6s %10s %10s %10s %14s\n' nodes tests ideal_s here_s slurm_s front_cpu_s
for k in $nodes; do
  tests $((4 * k)) 'sleep, "2"' >"$t/list.yaml"
  read -r here _ < <(timed -j "$k")
  read -r wall user system < <(timed --slurm --shards "$k")
  printf '%6s %6s %10s %10s %10s %14s\n' "$k" $((4 * k)) 8 "$here" "$wall" "$(awk "BEGIN { print $user + $system }")"
done
tests 2000 '"true"' >"$t/list.yaml"
read -r wall user system < <(timed --slurm --shards "$k")
echo "2000 tests that do nothing, $k shards: $wall s, front end $(awk "BEGIN { print $user + $system }") s of a processor"
