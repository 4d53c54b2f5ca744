// SPDX-License-Identifier: Apache-2.0
// The GDDR5 model: every request answered once, rows, schedule, refresh, errors, order,
// determinism; the rules of timing seen from outside.
#include "csim/base/rng.h"
#include "csim/memory/gddr5.h"
#include "tests/programs/test.h"

enum { Patience = 200000 };

static gddr5_params_t defaults(void) {
  gddr5_params_t p;
  err_auto_t err = {0};
  if (!gddr5_params_default(&p, &err)) {
    fail_msg("%s", err_text(&err));
  }
  return p;
}

static gddr5_t *create(const gddr5_params_t *p) {
  err_auto_t err = {0};
  gddr5_t *g = gddr5_create(p, NULL, &err);
  assert_string_equal(err_text(&err), "");
  assert_non_null(g);
  return g;
}

static uint64_t capacity(const gddr5_params_t *p) {
  return (uint64_t)p->channels * p->banks * p->rows * p->row_bytes;
}

// --- random traffic

typedef struct {
  uint64_t seed;
  uint32_t requests;
  uint64_t range;      // of the addresses, 0: all
  uint32_t push, pop;  // permille of the cycles
  bool skip;
} traffic_t;

typedef struct {
  uint64_t hash, cycles;
} outcome_t;

typedef struct {
  uint32_t kind, bytes, answers;
} request_t;

typedef struct {
  const gddr5_params_t *p;
  const traffic_t *t;
  gddr5_t *g;
  request_t *requests;
  outcome_t o;
  rng_t rng, gaps;
  uint64_t made, wanted, answered, next_push, accesses;
} run_t;

static void pop_all(run_t *r) {
  memory_response_t a;
  while (gddr5_pop(r->g, &a)) {
    assert_true(a.tag < r->made);
    assert_int_equal(a.kind, r->requests[a.tag].kind);
    assert_int_equal(a.bytes, r->requests[a.tag].bytes);
    assert_false(a.error);
    assert_int_equal(r->requests[a.tag].answers++, 0);
    r->answered++;
    r->o.cycles = gddr5_cycle(r->g);
    r->o.hash = (r->o.hash ^ r->o.cycles) * 0x100000001b3u;
    r->o.hash = (r->o.hash ^ a.tag) * 0x100000001b3u;
  }
}

static void push_some(run_t *r) {
  const traffic_t *t = r->t;
  while (r->made < t->requests && gddr5_cycle(r->g) >= r->next_push) {
    uint32_t kind = rng_below(&r->rng, 3);
    uint32_t bytes = 1 + rng_below(&r->rng, rng_chance(&r->rng, 800) ? 64 : Gddr5MaxRequest);
    uint64_t a = rng_u64(&r->rng) % ((t->range ? t->range : capacity(r->p)) - bytes + 1);
    bool taken = gddr5_push(r->g, kind, a, bytes, r->made);
    if (taken) {
      r->requests[r->made++] = (request_t){kind, bytes, 0};
      r->wanted += kind != MemoryPostedWrite;
      r->accesses += (a + bytes - 1) / 32 - a / 32 + 1;
    }
    if (!taken || !rng_chance(&r->gaps, t->push)) {
      r->next_push = gddr5_cycle(r->g) + 1 + (t->push < 500 ? rng_below(&r->gaps, 12000) : 0);
    }
  }
}

// Nothing more comes, every request has its answer, and the statistics say the same.
static void check_end(const run_t *r) {
  const gddr5_params_t *p = r->p;
  memory_response_t a;
  for (int i = 0; i < 2000; i++) {
    assert_false(gddr5_pop(r->g, &a));
    gddr5_step(r->g);
  }
  assert_true(gddr5_next_event(r->g) == MEMORY_NEVER);
  for (uint64_t i = 0; i < r->made; i++) {
    assert_int_equal(r->requests[i].answers, r->requests[i].kind != MemoryPostedWrite);
  }
  gddr5_stats_t s;
  gddr5_stats(r->g, &s);
  assert_int_equal(s.accesses, r->accesses);
  // A row may be closed for a refresh before its first access.
  assert_in_range(s.row_hits + s.activates, r->accesses, r->accesses + s.refreshes * p->banks);
  assert_int_equal(s.read_bytes + s.write_bytes, 32 * r->accesses);
  assert_int_equal(s.busy, p->burst * r->accesses);
  if (p->trefi) {
    uint64_t due = s.cycles / p->trefi * p->channels;
    assert_in_range(s.refreshes, due - p->channels, due + p->channels);
  }
}

