// SPDX-License-Identifier: Apache-2.0
// Warps in an SM against what the textbook on GPUs and the G80 study state, and closed forms
// (docs/model/shader.md has the rows).
#include "tests/programs/shader_rig.h"

// ---- Branches ----

static uint64_t issued(const rig_t *r) {
  const shader_stats_t *s = shader_stats(r->shader);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < ProgramKinds; i++) {
    sum += s->issued[i];
  }
  return sum;
}

// Listing 6.2 with lines 1 and 9: an IF, three operations or two, one more.
TEST(test_listing_6_2) {
  static const program_t p = {6, {ON(0), ALU(3, 1000), ELSE, ALU(2, 1000), ENDIF, ALU(1, 1000)}};
  static const struct { uint32_t taken, stack; } rows[] = {{0xffffffff, 5}, {0, 4}, {0xff, 7}};
  for (uint32_t i = 0; i < 3; i++) {
    for (uint32_t predicated = 0; predicated < 2; predicated++) {
      rig_t *r = rig(&p);
      r->params.predicated = predicated;
      all(r, 1, 0xffffffff);
      r->holds[0][0] = rows[i].taken;
      run(r, false);
      assert_int_equal(issued(r), predicated ? 7 : rows[i].stack);
      assert_int_equal(shader_stats(r->shader)->branches, 1);
      assert_int_equal(shader_stats(r->shader)->divergent, i == 2);
      drop(r);
    }
  }
}

// Fig. 6.17: 1A and 1B take the outer IF, 1A the inner one, 2 neither. The lanes that each
// operation has, by the histogram: 3 before, 2 in the outer body, 1 in the inner, 1 in the ELSE.
TEST(test_nested) {
  static const program_t p = {10,
                              {ALU(1, 1000), ON(0), ALU(2, 1000), ON(1), ALU(4, 1000), ENDIF, ELSE,
                               ALU(8, 1000), ENDIF, ALU(16, 1000)}};
  rig_t *r = rig(&p);
  all(r, 1, 7);
  r->holds[0][0] = 3;
  r->holds[0][1] = 1;
  run(r, false);
  const shader_stats_t *s = shader_stats(r->shader);
  assert_int_equal(s->active[3], 1 + 1 + 16);
  assert_int_equal(s->active[2], 2 + 1);
  assert_int_equal(s->active[1], 4 + 8);
  assert_int_equal(s->branches, 2);
  assert_int_equal(s->divergent, 2);
  drop(r);
}

// The inner ELSE is for lanes of the outer side alone.
TEST(test_nested_else) {
  static const program_t p = {
      8, {ON(0), ON(1), ALU(1, 1000), ELSE, ALU(2, 1000), ENDIF, ENDIF, ALU(4, 1000)}};
  rig_t *r = rig(&p);
  all(r, 1, 0xf);
  r->holds[0][0] = 3;
  r->holds[0][1] = 5;
  run(r, false);
  const shader_stats_t *s = shader_stats(r->shader);
  assert_int_equal(s->active[4], 1 + 4);
  assert_int_equal(s->active[2], 1);
  assert_int_equal(s->active[1], 1 + 2);
  drop(r);
}

// A KILL inside a branch: the side is left when none lives in it, the warp ends when none lives.
TEST(test_kill) {
  static const program_t p = {8,
                              {ON(0),
                               ALU(1, 1000),
                               {.kind = ProgramKill, .ref = 1},
                               ALU(100, 1000),
                               ELSE,
                               ALU(2, 1000),
                               ENDIF,
                               ALU(4, 1000)}};
  rig_t *r = rig(&p);
  all(r, 2, 0xff);
  r->holds[0][0] = r->holds[0][1] = 0xf;   // those of the first side die
  r->holds[1][0] = r->holds[1][1] = 0xff;  // all do
  run(r, false);
  assert_int_equal(issued(r), 1 + 1 + 1 + 2 + 4 + 1 + 1 + 1);
  drop(r);
}

// ---- Units, schedulers, latencies ----

