// SPDX-License-Identifier: Apache-2.0
// The boundary of the texture units: quads, results, reads of memory, messages over
// the cube's link, statistics.
#ifndef NOCTURNE_TEXTURE_TEXTURE_PORT_H
#define NOCTURNE_TEXTURE_TEXTURE_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "../frame/frame.h"
#include "footprint.h"

#define TEXTURE_NEVER UINT64_MAX  // a cycle that never comes

typedef struct texture_units texture_units_t;  // all units of a GPU

// A request of the shader.
typedef struct {
  uint32_t tag;                // comes back with the result
  uint16_t texture;            // of the frame
  uint8_t mask;                // pixels wanted: 1 upper left, 2 upper right, 4 lower left, 8
                               // lower right; not 0
  uint8_t angle;               // camera angle code; used by A-TFIM
  const frame_stage_t *stage;  // copied
  // 1 is the texture's width or height; of all four pixels, also those not wanted: the
  // derivatives are the differences (footprint_gradient).
  float u[4], v[4];
} texture_quad_t;

typedef struct {
  uint32_t tag;
  uint8_t mask;
  uint8_t failed;      // pixels with a parent whose memory read failed (its texel is 0)
  float sample[4][4];  // pixel, channel (red first), 0 to 255; 0 outside the mask
} texture_result_t;

// Reads of lines. read() takes a read of `bytes` (64) from a 64-byte aligned address, or refuses
// (false) and is asked again in a later step. When the data have come, the caller calls
// texture_units_memory_done with the tag. Tags are below 4,096; none is given again before it is
// done. If the units are in the cube, tag / 64 is the unit that reads.
typedef struct {
  void *self;
  bool (*read)(void *self, uint64_t now, uint64_t address, uint32_t bytes, uint32_t tag);
} texture_memory_t;

// Messages over the cube's link, if the units are in the cube. send() takes one or refuses (false).
// Packages go to the cube, all others to the GPU. When a message has arrived, the caller passes it
// unchanged to texture_units_link_arrived. Messages of one unit and direction stay in order.
typedef enum {
  TextureMessagePackage,
  TextureMessageResponse,
  TextureMessageStall,
  TextureMessageResume,
} texture_message_e;

typedef struct {
  uint8_t kind;  // texture_message_e
  uint8_t unit;
  uint8_t slot;
  uint8_t bytes;
} texture_message_t;

typedef struct {
  void *self;
  bool (*send)(void *self, uint64_t now, texture_message_t message);
} texture_link_t;

enum { TextureLatencyBins = 24 };  // bin n: 2^n to 2^(n+1) - 1 cycles, 0 with bin 0

// Sums over all units. A lookup is of one line for one group of up to address_alus texels.
typedef struct {
  uint64_t quads, pixels;                        // accepted
  uint64_t anisotropic_pixels;                   // R > 1
  uint64_t ratio_sum;                            // of R over pixels
  uint64_t ratio_pixels[FootprintMaxRatio + 1];  // pixels by R
  uint64_t address_ops;  // texel addresses, on the GPU (S-TFIM: in the cube)
  uint64_t filter_ops;   // texels weighted, likewise
  uint64_t l1_lookups, l1_hits, l1_merged, l1_misses;  // merged: waits for what is under way
  uint64_t l1_angle_misses;                            // of the misses
  uint64_t l2_lookups, l2_hits, l2_merged, l2_misses, l2_angle_misses;
  uint64_t parents, parents_reused, parents_merged;  // of R > 1: asked for; found; awaited
  // Lines of parents: looked up by groups; found in the first or second cache, awaited there.
  uint64_t lines, l1_lines_hit, l1_lines_merged, l2_lines_hit, l2_lines_merged;
  uint64_t packages, package_parents;  // A-TFIM: to the offloading unit
  uint64_t failed_parents, refused_packages;
  uint64_t reads, read_bytes;                            // through the memory port, data
  uint64_t package_bytes, response_bytes, signal_bytes;  // A-TFIM, S-TFIM
  uint64_t stalls;                                       // S-TFIM: stall signals
  uint64_t address_busy, filter_busy;                    // unit cycles
  uint64_t miss_stalls;                                  // unit cycles: no room for another miss
  uint64_t latency_sum, latency_max;                     // request accepted to result ready, cycles
  uint64_t latency[TextureLatencyBins];
  double max_sample_error;  // track_error: largest difference of a channel
} texture_stats_t;

#endif
