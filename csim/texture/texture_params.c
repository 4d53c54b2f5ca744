// SPDX-License-Identifier: Apache-2.0
// Parameters of the texture units: keys and constants texture.*.
#include "texture_params.h"

#include <math.h>

typedef texture_params_t P;

#define KEY(field, value, low, high, unit, source, meaning) \
  CONFIG_UINT(P, field, #field, value, low, high, unit, source, meaning)
#define CONSTANT(field, value, unit, source, meaning) \
  CONFIG_CONSTANT(P, field, #field, value, unit, source, meaning)

static const char Attila[] = "the CHOPIN authors' simulator, configuration";
static const char Table1[] = "A-TFIM, Table I";

static const char *const Readings[] = {"lattice", "isotropic", NULL};
static const char *const Matches[] = {"slope", "angle", NULL};

static const config_key_t Keys[] = {
    CONFIG_ENUM(P, reading, "parents", "lattice", Readings, "isotropic: A-TFIM, V-A; reading",
                "lines of parents: of a level shrunk along the axis, or of the level above",
                .group = ConfigReading),
    CONFIG_ENUM(P, match, "match", "slope", Matches, "angle: A-TFIM, V-C; reading",
                "a cached line of parents serves pixels of its slope, or of a near angle",
                .group = ConfigReading),
    CONFIG_DOUBLE(P, extent_threshold, "extent_threshold", 1.74, 0.5, 16, "texels",
                  "chosen for quality on one frame",
                  "lattice: axes of so many, 2, 4, 8 times as many have 2, 4, 8, 16 children",
                  .group = ConfigReading),
    KEY(address_alus, 4, 1, 64, "texels/cycle", Table1,
        "of a unit; 16: an ALU makes the four addresses of a bilinear sample"),
    KEY(filter_alus, 8, 1, 64, "texels/cycle", Table1, "of a unit; 32: an ALU weighs four texels"),
    CONSTANT(address_latency, 6, "cycles", Attila, "address to texel in the first cache"),
    CONSTANT(filter_latency, 4, "cycles", Attila, "filtering ALU"),
    CONSTANT(request_queue, 128, "quads", Attila, "in front of a unit: 512 requests"),
    CONSTANT(in_flight, 64, "quads", Attila, "of a unit: 256 accesses"),
    CONSTANT(results, 16, "quads", "chosen", "filtered and not taken"),
    KEY(l1_kib, 16, 1, 4096, "KiB", Table1, "cache of a unit"),
    KEY(l1_ways, 16, 1, 16, "ways", Table1, "of it"),
    CONSTANT(l1_misses, 32, "lines", "chosen: 8 a cycle in the simulator", "under way to a unit"),
    KEY(l2_kib, 128, 1, 65536, "KiB", Table1, "second cache, of all units"),
    KEY(l2_ways, 16, 1, 16, "ways", Table1, "of it"),
    CONSTANT(l2_misses, 512, "lines", "chosen: 16 units with 32 each", "under way from memory"),
    CONSTANT(l2_latency, 20, "cycles", "chosen", "look-up to the first cache"),
    CONSTANT(l2_lookups, 4, "lines/cycle", "chosen: 256 GB/s", "of the second cache"),
    CONSTANT(mtu_queue, 16, "packages", "chosen", "waiting in the cube before it says stall"),
    KEY(mtu_merge, 2, 0, 2, "", "chosen",
        "in the cube: 1 a quad reads a line once, 2 and takes part in reads under way; 0 neither"),
    KEY(track_error, 0, 0, 1, "", "for tests", "1: compare each sample with the formulas"),
};

uint32_t texture_reuse_of(double degrees) {
  double codes = floor(degrees * 128 / 180);
  return codes >= TextureReuseAll - 1 ? TextureReuseAll : (uint32_t)codes + 1;
}

bool texture_config_add(config_t *config, void *params, err_t *err) {
  P *p = params;
  p->units = 16;  // A-TFIM, Table I: one a cluster
  p->reuse = texture_reuse_of(1.8);
  p->max_anisotropy = 16;
  p->package_bytes = TexturePackageBytes;
  return config_add(config, "texture", Keys, sizeof Keys / sizeof *Keys, params, err);
}

bool texture_params_default(texture_params_t *params, err_t *err) {
  return config_defaults(texture_config_add, params, NULL, err);
}
