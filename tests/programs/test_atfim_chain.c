// SPDX-License-Identifier: Apache-2.0
// The offloading unit and the layers of a cube together, on textures of any content: every line of
// 16 parents comes back once and equals virtual_texture_line() to the bit, whatever the links and
// the memory hold back, reorder and fail, and in whatever cycle the cube is reset; a parent is
// marked as failed exactly if a child of it lies in a line whose read fails. Of the machine nothing
// is used.
//   test_atfim_chain [N]    N times the random runs
#include "tests/programs/atfim_chain.h"

// Cases that the answers have met.
typedef struct {
  uint32_t answered, failed, failed_parents, refused, restarts, partial, one_texel, furthest;
  bool met[2][4][2][5][3][3];  // reading, k, axis, q, wrap modes
} tally_t;

// The units of a test's harness.
static struct {
  uint32_t units, cubes;
  const offload_unit_params_t *p[MaxMade];
  const atfim_params_t *cube_params[MaxMade];
  offload_unit_t unit[MaxMade];
  atfim_t layer[MaxMade][MaxLayers];
} made;

static run_t run;
static tally_t tally;
static uint32_t times = 1;  // the program's argument

static void count_answer(const run_t *r, const atfim_package_t *p, const atfim_response_t *due,
                         uint16_t mask) {
  tally.answered++;
  tally.refused += due->refused;
  if (due->refused) {
    return;
  }
  const virtual_texture_t v = virtual_of(r, p);
  const virtual_range_t range = virtual_texture_range(&v);
  tally.failed += due->failed != 0;
  tally.failed_parents += (uint32_t)__builtin_popcount(due->failed);
  tally.partial += mask != 0xffff;
  tally.one_texel += v.width * v.height == 1;
  tally.furthest += range.a1 > 4000 || range.b1 > 8000;
  tally.met[v.reading][v.k - 1][v.along_y][v.q + 2][v.wrap_x][v.wrap_y] = true;
}

static void check_answer(run_t *r, uint32_t u, uint32_t s) {
  uint32_t words[AtfimPackageWords] = {0};
  atfim_package_t p;
  atfim_response_t due;
  assert_true(r->owed[u][s]);
  memcpy(&words[1], r->request[u][s], sizeof r->request[u][s]);
  atfim_package_unpack(words, &p);
  const uint16_t mask = due_of(r, &p, &due);
  const bool is_right = r->out.answer_refused == due.refused &&
                        r->out.answer_failed == due.failed &&
                        memcmp(r->out.answer_texel, due.texel, sizeof due.texel) == 0;
  if (!is_right) {
    uint32_t n = 0;
    for (; n < AtfimParents - 1 && r->out.answer_texel[n] == due.texel[n]; n++) {
    }
    fail_msg(
        "refused %u, failed 0x%04x, parent %u 0x%08x; the formulas say %u, 0x%04x, 0x%08x: "
        "descriptor %u, level %u, reading %u, k %u, along y %u, q %d, tile (%u, %u)",
        r->out.answer_refused, r->out.answer_failed, n, r->out.answer_texel[n], due.refused,
        due.failed, due.texel[n], p.descriptor, p.level, p.reading, p.extent, p.along_y, p.slope,
        p.tile_x, p.tile_y);
  }
  r->owed[u][s] = false;
  r->answered++;
  count_answer(r, &p, &due, mask);
}

static void texture_units(run_t *r) {
  r->in.request_valid = r->held;
  r->in.answer_ready = 0;
  for (uint32_t u = 0; u < r->p->units; u++) {
    uint64_t bit = UINT64_C(1) << u;
    if (!(r->held & bit) && rng_chance(&r->rng, r->rate.request) &&
        (!r->next || r->next_count > 0)) {
      r->in.request_valid |= bit;
      make_request(r, r->in.request[u]);
    }
    if (rng_chance(&r->rng, r->rate.answer)) {
      r->in.answer_ready |= bit;
    }
  }
  r->held = r->in.request_valid & ~r->out.request_ready;
  uint64_t given = r->out.answer_valid & r->in.answer_ready;
  if (given) {
    check_answer(r, (uint32_t)__builtin_ctzll(given), r->out.answer_slot);
  }
  for (uint64_t rest = r->in.request_valid & r->out.request_ready; rest; rest &= rest - 1) {
    uint32_t u = (uint32_t)__builtin_ctzll(rest), s = r->out.request_slot[u];
    assert_false(r->owed[u][s]);
    r->owed[u][s] = true;
    memcpy(r->request[u][s], r->in.request[u], sizeof r->request[u][s]);
    r->asked++;
  }
}