// 16 ALUs and 16 lanes of another unit, alternating: one scheduler keeps half of them busy, two
// all.
TEST(test_two_units) {
  program_t p = {.count = 200};
  for (uint32_t i = 0; i < p.count; i++) {
    p.op[i] = (program_op_t)ALU(1, 0);
    p.op[i].kind = i % 2 ? ProgramSfu : ProgramAlu;
  }
  for (uint32_t schedulers = 1; schedulers <= 2; schedulers++) {
    rig_t *r = rig(&p);
    r->params.schedulers = schedulers;
    r->params.alu_groups = 1;
    r->params.lanes = r->params.sfu_lanes = 16;
    all(r, 64, 0xffffffff);
    uint64_t cycles = run(r, false);
    double used = 64.0 * 200 * 2 / 2 / (double)cycles;  // of both units
    assert_true(used > (schedulers == 1 ? 0.48 : 0.98) && used <= (schedulers == 1 ? 0.52 : 1.0));
    drop(r);
  }
}

// A chain of dependent operations, 8 lanes: 11 cycles an operation alone, 5.5 with two warps, 4
// with three.
TEST(test_chain) {
  static const program_t p = {1, {ALU(1000, 1000)}};
  static const uint32_t eleven[] = {11000, 11000 + 4, 12000 - 4 + 11};
  for (uint32_t warps = 1; warps <= 3; warps++) {
    rig_t *r = rig(&p);
    r->params.lanes = 8;
    all(r, warps, 0xffffffff);
    assert_int_equal(run(r, false), eleven[warps - 1]);
    drop(r);
  }
}

// Independent operations leave no gaps, and a warp's second one goes along where it may.
TEST(test_pairs) {
  program_t p = {.count = 100};
  for (uint32_t i = 0; i < p.count; i++) {
    p.op[i] = (program_op_t)ALU(1, 0);
    p.op[i].kind = i % 2 ? ProgramSfu : ProgramAlu;
  }
  for (uint32_t pairs = 1; pairs <= 2; pairs++) {
    rig_t *r = rig(&p);
    r->params.sfu_lanes = 32;
    r->params.issue_per_warp = pairs;
    all(r, 1, 0xffffffff);
    assert_int_equal(run(r, false), 100 / pairs - 1 + 22);
    drop(r);
  }
}

// c cycles of issue between reads of latency l, W warps: min(1, W c / (c + l)) of the slots, if a
// warp goes on until it reads. In turn all warps come to their reads together, and the latency of
// one is hidden by none.
TEST(test_latency_hidden) {
  program_t p = {.count = 80};
  for (uint32_t i = 0; i < p.count; i += 2) {
    p.op[i] = (program_op_t)ALU(19, 0);
    p.op[i + 1] = (program_op_t)TEX(0, 0);
  }
  for (uint32_t later = 0; later < 2; later++) {
    for (uint32_t warps = 1; warps <= 16; warps *= 2) {
      rig_t *r = rig(&p);
      r->texture_latency = 180;
      r->params.greedy = true;
      r->later = later;
      r->params.warps = warps;
      all(r, 40 * warps, 0xffffffff);
      double cycles = (double)run(r, false), used = 40.0 * warps * 40 * 20 / cycles;
      double expected = warps * 20 / (20.0 + 180) < 1 ? warps * 20 / (20.0 + 180) : 1;
      if (used < 0.95 * expected || used > 1.05 * expected) {
        fail_msg("%u warps: %.3f of the slots, expected %.3f", warps, used, expected);
      }
      const shader_stats_t *s = shader_stats(r->shader);
      assert_true(warps > 1 || s->idle[ShaderTexture] > 0.85 * cycles);
      drop(r);
    }
  }
}

// `use` operations are issued before the wait.
TEST(test_use) {
  for (uint32_t use = 0; use <= 10; use += 5) {
    program_t p = {3, {TEX(0, use), ALU(10, 0), ALU(5, 0)}};
    rig_t *r = rig(&p);
    r->texture_latency = 100;
    all(r, 1, 0xffffffff);
    // The read at 1, back at 101; 15 - use operations follow, the last result after 11.
    assert_int_equal(run(r, false), 100 + 15 - use - 1 + 11);
    drop(r);
  }
}

// ---- The G80 study, 4 and 5.3: T is a branch of many operations ----

enum { T = 20000 };

