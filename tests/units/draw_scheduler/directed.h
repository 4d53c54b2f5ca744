// SPDX-License-Identifier: Apache-2.0
// The draw-command scheduler under directed tests: a unit, its commands, the pieces that it sends.
#ifndef NOCTURNE_TESTS_DRAW_SCHEDULER_DIRECTED_H
#define NOCTURNE_TESTS_DRAW_SCHEDULER_DIRECTED_H

#include "tests/programs/unit_engine.h"

enum { Gpus = 3, Credits = 3, MaxPieces = 64 };

typedef struct {
  uint8_t gpu;
  bool compose;
  uint32_t id, first, count;
  bool by_all;
  uint16_t weight;
} piece_t;

static draw_scheduler_t unit;
static draw_scheduler_in_t in;
static draw_scheduler_out_t out;
static draw_scheduler_state_t table;
static piece_t pieces[MaxPieces];  // accepted, in order; of one cycle by GPU
static uint32_t piece_count;
static uint64_t owed;  // GPUs that give a credit back in the next cycle
static bool gives_credits;

static inline void begin(draw_scheduler_params_t params) {
  err_auto_t err = {0};
  if (!harness_draw_scheduler(engine, &params, &unit, &err)) {
    fail_msg("%s", err_text(&err));
  }
  memset(&in, 0, sizeof in);
  in.piece_ready = 7;
  piece_count = 0;
  owed = 0;
  gives_credits = true;
  unit.reset(unit.self, &out);
}

static inline void begin_default(void) {
  begin((draw_scheduler_params_t){.gpus = Gpus, .count_width = 64, .credits = Credits});
}

static inline void step(void) {
  in.credit = gives_credits ? owed : 0;
  owed &= ~in.credit;
  for (uint32_t g = 0; g < Gpus; g++) {
    if (out.piece_valid & in.piece_ready & 1u << g) {
      assert_true(piece_count < MaxPieces);
      pieces[piece_count++] =
          (piece_t){(uint8_t)g,      out.piece_compose, out.piece_id,    out.piece_first,
                    out.piece_count, out.piece_by_all,  out.piece_weight};
      owed |= 1u << g;
    }
  }
  assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
  unit.observe(unit.self, &table);
  in.progress_valid = 0;
}

static inline void wait_cycles(uint32_t n) {
  while (n-- > 0) {
    step();
  }
}

static inline void command(uint8_t op, uint8_t kind, uint32_t id, uint32_t first, uint32_t count) {
  in.cmd_valid = true;
  in.cmd_op = op;
  in.cmd_kind = kind;
  in.cmd_id = id;
  in.cmd_first = first;
  in.cmd_count = count;
  bool taken = false;
  for (uint32_t i = 0; i < 200 && !taken; i++) {
    taken = out.cmd_ready;
    step();
  }
  assert_true(taken);
  in.cmd_valid = false;
}

static inline void group(uint8_t kind, uint32_t primitives) {
  command(DrawSchedulerOpGroupStart, kind, 0, 0, primitives);
}
static inline void draw(uint32_t id, uint32_t count) {
  command(DrawSchedulerOpDraw, 0, id, 100 * id, count);
}
static inline void draw_by_all(uint32_t id, uint32_t count) {
  in.cmd_by_all = true;
  draw(id, count);
  in.cmd_by_all = false;
}
static inline void draw_weighted(uint32_t id, uint32_t count, uint16_t weight) {
  in.cmd_weight = weight;
  draw(id, count);
}
static inline void end(void) {
  command(DrawSchedulerOpGroupEnd, 0, 0, 0, 0);
  wait_cycles(4);
}

// The next piece in the log, and on which GPU.
static inline void expect(uint32_t at, uint8_t gpu, uint32_t id, uint32_t first, uint32_t count) {
  assert_true(at < piece_count);
  assert_int_equal(pieces[at].gpu, gpu);
  assert_int_equal(pieces[at].compose, false);
  assert_int_equal(pieces[at].id, id);
  assert_int_equal(pieces[at].first, first);
  assert_int_equal(pieces[at].count, count);
}

static inline void expect_compose(uint32_t at) {
  for (uint32_t g = 0; g < Gpus; g++) {
    assert_true(at + g < piece_count);
    assert_int_equal(pieces[at + g].gpu, g);
    assert_true(pieces[at + g].compose);
    assert_int_equal(pieces[at + g].id + pieces[at + g].first + pieces[at + g].count, 0);
  }
}

static inline void progress(uint32_t gpu, uint16_t count) {
  in.progress_valid |= 1u << gpu;
  in.progress[gpu] = count;
}

#endif
