// SPDX-License-Identifier: Apache-2.0
// Parameters of the texture units: the keys texture.* (docs/reference/configuration.md) and limits.
#ifndef NOCTURNE_TEXTURE_TEXTURE_PARAMS_H
#define NOCTURNE_TEXTURE_TEXTURE_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/config.h"

// How far units in the cube (S-TFIM) share a read of a line: within one group of 2x2 texels, within
// a quad, or within a quad and with other quads while the read is under way.
typedef enum { TextureMergeNone, TextureMergeQuad, TextureMergeUnderWay } texture_merge_e;

// Which lines of parents serve a pixel: those of its slope (the value is the pixel's own), or those
// of any slope at a near camera angle (V-C), with the isotropic reading of any extent and axis too.
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
  uint32_t design;  // texture_design_e
  uint32_t units;
  uint32_t address_alus;                     // texel addresses a cycle and unit
  uint32_t filter_alus;                      // texels weighted a cycle and unit
  uint32_t address_latency, filter_latency;  // cycles
  uint32_t request_queue;                    // quads waiting in front of a unit
  uint32_t in_flight;                        // quads of a unit between address and filter
  uint32_t results;                          // samples ready or being filtered, not yet taken
  uint32_t l1_kib, l1_ways, l1_misses;       // misses: lines under way
  uint32_t l2_kib, l2_ways, l2_misses, l2_latency, l2_lookups;  // lookups a cycle
  uint32_t reading;                                             // A-TFIM: virtual_reading_e
  uint32_t match;                                               // A-TFIM: texture_match_e
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

// Registers the keys of *params, a texture_params_t: texture.*. design, units,
// reuse, max_anisotropy and package_bytes have none: they follow from other keys. All but design
// begin with A-TFIM's values.
bool texture_config_add(config_t *config, void *params, err_t *err);

// Sets the defaults of the keys; returns false with one line in error.
bool texture_params_default(texture_params_t *params, err_t *err);

// Returns params.reuse for a threshold in degrees, 0 or more: codes match if their difference times
// 180/128 is at most the threshold.
uint32_t texture_reuse_of(double degrees);

#endif
