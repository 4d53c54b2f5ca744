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
// docs/model/texture.md has the pipeline, its rates and what the paper leaves open.
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
#include <stdint.h>

#include "../base/text.h"
#include "texture_map.h"
#include "texture_params.h"
#include "texture_port.h"
#include "unit/offload_unit/offload_unit.h"
#include "virtual_texture.h"

// Creates the units; NULL if memory runs out. params are in the ranges of the table. The map and
// its frame must stay as they are until destroy. link: NULL unless the design's units are in the
// cube.
texture_units_t *texture_units_create(const texture_params_t *params, const texture_map_t *map,
                                      const texture_memory_t *memory, const texture_link_t *link);
void texture_units_destroy(texture_units_t *units);

// Offers a quad to a unit. Returns false if its queue is full.
bool texture_units_push(texture_units_t *units, uint64_t now, uint32_t unit,
                        const texture_quad_t *quad);

// Takes the oldest result of a unit; returns false if none is ready at `now`. Results of a unit
// come in the order of its quads. A result that is not taken holds up its unit.
bool texture_units_pop(texture_units_t *units, uint64_t now, uint32_t unit,
                       texture_result_t *result);

// Returns the units that have a result ready at `now`, one bit each.
uint64_t texture_units_ready(const texture_units_t *units, uint64_t now);

// Takes the end of a read (texture_memory_t).
void texture_units_memory_done(texture_units_t *units, uint64_t now, uint32_t tag);

// Takes a message that has arrived (texture_link_t). Only if the units are in the cube.
void texture_units_link_arrived(texture_units_t *units, uint64_t now, texture_message_t message);

// One cycle of the boundary to the offloading unit, only if the design offloads. `out` is what the
// unit shows in this cycle. Sets the request and answer_ready fields of `in` for the unit's step of
// this cycle and leaves the others alone. Call it once in each cycle in which the offloading unit
// is stepped, unless texture_units_offers is false and the unit shows no answer.
void texture_units_offload(texture_units_t *units, uint64_t now, const offload_unit_out_t *out,
                           offload_unit_in_t *in);

// Returns true if a request waits for the offloading unit.
bool texture_units_offers(const texture_units_t *units);

// Steps one cycle. Returns the next cycle in which a step will do anything if nothing comes from
// outside; TEXTURE_NEVER if there is none.
uint64_t texture_units_step(texture_units_t *units, uint64_t now);

// Returns the first cycle in which a result can be popped; TEXTURE_NEVER if there is none.
uint64_t texture_units_next_result(const texture_units_t *units);

// Returns the number of quads that were accepted and whose results were not yet taken.
uint64_t texture_units_pending(const texture_units_t *units);

const texture_stats_t *texture_units_stats(const texture_units_t *units);

// Adds to the report of a hang what a unit waits for.
void texture_units_describe(const texture_units_t *units, uint32_t unit, text_t *text);

#endif