static outcome_t run(const gddr5_params_t *p, const traffic_t *t) {
  run_t r = {.p = p, .t = t, .g = create(p), .requests = calloc(t->requests, sizeof *r.requests)};
  assert_non_null(r.requests);
  rng_seed(&r.rng, t->seed);
  rng_seed(&r.gaps, t->seed + 1);
  uint64_t quiet = 0;
  while (r.answered < r.wanted || r.made < t->requests) {
    uint64_t before = r.answered + r.made;
    if (t->pop >= 1000 || rng_chance(&r.rng, t->pop)) {
      pop_all(&r);
    }
    push_some(&r);
    quiet = r.answered + r.made == before ? quiet + 1 : 0;
    assert_true(quiet < Patience);
    gddr5_step(r.g);
    uint64_t event = gddr5_next_event(r.g);
    uint64_t to = r.made < t->requests && r.next_push < event ? r.next_push : event;
    if (t->skip && to != MEMORY_NEVER && to > gddr5_cycle(r.g)) {
      gddr5_skip_to(r.g, to);
    }
  }
  check_end(&r);
  gddr5_destroy(r.g);
  free(r.requests);
  return r.o;
}

TEST(answered_once) {
  gddr5_params_t p = defaults();
  run(&p, &(traffic_t){.seed = 1, .requests = 20000, .push = 995, .pop = 1000});
  run(&p, &(traffic_t){.seed = 2, .requests = 10000, .push = 995, .pop = 100});
  run(&p, &(traffic_t){.seed = 3, .requests = 10000, .range = 8192, .push = 995, .pop = 1000});
  run(&p, &(traffic_t){.seed = 4, .requests = 5000, .range = 300, .push = 995, .pop = 1000});
  p.interleave = 32, p.starve = 1;
  run(&p, &(traffic_t){.seed = 5, .requests = 10000, .push = 995, .pop = 1000});
  p = defaults();
  p.channels = 1, p.banks = 1, p.queue = 9, p.requests = 1, p.tfaw = 0, p.trefi = 0;
  run(&p, &(traffic_t){.seed = 6, .requests = 3000, .push = 995, .pop = 500});
  p.channels = 64, p.banks = 32, p.queue = 64, p.interleave = 2048, p.requests = 16384;
  run(&p, &(traffic_t){.seed = 7, .requests = 20000, .push = 999, .pop = 1000});
}

TEST(deterministic_and_skipping) {
  gddr5_params_t p = defaults();
  for (uint32_t push = 0; push < 1000; push += 480) {
    traffic_t t = {.seed = push + 5, .requests = push ? 6000 : 300, .push = push, .pop = 1000};
    outcome_t a = run(&p, &t), b = run(&p, &t);
    assert_int_equal(a.hash, b.hash);
    t.skip = true;
    b = run(&p, &t);
    assert_int_equal(a.hash, b.hash);
    assert_int_equal(a.cycles, b.cycles);
    t.seed++;
    assert_int_not_equal(run(&p, &t).hash, a.hash);
  }
}

// --- time

// Steps until the response; the cycles since the call.
static uint64_t answer(gddr5_t *g, uint64_t *tag) {
  memory_response_t r;
  uint64_t start = gddr5_cycle(g);
  while (!gddr5_pop(g, &r)) {
    assert_true(gddr5_cycle(g) < start + Patience);
    gddr5_step(g);
  }
  if (tag) {
    *tag = r.tag;
  }
  return gddr5_cycle(g) - start;
}

static uint64_t alone(gddr5_t *g, memory_kind_e kind, uint64_t address, uint32_t bytes) {
  assert_true(gddr5_push(g, kind, address, bytes, 0));
  uint64_t cycles = answer(g, NULL);
  for (int i = 0; i < 100; i++) {
    gddr5_step(g);
  }
  return cycles;
}

