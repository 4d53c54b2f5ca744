// SPDX-License-Identifier: Apache-2.0
// The texture side of one GPU: its texture units, the memory that they read,
// and, with A-TFIM, its cube (model of A-TFIM, III to V, Table I). One texturing_step is one
// cycle of all of them.
#ifndef NOCTURNE_MACHINE_TEXTURING_H
#define NOCTURNE_MACHINE_TEXTURING_H

#include "../gpu/gpu.h"
#include "../memory/memory_system.h"
#include "../texture/texture_unit.h"
#include "cube.h"
#include "soc.h"

#define TEXTURING_ALWAYS (-1.0)  // threshold: always recompute
// INFINITY: always reuse

typedef struct {
  uint32_t design;          // texture_design_e
  double angle_threshold;   // degrees, or TEXTURING_ALWAYS, or INFINITY
  bool anisotropic;         // false: R is 1 everywhere
  uint32_t anisotropy;      // of all mip-mapped textures, 1 to 16; 0: as the frame says
  bool shares_memory;       // the GPU's other traffic uses the same memory
  uint32_t reset_interval;  // cycles from one reset of the cube's units to the next; 0: none
  texture_params_t units;
  offload_unit_params_t offload;  // units, count_width, observe are set by texturing_create
  atfim_params_t atfim;           // of a layer; count_width, observe likewise
  hmc_params_t hmc;
  gddr5_params_t gddr5;
  uint32_t layers;       // of A-TFIM in a cube; the paper's: 1
  uint32_t read_errors;  // permille of the child reads that fail
} texturing_params_t;

typedef struct texturing texturing_t;

// Returns true if texture units are timed, with memory of their own; false if they are a rate.
bool texturing_detailed(const texturing_params_t *params);

// Returns the function that the samples compute; the timed units agree with it unless texels are
// reused.
shade_sampling_t texturing_sampling(const texturing_params_t *params);
// Returns true if filtered texels may be those of another pixel.
bool texturing_reuses(const texturing_params_t *params);

// Creates the map of a frame's textures, which all GPUs share; returns false with a line in error.
bool texturing_map_create(texture_map_t *map, const frame_t *frame, err_t *err);

// Returns true if the frame's textures fit and the memory's parameters work together; otherwise
// false with one line in error. shared: the memory is a SoC's, which others check.
bool texturing_check(const texturing_params_t *params, bool shared, const frame_t *frame,
                     err_t *err);

// Creates the texture side of GPU number `instance`; NULL with one line in error. gpu: the GPU's
// parameters, which give the number of units. soc: whose memory it uses in place of one of its own,
// or NULL. Only if texturing_detailed.
texturing_t *texturing_create(const texturing_params_t *params, const gpu_params_t *gpu,
                              const texture_map_t *map, const cube_units_t *units,
                              uint32_t instance, soc_t *soc, err_t *err);
void texturing_destroy(texturing_t *texturing);

// Returns what the GPU is attached to.
gpu_texturing_t texturing_attach(texturing_t *texturing);

// One cycle, after the GPU's. *next: the next cycle in which it has work by itself. Anything
// but UnitOk ends the run; so does *error, the units' error outputs.
unit_status_e texturing_step(texturing_t *texturing, uint64_t now, uint64_t *next, uint32_t *error);

typedef struct {
  texture_stats_t units;
  memory_client_stats_t clients[MemoryClients];
  bool cube;  // hmc and cube count; otherwise gddr5
  hmc_stats_t hmc;
  gddr5_stats_t gddr5;
  cube_stats_t atfim;
} texturing_stats_t;

// After the last cycle, before its statistics. Anything but UnitOk ends the run.
unit_status_e texturing_finish(texturing_t *texturing);

// Requests that the memory refused: its capacity is too small for the frame. Only after the run.
uint64_t texturing_refused(const texturing_t *texturing);
void texturing_stats(const texturing_t *texturing, texturing_stats_t *stats);

// Adds to the report of a hang what each texture unit waits for.
void texturing_describe(const texturing_t *texturing, text_t *text);

#endif
