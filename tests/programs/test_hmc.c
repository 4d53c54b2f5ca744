// SPDX-License-Identifier: Apache-2.0
// The HMC model: every request answered once, tokens conserved, hot spots, full buffers,
// errors, determinism. Its time is in test_hmc_time.c, the rules of DRAM timing in test_vault.c.
#include "tests/programs/hmc_bench.h"

enum { Requests = 20000 };

// --- random traffic

typedef struct {
  uint8_t kind;  // memory_kind_e; MemoryKinds: a read of the logic layer
  uint8_t answers;
  uint8_t seen;  // packages: by the unit
  uint32_t bytes;
} request_t;

typedef struct {
  uint64_t seed;
  uint32_t requests;
  uint32_t spot;       // 0: addresses all over, 1: one vault, 2: one bank
  uint32_t push, pop;  // permille of the cycles
  bool skip;           // over cycles without events
} traffic_t;

typedef struct {
  uint64_t hash, cycles, answered;
} outcome_t;

static void note(outcome_t *o, uint64_t value) { o->hash = (o->hash ^ value) * 0x100000001b3u; }

// The number that a read of the logic layer adds to its tag.
static const uint64_t Logic = 1ull << 40;

typedef struct {
  const hmc_params_t *p;
  const traffic_t *t;
  hmc_t *h;
  request_t *requests;
  outcome_t o;
  rng_t rng, gaps;
  uint64_t made, wanted, next_push;
  uint64_t unit[64];  // packages at the unit
  uint32_t at_unit;
} run_t;

static void count_answer(run_t *r, const memory_response_t *a) {
  assert_int_equal(r->requests[a->tag % Logic].answers++, 0);
  r->o.answered++;
  r->o.cycles = hmc_cycle(r->h);
  note(&r->o, r->o.cycles), note(&r->o, a->tag);
}

static void pop_all(run_t *r) {
  memory_response_t a;
  while (hmc_pop(r->h, &a)) {
    assert_true(a.tag < r->made);
    const request_t *q = &r->requests[a.tag];
    assert_true(q->kind < MemoryKinds);
    assert_int_equal(a.kind, q->kind);
    assert_int_equal(a.bytes, q->kind == MemoryPackage ? 80 : q->bytes);
    assert_false(a.error);
    count_answer(r, &a);
  }
  while (hmc_logic_pop(r->h, &a)) {
    const request_t *q = &r->requests[a.tag - Logic];
    assert_int_equal(q->kind, MemoryKinds);
    assert_int_equal(a.bytes, q->bytes);
    count_answer(r, &a);
  }
  while (r->at_unit < 64 && hmc_package_available(r->h)) {
    assert_true(hmc_package_pop(r->h, &a));
    assert_int_equal(r->requests[a.tag].kind, MemoryPackage);
    assert_int_equal(a.bytes, 64);
    assert_int_equal(r->requests[a.tag].seen++, 0);
    r->unit[r->at_unit++] = a.tag;
  }
}

static void push_some(run_t *r) {
  const hmc_params_t *p = r->p;
  while (r->made < r->t->requests && hmc_cycle(r->h) >= r->next_push) {
    uint32_t kind = rng_below(&r->rng, MemoryKinds + 1);
    uint32_t most = p->block < 64 ? p->block : 64;
    uint32_t bytes = kind == MemoryAtomic    ? 16
                     : kind == MemoryPackage ? 64
                                             : 16 + 16 * rng_below(&r->rng, most / 16);
    uint64_t a = address(&r->rng, p, r->t->spot, bytes);
    bool taken = kind == MemoryKinds ? hmc_logic_read(r->h, a, bytes, r->made + Logic)
                                     : hmc_push(r->h, kind, a, bytes, r->made);
    if (taken) {
      r->requests[r->made++] = (request_t){.kind = (uint8_t)kind, .bytes = bytes};
      r->wanted += kind != MemoryPostedWrite;
    }
    if (!taken || !rng_chance(&r->gaps, r->t->push)) {
      r->next_push = hmc_cycle(r->h) + 1 + (r->t->push < 500 ? rng_below(&r->gaps, 300) : 0);
    }
  }
}

static void skip_ahead(run_t *r) {
  uint64_t to = hmc_next_event(r->h);
  if (r->made < r->t->requests && r->next_push < to) {
    to = r->next_push;
  }
  if (to != MEMORY_NEVER && to > hmc_cycle(r->h)) {
    hmc_skip_to(r->h, to);
  }
}