TEST(rows) {
  gddr5_params_t p = defaults();
  gddr5_t *g = create(&p);
  uint64_t other = (uint64_t)p.channels * p.banks * p.row_bytes;
  assert_int_equal(alone(g, MemoryRead, 0, 32), 31);            // closed
  assert_int_equal(alone(g, MemoryRead, 32, 32), 19);           // hit
  assert_int_equal(alone(g, MemoryRead, other, 32), 43);        // conflict
  assert_int_equal(alone(g, MemoryRead, other, 64), 21);        // two accesses
  assert_int_equal(alone(g, MemoryRead, other + 32, 64), 31);   // a hit, and another channel
  assert_int_equal(alone(g, MemoryRead, 8ull * 2048, 32), 31);  // another bank
  assert_int_equal(alone(g, MemoryWrite, other, 32), p.cwl + p.burst + p.latency);
  gddr5_stats_t s;
  gddr5_stats(g, &s);
  assert_int_equal(s.activates, 4);
  assert_int_equal(s.precharges, 1);
  gddr5_destroy(g);
}

// Pushes all at once, to one channel; fills in when each is answered.
static void burst(const gddr5_params_t *p, const uint64_t *addresses, const uint8_t *kinds, int n,
                  uint64_t *at) {
  gddr5_t *g = create(p);
  for (int i = 0; i < n; i++) {
    assert_true(gddr5_push(g, kinds ? kinds[i] : MemoryRead, addresses[i], 32, (uint64_t)i));
  }
  for (int i = 0; i < n; i++) {
    uint64_t tag;
    answer(g, &tag);
    at[tag] = gddr5_cycle(g);
  }
  gddr5_destroy(g);
}

TEST(timing_of_commands) {
  gddr5_params_t p = defaults();
  p.channels = 1;
  const uint64_t bank = p.row_bytes, row = p.row_bytes * p.banks;
  uint64_t at[8];
  // One command a cycle: the third activate gives way to the first's column command.
  p.trcd = 12;
  burst(&p, (uint64_t[]){4 * bank, 3 * bank, 2 * bank}, NULL, 3, at);
  assert_int_equal(at[1] - at[0], p.trrd);
  assert_int_equal(at[2] - at[0], 2 * p.trrd + 1);
  p.trcd = 13;
  // Activates: tRRD apart, four in tFAW.
  burst(&p, (uint64_t[]){0, bank, 2 * bank, 3 * bank, 4 * bank}, NULL, 5, at);
  assert_int_equal(at[1] - at[0], p.trrd);
  assert_int_equal(at[3] - at[0], 3 * p.trrd);
  assert_int_equal(at[4] - at[0], 4 * p.trrd);
  p.tfaw = 40;
  burst(&p, (uint64_t[]){0, bank, 2 * bank, 3 * bank, 4 * bank}, NULL, 5, at);
  assert_int_equal(at[3] - at[0], 3 * p.trrd);
  assert_int_equal(at[4] - at[0], 40);
  // The data lines; a row that is open longer than tRAS.
  burst(&p, (uint64_t[]){0, 32, 64, row}, NULL, 4, at);
  assert_int_equal(at[1] - at[0], p.burst);
  assert_int_equal(at[3] - at[0], p.tras + p.trp);
  p.burst = 4;
  burst(&p, (uint64_t[]){0, 32}, NULL, 2, at);
  assert_int_equal(at[1] - at[0], 4);
  p.burst = 2;
  p.trtp = 40;
  burst(&p, (uint64_t[]){0, row}, NULL, 2, at);
  assert_int_equal(at[1] - at[0], p.trcd + p.trtp + p.trp);
  p.trtp = 2;
  // Hits go before an older conflict.
  burst(&p, (uint64_t[]){0, row, 32, 64}, NULL, 4, at);
  assert_true(at[3] < at[1]);
  // A write's data, then a read's command tWTR later; a precharge after tWR.
  burst(&p, (uint64_t[]){0, 32}, (uint8_t[]){MemoryWrite, MemoryRead}, 2, at);
  assert_int_equal(at[1] - at[0], p.twtr + p.tcl + p.burst);
  p.twr = 30;
  burst(&p, (uint64_t[]){0, row}, (uint8_t[]){MemoryWrite, MemoryRead}, 2, at);
  assert_int_equal(at[1] - at[0], p.twr + p.trp + p.trcd + p.tcl + p.burst);
  // A read's data, a cycle, a write's.
  burst(&p, (uint64_t[]){0, 32}, (uint8_t[]){MemoryRead, MemoryWrite}, 2, at);
  assert_int_equal(at[1] - at[0], 1 + p.burst);
}

