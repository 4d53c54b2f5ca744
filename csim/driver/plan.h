// SPDX-License-Identifier: Apache-2.0
// The driver's plan of a frame: composition groups and the work items in them
// (CHOPIN, IV-A, IV-C, V). The plan is made before the frame runs, from what a
// driver knows: the commands and their state, never their pixels.
//
// Groups: a boundary lies before every command that is a clear or follows one,
// and between draws on a switch of render target or depth buffer, of depth-buffer
// updates, of the depth function, or of the blend operator. docs/model/driver.md has the
// rule by which a group may be composed, and its argument.
#ifndef NOCTURNE_DRIVER_PLAN_H
#define NOCTURNE_DRIVER_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "../frame/frame.h"
#include "policy.h"
#include "unit/draw_scheduler/draw_scheduler.h"

typedef enum {
  PlanOperatorReplace,   // no blending
  PlanOperatorOver,      // SrcAlpha, OneMinusSrcAlpha
  PlanOperatorAdd,       // SrcAlpha or One, One
  PlanOperatorMultiply,  // the product of source and destination
  PlanOperatorOther,     // anything else: never composed
} plan_operator_e;

// Why a group is duplicated.
typedef enum {
  PlanComposed,
  PlanBelowThreshold,
  PlanFewDraws,  // not more draws than GPUs, with require_draws
  PlanClear,
  PlanStencil,
  PlanOperator,       // a blend operator that does not compose, or a masked channel under one
  PlanBlendedDepth,   // blended together with depth write
  PlanDepthFunction,  // no depth write, or a function that does not pick one end
  PlanMaskMixed,      // draws of different colour masks
  PlanStaleDepth,     // the test would meet stale depth that is not conservative
  PlanScheme,         // the scheme composes nothing
  PlanLonelyBarrier,  // below barrier_share
  PlanPolicy,         // somebody else's decision, where this would have been composed
  PlanReasonCount,
} plan_reason_e;

typedef struct {
  uint32_t gpus;
  bool compose;        // false: every group is duplicated
  uint32_t threshold;  // primitives from which a group is composed
  bool require_draws;  // composed only if it has more draws than GPUs (the authors' simulator)
  bool function_while_writing;  // the depth function bounds a group only while depth
                                // write is on (the authors' simulator)
  bool depth_broadcast;         // broadcast stale depth and compose, instead of duplicating
  bool order_tag;
  uint32_t barrier_share;  // permille: composed only if the group's primitives are so much of those
                           // duplicated since GPUs last waited for each other; 0: any
  bool sync_needed;        // depth that nobody samples is not broadcast
  const driver_policy_t *policy;  // NULL: the driver decides alone
  const nocturne_draw_t *draws;   // for the policy: of each command
} plan_params_t;

typedef struct {
  uint32_t first, count;  // commands
  uint32_t first_item, item_count;
  uint8_t kind;    // draw_scheduler_group_e
  uint8_t reason;  // plan_reason_e
  uint8_t op;      // plan_operator_e
  bool is_clear;
  uint32_t primitives;  // submitted
  uint32_t draws;
  uint16_t color_target, depth_buffer;
  uint32_t coarse_base;  // composed opaque: counts from 1; alike as long as depth goes only nearer
  uint32_t composed_index;  // counts the composed groups; valid if kind is not duplicated
} plan_group_t;

typedef enum {
  PlanItemDraw,
  PlanItemClear,
  PlanItemSync,  // barrier and broadcast of the owned tiles written since the last one
} plan_item_e;

typedef struct {
  uint8_t kind;      // plan_item_e
  bool owners_only;  // clear: scissored or masked, executed by the owners
  uint8_t tag;       // order tag of a draw
  uint32_t command;  // draw, clear
  uint32_t group;
  uint16_t sync_target, sync_depth;  // sync: surfaces, FrameNone = none
  uint16_t sync_owner;               // sync: the target by whose map tiles were drawn, FrameNone =
                                     // sync_depth's own map
  bool sync_stale_depth;             // sync: broadcast of stale depth before a composed group
} plan_item_t;

typedef struct {
  uint32_t group_count, item_count, composed_count;
  plan_group_t *groups;
  plan_item_t *items;
  uint32_t *composed;  // group of each composed index
  uint32_t coarse_bases;
  uint64_t triangles, triangles_composed;
  uint64_t depths_left;  // depth buffers that a target switch did not broadcast
  uint64_t depths_late;  // broadcast after all, before another map
} plan_t;

// NULL: out of memory.
plan_t *plan_create(const frame_t *frame, const plan_params_t *params);
void plan_destroy(plan_t *plan);

plan_operator_e plan_operator(const frame_state_t *state);
const char *plan_reason_name(plan_reason_e reason);
const char *plan_operator_name(plan_operator_e op);

#endif