// ---- Links: any message may overtake any other ----

static void put(message_t *queue, uint32_t *count, const uint32_t *words, uint32_t n) {
  assert_true(*count < MaxUnderWay);
  memcpy(queue[(*count)++].words, words, n * sizeof *words);
}

static void take(rng_t *rng, message_t *queue, uint32_t *count, uint32_t *words, uint32_t n) {
  uint32_t i = rng_below(rng, *count);
  memcpy(words, queue[i].words, n * sizeof *words);
  queue[i] = queue[--*count];
}

static void links(run_t *r) {
  rng_t *g = &r->rng;
  r->in.package_ready = rng_chance(g, r->rate.package);
  if (r->out.package_valid && r->in.package_ready) {
    put(r->down, &r->down_count, r->out.package, AtfimPackageWords);
  }
  if (!r->response_held) {
    r->in.response_valid = r->up_count > 0 && rng_chance(g, r->rate.response);
    if (r->in.response_valid) {
      take(g, r->up, &r->up_count, r->in.response, AtfimResponseWords);
    }
  }
  r->response_held = r->in.response_valid && !r->out.response_ready;
}

// ---- The cube and its memory ----

// All layers at once. Of the reads some come back late, with the epoch in which they were made.
static void reset_cube(run_t *r) {
  for (uint32_t l = 0; l < r->layers; l++) {
    layer_t *a = &r->layer[l];
    a->unit.reset(a->unit.self, &a->out);
    memset(&a->in, 0, sizeof a->in);
    a->data_held = false;
  }
  r->setup = Descriptors - Absent;
  r->turn = 0;
  for (uint32_t i = r->read_count; i-- > 0;) {
    if (rng_chance(&r->rng, 500)) {
      r->read[i] = r->read[--r->read_count];
    }
  }
}

// A package to the next layer in turn that has room; false: none has.
static void deal(run_t *r) {
  for (uint32_t l = 0; l < r->layers; l++) {
    r->layer[l].in.package_valid = false;
  }
  if (r->down_count == 0 || !rng_chance(&r->rng, r->rate.package)) {
    return;
  }
  for (uint32_t i = 0; i < r->layers; i++) {
    layer_t *a = &r->layer[(r->turn + i) % r->layers];
    if (a->out.package_ready) {
      take(&r->rng, r->down, &r->down_count, a->in.package, AtfimPackageWords);
      a->in.package_valid = true;
      r->turn = (r->turn + i + 1) % r->layers;
      return;
    }
  }
}

static void layer_data(run_t *r, uint32_t l) {
  layer_t *a = &r->layer[l];
  if (a->data_held) {
    return;
  }
  a->in.child_data_valid = false;
  if (r->read_count == 0 || !rng_chance(&r->rng, r->rate.data)) {
    return;
  }
  uint32_t from = rng_below(&r->rng, r->read_count);
  for (uint32_t n = 0; n < r->read_count; n++) {
    uint32_t i = (from + n) % r->read_count;
    read_t read = r->read[i];
    if (read.layer == l) {
      r->read[i] = r->read[--r->read_count];
      a->in.child_data_valid = true;
      a->in.child_data.tag = read.tag;
      a->in.child_data.epoch = read.epoch;
      a->in.child_data.failed = line_fails(r, read.line);
      memcpy(a->in.child_data.data, line_at(r, read.line), LineBytes);
      return;
    }
  }
}

static void layer_cycle(run_t *r, uint32_t l, uint8_t epoch) {
  layer_t *a = &r->layer[l];
  a->in.epoch = epoch;
  a->in.cycle = r->cycles;
  a->in.descriptor_valid = r->setup > 0;
  if (r->setup > 0) {
    a->in.descriptor = r->descriptor[r->setup - 1];
  }
  layer_data(r, l);
  a->in.child_read_ready = rng_chance(&r->rng, r->rate.read) && r->read_count < MaxUnderWay;
  a->in.response_ready = rng_chance(&r->rng, r->rate.response);
  a->data_held = a->in.child_data_valid && !a->out.child_data_ready;
  if (a->out.response_valid && a->in.response_ready) {
    put(r->up, &r->up_count, a->out.response, AtfimResponseWords);
  }
  if (a->out.child_read_valid && a->in.child_read_ready) {
    r->read[r->read_count++] = (read_t){l, a->out.child_read.tag, epoch, a->out.child_read.line};
  }
  assert_int_equal(a->unit.step(a->unit.self, &a->in, &a->out), UnitOk);
  assert_int_equal(a->out.error >> 4, 0);
  assert_true((a->out.error & 15) <= (r->rate.refused ? TexelGeneratorErrorPackage : 0u));
}

