// SPDX-License-Identifier: Apache-2.0
// Plays what lies around the combination unit: the switch, which brings lines, the
// consolidation, which answers takes with runs, the texel generator with its requests, the
// parent texel buffer with completed parents, and the link. Now and then a fault. Every
// update and every response is compared with what was given.
#include <string.h>

#include "csim/unit/atfim_package.h"
#include "stimulus.h"

enum { Lines = 8, Requests = 512, Parents = 4096, Runs = 64 };  // powers of two

typedef struct {
  uint32_t head, count;
} ring_t;

typedef struct {
  bool failed;
  uint32_t data[AtfimLineWords];
} line_t;

typedef struct {
  texel_generator_request_t request;
  uint32_t seen;
  uint8_t taken, failed;
  bool complete;
  uint32_t texel[AtfimParents];
} pending_t;

typedef struct {
  rng_t rng;
  combination_unit_params_t p;
  uint32_t data_rate, take_rate, run_rate, request_rate, parent_rate, response_rate;
  uint32_t error_rate, fail_rate, runs_of_line;
  uint8_t epoch;
  ring_t line_ring, run_ring, update_ring, request_ring, parent_ring;
  line_t lines[Lines];                // accepted, their last run not yet
  child_consolidation_run_t runs[Runs];             // that the consolidation has ready
  parent_texel_buffer_update_t updates[4];          // expected
  pending_t requests[Requests];       // accepted, not answered
  uint32_t open;                      // of them: complete ones at the front
  parent_texel_buffer_parent_t parents[Parents];    // that the buffer has ready
} traffic_t;

const stimulus_choice_t CombinationUnitChoices[] = {
    STIMULUS_CHOICE(data_rate, "data", "steps in which a line comes from memory",
                    1000, 1000, 900, 500, 100),
    STIMULUS_CHOICE(take_rate, "take", "steps in which the taking of a line is accepted",
                    1000, 1000, 900, 500, 100),
    STIMULUS_CHOICE(run_rate, "run", "steps in which a run comes", 1000, 1000, 900, 500, 100),
    STIMULUS_CHOICE(request_rate, "request", "steps in which a request comes",
                    1000, 1000, 900, 500, 100),
    STIMULUS_CHOICE(parent_rate, "parent", "steps in which a parent comes",
                    1000, 1000, 900, 500, 100),
    STIMULUS_CHOICE(response_rate, "response", "steps in which a response is taken",
                    1000, 1000, 900, 500, 100),
    STIMULUS_CHOICE(error_rate, "errors", "faults in what comes", 0, 0, 0, 0, 5, 5),
    STIMULUS_CHOICE(fail_rate, "fails", "reads that fail", 0, 10, 100),
    STIMULUS_CHOICE(runs_of_line, "runs", "runs of a line, at most, 1 to 8",
                    1, 1, 2, 3, 4, 5, 6, 7, 8),
    {0}};

static uint32_t push_at(ring_t *r, uint32_t depth) { return (r->head + r->count++) % depth; }
static void pop(ring_t *r, uint32_t depth) {
  r->head = (r->head + 1) % depth;
  r->count--;
}

// Few different values, the extremes often.
static uint32_t any_texel(rng_t *r) {
  switch (rng_below(r, 4)) {
    case 0: return UINT32_MAX;
    case 1: return 0x01ff00fe;
    default: return (uint32_t)rng_u64(r);
  }
}

static void make_data(traffic_t *t, combination_unit_in_t *in) {
  rng_t *r = &t->rng;
  in->data_valid = rng_chance(r, t->data_rate) && t->run_ring.count < Runs / 2;
  in->data.tag = (uint16_t)rng_below(r, 2048);
  in->data.epoch = rng_chance(r, t->fail_rate) ? (uint8_t)rng_u64(r) : t->epoch;
  in->data.failed = rng_chance(r, t->fail_rate);
  for (uint32_t w = 0; w < t->p.line_bytes / 4; w++) {
    in->data.data[w] = any_texel(r);
  }
}

