// SPDX-License-Identifier: Apache-2.0
// The timed texture units of one GPU: 16 units with a first-level cache each and one second-level
// cache for all (A-TFIM, Table I, II-B, VII-E). A unit takes quads of 2x2 pixels from the shader
// and answers each exactly once with a filtered sample for every pixel asked for. All designs
// (texture_design.h) but `rate` have this interface:
//
//   baseline, b_pim  The caches hold plain lines, which are read through the memory port (GDDR5, or
//                    the cube as plain memory). Children lie at fractional places.
//   s_tfim           There is no cache. A quad goes as a package over the link to the unit's twin
//                    in the cube's logic layer, which reads lines through the memory port (the
//                    vaults) and sends the samples back (IV).
//   a_tfim           The caches hold lines of 16 filtered parents with their camera angle
//                    (virtual_texture.h). Lines that miss are requested from the offloading unit
//                    and come back filtered (V). A quad with R = 1 reads plain lines through the
//                    memory port.
//
// docs/texture.md has the pipeline, its rates and what the paper leaves open.
//
// Time. Call texture_units_step once per cycle with an increasing `now`, or skip to the cycle that
// it returned or to the next call below, whichever is earlier. All other calls of cycle `now` come
// before or after the step of `now`, in the same order in each run; what they bring takes part in
// the next step. Nothing is allocated after create.
//
// Sample values depend on the caches' history in a_tfim unless `reuse` is 0 or lines match by
// slope: a cached parent is read in the cycle in which it is looked up.
#ifndef NOCTURNE_TEXTURE_TEXTURE_UNIT_H
#define NOCTURNE_TEXTURE_TEXTURE_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/config.h"
#include "unit/offload_unit/offload_unit.h"
#include "filter.h"
#include "texture_map.h"
#include "virtual_texture.h"

#define TEXTURE_NEVER UINT64_MAX

// Reads of a unit in the cube (S-TFIM) that are made once: of one group of 2x2 texels; of a
// quad; of a quad and of those before it while the read is under way.
typedef enum { TextureMergeNone, TextureMergeQuad, TextureMergeUnderWay } texture_merge_e;

// Which lines of parents serve a pixel: of its slope (the value is the pixel's own); or of any
// slope at a near camera angle (V-C), of the isotropic reading of any extent and axis too.
typedef enum { TextureMatchSlope, TextureMatchAngle } texture_match_e;

enum {
  TextureMaxUnits = 64,
  TextureMaxInFlight = 64,    // quads of a unit
  TextureMaxMisses = 64,      // of a unit
  TextureReuseAll = 128,      // texture_params_t.reuse
  TextureRequestBytes = 16,   // a read request, one flit
  TexturePackageBytes = 64,   // A-TFIM VI: four times a read request
  TextureResponseBytes = 80,  // a read response
  TextureSignalBytes = 16,    // stall or resume, one flit
};

typedef struct {
  uint32_t design;          // texture_design_e
  uint32_t units;
  uint32_t address_alus;    // texel addresses a cycle and unit
  uint32_t filter_alus;     // texels weighted a cycle and unit
  uint32_t address_latency, filter_latency;  // cycles
  uint32_t request_queue;   // quads waiting in front of a unit
  uint32_t in_flight;       // quads of a unit between address and filter
  uint32_t results;         // samples ready or being filtered, not yet taken
  uint32_t l1_kib, l1_ways, l1_misses;  // misses: lines under way
  uint32_t l2_kib, l2_ways, l2_misses, l2_latency, l2_lookups;  // lookups a cycle
  uint32_t reading;         // A-TFIM: virtual_reading_e
  uint32_t match;           // A-TFIM: texture_match_e
  double extent_threshold;  // A-TFIM: T of virtual_footprint_make
  uint32_t package_bytes;   // A-TFIM: of a package on the link
  uint32_t reuse;           // A-TFIM: 0 never (threshold "always"), else angle codes may differ
                            // by reuse - 1 (not with TextureMatchSlope, which has no angle);
                            // TextureReuseAll: always reuse ("none")
  uint32_t max_anisotropy;  // 1: off
  uint32_t mtu_queue;       // S-TFIM: packages waiting in the cube before it says stall
  uint32_t mtu_merge;       // S-TFIM: texture_merge_e
  uint32_t track_error;     // A-TFIM: 1: compare each sample with filter_virtual
} texture_params_t;

// Registers the keys of *params, a texture_params_t: texture.*. design, units, reuse,
// max_anisotropy and package_bytes have none: they follow from other keys, and begin with A-TFIM's.
bool texture_config_add(config_t *config, void *params, char error[ConfigErrorSize]);

// The defaults of the keys. False with one line in error.
bool texture_params_default(texture_params_t *params, char error[ConfigErrorSize]);

// params.reuse of a threshold in degrees, 0 or more: codes whose difference times 180/128 is
// at most the threshold.
uint32_t texture_reuse_of(double degrees);

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
  uint8_t failed;         // pixels with a parent whose memory read failed (its texel is 0)
  float sample[4][4];     // pixel, channel (red first), 0 to 255; 0 outside the mask
} texture_result_t;