// Nothing more comes, every request has its answer, and the statistics say the same.
static void check_end(run_t *r) {
  memory_response_t a;
  for (int i = 0; i < 1000; i++) {
    assert_false(hmc_pop(r->h, &a));
    hmc_step(r->h);
  }
  assert_idle(r->h, r->p);
  hmc_stats_t s;
  hmc_stats(r->h, &s);
  uint64_t down = 0, up = 0;
  for (uint64_t i = 0; i < r->made; i++) {
    assert_int_equal(r->requests[i].answers, r->requests[i].kind != MemoryPostedWrite);
    down += r->requests[i].kind < MemoryKinds;
  }
  for (uint32_t k = 0; k < MemoryKinds; k++) {
    down -= s.down[k].packets;
    up += s.up[k].packets;
  }
  assert_int_equal(down, 0);
  assert_int_equal(up + s.logic_reads, r->o.answered);
  // Every access is one activate, packages are none.
  assert_int_equal(s.activates, r->made - s.down[MemoryPackage].packets);
}

static outcome_t run(const hmc_params_t *p, const traffic_t *t) {
  run_t r = {.p = p, .t = t, .h = create(p), .requests = calloc(t->requests, sizeof *r.requests)};
  assert_non_null(r.requests);
  rng_seed(&r.rng, t->seed);
  rng_seed(&r.gaps, t->seed + 1);
  uint64_t quiet = 0;
  while (r.o.answered < r.wanted || r.made < t->requests) {
    uint64_t before = r.o.answered + r.made;
    if (t->pop >= 1000 || rng_chance(&r.rng, t->pop)) {
      pop_all(&r);
    }
    while (r.at_unit && hmc_respond(r.h, r.unit[r.at_unit - 1], 80, false)) {
      r.at_unit--;
    }
    push_some(&r);
    quiet = r.o.answered + r.made == before ? quiet + 1 : 0;
    assert_true(quiet < Patience);
    hmc_step(r.h);
    if (t->skip && r.at_unit == 0) {
      skip_ahead(&r);
    }
  }
  check_end(&r);
  hmc_destroy(r.h);
  free(r.requests);
  return r.o;
}

TEST(answered_once) {
  for (uint32_t timing = 0; timing < sizeof Timings / sizeof *Timings; timing++) {
    hmc_params_t p = with_timing(Timings[timing]);
    run(&p, &(traffic_t){.seed = timing + 1, .requests = Requests, .push = 995, .pop = 1000});
    run(&p, &(traffic_t){.seed = timing + 9, .requests = Requests / 4, .push = 950, .pop = 100});
  }
}

TEST(answered_once_in_small_machines) {
  hmc_params_t p = defaults();
  p.links = 1, p.vaults = 1, p.banks = 1, p.block = 32, p.bank_mib = 1;
  p.host_queue = 1, p.tokens = 32, p.host_tokens = 32, p.response_queue = 32;
  p.vault_queue = 1, p.vault_responses = 1, p.logic_reads = 1, p.vault_port = 1;
  p.tsv_latency = 0;
  run(&p, &(traffic_t){.seed = 1, .requests = Requests / 8, .push = 990, .pop = 1000});
  run(&p, &(traffic_t){.seed = 2, .requests = Requests / 8, .push = 990, .pop = 30});
  p = defaults();
  p.links = 8, p.vaults = 64, p.banks = 16, p.block = 256, p.bandwidth = 640;
  p.host_queue = 3, p.tokens = 33, p.host_tokens = 32, p.response_queue = 35;
  p.vault_queue = 2, p.vault_responses = 2, p.logic_reads = 4096, p.vault_port = 16;
  run(&p, &(traffic_t){.seed = 3, .requests = Requests, .push = 999, .pop = 1000});
  run(&p, &(traffic_t){.seed = 4, .requests = Requests / 4, .push = 999, .pop = 100});
}

TEST(hot_spots) {
  hmc_params_t p = defaults();
  run(&p, &(traffic_t){.seed = 1, .requests = Requests / 2, .spot = 1, .push = 990, .pop = 1000});
  run(&p, &(traffic_t){.seed = 2, .requests = Requests / 4, .spot = 2, .push = 990, .pop = 1000});
  p.vault_queue = 1, p.vault_responses = 1;
  run(&p, &(traffic_t){.seed = 3, .requests = Requests / 4, .spot = 2, .push = 990, .pop = 200});
  p.vault_hash = true;
  run(&p, &(traffic_t){.seed = 4, .requests = Requests / 4, .push = 990, .pop = 1000});
}