// The runs of a line that was taken.
static void make_runs(traffic_t *t) {
  rng_t *r = &t->rng;
  uint32_t n = 1 + rng_below(r, t->runs_of_line);
  bool is_void = rng_chance(r, t->fail_rate);
  for (uint32_t i = 0; i < n; i++) {
    child_consolidation_run_t *run = &t->runs[push_at(&t->run_ring, Runs)];
    memset(run, 0, sizeof *run);
    run->last = i == n - 1;
    run->is_void = is_void;
    if (is_void) {
      run->last = !rng_chance(r, t->error_rate);
      return;
    }
    run->parent = (uint8_t)rng_u64(r);
    run->ratio = (uint8_t)(rng_chance(r, 200) ? 15 : rng_below(r, 16));
    run->first = (uint8_t)rng_below(r, run->ratio + 1u);
    run->count = (uint8_t)rng_below(r, run->ratio - run->first + 1u);
    if (rng_chance(r, t->error_rate)) {
      run->first = (uint8_t)rng_below(r, 16);
      run->count = (uint8_t)rng_below(r, 16);
    }
    for (uint32_t k = 0; k < AtfimMaxRatio; k++) {
      run->texel[k] = (uint8_t)rng_below(r, 16);
    }
  }
}

static void make_request(traffic_t *t, combination_unit_in_t *in) {
  rng_t *r = &t->rng;
  in->request_valid = rng_chance(r, t->request_rate) && t->parent_ring.count < Parents - 16 &&
                      t->request_ring.count < Requests - 1;
  in->request =
      (texel_generator_request_t){(uint16_t)rng_below(r, 2048), t->epoch, (uint8_t)rng_u64(r),
                                  (uint8_t)rng_below(r, 16), rng_chance(r, t->fail_rate)};
  if (rng_chance(r, 300)) {
    in->request.mask = (uint8_t)(1u << rng_below(r, 8));
  }
  if (rng_chance(r, t->fail_rate)) {
    in->request.mask = 0;
  }
}

static bool is_empty(const texel_generator_request_t *q) { return q->refused || q->mask == 0; }

// The parents of a request that was accepted, in any order.
static void make_parents(traffic_t *t, const texel_generator_request_t *q) {
  rng_t *r = &t->rng;
  uint8_t left = is_empty(q) ? 0 : q->mask;
  while (left) {
    uint32_t k = rng_below(r, AtfimParents);
    if (!(left >> k & 1)) {
      continue;
    }
    left &= (uint8_t)~(1u << k);
    parent_texel_buffer_parent_t *p = &t->parents[push_at(&t->parent_ring, Parents)];
    p->id = (uint8_t)(rng_below(r, 32) << 3 | k);
    p->failed = rng_chance(r, t->fail_rate);
    uint32_t most = t->p.exact ? 255u * (q->ratio + 1u) : 255;
    if (rng_chance(r, t->error_rate)) {
      p->id = (uint8_t)rng_u64(r);
      most = 4095;
    }
    bool full = rng_chance(r, 100);
    for (uint32_t c = 0; c < 4; c++) {
      p->value[c] = (uint16_t)(full ? most : rng_below(r, most + 1));
    }
  }
}

static void inputs(traffic_t *t, combination_unit_in_t *in) {
  rng_t *r = &t->rng;
  in->epoch = t->epoch;
  make_data(t, in);
  make_request(t, in);
  in->take_ready = rng_chance(r, t->take_rate);
  in->run_valid = t->run_ring.count > 0 && rng_chance(r, t->run_rate);
  if (in->run_valid) {
    in->run = t->runs[t->run_ring.head];
  }
  in->parent_valid = t->parent_ring.count > 0 && rng_chance(r, t->parent_rate);
  if (in->parent_valid) {
    in->parent = t->parents[t->parent_ring.head];
  }
  in->response_ready = rng_chance(r, t->response_rate);
  in->peek_valid = rng_chance(r, 100);
  in->peek_index = (uint8_t)(rng_chance(r, 900) ? rng_below(r, 8) : rng_u64(r));
}