static void restart(run_t *r) {
  r->restarts++;
  tally.restarts++;
  r->off = 1 + rng_below(&r->rng, rng_chance(&r->rng, 500) ? 3 : 60);
  reset_cube(r);
}

static void cycle(run_t *r) {
  uint8_t epoch = (uint8_t)r->restarts;
  r->in.reissue_valid = false;
  texture_units(r);
  links(r);
  if (r->restarts < MaxRestarts && rng_chance(&r->rng, r->rate.restart)) {
    restart(r);  // also one that is not yet set up after the last
  } else if (r->off > 0) {
    // In reset. The link loses what it hands over.
    uint32_t lost[AtfimPackageWords];
    if (r->down_count > 0) {
      take(&r->rng, r->down, &r->down_count, lost, AtfimPackageWords);
    }
    r->off--;
  } else {
    deal(r);
    for (uint32_t l = 0; l < r->layers; l++) {
      layer_cycle(r, l, epoch);
    }
    // The host lets the requests be sent anew when the descriptors are written.
    if (r->setup > 0 && --r->setup == 0 && epoch > 0) {
      r->in.reissue_valid = true;
      r->in.reissue_epoch = epoch;
    }
  }
  r->cycles++;
  assert_int_equal(r->unit.step(r->unit.self, &r->in, &r->out), UnitOk);
  assert_int_equal(r->out.error, OffloadUnitErrorNone);
}

// Units serve later runs of a test, too: reset is all that a run needs.
static void make_units(run_t *r) {
  err_auto_t err = {0};
  uint32_t u = 0, c = 0;
  while (u < made.units && made.p[u] != r->p) {
    u++;
  }
  while (c < made.cubes && made.cube_params[c] != r->cube_params) {
    c++;
  }
  assert_true(u < MaxMade && c < MaxMade);
  if (u == made.units) {
    made.p[made.units++] = r->p;
    if (!harness_offload_unit_at(engine, r->p, u, &made.unit[u], &err)) {
      fail_msg("%s", err_text(&err));
    }
  }
  for (uint32_t l = 0; l < MaxLayers && c == made.cubes; l++) {
    if (!harness_atfim_at(engine, r->cube_params, MaxLayers * c + l, &made.layer[c][l], &err)) {
      fail_msg("%s", err_text(&err));
    }
  }
  if (c == made.cubes) {
    made.cube_params[made.cubes++] = r->cube_params;
  }
  r->unit = made.unit[u];
  for (uint32_t l = 0; l < r->layers; l++) {
    r->layer[l].unit = made.layer[c][l];
  }
}

static void begin(run_t *r, uint64_t seed, const offload_unit_params_t *p, const atfim_params_t *c,
                  uint32_t layers, rates_t rate) {
  textures_free(r);
  memset(r, 0, sizeof *r);
  rng_seed(&r->rng, seed);
  r->seed = seed;
  r->p = p;
  r->cube_params = c;
  r->layers = layers;
  textures_make(r);
  make_units(r);
  r->unit.reset(r->unit.self, &r->out);
  reset_cube(r);
  while (r->setup > 0) {  // nobody asks before the descriptors are written
    cycle(r);
  }
  r->rate = rate;
}

static bool at_rest(const run_t *r) {
  bool rest = r->answered == r->asked && r->held == 0 && r->next_count == 0 && r->out.quiescent;
  for (uint32_t l = 0; l < r->layers; l++) {
    rest = rest && r->layer[l].out.quiescent;
  }
  return rest && r->down_count + r->up_count + r->read_count == 0;
}

// Answers of a layer's combination, to rows or of refused packages.
static uint64_t responses_of(run_t *r, layer_t *a, combination_unit_counter_e index) {
  a->in.peek_valid = true;
  a->in.peek_unit = AtfimPeekUnitCombination;
  a->in.peek_index = (uint16_t)index;
  cycle(r);
  a->in.peek_valid = false;
  return a->out.peek_data;
}

static uint64_t counter(run_t *r, offload_unit_counter_e index) {
  r->in.peek_valid = true;
  r->in.peek_index = (uint8_t)index;
  cycle(r);
  r->in.peek_valid = false;
  return r->out.peek_data;
}

