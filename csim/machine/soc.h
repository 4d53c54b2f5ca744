// SPDX-License-Identifier: Apache-2.0
// A system on a chip around one GPU (Emerald, case study I; docs/model/soc.md): CPUs and a display,
// which share its memory, the order in which the memory serves them, and the loop of frames.
//
// A SoC lasts from frame to frame, as driver_memory_t does, and has the memory and absolute time:
//
//   soc_t *soc = soc_create(...);
//   for each frame: machine_create(..., soc, ...); machine_run, which calls
//     soc_begin             waits for the frame's begin, then the CPUs prepare it
//     soc_run, time by time  the memory and the agents go on beside the GPU
//     soc_finish            what the CPUs do beside the GPU comes to its end
//   soc_destroy(soc);
#ifndef NOCTURNE_MACHINE_SOC_H
#define NOCTURNE_MACHINE_SOC_H

#include "../frame/frame.h"
#include "../memory/memory_system.h"
#include "halt.h"
#include "soc_core.h"
#include "soc_display.h"
#include "soc_params.h"
#include "unit/dash_scheduler/dash_scheduler.h"

enum { SocMaxSources = SocMaxCores + 2, SocParts = 256, SocTick = 50 };

// Cycles of a frame, of whole frames, of the time that bytes went in, and what the CPUs moved.
typedef struct {
  uint64_t begin;                        // since the run's begin
  uint64_t prepare;                      // until the GPU was given the frame
  uint64_t gpu;                          // from then until it was idle
  uint64_t beside;                       // from then until the CPUs were done beside it
  uint64_t cycles;                       // of all of it
  uint64_t prepare_bytes, beside_bytes;  // of the CPUs, while they prepared, and beside the GPU
  uint64_t refreshes, aborted;           // that began since the frame before ended
} soc_frame_t;

// Sums over frames, in words of 64 bits.
typedef struct {
  uint64_t frames, span;  // span: cycles from the first one's begin to the begin of the next
  soc_frame_t frame;      // begin apart
  gddr5_source_stats_t sources[SocMaxSources];
  soc_display_stats_t display;
  uint64_t urgent[2], active[2];   // cycles of GPU, display
  uint64_t met[2], missed[2];      // deadlines
  uint64_t probability[2], ticks;  // percent, summed over the ticks
  uint64_t quanta, intensive[SocMaxCores];
} soc_sums_t;

typedef struct {
  uint32_t cores;
  soc_frame_t frame;    // the last one
  soc_sums_t sums;      // of all frames but the first, which warms up, or of the only one
  uint32_t part_shift;  // log2 of the cycles of a part
  uint64_t parts[SocMaxSources][SocParts];  // bytes of each source in each part of all time
} soc_stats_t;

typedef struct {
  void *context;
  bool (*dash_scheduler)(void *context, const dash_scheduler_params_t *params,
                         dash_scheduler_t *engine, err_t *err);
} soc_units_t;

typedef struct soc soc_t;

// NULL with one line in error. seed: of what the CPUs draw. limit: cycles of a phase that count as
// a hang, 0: none. clock: gets the absolute cycle as it goes, or NULL.
soc_t *soc_create(const soc_params_t *params, const gddr5_params_t *memory,
                  const soc_units_t *units, uint64_t seed, uint64_t limit, uint64_t *clock,
                  err_t *err);
void soc_destroy(soc_t *soc);

memory_system_t *soc_memory(soc_t *soc);

// Returns the number of a source's name: CPUs first, then gpu, display.
uint32_t soc_sources(const soc_t *soc);

// Runs until the CPUs have prepared the frame; the GPU's cycle 0 follows. Returns false with a
// halt.
bool soc_begin(soc_t *soc, const frame_t *frame, halt_t *halt);

// Ends the GPU's cycle `now` for everything else and goes on up to the GPU's cycle `next`, or to
// one in which the GPU's side can go on: an answer waits to be popped, or there is room again.
// Returns that cycle; UINT64_MAX if next is that and no access of the GPU's side is under way.
uint64_t soc_run(soc_t *soc, uint64_t now, uint64_t next, halt_t *halt);

// The GPU was idle at its cycle now: runs until the frame is over. Returns false with a halt.
bool soc_finish(soc_t *soc, uint64_t now, halt_t *halt);

const soc_stats_t *soc_stats(const soc_t *soc);

// Adds to the report of a hang what each agent waits for, a line each.
void soc_describe(const soc_t *soc, text_t *text);

#endif