static uint32_t channel(uint32_t texel, uint32_t c) { return texel >> (8 * c) & 255; }

static void expect_update(traffic_t *t, const child_consolidation_run_t *run) {
  const line_t *line = &t->lines[t->line_ring.head];
  if (!run->is_void) {
    parent_texel_buffer_update_t *u = &t->updates[push_at(&t->update_ring, 4)];
    *u = (parent_texel_buffer_update_t){
        .index = run->parent, .count = run->count, .failed = line->failed};
    for (uint32_t c = 0; c < 4 && !line->failed; c++) {
      uint32_t sum = 0;
      for (uint32_t i = run->first; i <= (uint32_t)run->first + run->count && i < 16; i++) {
        uint32_t v = channel(line->data[run->texel[i] % (t->p.line_bytes / 4)], c);
        sum += t->p.exact ? v : (v + i) / (run->ratio + 1u);
      }
      u->sum[c] = sum % 4096;
    }
  }
  if (run->is_void || run->last) {
    pop(&t->line_ring, Lines);
  }
}

// Nearest whole number to s / n, halves up, at most 255.
static uint32_t mean(uint32_t s, uint32_t n) {
  uint32_t q = s / n + (2 * (s % n) >= n);
  return q < 255 ? q : 255;
}

static void place(traffic_t *t, const parent_texel_buffer_parent_t *p) {
  pending_t *q = &t->requests[(t->request_ring.head + t->open) % Requests];
  uint32_t k = p->id % 8, texel = 0;
  for (uint32_t c = 0; c < 4; c++) {
    texel |= (t->p.exact ? mean(p->value[c], q->request.ratio + 1u) : p->value[c] % 256) << (8 * c);
  }
  if (q->request.mask >> k & 1 && !(q->taken >> k & 1)) {
    q->taken |= (uint8_t)(1u << k);
    q->texel[k] = p->failed ? 0 : texel;
    q->failed |= (uint8_t)(p->failed << k);
  }
  q->complete = ++q->seen == (uint32_t)__builtin_popcount(q->request.mask);
}

// Requests whose parents have all been given, from the oldest on.
static void advance(traffic_t *t) {
  while (t->open < t->request_ring.count) {
    const pending_t *q = &t->requests[(t->request_ring.head + t->open) % Requests];
    if (!q->complete && !is_empty(&q->request)) {
      return;
    }
    t->open++;
  }
}

// What a cycle does; out holds what the unit showed in it.
static void follow(traffic_t *t, const combination_unit_in_t *in,
                   const combination_unit_out_t *out) {
  if (in->run_valid && out->run_ready) {
    expect_update(t, &in->run);
    pop(&t->run_ring, Runs);
  }
  if (in->data_valid && out->data_ready && in->data.epoch == t->epoch) {
    line_t *line = &t->lines[push_at(&t->line_ring, Lines)];
    line->failed = in->data.failed;
    memcpy(line->data, in->data.data, sizeof line->data);
  }
  if (in->take_ready && out->take_valid) {
    make_runs(t);
  }
  if (in->parent_valid && out->parent_ready) {
    place(t, &in->parent);
    pop(&t->parent_ring, Parents);
    advance(t);
  }
  if (in->response_ready && out->response_valid) {
    pop(&t->request_ring, Requests);
    t->open--;
  }
  if (in->request_valid && out->request_ready) {
    pending_t *q = &t->requests[push_at(&t->request_ring, Requests)];
    memset(q, 0, sizeof *q);
    q->request = in->request;
    make_parents(t, &in->request);
    advance(t);
  }
}

