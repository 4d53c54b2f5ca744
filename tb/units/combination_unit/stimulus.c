// SPDX-License-Identifier: Apache-2.0
// Plays what lies around the combination unit: the switch, which brings lines, the consolidation,
// which answers takes with runs, the texel generator with its requests, the parent texel buffer
// with complete rows, and the link. Now and then a fault. Every update, response and free slot is
// compared with what was given.
#include <string.h>

#include "csim/units/atfim/package.h"
#include "tb/stimulus/corners.h"
#include "tb/stimulus/stimulus.h"

enum { MaxSlots = 64, Lines = 8, Runs = 64, Responses = 8 };  // powers of two

typedef struct {
  uint32_t head, count;
} ring_t;

typedef struct {
  bool failed;
  uint32_t data[AtfimParents];
} line_t;

typedef struct {
  bool open;
  texel_generator_request_t request;
} package_t;

typedef struct {
  rng_t rng;
  combination_unit_params_t p;
  uint32_t data_rate, take_rate, run_rate, request_rate, row_rate, response_rate;
  uint32_t error_rate, fail_rate, runs_of_line;
  uint8_t epoch;
  bool row_held, request_held;
  ring_t line_ring, run_ring, update_ring, row_ring, refused_ring;
  line_t lines[Lines];                      // accepted, their last run not yet
  child_consolidation_run_t runs[Runs];     // that the consolidation has ready
  parent_texel_buffer_update_t updates[4];  // expected
  package_t packages[MaxSlots];
  atfim_response_t rows[Responses];     // expected, of rows
  atfim_response_t refused[Responses];  // expected, of refused packages
  bool free_due;
  uint8_t free_slot;
} traffic_t;

static const stimulus_choice_t Choices[] = {
    STIMULUS_CHOICE(data_rate, "data", "steps in which a line comes from memory", 1000, 1000, 900,
                    500, 100),
    STIMULUS_CHOICE(take_rate, "take", "steps in which the taking of a line is accepted", 1000,
                    1000, 900, 500, 100),
    STIMULUS_CHOICE(run_rate, "run", "steps in which a run comes", 1000, 1000, 900, 500, 100),
    STIMULUS_CHOICE(request_rate, "request", "steps in which a request comes", 1000, 1000, 900, 500,
                    100),
    STIMULUS_CHOICE(row_rate, "row", "steps in which a row is complete", 1000, 1000, 900, 500, 100),
    STIMULUS_CHOICE(response_rate, "response", "steps in which a response is taken", 1000, 1000,
                    900, 500, 100),
    STIMULUS_CHOICE(error_rate, "errors", "faults in what comes", 0, 0, 0, 0, 5, 5),
    STIMULUS_CHOICE(fail_rate, "fails", "reads that fail", 0, 10, 100),
    STIMULUS_CHOICE(runs_of_line, "runs", "runs of a line, at most, 1 to 8", 1, 1, 2, 3, 4, 5, 6, 7,
                    8),
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
  for (uint32_t w = 0; w < AtfimParents; w++) {
    in->data.data[w] = any_texel(r);
  }
}

// The first `count` parents in an order drawn anew.
static void shuffle(rng_t *r, uint8_t parent[AtfimParents], uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t at = rng_below(r, i + 1);
    parent[i] = parent[at];
    parent[at] = (uint8_t)i;
  }
}

// Texels and parents of a run, of a column never two to one parent: the columns share parents in
// all ways, or none.
static void make_map(traffic_t *t, child_consolidation_run_t *run) {
  rng_t *r = &t->rng;
  run->along_y = rng_below(r, 2);
  run->texel = (uint16_t)(rng_chance(r, 500) ? 0xffff : rng_chance(r, 100) ? 0 : rng_u64(r));
  const uint32_t few = rng_chance(r, 300) ? 4 : 16;  // parents in all
  const bool apart = few == 16 && rng_chance(r, 200);
  uint8_t parent[AtfimParents] = {0};
  shuffle(r, parent, few);
  for (uint32_t column = 0; column < 4; column++) {
    if (!apart) {
      shuffle(r, parent, few);
    }
    for (uint32_t i = 0; i < 4; i++) {
      run->parent[run->along_y ? 4 * column + i : 4 * i + column] =
          parent[apart ? 4 * column + i : i];
    }
  }
  if (rng_chance(r, t->error_rate)) {
    for (uint32_t i = 0; i < AtfimParents; i++) {
      run->parent[i] = (uint8_t)rng_below(r, 16);
    }
  }
}

// The runs of a line that was taken.
static void make_runs(traffic_t *t) {
  rng_t *r = &t->rng;
  const uint32_t n = 1 + rng_below(r, t->runs_of_line);
  const bool is_void = rng_chance(r, t->fail_rate);
  for (uint32_t i = 0; i < n; i++) {
    child_consolidation_run_t *run = &t->runs[push_at(&t->run_ring, Runs)];
    memset(run, 0, sizeof *run);
    run->last = i == n - 1;
    run->is_void = is_void;
    run->slot = (uint8_t)rng_below(r, MaxSlots);
    make_map(t, run);
    if (is_void) {
      run->last = !rng_chance(r, t->error_rate);
      return;
    }
  }
}