TEST(deterministic_and_skipping) {
  for (uint32_t push = 0; push <= 1440; push += 480) {
    hmc_params_t p = defaults();
    if (push == 1440) {
      p.tokens = p.host_tokens = 32, p.link_latency = 30;  // waits for tokens
    }
    traffic_t t = {
        .seed = push + 5, .requests = 6000, .push = push % 1440 + push / 1440 * 999, .pop = 1000};
    outcome_t a = run(&p, &t), b = run(&p, &t);
    assert_int_equal(a.hash, b.hash);
    assert_int_equal(a.cycles, b.cycles);
    t.skip = true;
    b = run(&p, &t);
    assert_int_equal(a.hash, b.hash);
    assert_int_equal(a.cycles, b.cycles);
    t.seed++;
    assert_int_not_equal(run(&p, &t).hash, a.hash);
  }
}

// --- back-pressure and independence

// Steps without popping at the host until nothing is taken any more.
static uint64_t fill(hmc_t *h, memory_kind_e kind, uint32_t bytes) {
  uint64_t pushed = 0;
  for (int i = 0; i < 5000; i++) {
    while (hmc_push(h, kind, pushed * 64, bytes, pushed)) {
      pushed++;
    }
    hmc_step(h);
  }
  return pushed;
}

TEST(logic_reads_need_no_link) {
  hmc_params_t p = defaults();
  hmc_t *h = create(&p);
  uint64_t pushed = fill(h, MemoryRead, 64);  // no host pops: all is full
  assert_false(hmc_can_push(h, MemoryRead, 0, 64));
  memory_response_t r;
  uint64_t sent = 0, got = 0;
  for (int i = 0; i < 4000; i++) {
    while (hmc_logic_read(h, sent * 64, 64, sent)) {
      sent++;
    }
    while (hmc_logic_pop(h, &r)) {
      got++;
    }
    hmc_step(h);
  }
  // Near the 512 GB/s of the vaults, as if the links had no traffic.
  assert_true(got * 64 > 4000ull * 300);
  for (int i = 0; i < 20000 && pushed; i++) {
    pushed -= hmc_pop(h, &r);
    hmc_step(h);
  }
  assert_int_equal(pushed, 0);
  hmc_destroy(h);
}

TEST(packages_wait_for_the_unit) {
  hmc_params_t p = defaults();
  p.response_queue = 100;
  hmc_t *h = create(&p);
  uint64_t pushed = fill(h, MemoryPackage, 64);
  // Every link's buffer and queue is full of packages, none is lost, reads wait.
  assert_int_equal(pushed, p.links * (p.tokens / 4 + p.host_queue));
  assert_false(hmc_can_push(h, MemoryRead, 0, 64));
  memory_response_t r;
  uint64_t responded = 0, answered = 0;
  for (int i = 0; i < 5000; i++) {
    // One a cycle; nothing is taken until there is room for its response.
    if (hmc_can_respond(h) && hmc_package_pop(h, &r)) {
      assert_int_equal(r.bytes, 64);
      assert_true(hmc_respond(h, r.tag, 80, r.tag % 7 == 0));
      responded++;
    }
    while (i >= 2500 && hmc_pop(h, &r)) {
      assert_int_equal(r.kind, MemoryPackage);
      assert_int_equal(r.bytes, 80);
      assert_int_equal(r.error, r.tag % 7 == 0);
      answered++;
    }
    hmc_step(h);
    if (i == 2499) {
      // The host takes nothing: its buffer and the queue of each link fill with responses.
      assert_false(hmc_can_respond(h));
      assert_false(hmc_respond(h, 0, 80, false));
      uint64_t room = p.links * (p.host_tokens / 5 + (p.response_queue + 4) / 5);
      assert_in_range(responded, room - p.links, room + p.links);
    }
  }
  assert_int_equal(responded, pushed);
  assert_int_equal(answered, pushed);
  assert_idle(h, &p);
  hmc_destroy(h);
}

// A vault that is overrun does not hold up the others, whose requests use other links or
// come before the receive buffer is full.
TEST(vaults_are_independent) {
  hmc_params_t p = defaults();
  p.logic_reads = 1024;
  hmc_t *h = create(&p);
  memory_response_t r;
  uint64_t got[2] = {0}, waiting = 0, other = 1, cycles = 4000;
  for (uint64_t i = 0; i < cycles; i++) {
    while (waiting < 64 && hmc_logic_read(h, rng_u64(&(rng_t){.state = i}) % 4096 * 2048, 64, 0)) {
      waiting++;  // all in vault 0
    }
    while (hmc_logic_read(h, other * 64, 64, 1)) {
      other += 1 + (other % 32 == 31);
    }
    while (hmc_logic_pop(h, &r)) {
      got[r.tag]++;
      waiting -= r.tag == 0;
    }
    hmc_step(h);
  }
  assert_in_range(got[0] * 64, cycles * 10, cycles * 16);
  assert_true(got[1] * 64 > cycles * 430);
  hmc_destroy(h);
}

