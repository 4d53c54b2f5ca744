// SPDX-License-Identifier: Apache-2.0
// Decisions of the driver in a library of your own: `nocturne run --driver LIB.so`
// (docs/how-to/your-own-policy.md).
//
// A library defines NOCTURNE_DRIVER_LIBRARY once and any of the four functions; what it leaves out
// is decided as without it. Each is asked before the frame runs, and is given the decision that is
// made without it, which it may return. Each sees what a driver sees: commands and their state, and
// counters of the frame before, never the outcome of this one.
#ifndef NOCTURNE_DRIVER_H
#define NOCTURNE_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { NocturneDriverInterface = 1, NocturneMostTextures = 8 };

// A library of another interface is refused.
#define NOCTURNE_DRIVER_LIBRARY const uint32_t nocturne_driver_interface = NocturneDriverInterface

typedef struct {
  uint32_t number;  // among the frame's commands
  uint32_t id;      // of its commands at the draw scheduler, cmd_id_i; not yet known to compose
  uint32_t triangles;
  uint32_t vertex_length, fragment_length;  // instructions of its programs
  uint32_t texture_count;
  uint64_t textures[NocturneMostTextures];  // a hash of the content of each
  // Counters of this draw in the frame before, summed over the GPUs, if is_known.
  bool is_known;
  uint64_t pixels;     // covered by raster, before depth
  uint64_t fragments;  // shaded
  uint64_t cycles;     // that it added to the draws before it on its GPU
} nocturne_draw_t;

// Draws in a row that are composed or duplicated together.
typedef struct {
  const nocturne_draw_t *draws;
  uint32_t count;
  uint32_t gpus;
  bool is_transparent;  // blended; else opaque
  uint64_t triangles;
  uint64_t duplicated;  // triangles that were duplicated since GPUs last waited for each other
} nocturne_group_t;

// Decides if a group is composed. Asked for those that can be (docs/model/driver.md, "Kinds").
bool nocturne_compose(const nocturne_group_t *group, bool built_in);

// Decides if group->draws[draw] of a composed opaque group goes to all GPUs. With driver.by_all.
bool nocturne_by_all(const nocturne_group_t *group, uint32_t draw, bool built_in);

// The amount that a draw of a composed opaque group counts in the draw scheduler's table: 1 to
// 65,535, or 0 while built_in is 0, which stands for its triangles. With driver.weights.
uint32_t nocturne_weight(const nocturne_group_t *group, uint32_t draw, uint32_t built_in);

// The number of pieces of nearly equal size that a draw of a composed opaque group is cut into: 1
// to its triangles. left: what the draws from this one on count together. With driver.split.
uint32_t nocturne_split(const nocturne_group_t *group, uint32_t draw, uint64_t left,
                        uint32_t built_in);

#ifdef __cplusplus
}
#endif

#endif