// A slot that is open or not, searched from a random one; or MaxSlots.
static uint32_t find(traffic_t *t, bool open) {
  const uint32_t first = rng_below(&t->rng, t->p.slots);
  for (uint32_t n = 0; n < t->p.slots; n++) {
    const uint32_t slot = (first + n) % t->p.slots;
    if (t->packages[slot].open == open) {
      return slot;
    }
  }
  return MaxSlots;
}

static void make_request(traffic_t *t, combination_unit_in_t *in) {
  rng_t *r = &t->rng;
  const uint32_t slot = find(t, false);
  const bool refused = rng_chance(r, t->fail_rate), wrong = rng_chance(r, t->error_rate);
  in->request_valid = wrong || (rng_chance(r, t->request_rate) && (refused || slot < MaxSlots));
  in->request = (texel_generator_request_t){
      .slot = (uint8_t)(wrong ? rng_below(r, MaxSlots) : slot % MaxSlots),
      .id = (uint16_t)rng_below(r, 2048),
      .epoch = t->epoch,
      .mask = (uint16_t)(rng_chance(r, 500) ? 0xffff : rng_u64(r)),
      .extent = (uint8_t)(wrong ? rng_below(r, 8) : 1 + rng_below(r, 4)),
      .refused = refused};
}

static void make_row(traffic_t *t, combination_unit_in_t *in) {
  rng_t *r = &t->rng;
  uint32_t slot = find(t, true);
  const bool wrong = rng_chance(r, t->error_rate);
  in->row_valid = wrong || (slot < MaxSlots && rng_chance(r, t->row_rate));
  slot = wrong || slot == MaxSlots ? rng_below(r, MaxSlots) : slot;
  in->row.slot = (uint8_t)slot;
  in->row.failed = rng_chance(r, t->fail_rate) ? (uint16_t)rng_u64(r) : 0;
  const uint32_t most = wrong ? 4095 : 255u << (t->packages[slot].request.extent % 5);
  const bool full = rng_chance(r, 100);
  for (uint32_t v = 0; v < 4 * AtfimParents; v++) {
    in->row.value[v] = (uint16_t)(full || rng_chance(r, 50) ? most : rng_below(r, most + 1));
  }
}

static void inputs(traffic_t *t, combination_unit_in_t *in) {
  rng_t *r = &t->rng;
  in->epoch = t->epoch;
  make_data(t, in);
  if (!t->request_held) {
    make_request(t, in);
  }
  if (!t->row_held) {
    make_row(t, in);
  }
  in->take_ready = rng_chance(r, t->take_rate);
  in->run_valid = t->run_ring.count > 0 && rng_chance(r, t->run_rate);
  if (in->run_valid) {
    in->run = t->runs[t->run_ring.head];
  }
  in->response_ready = rng_chance(r, t->response_rate);
  in->peek_valid = rng_chance(r, 100);
  in->peek_index = (uint8_t)(rng_chance(r, 900) ? rng_below(r, 9) : rng_u64(r));
}

// The update that a run must become, channel by channel, from the words of the contract.
static void expect_update(traffic_t *t, const child_consolidation_run_t *run) {
  const line_t *line = &t->lines[t->line_ring.head];
  if (!run->is_void) {
    parent_texel_buffer_update_t *u = &t->updates[push_at(&t->update_ring, 4)];
    *u = (parent_texel_buffer_update_t){.slot = run->slot};
    uint32_t takes[AtfimParents][4] = {{0}};  // texels of each column that a parent takes
    bool bad = false;
    for (uint32_t i = 0; i < AtfimParents; i++) {
      if (run->texel >> i & 1) {
        const uint32_t parent = run->parent[i];
        bad |= ++takes[parent][run->along_y ? i / 4 : i % 4] > 1;
        u->add |= (uint16_t)(1u << parent);
        for (uint32_t c = 0; c < 4; c++) {
          u->sum[4 * parent + c] += (uint16_t)(line->data[i] >> (8 * c) & 255);
        }
      }
    }
    if (bad || line->failed) {
      u->failed = u->add;
      memset(u->sum, 0, sizeof u->sum);
    }
  }
  if (run->is_void || run->last) {
    pop(&t->line_ring, Lines);
  }
}

static void expect_response(traffic_t *t, const parent_texel_buffer_row_t *row) {
  package_t *p = &t->packages[row->slot];
  atfim_response_t *e = &t->rows[push_at(&t->row_ring, Responses)];
  *e = (atfim_response_t){
      .id = p->request.id, .epoch = p->request.epoch, .failed = row->failed & p->request.mask};
  const uint32_t n = 1u << p->request.extent;
  for (uint32_t i = 0; i < AtfimParents; i++) {
    for (uint32_t c = 0; c < 4 && (p->request.mask & ~row->failed) >> i & 1; c++) {
      e->texel[i] |= (row->value[4 * i + c] + n / 2) / n % 256 << (8 * c);
    }
  }
}