// Warps that have one lane each on some of two sides; cycles in units of T.
static double g80(uint32_t sms, uint32_t schedule, uint32_t warps, const uint32_t (*sides)[2],
                  uint32_t permille) {
  program_t p = {7, {ALU(1, 0), ON(0), ALU(T, 0), ELSE, ON(1), ALU(T, 0), ENDIF}};
  p.op[p.count++] = (program_op_t)ENDIF;
  p.op[2].dependent = p.op[5].dependent = (uint16_t)permille;
  rig_t *r = rig(&p);
  r->params.sms = sms;
  r->params.lanes = 8;
  all(r, warps, 0xffffffff);
  for (uint32_t i = 0; i < warps; i++) {
    r->sm[i] = schedule ? (int32_t)(i % sms) : -1;
    r->holds[i][0] = sides[i][0];
    r->holds[i][1] = sides[i][1];
  }
  // An operation takes 4 cycles, or 11 if it waits for the one before.
  double cycles = (double)run(r, false) / (permille ? 11.0 : 4.0) / T;
  drop(r);
  return cycles;
}

static void near(double got, double wanted, double part) {
  if (got < wanted * (1 - part) || got > wanted * (1 + part)) {
    fail_msg("%.3f, expected %.3f within %.0f %%", got, wanted, part * 100);
  }
}

// E1.3 to E1.5 as far as an SM decides them: the same warp, two warps of one SM, two SMs; without
// and with wait states.
TEST(test_slow_pixels) {
  static const uint32_t same_warp[][2] = {{1, 2}}, two_warps[][2] = {{1, 0}, {0, 1}};
  static const uint32_t one_branch[][2] = {{0xffffffff, 0}};
  near(g80(1, 0, 1, same_warp, 0), 2, 0.05);
  near(g80(1, 0, 2, two_warps, 0), 2, 0.05);
  near(g80(2, 1, 2, two_warps, 0), 1, 0.05);
  near(g80(1, 0, 1, same_warp, 1000), 2, 0.05);
  assert_true(g80(1, 0, 2, two_warps, 1000) <= 1.15);
  near(g80(1, 0, 1, one_branch, 0), 1, 0.02);
}

// Stars on 12 SMs: one a warp takes N T / 12; four and 32 a warp gain 4 and 32. Two types of star
// in one warp take twice as long as one.
TEST(test_stars) {
  enum { Stars = 12 * 32 };
  static uint32_t one[Stars][2], four[Stars / 4][2], full[Stars / 32][2], mixed[Stars][2];
  for (uint32_t i = 0; i < Stars; i++) {
    one[i][0] = 1u << i % 32;
    mixed[i][0] = 1;
    mixed[i][1] = 2;
    if (i < Stars / 4) {
      four[i][0] = 15;
    }
    if (i < Stars / 32) {
      full[i][0] = 0xffffffff;
    }
  }
  double base = g80(12, 1, Stars, (const uint32_t(*)[2])one, 0);
  near(base, Stars / 12.0, 0.05);
  near(base / g80(12, 1, Stars / 4, (const uint32_t(*)[2])four, 0), 4, 0.05);
  near(base / g80(12, 1, Stars / 32, (const uint32_t(*)[2])full, 0), 32, 0.05);
  near(g80(12, 1, Stars, (const uint32_t(*)[2])mixed, 0), 2 * Stars / 12.0, 0.05);
}

// ---- The model against itself ----

static uint64_t over_time(const shader_stats_t *s, shader_part_e series) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < ShaderParts; i++) {
    sum += s->parts.sum[series][i];
  }
  return sum;
}

