// SPDX-License-Identifier: Apache-2.0
// The values of a run, collected in one struct, from which the rows of rows.c take theirs.
#ifndef NOCTURNE_RESULT_FACTS_H
#define NOCTURNE_RESULT_FACTS_H

#include "csim/frame/image.h"
#include "csim/machine/energy.h"
#include "csim/machine/schedule.h"
#include "run.h"

// Statistics that every GPU counts by itself; the rows say how those of several GPUs are joined.
typedef struct {
  gpu_stats_t gpu;
  shader_stats_t shader;          // zeros without warps
  gpu_dispatch_stats_t dispatch;  // zeros without a static map
  texturing_stats_t texturing;    // zeros with the texture rate
} gpu_facts_t;

typedef struct {
  gpu_facts_t gpus;  // of all GPUs together; first, so that a row's place is one in gpu_facts_t
  machine_stats_t machine;
  check_result_t check;
  image_difference_t picture;  // to the single GPU's
  energy_t energy;
  schedule_compositions_t compositions;
  schedule_assignment_t assignment;
  schedule_rates_t draws;
  plan_t plan;
  struct {
    uint64_t by_all, assigned, weight;
  } hints;
  pieces_t pieces;  // of machine_pieces
  struct {
    const soc_stats_t *stats;  // NULL: there is no SoC
    soc_frame_t frame;
    soc_display_stats_t display;
    // Means of all frames but the first.
    double fps, prepare_cycles, gpu_cycles, beside_cycles, frame_cycles;
    double prepare_rate, beside_rate, row_hits, bytes_per_activate;
  } soc;
  // Computed from the above.
  double speedup, psnr, psnr_whole_texel, filter_latency, sample_bound;
  double bits_per_primitive, stamps_per_tile, tc_bins, occupancy, stamps_per_warp,
      primitives_per_warp, imbalance, cycles_per_second;
  uint64_t l1_misses, dispatch_warps, groups_left, texture_bytes, cube_link_bytes, lanes_active,
      slots_no_warp, part_cycles;
  // The run and its options.
  uint64_t dfsl_evaluations;
  uint32_t dfsl_wt, dfsl_best;
  const char *dfsl_phase;
  const char *version, *frame, *sequence, *scheme, *baseline, *engine, *compiler, *verilator;
  char config_sha256[BaseSha256Text], image_sha256[BaseSha256Text], frame_hash[24];
  uint64_t seed, baseline_cycles, peak_memory;
  uint32_t gpu_count, clusters;
  double seconds;
  const result_t *run;
} facts_t;

#endif