// Older than `starve`, an access does not wait for row hits, or for the other direction.
TEST(nobody_starves) {
  for (uint32_t kind = MemoryRead; kind <= MemoryWrite; kind++) {
    gddr5_params_t p = defaults();
    p.channels = 1, p.starve = 300, p.trefi = 0;
    gddr5_t *g = create(&p);
    uint64_t i = 0, at = 0;
    memory_response_t r;
    for (int c = 0; c < 5000; c++) {
      // Reads of one row without end.
      while (gddr5_push(g, MemoryRead, i * 32 % 2048, 32, 0)) {
        i++;
      }
      if (c == 100) {
        while (!at) {
          while (gddr5_pop(g, &r)) {
          }
          gddr5_step(g);
          // A read of another row; a write to another bank.
          uint64_t a = kind == MemoryRead ? p.row_bytes * p.banks : p.row_bytes;
          at = gddr5_push(g, kind, a, 32, 1) ? gddr5_cycle(g) : 0;
        }
      }
      while (gddr5_pop(g, &r)) {
        if (r.tag == 1) {
          assert_in_range(gddr5_cycle(g) - at, 100, p.starve + 200);
          at = UINT64_MAX;
        }
      }
      gddr5_step(g);
    }
    assert_true(at == UINT64_MAX);
    gddr5_destroy(g);
  }
}

TEST(refreshes) {
  gddr5_params_t p = defaults();
  p.channels = 1;
  // Pushed in the cycle in which a refresh falls due: after it.
  gddr5_t *g = create(&p);
  alone(g, MemoryRead, 0, 32);
  gddr5_skip_to(g, p.trefi);
  assert_int_equal(alone(g, MemoryRead, 0, 32), p.trp + p.trfc + 31);
  // Long after: in time, and the row is closed.
  gddr5_skip_to(g, 10 * p.trefi + 1000);
  assert_int_equal(alone(g, MemoryRead, 0, 32), 31);
  gddr5_skip_to(g, 13 * p.trefi + 10);
  assert_int_equal(alone(g, MemoryRead, 0, 32), p.trfc + 31 - 10);
  gddr5_stats_t s;
  gddr5_stats(g, &s);
  assert_int_equal(s.refreshes, 13);
  gddr5_destroy(g);
}

// The counts of energy: accesses of 32 bytes, activates, the time of each channel.
TEST(counts) {
  gddr5_params_t p = defaults();
  p.channels = 2, p.trefi = 0;
  gddr5_t *g = create(&p);
  alone(g, MemoryRead, 0, 64);
  alone(g, MemoryRead, 64, 32);
  alone(g, MemoryWrite, p.row_bytes, 32);  // another bank
  gddr5_skip_to(g, 1000);
  gddr5_stats_t s;
  gddr5_stats(g, &s);
  assert_int_equal(s.activates, 2);
  assert_int_equal(s.read_bytes, 3 * 32);
  assert_int_equal(s.write_bytes, 32);
  assert_int_equal(s.channel_cycles, 2 * 1000);
  gddr5_destroy(g);
}

static double saturated(const gddr5_params_t *p, uint32_t bytes, bool sequential) {
  gddr5_t *g = create(p);
  rng_t rng;
  rng_seed(&rng, 1);
  memory_response_t r;
  uint64_t got = 0, i = 0;
  enum { Cycles = 30000 };
  for (int c = 0; c < Cycles; c++) {
    for (;;) {
      rng_t before = rng;
      uint64_t a = sequential ? i * bytes : rng_u64(&rng) % (capacity(p) / bytes) * bytes;
      if (!gddr5_push(g, MemoryRead, a % capacity(p), bytes, 0)) {
        rng = before;
        break;
      }
      i++;
    }
    while (gddr5_pop(g, &r)) {
      got++;
    }
    gddr5_step(g);
  }
  gddr5_destroy(g);
  return (double)got * bytes / Cycles;
}

TEST(bandwidth) {
  gddr5_params_t p = defaults();
  double full = saturated(&p, 64, true);
  assert_true(full > 125 && full < 128);
  p.trefi = 0;
  full = saturated(&p, 64, true);
  assert_true(full > 127 && full < 128);
  // Uniform reads of 32 bytes: one activate each, tRRD apart in each channel.
  full = saturated(&p, 32, false);
  assert_true(full > 0.88 * 8 * 32 / 6 && full < 8 * 32 / 6.0);
}

