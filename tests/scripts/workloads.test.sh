#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every generated workload of CHOPIN's Table III, and the captured frames, at every number of
# GPUs: the picture is right; the captured ones in lockstep. At 8 GPUs all three engines give
# the same result, and no process takes 2 GB. The largest frames run for seconds, so as many at
# a time as there are processors. A part of it, unless LONG is set.
set -u
. tests/scripts/lib.sh
. tests/scripts/engines.sh
unset NOCTURNE_QUICK
limit=2000000000

picture() { # name gpus frame engine [scheme]
  local name=$1-$2 out=$t/$1-$2-${5:-chopin}
  if "$n" run vectors/config/chopin.yaml --engine "$4" --frame "$3" --set "gpus=$2" \
      --set "scheme=${5:-chopin}" \
      --json "$out.json" >"$out.log" 2>&1; then
    good "$name: picture, $4, ${5:-chopin}"
  else
    bad "$name: picture, $4, ${5:-chopin}" "" "$out.log"
  fi
}

three() { # name frame
  local e peak
  engines "$1" vectors/config/chopin.yaml --frame "$2" || return
  for e in golden rtl lockstep; do
    peak=$(value timing.peak_memory_bytes "$t/$1.$e.json")
    [ "${peak:-$limit}" -lt "$limit" ] || bad "$1, engine $e" "$peak bytes of memory"
  done
}

if [ $# -gt 1 ]; then  # one job, as listed below
  shift
  "$@"
  exit
fi
all="cod2 cry grid mirror nfs stal ut3 wolf"
long() { # every workload at every number of GPUs, in three engines at 8
  for g in $all; do
    echo "three $g gen:$g"
    for gpus in 2 3 6 12 16 64; do
      echo "picture $g $gpus gen:$g golden"
    done
    for scheme in gpupd gpupd_ideal chopin_ideal; do
      echo "picture $g 8 gen:$g golden $scheme"
    done
  done
  for gpus in 2 3 6 8 12 16 64; do
    echo "picture nexuiz $gpus vectors/frames/nexuiz/bench1_ultra.nframe lockstep"
    echo "picture openarena $gpus vectors/frames/openarena/demo088_test1.nframe lockstep"
  done
}
short() { # some workloads, every scheme of one; captured ones: frames.test.sh
  local schemes=(gpupd gpupd_ideal chopin_ideal) i
  for g in cod2 cry wolf; do
    echo "picture $g 8 gen:$g golden"
  done
  echo "picture cod2 2 gen:cod2 golden"
  echo "picture wolf 12 gen:wolf golden"
  for i in 0 1 2; do
    echo "picture wolf 8 gen:wolf golden ${schemes[i]}"
  done
  echo "three wolf gen:wolf"
  echo "picture wolf 64 gen:wolf golden"
}
if [ -n "${LONG:-}" ]; then long; else short; fi | xargs -P "$(nproc)" -L 1 "$0" "$build"
