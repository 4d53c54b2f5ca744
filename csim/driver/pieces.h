// SPDX-License-Identifier: Apache-2.0
// The pieces that the driver makes of each command: the pieces of its draws, which of them go to
// all GPUs, and what each weighs (docs/model/driver.md, "Pieces"). Made before the frame runs, from
// the plan, what is remembered of the frame before, and scouts.
#ifndef NOCTURNE_DRIVER_PIECES_H
#define NOCTURNE_DRIVER_PIECES_H

#include "scouts.h"

typedef struct {
  uint32_t gpus;
  uint32_t split;      // of a GPU's share of what is left of the group that a piece may hold:
                       // permille; 0: draws stay whole
  uint32_t split_min;  // triangles of a piece, at least
  bool by_all;         // draws may go to all GPUs
  bool weighs;         // draws count by their weights, not by triangles
  bool may_weigh;      // draws may: a policy may say so where nothing is remembered
  scout_params_t scouts;
  const driver_policy_t *policy;  // NULL: the driver decides alone
  nocturne_draw_t *draws;         // for the policy: of each command; they get their ids
} pieces_params_t;

typedef struct {
  uint32_t first, count;  // primitives
  uint16_t weight;        // 0: none
  bool by_all;
  bool scouted;  // the draw was, and this is its first piece
} piece_t;

typedef struct {
  uint32_t count;
  piece_t *pieces;   // in the order of the frame; a clear is one without primitives
  uint32_t *starts;  // of each command, and the end
  uint64_t *waits;   // of each group: scout_wait
  bool weighs;       // draws count by their weights, not by triangles
  // Over composed opaque groups.
  uint64_t draws_cut, cuts;          // draws of several pieces; pieces behind the first
  uint64_t scouted, scouted_by_all;  // draws
} pieces_t;

// hints: of each command, NULL: none. NULL: out of memory.
pieces_t *pieces_create(const frame_t *frame, const plan_t *plan, const pieces_params_t *params,
                        const driver_hint_t *hints);
void pieces_destroy(pieces_t *pieces);

// Returns the number of a command's piece that begins at this primitive; its first one if none
// does.
uint32_t pieces_find(const pieces_t *pieces, uint32_t command, uint32_t first);

#endif
