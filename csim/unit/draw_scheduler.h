// Vocabulary of the draw-command scheduler (CHOPIN, IV-D). The cycle contract is
// docs/units/draw_scheduler.md. Bit g of a 64-bit mask stands for GPU g.
#ifndef NOCTURNE_UNIT_DRAW_SCHEDULER_H
#define NOCTURNE_UNIT_DRAW_SCHEDULER_H

#include "unit.h"

typedef struct {
  uint32_t gpus;         // 2 to 64
  uint32_t count_width;  // bits of a triangle counter, 10 to 64
  uint32_t credits;      // command-queue entries of a GPU, 1 to 1023
  bool tie_lowest;       // ties: lowest index instead of the first after the last chosen
  uint64_t reset_count;  // both counters after reset, for tests of wrapping
} draw_scheduler_params_t;

typedef enum { DrawOpGroupStart, DrawOpDraw, DrawOpGroupEnd } draw_op_e;
typedef enum { DrawGroupDuplicated, DrawGroupOpaque, DrawGroupTransparent } draw_group_e;
typedef enum { DrawPolicyLeastRemaining, DrawPolicyRoundRobin, DrawPolicyDuplicateAll } draw_policy_e;

typedef enum {
  DrawErrorNone, DrawErrorSequence, DrawErrorWrap, DrawErrorRange, DrawErrorProgress,
  DrawErrorCredit,
} draw_error_e;

typedef struct {
  bool cmd_valid;
  uint8_t cmd_op;      // draw_op_e
  uint8_t cmd_kind;    // draw_group_e, with GroupStart
  uint8_t policy;      // draw_policy_e, taken over at GroupStart
  uint32_t cmd_id;
  uint32_t cmd_first;  // first primitive of the draw
  uint32_t cmd_count;  // triangles of the draw; primitives of the group with GroupStart
  uint64_t piece_ready;
  uint64_t credit;          // a command-queue entry came free
  uint64_t progress_valid;
  uint16_t progress[UnitMaxGpus];  // triangles through geometry, 0 to 1024
} draw_scheduler_in_t;

typedef struct {
  bool cmd_ready;
  bool quiescent;
  uint8_t error;          // draw_error_e, sticky
  bool piece_compose;     // the payload is a compose order, not a draw
  uint8_t piece_kind;     // draw_group_e of the group
  uint32_t piece_id;
  uint32_t piece_first;
  uint32_t piece_count;
  uint64_t piece_valid;   // one payload for all GPUs of the mask
} draw_scheduler_out_t;

// The paper's table, whole.
typedef struct {
  uint64_t scheduled[UnitMaxGpus];
  uint64_t processed[UnitMaxGpus];
} draw_scheduler_state_t;

// An engine of the unit: golden, rtl or lockstep. `self` comes first in each call.
typedef struct {
  void *self;
  unit_status_e (*step)(void *self, const draw_scheduler_in_t *in, draw_scheduler_out_t *out);
  // Returns to the documented reset state; out gets its outputs.
  void (*reset)(void *self, draw_scheduler_out_t *out);
  void (*observe)(void *self, draw_scheduler_state_t *state);
} draw_scheduler_t;

#endif
