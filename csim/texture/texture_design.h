// SPDX-License-Identifier: Apache-2.0
// Texture designs: how a GPU samples textures, and from which memory
// (docs/results/texture-designs.md).
//
// Each design is one file, design_NAME.c, which defines one constant table of facts and functions.
// The facts are for everybody; the functions are the steps of the texture units that differ
// between designs (texture_unit.c calls them). To add a design, write its file and add a line to
// TEXTURE_DESIGNS.
#ifndef NOCTURNE_TEXTURE_TEXTURE_DESIGN_H
#define NOCTURNE_TEXTURE_TEXTURE_DESIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "texture_params.h"
#include "texture_port.h"
#include "unit/offload_unit/offload_unit.h"

// Enumerator and name of each design, in the order of texture.design's values.
#define TEXTURE_DESIGNS(X)     \
  X(TextureRate, rate)         \
  X(TextureBaseline, baseline) \
  X(TextureBPim, b_pim)        \
  X(TextureSTfim, s_tfim)      \
  X(TextureATfim, a_tfim)

#define TEXTURE_ENUMERATOR(enumerator, name) enumerator,
typedef enum { TEXTURE_DESIGNS(TEXTURE_ENUMERATOR) TextureDesignCount } texture_design_e;
#undef TEXTURE_ENUMERATOR

// The memory that the texture units read, and the way there.
typedef enum {
  TextureMemoryNone,  // no timed units: a rate of the GPU
  TextureMemoryGddr5,
  TextureMemoryCube,    // an HMC, over its links
  TextureMemoryVaults,  // an HMC, whose logic layer holds the units; quads cross its links
} texture_memory_kind_e;

// Result of a look-up in the second-level cache. Full: no room for a miss. Refused: memory was
// busy.
typedef enum { LookupDone, LookupFull, LookupRefused } tex_lookup_e;

// State of the units (texture_state_internal.h).
typedef struct tex_unit tex_unit_t;
typedef struct tex_flight tex_flight_t;

typedef struct {
  texture_memory_kind_e memory;
  // The caches hold lines of filtered parents, which an offloading unit and the cube's layers make.
  bool offloads;
  // There is no cache: a line that has come serves only the quad that read it.
  bool forgets;

  // Address stage. `begin` prepares a quad that is taken into flight (NULL: nothing to prepare).
  // `group` makes the lines of the next group of texels; `look_up` looks them up in the first-level
  // cache and returns false while there is no room for a miss.
  void (*begin)(texture_units_t *t, tex_unit_t *u, tex_flight_t *f,
                const footprint_gradient_t *gradient);
  void (*group)(texture_units_t *t, tex_unit_t *u, tex_flight_t *f);
  bool (*look_up)(texture_units_t *t, tex_unit_t *u, uint32_t unit, tex_flight_t *f);

  // Fetch. `fetch` is one cycle of what follows the first-level caches, called while a miss waits;
  // `look_up_second` looks one miss up in the second-level cache (NULL if there is none);
  // `read_done` takes the end of a read of memory; `fill` takes a line that has come for a unit.
  void (*fetch)(texture_units_t *t, uint64_t now, uint64_t *next);
  tex_lookup_e (*look_up_second)(texture_units_t *t, uint32_t unit, uint32_t miss, uint64_t now);
  void (*read_done)(texture_units_t *t, uint64_t now, uint32_t tag);
  void (*fill)(tex_unit_t *u, uint32_t miss);

  // Filter: the sample of one pixel, red first, 0 to 255.
  void (*sample)(texture_units_t *t, const tex_flight_t *f, uint32_t pixel, float out[4]);

  // Takes the next quad into flight; false if none waits.
  bool (*take)(texture_units_t *t, tex_unit_t *u);

  // Units in the cube: `respond` takes a filtered quad (NULL: it is a result at once), `send` sends
  // what a unit has to send in this cycle, `arrived` takes a message. All NULL for other designs.
  void (*respond)(texture_units_t *t, tex_unit_t *u, const tex_flight_t *f,
                  const texture_result_t *result, uint64_t ready);
  void (*send)(texture_units_t *t, tex_unit_t *u, uint32_t unit, uint64_t now, uint64_t *next);
  void (*arrived)(texture_units_t *t, uint64_t now, const texture_message_t *message);

  // `offloads`: one cycle of the boundary to the offloading unit; otherwise NULL.
  void (*offload)(texture_units_t *t, uint64_t now, const offload_unit_out_t *out,
                  offload_unit_in_t *in);
} texture_design_t;

// Returns a design's table; `design` is a texture_design_e.
const texture_design_t *texture_design(uint32_t design);

// Names by texture_design_e; NULL ends the list.
extern const char *const TextureDesignNames[TextureDesignCount + 1];

#endif
