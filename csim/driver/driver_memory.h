// SPDX-License-Identifier: Apache-2.0
// The driver's memory of the last frame: the counters of each draw that a real driver could
// read, and from them what it decides for the draws of the next frame (docs/model/driver.md, "From
// frame to frame"). Nothing of a frame's own outcome has a part in its own hints.
//
//   driver_memory_t *memory = driver_memory_make();
//   for each frame: machine_create(..., memory, ...), which asks for the hints; machine_run;
//   machine_remember(machine, memory)
//   driver_memory_destroy(memory);
//
// A draw of one frame is that of the frame before with the same state and number of triangles at
// the same place, that is the first, second, ... of these; if there is none, that of the same
// state at the same place among its draws. The state is what draws a thing rather than where the
// camera is: surfaces, tests, blending, textures by their content, program lengths.
#ifndef NOCTURNE_DRIVER_DRIVER_MEMORY_H
#define NOCTURNE_DRIVER_DRIVER_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "../frame/frame.h"

typedef struct driver_memory driver_memory_t;

// Counters of a draw, summed over all GPUs.
typedef struct {
  uint64_t fragments_shaded;
  uint64_t pixels;  // covered by raster, before depth
  uint64_t cycles;  // that it added to the draws before it
} driver_counters_t;

enum { DriverWeightCycles = 64, DriverWeightMax = 0xffff };

// How hints are made.
typedef struct {
  uint32_t pixels, pixels_a_triangle;  // by all from pixels + pixels_a_triangle * triangles on
} driver_hint_params_t;

typedef struct {
  bool by_all;      // few triangles for the pixels it covered: every GPU shall draw its own tiles
  uint16_t weight;  // 1 to DriverWeightMax, in units of DriverWeightCycles
} driver_hint_t;

// NULL: out of memory.
driver_memory_t *driver_memory_make(void);
void driver_memory_destroy(driver_memory_t *memory);

// Returns true if there is a last frame.
bool driver_memory_has_frame(const driver_memory_t *memory);

// Fills a hint for each of the frame's commands; those of clears mean nothing. Without a last frame
// nothing is by all, and a draw weighs its triangles. False: out of memory.
bool driver_memory_hints(const driver_memory_t *memory, const frame_t *frame,
                         const driver_hint_params_t *params, driver_hint_t *hints);

// Fills for each of the frame's commands the counters of this draw in the frame before, which live
// until driver_memory_learn; NULL: there was none. False: out of memory.
bool driver_memory_counters(const driver_memory_t *memory, const frame_t *frame,
                            const driver_counters_t **counters);

// Returns a number for the content of each of the frame's textures, which the caller frees; NULL:
// out of memory.
uint64_t *driver_texture_keys(const frame_t *frame);

// Takes a frame, with the counters of each of its commands, in place of the one before. False: out
// of memory; then there is no last frame.
bool driver_memory_learn(driver_memory_t *memory, const frame_t *frame,
                         const driver_counters_t *counters);

#endif