static void take_request(traffic_t *t, const texel_generator_request_t *q) {
  if (q->refused) {
    t->refused[push_at(&t->refused_ring, Responses)] =
        (atfim_response_t){.id = q->id, .epoch = q->epoch, .refused = true};
  } else if (q->slot < t->p.slots && !t->packages[q->slot].open && q->extent >= 1 &&
             q->extent <= 4) {
    t->packages[q->slot] = (package_t){true, *q};
  }
}

// Follows a cycle in the stimulus' own state, from the state before it.
static void follow(traffic_t *t, const combination_unit_in_t *in,
                   const combination_unit_out_t *out) {
  if (out->response_valid && in->response_ready) {
    atfim_response_t response;
    atfim_response_unpack(out->response, &response);
    pop(response.refused ? &t->refused_ring : &t->row_ring, Responses);
  }
  const bool row = in->row_valid && out->row_ready;
  t->row_held = in->row_valid && !out->row_ready;
  t->request_held = in->request_valid && !out->request_ready;
  const bool answers = row && in->row.slot < t->p.slots && t->packages[in->row.slot].open;
  if (in->request_valid && out->request_ready) {
    take_request(t, &in->request);
  }
  t->free_due = answers;
  t->free_slot = answers ? in->row.slot : 0;
  if (answers) {
    expect_response(t, &in->row);
    t->packages[in->row.slot].open = false;
  }
  if (in->run_valid && out->run_ready) {
    expect_update(t, &in->run);
    pop(&t->run_ring, Runs);
  }
  if (out->take_valid && in->take_ready) {
    make_runs(t);
  }
  if (in->data_valid && out->data_ready && in->data.epoch == in->epoch) {
    line_t *line = &t->lines[push_at(&t->line_ring, Lines)];
    line->failed = in->data.failed;
    memcpy(line->data, in->data.data, sizeof line->data);
  }
}

static bool is_update_right(traffic_t *t, const combination_unit_out_t *out) {
  if (!out->update_valid) {
    return t->update_ring.count < 2;
  }
  const parent_texel_buffer_update_t *u = &t->updates[t->update_ring.head], *is = &out->update;
  const bool same = t->update_ring.count > 0 && is->slot == u->slot && is->add == u->add &&
                    is->failed == u->failed && memcmp(is->sum, u->sum, sizeof u->sum) == 0;
  if (same) {
    pop(&t->update_ring, 4);
  }
  return same;
}

static bool is_response_right(const traffic_t *t, const combination_unit_out_t *out) {
  if (!out->response_valid) {
    return t->row_ring.count == 0;  // that of a refused package may be on its way
  }
  uint32_t words[AtfimResponseWords];
  const bool refused = out->response[1] >> 16 & 1;
  const ring_t *ring = refused ? &t->refused_ring : &t->row_ring;
  atfim_response_pack(refused ? &t->refused[ring->head] : &t->rows[ring->head], words);
  return ring->count > 0 && memcmp(words, out->response, sizeof words) == 0;
}

static bool is_right(traffic_t *t, const combination_unit_out_t *out, err_t *err) {
  const char *wrong = !is_update_right(t, out)     ? "an update"
                      : !is_response_right(t, out) ? "a response"
                      : out->free_valid != t->free_due || out->free_slot != t->free_slot
                          ? "a free slot"
                      : t->error_rate == 0 && out->error ? "an error without a fault"
                                                         : NULL;
  return !wrong || corners_acted() ||
         err_set(err, ErrInput, "combination_unit: %s is not what was given", wrong);
}

static void forget(traffic_t *t) {
  t->line_ring = t->run_ring = t->update_ring = t->row_ring = t->refused_ring = (ring_t){0, 0};
  memset(t->packages, 0, sizeof t->packages);
  t->row_held = t->request_held = t->free_due = false;
  t->free_slot = 0;
  t->epoch++;
}

static bool drive(const stimulus_t *s, harness_t *harness, err_t *err) {
  static traffic_t t;
  memset(&t, 0, sizeof t);
  stimulus_seed(s, &t.rng);
  rng_t *r = &t.rng;
  stimulus_params(s, &combination_unit_info, r, &t.p);
  combination_unit_t unit;
  if (!stimulus_unit(s, harness, &combination_unit_info, &t.p, 0, &unit, err)) {
    return false;
  }
  stimulus_draw(s, r, Choices, &t);
  t.runs_of_line = t.runs_of_line < 1 ? 1 : t.runs_of_line > 8 ? 8 : t.runs_of_line;
  t.epoch = (uint8_t)rng_u64(r);
  static combination_unit_in_t in;
  static combination_unit_out_t out;
  memset(&in, 0, sizeof in);
  memset(&out, 0, sizeof out);
  unit.reset(unit.self, &out);
  for (uint64_t c = 0; c < s->cycles; c++, (*s->clock)++) {
    inputs(&t, &in);
    follow(&t, &in, &out);
    if (unit.step(unit.self, &in, &out) != UnitOk || !is_right(&t, &out, err)) {
      return false;
    }
    if (!s->busy && rng_below(r, 4000) == 0) {
      unit.reset(unit.self, &out);
      forget(&t);
    }
  }
  return true;
}

const stimulus_unit_t combination_unit_stimulus = {drive, Choices};