// None lost, none doubled: every request has one answer, and if the cube was never reset, one
// package and one response in all the layers.
static void check_counters(run_t *r) {
  assert_int_equal(r->answered, r->asked);
  assert_int_equal(counter(r, OffloadUnitCounterRequests), r->asked);
  assert_int_equal(counter(r, OffloadUnitCounterResponses), r->asked);
  if (r->restarts == 0) {
    uint64_t responses = 0;
    for (uint32_t l = 0; l < r->layers; l++) {
      responses += responses_of(r, &r->layer[l], CombinationUnitCounterResponses);
      responses += responses_of(r, &r->layer[l], CombinationUnitCounterRefused);
    }
    assert_int_equal(responses, r->asked);
    assert_int_equal(counter(r, OffloadUnitCounterPackages), r->asked);
    assert_int_equal(counter(r, OffloadUnitCounterDropped), 0);
  }
}

// Nobody asks any more, nothing is held back and nothing reset: all answers come, and no more.
static void drain(run_t *r) {
  r->rate = (rates_t){.request = r->next ? 1000 : 0,
                      .package = 1000,
                      .read = 1000,
                      .data = 1000,
                      .response = 1000,
                      .answer = 1000,
                      .fails = r->rate.fails,
                      .refused = r->rate.refused};
  // A package has 160 beats at most.
  uint32_t most = 4000 + 200 * (r->p->units * r->p->slots + r->next_count);
  for (uint32_t c = 0; c < most && !at_rest(r); c++) {
    cycle(r);
  }
  assert_true(at_rest(r));
  for (uint32_t c = 0; c < 200; c++) {  // and none comes late
    cycle(r);
  }
  assert_true(at_rest(r));
  check_counters(r);
}

static const offload_unit_params_t Wide = {16, 16, 4, 48, true}, One = {1, 1, 2, 48, true},
                                   Five = {5, 4, 2, 48, true}, Two = {2, 2, 4, 48, true};
// Small enough that every buffer of the cube fills; then the paper's sizes.
static const atfim_params_t Small = {16, 2, 16, 1, 1, true, 48, true};
static const atfim_params_t Medium = {64, 4, 32, 2, 2, false, 48, true};
static const atfim_params_t Paper = {1024, 16, 256, 6, 4, true, 48, true};

ENGINE_TEST(test_random) {
  memset(&made, 0, sizeof made);
  static const uint32_t some[] = {1000, 900, 300, 60}, few[] = {0, 1, 4, 15};
  static const offload_unit_params_t *const sets[] = {&Wide, &One, &Five, &Two};
  static const atfim_params_t *const cubes[] = {&Small, &Medium, &Paper};
  for (uint64_t seed = 1; seed <= 48 * (uint64_t)times; seed++) {
    rng_t c;
    rng_seed(&c, seed << 32);
    rates_t rate = {.request = some[rng_below(&c, 4)],
                    .package = some[rng_below(&c, 4)],
                    .read = some[rng_below(&c, 4)],
                    .data = some[rng_below(&c, 4)],
                    .response = some[rng_below(&c, 4)],
                    .answer = some[rng_below(&c, 4)],
                    .restart = few[rng_below(&c, 4)],
                    .fails = 5 * few[rng_below(&c, 4)],
                    .refused = 20 * few[rng_below(&c, 4)]};
    begin(&run, seed, sets[seed % 4], cubes[seed % 3], 1 + rng_below(&c, MaxLayers), rate);
    for (uint32_t i = 0; i < 10000; i++) {
      cycle(&run);
    }
    drain(&run);
  }
}