// Parts double their length as time goes on; of two GPUs the longer length is that of both.
TEST(test_parts) {
  shader_parts_t a = {0}, b = {0};
  shader_parts_add(&a, ShaderPartUnit, 10, 12, 3);
  assert_int_equal(a.sum[ShaderPartUnit][10], 3);
  assert_int_equal(a.sum[ShaderPartUnit][11], 3);
  shader_parts_add(&a, ShaderPartUnit, 60, 64, 1);
  assert_int_equal(a.shift, 0);
  shader_parts_add(&a, ShaderPartUnit, 63, 65, 1);
  assert_int_equal(a.shift, 1);
  assert_int_equal(a.sum[ShaderPartUnit][5], 6);
  assert_int_equal(a.sum[ShaderPartUnit][31], 3);
  assert_int_equal(a.sum[ShaderPartUnit][32], 1);
  assert_int_equal(a.sum[ShaderPartUnit][60], 0);
  shader_parts_add(&b, ShaderPartUnit, 511, 512, 5);
  assert_int_equal(b.shift, 3);
  shader_parts_merge(&a, &b);
  assert_int_equal(a.shift, 3);
  assert_int_equal(a.sum[ShaderPartUnit][63], 5);
  assert_int_equal(a.sum[ShaderPartUnit][1], 6);
  shader_parts_merge(&b, &a);
  assert_int_equal(b.sum[ShaderPartUnit][63], 10);
  assert_int_equal(b.sum[ShaderPartUnit][8], 1);
}

// Every slot is accounted for, in all and over time.
static void check_slots(const rig_t *r, const shader_stats_t *s) {
  uint64_t lanes = 0, operations = 0;
  for (uint32_t i = 0; i <= ShaderLanes; i++) {
    lanes += i * s->active[i];
    operations += s->active[i];
  }
  lanes += s->lanes_helper + s->lanes_killed + s->lanes_diverged + s->lanes_empty;
  assert_int_equal(operations, issued(r));
  assert_int_equal(lanes, 32 * operations);
  assert_int_equal(over_time(s, ShaderPartIssuing), s->slots);
  assert_int_equal(over_time(s, ShaderPartTexture), s->idle[ShaderTexture]);
  assert_int_equal(over_time(s, ShaderPartUnit), s->idle[ShaderUnit]);
  assert_int_equal(over_time(s, ShaderPartScoreboard), s->idle[ShaderScoreboard]);
  assert_int_equal(over_time(s, ShaderPartResident), s->resident);
}

// Calls in between change nothing, whatever the policy; every slot is accounted for.
TEST(test_calls_in_between) {
  static const program_t programs[] = {
      {12,
       {ALU(3, 400),
        TEX(0, 2),
        SFU(2, 1000),
        ON(0),
        ALU(5, 500),
        TEX(1, 0),
        ELSE,
        SFU(1, 0),
        ENDIF,
        {.kind = ProgramKill, .ref = 1},
        ALU(7, 300),
        TEX(0, 9)}},
      {8,
       {TEX(0, 1), ALU(4, 1000), ON(0), SFU(3, 1000), ENDIF, TEX(1, 0), ALU(9, 1000),
        SFU(2, 1000)}},
      {6, {TEX(0, 3), ALU(9, 1000), SFU(2, 1000), TEX(0, 0), ALU(30, 1000), ALU(5, 300)}}};
  for (uint32_t variant = 0; variant < 48; variant++) {
    uint64_t cycles[3];
    shader_stats_t stats[3];
    uint32_t calls[3];
    // As it asks to be called; in every cycle; for every event.
    for (uint32_t way = 0; way < 3; way++) {
      rig_t *r = rig(&programs[variant / 16]);
      r->params.sms = 3;
      r->params.schedulers = 1 + variant % 4;
      r->params.alu_groups = variant % 3 == 1 ? 1 : 0;
      r->params.lanes = variant & 4 ? 8 : 32;
      r->params.greedy = variant & 1;
      r->params.predicated = variant & 8;
      r->params.issue_per_warp = 1 + (variant >> 1 & 1);
      r->params.warps = 5 + variant % 16 * 8;
      r->params.watched = way == 2;
      r->gap = variant % 3 * 17;
      r->later = variant >= 32;
      r->texture_latency = 37;
      all(r, 300, 0);
      for (uint32_t i = 0; i < r->count; i++) {
        uint32_t h = (i + 1) * 2654435761u;
        r->lanes[i] = h | 1;
        r->holds[i][0] = h * 7 ^ h >> 5;
        r->holds[i][1] = i % 5 ? h * 13 & h >> 3 : 0xffffffff;
      }
      cycles[way] = run(r, way == 1);
      calls[way] = r->calls;
      stats[way] = *shader_stats(r->shader);
      check_slots(r, &stats[way]);
      drop(r);
    }
    for (uint32_t way = 1; way < 3; way++) {
      assert_int_equal(cycles[0], cycles[way]);
      stats[way].idle[ShaderNoWarp] = stats[0].idle[ShaderNoWarp];
      assert_memory_equal(&stats[0], &stats[way], sizeof stats[0]);
    }
    assert_true(calls[0] < calls[2] || variant >= 32);
  }
}