// A channel takes as many accesses as its queue has places, and not one more.
TEST(full_queue) {
  gddr5_params_t p = defaults();
  for (p.queue = 16; p.queue <= 64; p.queue += 7) {
    gddr5_t *g = create(&p);
    memory_response_t r;
    uint64_t stride = (uint64_t)p.channels * p.interleave;  // one channel, an access each
    uint64_t taken = 0, got = 0;
    while (gddr5_push(g, MemoryRead, taken * stride, 32, taken)) {
      assert_true(++taken <= p.queue);
    }
    assert_int_equal(taken, p.queue);
    for (int i = 0; i < 100000 && got < taken; i++) {
      while (gddr5_pop(g, &r)) {
        got++;
      }
      gddr5_step(g);
    }
    assert_int_equal(got, taken);
    gddr5_destroy(g);
  }
}

// --- errors, order

TEST(errors) {
  gddr5_params_t p = defaults();
  gddr5_t *g = create(&p);
  memory_response_t r;
  static const struct {
    uint32_t kind, bytes;
    uint64_t address;
  } Bad[] = {{MemoryAtomic, 16, 0},
             {MemoryPackage, 64, 0},
             {MemoryRead, 0, 0},
             {MemoryRead, 257, 0},
             {MemoryRead, 32, 1ull << 32},
             {MemoryRead, 32, UINT64_MAX},
             {MemoryRead, 2, (1ull << 32) - 1}};  // it holds 4 GiB
  for (size_t i = 0; i < sizeof Bad / sizeof *Bad; i++) {
    assert_true(gddr5_push(g, Bad[i].kind, Bad[i].address, Bad[i].bytes, 7));
    while (!gddr5_pop(g, &r)) {
      gddr5_step(g);
    }
    assert_true(r.error && r.tag == 7);
  }
  gddr5_inject_errors(g, &(memory_errors_t){.mask = 3, .match = 2});
  uint64_t sent = 0, got = 0, failed = 0;
  while (got < 1000) {
    sent += sent < 1000 && gddr5_push(g, MemoryRead, sent * 64, 64, sent);
    while (gddr5_pop(g, &r)) {
      assert_int_equal(r.error, r.tag % 4 == 2);
      got++;
    }
    gddr5_step(g);
  }
  gddr5_inject_errors(g, &(memory_errors_t){.permille = 200, .seed = 3});
  for (sent = got = 0; got < 2000;) {
    sent += sent < 2000 && gddr5_push(g, MemoryWrite, sent * 64, 64, sent);
    while (gddr5_pop(g, &r)) {
      failed += r.error;
      got++;
    }
    gddr5_step(g);
  }
  assert_in_range(failed, 320, 480);
  gddr5_stats_t s;
  gddr5_stats(g, &s);
  assert_int_equal(s.errors, failed + 250 + sizeof Bad / sizeof *Bad);
  gddr5_destroy(g);
}

// Accesses to the same 32 bytes are answered in order.
TEST(order) {
  gddr5_params_t p = defaults();
  gddr5_t *g = create(&p);
  rng_t rng;
  rng_seed(&rng, 9);
  uint64_t next[16] = {0}, last[16] = {0};
  memory_response_t r;
  for (int i = 0; i < 20000; i++) {
    uint64_t line = rng_below(&rng, 16);
    // Half of them share a bank, in different rows.
    uint64_t a = line < 8 ? line << 18 : line * 96;
    if (gddr5_push(g, MemoryRead, a / 32 * 32, 32, line << 32 | next[line])) {
      next[line]++;
    }
    while (gddr5_pop(g, &r)) {
      assert_int_equal(r.tag & 0xffffffff, last[r.tag >> 32]++);
    }
    gddr5_step(g);
  }
  assert_true(last[0] > 100 && last[15] > 100);
  gddr5_destroy(g);
}

TEST(refusals) {
  err_auto_t err = {0};
#define REFUSED(change, words)                      \
  do {                                              \
    gddr5_params_t p = defaults();                  \
    p.change;                                       \
    assert_null(gddr5_create(&p, NULL, &err));      \
    assert_non_null(strstr(err_text(&err), words)); \
  } while (0)
  REFUSED(channels = 3, "gddr5.channels");
  REFUSED(banks = 64, "gddr5.banks");
  REFUSED(row_bytes = 3000, "gddr5.row_size");
  REFUSED(interleave = 16, "gddr5.interleave");
  REFUSED(interleave = 4096, "gddr5.interleave");
  REFUSED(queue = 8, "gddr5.queue");
  REFUSED(requests = 0, "gddr5.requests");
  REFUSED(tcl = 0, "1 cycle");
  REFUSED(trefi = 80, "gddr5.trefi");
}

int main(void) { return run_all_tests(NULL, NULL); }