// Every reading, extent, axis, slope and pair of wrap modes, on tiles at the corners of the range,
// while the memory answers in any order.
ENGINE_TEST(test_every_virtual_texture) {
  memset(&made, 0, sizeof made);
  enum { Corners = 4, Kinds = 2 * 4 * 2 * 5 };
  static atfim_package_t ask[9 * Kinds * Corners];
  for (uint32_t seed = 0; seed < 2 * times; seed++) {
    begin(&run, 500 + seed, &Wide, &Paper, 2,
          (rates_t){.request = 1000,
                    .package = 1000,
                    .read = 1000,
                    .data = 700,
                    .response = 1000,
                    .answer = 1000,
                    .fails = 5});
    // Nine descriptors, of a texture of several tiles and no power of two, of all wrap modes.
    run.restarts++;
    reset_cube(&run);
    textures_free(&run);
    texture_make(&run.texture[1], &run.rng, 37 + rng_below(&run.rng, 9),
                 18 + rng_below(&run.rng, 9));
    for (uint32_t i = 0; i < 9; i++) {
      run.texture_of[i] = 1;
      run.descriptor[i] = (texel_generator_descriptor_t){.index = (uint16_t)i,
                                                         .base = run.texture[1].base,
                                                         .width = (uint16_t)run.texture[1].width,
                                                         .height = (uint16_t)run.texture[1].height,
                                                         .wrap_x = (uint8_t)(i / 3),
                                                         .wrap_y = (uint8_t)(i % 3)};
    }
    for (uint32_t i = 0; i < 9 * Kinds * Corners; i++) {
      uint32_t kind = i / 9 % Kinds, corner = i / 9 / Kinds;
      atfim_package_t p = {.descriptor = (uint16_t)(i % 9),
                           .reading = (uint8_t)(kind & 1),
                           .extent = (uint8_t)(1 + (kind >> 1 & 3)),
                           .along_y = kind >> 3 & 1,
                           .slope = (int8_t)((int)(kind >> 4) - 2)};
      virtual_texture_t v = virtual_of(&run, &p);
      virtual_range_t range = virtual_texture_range(&v);
      uint32_t tile_x, tile_y, place;
      virtual_texture_tile(&v, corner & 1 ? range.a1 : range.a0, corner & 2 ? range.b1 : range.b0,
                           &tile_x, &tile_y, &place);
      p.tile_x = (uint16_t)tile_x;
      p.tile_y = (uint16_t)tile_y;
      ask[i] = p;
    }
    run.next = ask;
    run.next_count = 9 * Kinds * Corners;
    drain(&run);
    assert_int_equal(run.asked, 9 * Kinds * Corners);
  }
}

// Each cycle of an exchange in turn is the one in which the cube is reset.
ENGINE_TEST(test_reset_anywhere) {
  memset(&made, 0, sizeof made);
  for (uint32_t at = 1; at < 90; at++) {
    begin(&run, 1000 + at, &Two, &Small, 1 + at % 2,
          (rates_t){.request = 1000,
                    .package = 1000,
                    .read = 900,
                    .data = 600,
                    .response = 900,
                    .answer = 900,
                    .fails = 10});
    for (uint32_t c = 0; c < 160; c++) {
      if (c == at) {
        restart(&run);
      }
      run.rate.request = c < 100 ? 1000 : 0;
      cycle(&run);
    }
    drain(&run);
    assert_int_equal(run.restarts, 1);
    assert_true(run.answered >= 4);
  }
}

// Nobody takes an answer until every queue between the units and the memory is full.
ENGINE_TEST(test_full) {
  memset(&made, 0, sizeof made);
  for (uint32_t i = 0; i < 2; i++) {
    begin(&run, 2000 + i, &Wide, i ? &Medium : &Small, 2,
          (rates_t){.request = 1000, .package = 1000, .read = 1000, .data = 1000});
    for (uint32_t c = 0; c < 3000; c++) {
      cycle(&run);
    }
    assert_int_equal(run.out.request_ready, 0);
    for (uint32_t l = 0; l < 2; l++) {
      assert_false(run.layer[l].out.package_ready);
      assert_true(run.layer[l].out.quiescent);
    }
    assert_int_equal(run.read_count, 0);  // data are taken all the same
    assert_int_equal(run.answered, 0);
    run.rate.response = 1000;
    for (uint32_t c = 0; c < 1000; c++) {
      cycle(&run);
    }
    assert_false(run.out.response_ready);
    restart(&run);
    drain(&run);
    assert_true(run.answered >= 256);
  }
}

// The runs above have met what they are for.
ENGINE_TEST(test_tally) {
  uint32_t met = 0, kinds = sizeof tally.met;
  for (uint32_t i = 0; i < kinds; met += ((const bool *)tally.met)[i++]) {
  }
  print_message(
      "%u answered, %u refused, %u with failed parents (%u), %u at the edge of a range, "
      "%u of one texel, %u of long sides; %u restarts; %u of %u virtual textures\n",
      tally.answered, tally.refused, tally.failed, tally.failed_parents, tally.partial,
      tally.one_texel, tally.furthest, tally.restarts, met, kinds);
  assert_int_equal(met, kinds);
  assert_true(tally.answered > 20000 && tally.refused > 1000 && tally.failed > 1000);
  assert_true(tally.failed_parents > tally.failed && tally.failed_parents < 16 * tally.failed);
  assert_true(tally.partial > 10000 && tally.one_texel > 1000 && tally.furthest > 300);
  assert_true(tally.restarts > 1000);
  textures_free(&run);
}

int main(int argc, char **argv) {
  times = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1;
  return run_all_tests(NULL, NULL);
}