// Reads of lines. read() takes a read of `bytes` (64) from a 64-byte aligned address, or
// refuses (false) and is asked again in a later step. The data have come when the
// caller calls texture_units_memory_done with the tag. Tags are below 4,096; none is given
// again before it is done. In A-TFIM and B-PIM this is a plain read of the cube, in S-TFIM one
// inside of the cube by unit tag / 64.
typedef struct {
  void *self;
  bool (*read)(void *self, uint64_t now, uint64_t address, uint32_t bytes, uint32_t tag);
} texture_memory_t;

// Messages over the cube's link, S-TFIM only. send() takes one or refuses (false). Packages
// go to the cube, all others to the GPU. When a message has arrived, the caller passes it to
// texture_units_link_arrived as it was. Messages of one unit and direction stay in order.
typedef enum {
  TextureMessagePackage, TextureMessageResponse, TextureMessageStall, TextureMessageResume,
} texture_message_e;

typedef struct {
  uint8_t kind;    // texture_message_e
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
  uint64_t quads, pixels;        // accepted
  uint64_t anisotropic_pixels;   // R > 1
  uint64_t ratio_sum;            // of R over pixels
  uint64_t ratio_pixels[FootprintMaxRatio + 1];  // pixels by R
  uint64_t address_ops;          // texel addresses, on the GPU (S-TFIM: in the cube)
  uint64_t filter_ops;           // texels weighted, likewise
  uint64_t l1_lookups, l1_hits, l1_merged, l1_misses;  // merged: waits for what is under way
  uint64_t l1_angle_misses;      // of the misses
  uint64_t l2_lookups, l2_hits, l2_merged, l2_misses, l2_angle_misses;
  uint64_t parents, parents_reused, parents_merged;  // of R > 1: asked for; found; awaited
  // Lines of parents: looked up by groups; found in the first or second cache, awaited there.
  uint64_t lines, l1_lines_hit, l1_lines_merged, l2_lines_hit, l2_lines_merged;
  uint64_t packages, package_parents;    // A-TFIM: to the offloading unit
  uint64_t failed_parents, refused_packages;
  uint64_t reads, read_bytes;            // through the memory port, data
  uint64_t package_bytes, response_bytes, signal_bytes;  // A-TFIM, S-TFIM
  uint64_t stalls;               // S-TFIM: stall signals
  uint64_t address_busy, filter_busy;    // unit cycles
  uint64_t miss_stalls;          // unit cycles: no room for another miss
  uint64_t latency_sum, latency_max;     // request accepted to result ready, cycles
  uint64_t latency[TextureLatencyBins];
  double max_sample_error;       // track_error: largest difference of a channel
} texture_stats_t;

typedef struct texture_units texture_units_t;

// params are in the ranges of the table. The map and its frame stay as they are until
// destroy. link: NULL but for S-TFIM. NULL: out of memory.
texture_units_t *texture_units_create(const texture_params_t *params, const texture_map_t *map,
                                      const texture_memory_t *memory, const texture_link_t *link);
void texture_units_destroy(texture_units_t *units);

// Offers a quad to a unit. False: its queue is full.
bool texture_units_push(texture_units_t *units, uint64_t now, uint32_t unit,
                        const texture_quad_t *quad);

// Takes the oldest result of a unit. Results of a unit come in the order of its quads. False:
// none is ready at `now`. A result that is not taken holds up its unit.
bool texture_units_pop(texture_units_t *units, uint64_t now, uint32_t unit,
                       texture_result_t *result);

// Units that have a result ready at `now`, one bit each.
uint64_t texture_units_ready(const texture_units_t *units, uint64_t now);

void texture_units_memory_done(texture_units_t *units, uint64_t now, uint32_t tag);

void texture_units_link_arrived(texture_units_t *units, uint64_t now, texture_message_t message);

// A-TFIM: one cycle of the boundary to the offloading unit. `out` is what the unit shows in
// this cycle; the request and answer_ready fields of `in` are set for its step of this
// cycle, the others are left alone. Once each cycle in which the offloading unit is stepped;
// not needed while texture_units_offers is false and the unit shows no answer.
void texture_units_offload(texture_units_t *units, uint64_t now, const offload_unit_out_t *out,
                           offload_unit_in_t *in);

// Whether a request waits for the offloading unit.
bool texture_units_offers(const texture_units_t *units);

// One cycle. Returns the next cycle in which a step will do anything if nothing comes from
// outside; TEXTURE_NEVER: none.
uint64_t texture_units_step(texture_units_t *units, uint64_t now);

// Quads accepted and not yet taken as results.
uint64_t texture_units_pending(const texture_units_t *units);

const texture_stats_t *texture_units_stats(const texture_units_t *units);

// One line that says what unit `unit` waits for, for a report of a hang.
void texture_units_describe(const texture_units_t *units, uint32_t unit, char *text, size_t size);

#endif