// While a warp computes nobody has to look at it.
TEST(test_left_behind) {
  static const program_t p = {3, {ALU(500, 1000), SFU(100, 1000), TEX(0, 0)}};
  rig_t *r = rig(&p);
  all(r, 8, 0xffffffff);
  r->texture_latency = 37;
  assert_true(run(r, false) >= 500 * 11 + 100 * 22);
  assert_in_range(r->calls, 8, 400);  // of 4,800 operations
  drop(r);
}

// ---- Programs ----

TEST(test_derive) {
  program_t p;
  err_auto_t err = {0};
  program_derive(&p, 10, 2, true);
  assert_true(program_check(&p, &err));
  assert_int_equal(p.count, 6);
  static const uint8_t kinds[] = {ProgramAlu, ProgramTex, ProgramAlu,
                                  ProgramTex, ProgramAlu, ProgramKill};
  static const uint32_t counts[] = {2, 0, 3, 0, 3, 0};
  for (uint32_t i = 0; i < 6; i++) {
    assert_int_equal(p.op[i].kind, kinds[i]);
    assert_int_equal(p.op[i].count, counts[i]);
  }
  program_derive(&p, 0, 0, false);
  assert_true(program_check(&p, &err));
  program_derive(&p, 2, 2, false);
  assert_int_equal(p.count, 2);
}

static void refused(program_t p, const char *what) {
  err_auto_t err = {0};
  assert_false(program_check(&p, &err));
  if (!strstr(err_text(&err), what)) {
    fail_msg("'%s' instead of '%s'", err_text(&err), what);
  }
}

TEST(test_refused) {
  refused((program_t){.count = 0}, "0 operations");
  refused((program_t){1, {{.kind = 9}}}, "operation 0: no such kind");
  refused((program_t){1, {ALU(0, 0)}}, "a count");
  refused((program_t){1, {ALU(1, 1001)}}, "expected 0 to 1,000 or");
  refused((program_t){2, {ALU(1, 0), ON(0)}}, "operation 1: an IF without the expected ENDIF");
  refused((program_t){2, {ALU(1, 0), ENDIF}}, "operation 1: ELSE or ENDIF without");
  refused((program_t){4, {ON(0), ELSE, ELSE, ENDIF}}, "operation 2: ELSE or ENDIF without");
  program_t deep = {.count = 17};
  for (uint32_t i = 0; i < 17; i++) {
    deep.op[i] = (program_op_t)ON(0);
  }
  refused(deep, "operation 16: IF nested");
  refused((program_t){1, {{.kind = ProgramIf, .predicate = ProgramOnHash}}}, "a hash");
}

TEST(test_predicates) {
  static const program_pixel_t pixels[] = {{3, 4}, {9, 9}};
  program_op_t rect = {.predicate = ProgramOnRect, .x0 = 2, .y0 = 3, .x1 = 5, .y1 = 6};
  program_op_t list = {.predicate = ProgramOnPixels, .pixels = pixels, .count = 2};
  program_op_t squares = {.predicate = ProgramOnHash, .permille = 300, .side = 4};
  uint32_t in_rect = 0, in_list = 0, in_squares = 0;
  for (uint32_t y = 0; y < 400; y++) {
    for (uint32_t x = 0; x < 400; x++) {
      in_rect += program_holds(&rect, x, y);
      in_list += program_holds(&list, x, y);
      in_squares += program_holds(&squares, x, y);
      assert_int_equal(program_holds(&squares, x, y), program_holds(&squares, x & ~3u, y & ~3u));
    }
  }
  assert_int_equal(in_rect, 9);
  assert_int_equal(in_list, 2);
  assert_true(in_squares > 160000 * 0.28 && in_squares < 160000 * 0.32);
}

int main(void) { return run_all_tests(NULL, NULL); }