static bool is_update_right(traffic_t *t, const combination_unit_out_t *out,
                            char error[HarnessErrorSize]) {
  if (!out->update_valid) {
    return true;
  }
  const parent_texel_buffer_update_t *e = &t->updates[t->update_ring.head], *u = &out->update;
  bool same = t->update_ring.count > 0 && u->index == e->index && u->count == e->count &&
              u->failed == e->failed && memcmp(u->sum, e->sum, sizeof u->sum) == 0;
  if (!same) {
    snprintf(error, HarnessErrorSize, "combination_unit: update of entry %u: red %u, expected "
             "entry %u, red %u, or it is not expected", u->index, u->sum[0], e->index, e->sum[0]);
  } else {
    pop(&t->update_ring, 4);
  }
  return same;
}

static bool is_response_right(const traffic_t *t, const combination_unit_out_t *out,
                              char error[HarnessErrorSize]) {
  if (!out->response_valid) {
    return true;
  }
  const pending_t *q = &t->requests[t->request_ring.head];
  atfim_response_t expected = {.id = q->request.id, .epoch = q->request.epoch,
                               .mask = q->request.mask, .failed = q->failed,
                               .refused = q->request.refused};
  memcpy(expected.texel, q->texel, sizeof q->texel);
  uint32_t words[AtfimResponseWords];
  atfim_response_pack(&expected, words);
  bool same = t->open > 0 && memcmp(words, out->response, sizeof words) == 0;
  if (!same) {
    snprintf(error, HarnessErrorSize, "combination_unit: response %08x %08x %08x, expected %08x "
             "%08x %08x, or it is not due", out->response[0], out->response[1], out->response[2],
             words[0], words[1], words[2]);
  }
  return same;
}

bool stimulus_combination_unit(const stimulus_t *s, harness_t *harness,
                               char error[HarnessErrorSize]) {
  static const combination_unit_params_t sets[] = {
      {64, true, 64, 10, true}, {64, false, 64, 48, true}, {32, true, 4, 48, true},
      {16, false, 2, 48, false}};
  _Static_assert(sizeof sets / sizeof *sets == CombinationUnitSets, "stimulus.h has their number");
  static traffic_t t;
  memset(&t, 0, sizeof t);
  rng_seed(&t.rng, s->seed);
  rng_t *r = &t.rng;
  static const uint32_t numbers[] = {0, 1, 2, 3};
  uint32_t set = stimulus_choose(s, r, "params", numbers, 4);
  t.p = sets[s->busy ? 0 : set];
  combination_unit_t unit;
  if (!harness_combination_unit(harness, &t.p, &unit, error)) {
    return false;
  }
  stimulus_draw(s, r, CombinationUnitChoices, &t);
  t.runs_of_line = t.runs_of_line < 1 ? 1 : t.runs_of_line > 8 ? 8 : t.runs_of_line;
  t.epoch = (uint8_t)rng_u64(r);
  combination_unit_in_t in;
  combination_unit_out_t out;
  memset(&in, 0, sizeof in);
  memset(&out, 0, sizeof out);
  unit.reset(unit.self, &out);
  for (uint64_t c = 0; c < s->cycles; c++, (*s->clock)++) {
    inputs(&t, &in);
    follow(&t, &in, &out);
    if (unit.step(unit.self, &in, &out) != UnitOk || !is_update_right(&t, &out, error) ||
        !is_response_right(&t, &out, error)) {
      return false;
    }
    if (t.update_ring.count > 2 || (t.error_rate == 0 && out.error)) {
      snprintf(error, HarnessErrorSize, "combination_unit: an update is late, or error %u without "
               "a fault", out.error);
      return false;
    }
    if (!s->busy && rng_below(r, 4000) == 0) {
      unit.reset(unit.self, &out);
      t.line_ring = t.run_ring = t.update_ring = t.request_ring = t.parent_ring = (ring_t){0, 0};
      t.open = 0;
      t.epoch++;
    }
  }
  return true;
}