// Links and logic layer share a vault about evenly, whatever it is that is short.
TEST(classes_share) {
  for (uint32_t variant = 0; variant < 4; variant++) {
    // The last: writes alone could fill the port into the vault.
    memory_kind_e kind = variant < 3 ? MemoryRead : MemoryWrite;
    hmc_params_t p = defaults();
    p.vault_port = 1u << variant % 3;
    hmc_t *h = create(&p);
    memory_response_t r;
    uint64_t row = 0, link = 0, logic = 0;
    for (int i = 0; i < 10000; i++) {
      while (hmc_push(h, kind, row * 32 * 64, 64, 0)) {
        row++;
      }
      while (hmc_logic_read(h, row * 32 * 64, 64, 0)) {
        row++;
      }
      while (hmc_pop(h, &r)) {
        link++;
      }
      while (hmc_logic_pop(h, &r)) {
        logic++;
      }
      hmc_step(h);
    }
    assert_in_range(100 * link / (link + logic), 40, variant < 3 ? 60 : 80);
    hmc_destroy(h);
  }
}

TEST(packages_use_all_links) {
  hmc_params_t p = defaults();
  hmc_t *h = create(&p);
  for (uint32_t i = 0; i < 8 * p.links; i++) {
    assert_true(hmc_push(h, MemoryPackage, 0, 64, i));
    hmc_step(h), hmc_step(h), hmc_step(h), hmc_step(h);
  }
  for (uint32_t l = 0; l < p.links; l++) {
    assert_int_equal(hmc_tokens(h, l), p.tokens - 8 * 4);
  }
  hmc_destroy(h);
}

// A package's place in the receive buffer is free again a link's time after it was taken.
TEST(tokens_return_over_the_link) {
  hmc_params_t p = defaults();
  p.link_latency = 9;
  hmc_t *h = create(&p);
  memory_response_t r;
  assert_true(hmc_push(h, MemoryPackage, 0, 64, 1));
  while (!hmc_package_pop(h, &r)) {
    assert_true(hmc_cycle(h) < Patience);
    hmc_step(h);
  }
  uint64_t taken = hmc_cycle(h);
  for (;; hmc_step(h)) {
    uint32_t free = 0;
    for (uint32_t l = 0; l < p.links; l++) {
      free += hmc_tokens(h, l);
    }
    if (free == p.links * p.tokens) {
      break;
    }
    assert_int_equal(free, p.links * p.tokens - 4);
    assert_true(hmc_cycle(h) < Patience);
  }
  assert_int_equal(hmc_cycle(h), taken + p.link_latency);
  hmc_destroy(h);
}

TEST(logic_reads_are_limited) {
  hmc_params_t p = defaults();
  p.logic_reads = 5;
  hmc_t *h = create(&p);
  memory_response_t r;
  uint32_t taken = 0;
  while (hmc_logic_read(h, taken * 64, 64, taken)) {
    taken++;
  }
  assert_int_equal(taken, 5);
  for (int i = 0; i < 300; i++) {
    assert_false(hmc_can_logic_read(h));  // until one is popped
    hmc_step(h);
  }
  assert_true(hmc_logic_pop(h, &r));
  assert_true(hmc_logic_read(h, 0, 64, 9));
  assert_false(hmc_can_logic_read(h));
  hmc_destroy(h);
}

// A host that takes one response a cycle takes from all links in turn.
TEST(links_are_popped_in_turn) {
  hmc_params_t p = defaults();
  hmc_t *h = create(&p);
  fill(h, MemoryRead, 64);
  memory_response_t r;
  uint32_t from[HmcMaxLinks] = {0};
  for (uint32_t i = 0; i < 10 * p.links; i++) {
    assert_true(hmc_pop(h, &r));
    from[r.tag & (p.links - 1)]++;  // the tag is the block, whose low bits choose the vault
  }
  for (uint32_t l = 0; l < p.links; l++) {
    assert_int_equal(from[l], 10);
  }
  hmc_destroy(h);
}

TEST(idle_refreshes) {
  hmc_params_t p = defaults();
  hmc_t *h = create(&p);
  hmc_stats_t s;
  hmc_skip_to(h, 78001);
  hmc_stats(h, &s);
  assert_int_equal(s.refreshes, 10 * p.vaults);
  assert_true(hmc_push(h, MemoryRead, 0, 64, 0));
  for (int i = 0; i < 100; i++) {
    hmc_step(h);
  }
  hmc_stats(h, &s);
  assert_int_equal(s.refreshes, 10 * p.vaults);
  hmc_destroy(h);
}

