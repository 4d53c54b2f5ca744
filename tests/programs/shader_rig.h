// SPDX-License-Identifier: Apache-2.0
// Warps in an SM on a rig: they wait to be launched, textures answer after a fixed time, and the
// rig says for which lanes a predicate holds. Set the rig, run, look at its counts, drop it.
#ifndef NOCTURNE_TESTS_SHADER_RIG_H
#define NOCTURNE_TESTS_SHADER_RIG_H

#include "csim/gpu/shader.h"
#include "tests/programs/test.h"

enum { MaxWarps = 4096, Text = 128 };

// Warps that wait to be launched, in order, each bound to an SM or to the one with the fewest.
typedef struct {
  shader_params_t params;
  shader_t *shader;
  const program_t *program;
  uint32_t count, launched, ended;
  int32_t sm[MaxWarps];  // -1: any
  uint32_t lanes[MaxWarps];
  uint32_t holds[MaxWarps][4];  // lanes for which predicate `ref` holds
  uint32_t number[64][ShaderMaxWarps];
  uint64_t texture_latency, end, now;
  uint32_t calls;  // of shader_step
  uint64_t gap;    // cycles from launch to launch at least
  bool later;      // texture answers by shader_textured
  uint64_t answer[64][ShaderMaxWarps];
  uint32_t seen[16], seen_count;  // lanes asked for
} rig_t;

static inline shader_params_t defaults(void) {
  return (shader_params_t){.sms = 1,
                           .schedulers = 1,
                           .lanes = 32,
                           .sfu_lanes = 4,
                           .alu_latency = 11,
                           .sfu_latency = 22,
                           .warps = 64,
                           .issue_per_warp = 1,
                           .dependent = 1000};
}

static inline uint32_t lanes_of_op(void *self, uint32_t sm, uint32_t warp, const program_op_t *op) {
  const rig_t *r = self;
  return r->holds[r->number[sm][warp]][op->ref];
}

static inline uint64_t texture(void *self, uint64_t now, uint32_t sm, uint32_t warp, uint32_t stage,
                               uint32_t stamps) {
  rig_t *r = self;
  (void)stage;
  assert_int_equal(now, r->now);  // nothing is done late that others see
  assert_true(stamps != 0);
  if (r->later) {
    r->answer[sm][warp] = now + r->texture_latency;
    return SHADER_LATER;
  }
  return now + r->texture_latency;
}

static inline void end(void *self, uint64_t now, uint32_t sm, uint32_t warp, uint32_t alive) {
  rig_t *r = self;
  (void)sm;
  (void)warp;
  (void)alive;
  assert_int_equal(now, r->now);
  r->ended++;
  r->end = now;
}

static inline uint32_t room(const rig_t *r, int32_t wanted) {
  uint32_t best = UINT32_MAX, fewest = r->params.warps;
  for (uint32_t i = 0; i < r->params.sms; i++) {
    uint32_t n = shader_resident(r->shader, i);
    if ((wanted < 0 || (uint32_t)wanted == i) && n < fewest) {
      fewest = n;
      best = i;
    }
  }
  return best;
}

static inline void answer(rig_t *r, uint64_t now) {
  for (uint32_t i = 0; i < r->params.sms; i++) {
    for (uint32_t k = 0; k < ShaderMaxWarps; k++) {
      if (r->answer[i][k] && r->answer[i][k] <= now) {
        r->answer[i][k] = 0;
        shader_textured(r->shader, now, i, k, 0);
      }
    }
  }
}

// Runs all warps; the cycles from the first issue to the last end. every: calls the shader in
// every cycle, not only when it asks for it.
static inline uint64_t run(rig_t *r, bool every) {
  err_auto_t err = {0};
  program_t program = *r->program;
  assert_true(program_check(&program, &err));
  shader_ports_t ports = {r, lanes_of_op, texture, end};
  r->shader = shader_create(&r->params, ports);
  assert_non_null(r->shader);
  r->launched = r->ended = r->calls = 0;
  uint64_t now = 0;
  while (r->ended < r->count) {
    uint64_t next = UINT64_MAX;
    r->now = now;
    r->calls++;
    answer(r, now);
    shader_step(r->shader, now, &next);
    uint32_t sm;
    while (r->launched < r->count && now >= r->launched * r->gap &&
           (sm = room(r, r->sm[r->launched])) != UINT32_MAX) {
      shader_launch_t launch = {&program, r->lanes[r->launched]};
      uint32_t place = shader_launch(r->shader, now, sm, &launch);
      r->number[sm][place] = r->launched++;
      next = now + 1;
    }
    if (r->launched < r->count && r->launched * r->gap > now) {
      next = r->launched * r->gap < next ? r->launched * r->gap : next;
    }
    now = every || r->later || r->ended == r->count ? now + 1 : next;
    assert_true(now < 1u << 30);
  }
  const shader_stats_t *s = shader_stats(r->shader);
  uint64_t slots = s->slots;
  for (uint32_t i = ShaderScoreboard; i < ShaderIdleCauses; i++) {
    slots += s->idle[i];
  }
  assert_true(slots <= (r->end + 64) * r->params.sms * r->params.schedulers);
  return r->end - 1;
}

static inline void all(rig_t *r, uint32_t count, uint32_t lanes) {
  r->count = count;
  for (uint32_t i = 0; i < count; i++) {
    r->sm[i] = -1;
    r->lanes[i] = lanes;
  }
}

static inline rig_t *rig(const program_t *program) {
  rig_t *r = calloc(1, sizeof *r);
  assert_non_null(r);
  r->params = defaults();
  r->program = program;
  return r;
}

static inline void drop(rig_t *r) {
  shader_destroy(r->shader);
  free(r);
}

#define ALU(n, d) \
  { .kind = ProgramAlu, .count = n, .dependent = d }
#define SFU(n, d) \
  { .kind = ProgramSfu, .count = n, .dependent = d }
#define ON(r) \
  { .kind = ProgramIf, .predicate = ProgramOnPixels, .ref = r }
#define ELSE \
  { .kind = ProgramElse }
#define ENDIF \
  { .kind = ProgramEndif }
#define TEX(s, u) \
  { .kind = ProgramTex, .stage = s, .count = u }

#endif
