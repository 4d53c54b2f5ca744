#!/bin/bash
# Each unit in lockstep: the directed tests of tests/unit, and constrained-random stimulus at
# powers of two and others.
set -u
build=${1:-build}
n=build/nocturne
run() { # unit gpus seed cycles
  if "$n" unit "$1" --gpus "$2" --seed "$3" --cycles "$4" >build/test/unit.log 2>&1; then
    echo "ok $1 gpus $2 seed $3"
  else
    echo "not ok $1 gpus $2 seed $3"
    head -n 12 build/test/unit.log
  fi
}
mkdir -p build/test
atfim="offload_unit texel_generator child_consolidation parent_texel_buffer combination_unit atfim"
for unit in draw_scheduler composition_scheduler pixel_distributor $atfim offload_once offload_cube; do
  if NOCTURNE_ENGINE=lockstep "$build/tests/test_$unit" >build/test/directed.log 2>&1; then
    echo "ok $unit directed"
  else
    echo "not ok $unit directed"
    grep -v '\(RUN\|OK\) ' build/test/directed.log | head -n 12
  fi
done
for gpus in 2 3 6 8 12 16 64; do
  for seed in 1 2; do
    run draw_scheduler "$gpus" "$seed" 8000
    run composition_scheduler "$gpus" "$seed" 8000
    run pixel_distributor "$gpus" "$seed" 8000
  done
done
for seed in 11 12 13 14 15 16 17 18; do
  run draw_scheduler 8 "$seed" 30000
  run composition_scheduler 8 "$seed" 30000
  run pixel_distributor 8 "$seed" 30000
done
for unit in $atfim; do
  for seed in 1 2 3 4 5 6 7 8; do
    run "$unit" 8 "$seed" 20000
  done
done