// --- errors

TEST(injected_errors) {
  hmc_params_t p = defaults();
  hmc_t *h = create(&p);
  hmc_inject_errors(h, &(memory_errors_t){.mask = 15, .match = 3});
  memory_response_t r;
  uint64_t pushed = 0, answered = 0, failed = 0;
  while (answered < 2000) {
    if (pushed < 2000 && (pushed % 2 ? hmc_logic_read(h, pushed * 64, 64, pushed)
                                     : hmc_push(h, MemoryRead, pushed * 64, 64, pushed))) {
      pushed++;
    }
    while (hmc_pop(h, &r) || hmc_logic_pop(h, &r)) {
      assert_int_equal(r.error, r.tag % 16 == 3);
      answered++;
    }
    hmc_step(h);
  }
  hmc_inject_errors(h, &(memory_errors_t){.permille = 100, .seed = 1});
  for (pushed = answered = 0; answered < 5000;) {
    pushed += pushed < 5000 && hmc_push(h, MemoryWrite, pushed * 64, 64, pushed);
    while (hmc_pop(h, &r)) {
      failed += r.error;
      answered++;
    }
    hmc_step(h);
  }
  assert_in_range(failed, 400, 600);
  hmc_stats_t s;
  hmc_stats(h, &s);
  assert_int_equal(s.errors, failed + 125);
  hmc_destroy(h);
}

TEST(impossible_accesses) {
  hmc_params_t p = defaults();
  hmc_t *h = create(&p);
  const uint64_t size = 4ull << 30;
  static const struct {
    uint64_t address;
    uint32_t kind, bytes;
    bool error;
  } Cases[] = {
      {0, MemoryRead, 64, false},         {48, MemoryRead, 16, false},
      {0, MemoryAtomic, 16, false},       {48, MemoryRead, 17, true},
      {0, MemoryRead, 65, true},          {0, MemoryRead, 0, true},
      {0, MemoryWrite, 128, true},        {4ull << 30, MemoryRead, 16, true},
      {UINT64_MAX, MemoryRead, 16, true}, {8, MemoryAtomic, 16, true},
      {0, MemoryAtomic, 32, true},        {0, MemoryRead, UINT32_MAX, true},
  };
  enum { Count = sizeof Cases / sizeof *Cases };
  assert_true(hmc_push(h, MemoryRead, size - 64, 64, 99));
  for (size_t i = 0; i < Count; i++) {
    assert_true(hmc_push(h, Cases[i].kind, Cases[i].address, Cases[i].bytes, i));
  }
  assert_true(hmc_logic_read(h, size, 64, 100));
  memory_response_t r;
  uint32_t answered = 0;
  for (int i = 0; i < 2000; i++) {
    while (hmc_pop(h, &r)) {
      assert_int_equal(r.error, r.tag == 99 ? false : Cases[r.tag].error);
      answered++;
    }
    while (hmc_logic_pop(h, &r)) {
      assert_true(r.error && r.tag == 100);
      answered++;
    }
    hmc_step(h);
  }
  assert_int_equal(answered, Count + 2);
  hmc_stats_t s;
  hmc_stats(h, &s);
  assert_int_equal(s.activates, 4);  // only what is possible reaches the DRAM
  // An answer to what is impossible has no data: 6 reads and 2 atomics of a flit each.
  assert_int_equal(s.up[MemoryRead].flits, 5 + 2 + 5 + 6);
  assert_int_equal(s.up[MemoryAtomic].flits, 2 + 2);
  assert_idle(h, &p);
  hmc_destroy(h);
}

TEST(refusals) {
  err_auto_t err = {0};
#define REFUSED(change, words)                      \
  do {                                              \
    hmc_params_t p = defaults();                    \
    p.change;                                       \
    assert_null(hmc_create(&p, &err));              \
    assert_non_null(strstr(err_text(&err), words)); \
  } while (0)
  REFUSED(links = 3, "hmc.links");
  REFUSED(vaults = 33, "hmc.vaults");
  REFUSED(vaults = 2, "hmc.vaults");
  REFUSED(banks = 6, "hmc.banks");
  REFUSED(block = 16, "hmc.block");
  REFUSED(timing.column_bytes = 48, "hmc.column_bytes");
  REFUSED(timing.trefi = 60000, "hmc.trefi");
  REFUSED(timing.trc = 5000, "hmc.trc");
  REFUSED(tokens = 17, "32 flits");
  REFUSED(logic_reads = 65000, "packets in all");
}

int main(void) { return run_all_tests(NULL, NULL); }
