// SPDX-License-Identifier: Apache-2.0
// A GDDR5 memory that several sources share: ranks, reserved places, mappings, a channel for CPUs
// and one for IPs, counts of each source, the clients of a memory system.
#include "csim/base/rng.h"
#include "csim/memory/gddr5_state.h"
#include "csim/memory/memory_system.h"
#include "tb/stimulus/memory_stream.h"
#include "tests/programs/test.h"

enum { Cpus = 4, Display = 5, Sources = 6, RowCycle = 43 };

static const gddr5_sources_t Soc = {.sources = Sources, .cpus = Cpus};
static const gddr5_sources_t Split = {
    .sources = Sources, .cpus = Cpus, .split = true, .cpu_base = 1ull << 32};

static gddr5_params_t with(const char *assignment) {
  gddr5_params_t p;
  err_auto_t err = {0};
  if (!config_defaults(gddr5_config_add, &p, assignment, &err)) {
    fail_msg("%s", err_text(&err));
  }
  return p;
}

static gddr5_t *create(const gddr5_params_t *p, const gddr5_sources_t *sources) {
  err_auto_t err = {0};
  gddr5_t *g = gddr5_create(p, sources, &err);
  assert_string_equal(err_text(&err), "");
  return g;
}

static bool push(gddr5_t *g, uint32_t source, memory_kind_e kind, uint64_t address,
                 uint32_t bytes) {
  return gddr5_push_from(g, (gddr5_from_t){source, gddr5_cycle(g)}, kind, address, bytes, source);
}

// Steps until a read of this source is answered; returns the cycle.
static uint64_t answered(gddr5_t *g, uint32_t source) {
  memory_response_t r = {.tag = UINT64_MAX};
  for (uint64_t end = gddr5_cycle(g) + 100000; r.tag != source;) {
    assert_true(gddr5_cycle(g) < end);
    if (!gddr5_pop(g, &r)) {
      gddr5_step(g);
    }
  }
  return gddr5_cycle(g);
}

// --- ranks

// Commands show in the banks.
static void assert_same(const gddr5_t *a, const gddr5_t *b) {
  for (uint32_t i = 0; i < a->params.channels; i++) {
    const channel_t *x = &a->channel[i], *y = &b->channel[i];
    assert_true(x->open == y->open && x->used == y->used && x->waiting == y->waiting);
    for (uint32_t k = 0; k < a->params.banks; k++) {
      const bank_t *s = &x->bank[k], *t = &y->bank[k];
      assert_true(s->row == t->row && s->column == t->column && s->precharge == t->precharge);
      assert_true(s->activate == t->activate && s->head == t->head && s->hit == t->hit);
    }
  }
}

// Ranks that are all equal change no command of the streams, whoever asks.
TEST(equal_ranks_are_none) {
  static const memory_shape_t Shape = {8, 16, 4096, 64, 32};
  static const uint8_t Ranks[Sources] = {3, 3, 3, 3, 3, 3};
  gddr5_params_t p = with("gddr5.starve=1000000");
  for (uint32_t k = 0; k < 10; k++) {
    gddr5_t *plain = create(&p, NULL), *ranked = create(&p, &Soc);
    memory_stream_t stream;
    memory_response_t a, b;
    rng_t rng;
    rng_seed(&rng, k);
    gddr5_ranks(ranked, Ranks);
    // At the streams' own load, then all at once.
    memory_stream_init(&stream, &Shape, "USVBH"[k % 5], 32, k < 5 ? 32 : 0, 1);
    uint64_t at = 0, address = 0, done = 0;
    bool ahead = false;
    for (uint64_t cycle = 0; cycle < 20000; cycle++) {
      for (;;) {
        if (!ahead) {
          address = memory_stream_gddr5(&p, &Shape, memory_stream_next(&stream, &at));
        }
        const uint32_t kind = address % 5 == 0 ? MemoryPostedWrite : MemoryRead;
        ahead = at > cycle * MemoryPsPerCycle || !gddr5_push(plain, kind, address, 32, 7);
        if (ahead) {
          break;
        }
        assert_true(push(ranked, rng_below(&rng, Sources), kind, address, 32));
      }
      gddr5_step(plain);
      gddr5_step(ranked);
      assert_same(plain, ranked);
      while (gddr5_pop(plain, &a)) {
        assert_true(gddr5_pop(ranked, &b) && a.kind == b.kind);
        done++;
      }
      assert_false(gddr5_pop(ranked, &b));
    }
    assert_true(done > 300);
    gddr5_destroy(plain);
    gddr5_destroy(ranked);
  }
}

// A better rank goes first and closes a row that others hit; of one rank hits do.
TEST(order_by_rank) {
  gddr5_params_t p = with("gddr5.channels=1");
  const uint64_t row = p.row_bytes * p.banks;
  static const uint8_t Ranks[Sources] = {0, 1, 2, 3, 4, 5}, Equal[Sources] = {0, 1, 1, 1, 1, 1};
  gddr5_t *g = create(&p, &Soc);
  gddr5_ranks(g, Ranks);
  push(g, 0, MemoryRead, 0, 32);
  answered(g, 0);
  for (uint32_t s = Sources - 1; s > 0; s--) {
    assert_true(push(g, s, MemoryRead, s % 2 ? row + s * 32 : s * 32, 32));
  }
  for (uint32_t s = 1; s < Sources; s++) {
    uint64_t before = gddr5_cycle(g);
    memory_response_t r;
    for (; !gddr5_pop(g, &r); gddr5_step(g)) {
    }
    assert_int_equal(r.tag, s);
    assert_in_range(gddr5_cycle(g) - before, p.tras + p.trp, 60);
  }
  // The row of 5 is open: 3 hits it and goes before 2 and 4.
  gddr5_ranks(g, Equal);
  push(g, 2, MemoryRead, 0, 32);
  push(g, 3, MemoryRead, row, 32);
  push(g, 4, MemoryRead, 64, 32);
  uint64_t third = answered(g, 3), second = answered(g, 2);
  assert_true(third < second && answered(g, 4) - second <= p.burst);
  // A better rank that comes later, and ranks that change, find their way at once.
  push(g, 2, MemoryRead, row, 32);
  push(g, 3, MemoryRead, 2 * row, 32);
  gddr5_step(g);
  gddr5_ranks(g, (uint8_t[]){0, 5, 4, 3, 2, 1});
  push(g, 5, MemoryRead, 3 * row, 32);
  second = answered(g, 5);
  third = answered(g, 3);
  assert_true(second < third && third < answered(g, 2));
  gddr5_destroy(g);
}

// Floods channel 0 by the first source, in one row, in rows of one bank or of many, with reads,
// writes or both; an access of the last source is served in time.
static void flood(uint32_t where, uint32_t kinds, uint32_t ours, uint64_t address, bool again) {
  gddr5_params_t p = with("gddr5.channels=1");
  static const uint8_t Ranks[Sources] = {0, 1, 2, 3, 4, 5};
  p.reserve = 4;
  gddr5_t *g = create(&p, &Soc);
  gddr5_ranks(g, Ranks);
  rng_t rng;
  rng_seed(&rng, where);
  uint64_t at = 0, i = 0, flooded = 0;
  for (uint64_t cycle = 0; cycle < 20000; cycle++) {
    memory_response_t r;
    while (gddr5_pop(g, &r)) {
    }
    for (bool taken = true; taken; i += taken) {
      uint64_t row = rng_below(&rng, 1000), bank = where == 2 ? rng_below(&rng, p.banks) : 0;
      uint64_t a = where == 0 ? i % 64 * 32 : (row * p.banks + bank) * p.row_bytes;
      bool write = kinds == 1 || (kinds == 2 && rng_below(&rng, 2));
      taken = push(g, 0, write ? MemoryPostedWrite : MemoryRead, a, 32);
    }
    if (cycle >= 8000 && !at) {
      at = cycle;
      assert_true(push(g, Display, ours, address, 32));
    }
    gddr5_step(g);
    flooded += gddr5_served(g)[0] == 0;
    if (gddr5_served(g)[0] == Display) {
      assert_true(at && cycle - at <= p.starve + 64 * RowCycle);
      // A flood of hits in one direction never leaves a cycle: it is the age that serves.
      assert_true(where || kinds == 2 || cycle - at > p.starve);
      at = again ? 0 : UINT64_MAX;
    }
  }
  assert_true(flooded > 400 && (again || at == UINT64_MAX));
  gddr5_destroy(g);
}

TEST(last_source_is_served) {
  for (uint32_t where = 0; where < 3; where++) {
    for (uint32_t kinds = 0; kinds < 3; kinds++) {
      for (uint32_t ours = MemoryRead; ours <= MemoryWrite; ours++) {
        flood(where, kinds, ours, 5 * 2048, false);            // a bank of its own
        flood(where, kinds, ours, 16 * 2048 * 2000ull, true);  // another row of the flooded one
      }
    }
  }
}

// Random requests and ranks; returns a digest of the answers and their cycles.
static uint64_t digest(const gddr5_params_t *p, const gddr5_sources_t *sources, uint64_t seed,
                       bool skip) {
  gddr5_t *g = create(p, sources);
  rng_t rng;
  rng_seed(&rng, seed);
  uint64_t hash = seed, next = 0, skipped = 0;
  memory_response_t r;
  for (int made = 0; made < 3000 || gddr5_next_event(g) != MEMORY_NEVER;) {
    while (gddr5_pop(g, &r)) {
      hash = (hash ^ r.tag ^ gddr5_cycle(g) << 8) * 0x100000001b3u;
      assert_false(r.error);
    }
    if (made < 3000 && gddr5_cycle(g) >= next) {
      uint8_t rank[Sources];
      for (uint32_t i = 0; i < Sources; i++) {
        rank[i] = (uint8_t)rng_below(&rng, 16);
      }
      gddr5_ranks(g, rng_chance(&rng, 900) ? rank : NULL);
      uint32_t s = rng_below(&rng, Sources), kind = rng_below(&rng, 3);
      uint64_t address = (s < Cpus ? sources->cpu_base : 0) + rng_below(&rng, 1 << 20);
      made += push(g, s, kind, address, 1 + rng_below(&rng, 256));
      next = gddr5_cycle(g) + rng_below(&rng, rng_chance(&rng, 900) ? 20 : 4000);
    }
    gddr5_step(g);
    uint64_t event = made < 3000 ? next : MEMORY_NEVER;
    event = gddr5_next_event(g) < event ? gddr5_next_event(g) : event;
    if (skip && event != MEMORY_NEVER && event > gddr5_cycle(g)) {
      skipped += event - gddr5_cycle(g);
      gddr5_skip_to(g, event);
    }
  }
  assert_true(!skip || skipped > 1000);
  gddr5_destroy(g);
  return hash;
}

TEST(ranks_and_skipping) {
  for (uint32_t k = 0; k < 8; k++) {
    gddr5_params_t p = with(k % 2 ? "gddr5.timing=lpddr3_133" : "gddr5.starve=60");
    const gddr5_sources_t *sources = k % 3 ? &Soc : &Split;
    p.channels = 2;
    p.reserve = k / 2;
    assert_int_equal(digest(&p, sources, k, false), digest(&p, sources, k, true));
    assert_int_not_equal(digest(&p, sources, k, false), digest(&p, sources, k + 1, false));
  }
}

// --- places

// How many accesses of a source enter channel 0.
static uint32_t fill(gddr5_t *g, uint32_t source) {
  uint32_t n = 0;
  while (push(g, source, MemoryRead, 2048 * 64 * n, 32)) {
    n++;
  }
  return n;
}

TEST(reserve) {
  gddr5_params_t p = with("gddr5.channels=1");
  for (p.reserve = 0; p.reserve * Sources <= 64 - 9; p.reserve++) {
    gddr5_t *g = create(&p, &Soc);
    // The flood leaves the others their own places; a request of more than that is not taken.
    assert_int_equal(fill(g, 0), 64 - p.reserve * (Sources - 1));
    for (uint32_t s = 1; s < Sources; s++) {
      assert_false(p.reserve < 8 && push(g, s, MemoryRead, 0, 32 * (p.reserve + 1)));
      assert_int_equal(fill(g, s), p.reserve);
    }
    // Whatever is served, the sums stay: all places are taken again.
    while (g->channel[0].used) {
      gddr5_step(g);
    }
    uint32_t again = fill(g, Display);
    assert_int_equal(again, 64 - p.reserve * (Sources - 1));
    assert_int_equal(g->channel[0].beyond, 64 - p.reserve * Sources);
    gddr5_destroy(g);
  }
  // 9 accesses at once find room in an empty queue, whatever the others hold of their own.
  p.reserve = 9;
  gddr5_t *g = create(&p, &Soc);
  assert_int_equal(fill(g, 1), 64 - 9 * 5);
  assert_true(push(g, 2, MemoryRead, 1, 256));
  gddr5_destroy(g);
}

// Each access of a memory has a place of its own: so many of a row as it has bytes.
static void places(const gddr5_params_t *p, const gddr5_sources_t *sources, uint32_t source,
                   uint64_t base, uint64_t bytes) {
  static uint8_t count[2][4][8];
  memset(count, 0, sizeof count);
  gddr5_t *g = create(p, sources);
  for (uint64_t a = 0; a < bytes; a += 32) {
    assert_true(push(g, source, MemoryRead, base + a, 32));
    for (uint32_t c = 0; c < 2; c++) {
      for (uint32_t b = 0; b < 4; b++) {
        const bank_t *bank = &g->channel[c].bank[b];
        if (bank->head != Gddr5NoAccess) {
          count[c][b][g->channel[c].access[bank->head].row]++;
          assert_false(sources->split && c != (source >= Cpus));
          // bank_low: the next interleave of a channel is in the next bank.
          uint32_t mapping = c && sources->split ? p->ip_mapping : p->mapping;
          uint32_t turn = (uint32_t)(a / p->interleave / (sources->split ? 1 : 2));
          assert_true(mapping == Gddr5ColumnLow || turn % 4 == b);
        }
      }
    }
    answered(g, source);
  }
  for (uint32_t i = 0; i < sizeof count; i++) {
    bool mine = !sources->split || i / 32 == (source >= Cpus);
    assert_int_equal(((uint8_t *)count)[i], mine ? p->row_bytes / 32 : 0);
  }
  gddr5_destroy(g);
}

TEST(mappings) {
  gddr5_params_t p = with("gddr5.mapping=bank_low");
  p.channels = 2, p.banks = 4, p.rows = 8, p.row_bytes = 256;
  places(&p, &Soc, 0, 0, 2 * 4 * 8 * 256);
  p.ip_mapping = Gddr5ColumnLow;
  places(&p, &Split, Display, 0, 4 * 8 * 256);
  places(&p, &Split, 3, 1ull << 32, 4 * 8 * 256);
  p.mapping = Gddr5ColumnLow, p.ip_mapping = Gddr5BankLow, p.interleave = 128;
  places(&p, &Split, Cpus, 0, 4 * 8 * 256);
  places(&p, &Split, 0, 1ull << 32, 4 * 8 * 256);
  // Outside of a source's channel: an error.
  gddr5_t *g = create(&p, &Split);
  memory_response_t r;
  static const struct {
    uint32_t source;
    uint64_t address;
  } Bad[] = {{0, 0}, {0, (1ull << 32) - 32}, {0, (1ull << 32) + 4 * 8 * 256}, {4, 4 * 8 * 256}};
  for (size_t i = 0; i < sizeof Bad / sizeof *Bad; i++) {
    assert_true(push(g, Bad[i].source, MemoryRead, Bad[i].address, 32));
    for (; !gddr5_pop(g, &r); gddr5_step(g)) {
    }
    assert_true(r.error);
  }
  gddr5_destroy(g);
}

// --- counts

TEST(counts_of_sources) {
  gddr5_params_t p = with("gddr5.timing=lpddr3_1333");
  p.channels = 2;
  gddr5_t *g = create(&p, &Soc);
  rng_t rng;
  rng_seed(&rng, 1);
  uint64_t reads[Sources] = {0}, served[Sources] = {0};
  for (int i = 0; i < 20000; i++) {
    memory_response_t r;
    uint32_t s = rng_below(&rng, 1 + rng_below(&rng, Sources));
    uint32_t kind = rng_chance(&rng, 300) ? MemoryPostedWrite : MemoryRead;
    uint64_t now = gddr5_cycle(g);
    gddr5_from_t from = {s, now > 500 ? now - 500 : now};
    if (gddr5_push_from(g, from, kind, rng_below(&rng, 1 << 22), 32, s)) {
      reads[s] += kind == MemoryRead;
    }
    while (gddr5_pop(g, &r)) {
    }
    gddr5_step(g);
    for (uint32_t c = 0; c < 2; c++) {
      served[gddr5_served(g)[c] % Sources] += gddr5_served(g)[c] != Gddr5NoSource;
    }
  }
  while (gddr5_next_event(g) != MEMORY_NEVER) {
    memory_response_t r;
    gddr5_step(g);
    while (gddr5_pop(g, &r)) {
    }
    for (uint32_t c = 0; c < 2; c++) {
      served[gddr5_served(g)[c] % Sources] += gddr5_served(g)[c] != Gddr5NoSource;
    }
  }
  gddr5_stats_t all;
  gddr5_stats(g, &all);
  uint64_t accesses = 0, latency = 0;
  for (uint32_t s = 0; s < Sources; s++) {
    const gddr5_source_stats_t *c = gddr5_source(g, s);
    assert_int_equal(c->accesses, served[s]);
    assert_true(c->accesses > 50);
    assert_int_equal(c->read_bytes + c->write_bytes, 32 * c->accesses);
    assert_int_equal(c->latency.count, reads[s]);
    assert_true(c->row_hits && c->activates && c->row_hits + c->activates >= c->accesses);
    // Since its client asked; within the bins' width.
    uint64_t mean = c->latency.sum / c->latency.count;
    uint64_t p99 = memory_latency_within(&c->latency, Gddr5LatencyBin, 990);
    assert_true(mean > 500 && p99 > mean && p99 <= c->latency.max);
    assert_true(memory_latency_within(&c->latency, Gddr5LatencyBin, 1000) == c->latency.max);
    accesses += c->accesses;
    latency += c->latency.count;
  }
  assert_int_equal(all.accesses, accesses);
  assert_int_equal(all.latency[MemoryRead].count, latency);
  gddr5_destroy(g);
}

// The sets, seen from outside: 64 bytes at 5.33 and 0.533 GB/s a channel.
TEST(lpddr3) {
  for (uint32_t slow = 0; slow < 2; slow++) {
    gddr5_params_t p = with(slow ? "gddr5.timing=lpddr3_133" : "gddr5.timing=lpddr3_1333");
    p.channels = 1, p.banks = 8, p.row_bytes = 4096;
    gddr5_t *g = create(&p, NULL);
    gddr5_push(g, MemoryRead, 0, 32, 0);
    assert_int_equal(answered(g, 0), 18 + 15 + (slow ? 60 : 6) + 1);
    uint64_t got = 0, i = 0;
    for (int cycle = 0; cycle < 100000; cycle++) {
      memory_response_t r;
      while (gddr5_push(g, MemoryRead, 64 * i, 64, 1)) {
        i++;
      }
      while (gddr5_pop(g, &r)) {
        got += r.bytes;
      }
      gddr5_step(g);
    }
    assert_in_range(got, slow ? 50000 : 500000, slow ? 53400 : 534000);
    gddr5_destroy(g);
  }
}

TEST(refusals) {
  err_auto_t err = {0};
  gddr5_params_t p = with("gddr5.reserve=9");
#define REFUSED(sources, words)                     \
  do {                                              \
    assert_false(gddr5_check(&p, sources, &err));   \
    assert_int_equal(err.status, ErrInput);         \
    assert_non_null(strstr(err_text(&err), words)); \
  } while (0)
  assert_true(gddr5_check(&p, &Soc, &err));
  p.reserve = 10;
  REFUSED(&Soc, "gddr5.reserve=10: 6 sources would have 60 of a channel's 64 places");
  assert_true(gddr5_check(&p, NULL, &err));
  p.reserve = 0;
  REFUSED(&Split, "gddr5.channels=8: split");
  p.channels = 2;
  assert_true(gddr5_check(&p, &Split, &err));
  p.ip_mapping = Gddr5BankLow;
  assert_true(gddr5_check(&p, &Split, &err));
  REFUSED(&Soc, "gddr5.ip_mapping");
  REFUSED(NULL, "gddr5.ip_mapping");
  REFUSED((&(gddr5_sources_t){.sources = 17}), "sources");
  REFUSED((&(gddr5_sources_t){.sources = 0}), "sources");
  REFUSED((&(gddr5_sources_t){.sources = 2, .cpus = 3}), "sources");
}

// --- the memory system

// Clients that ask at random times; returns a digest of their answers.
static uint64_t clients(bool skip, uint64_t *skipped) {
  gddr5_params_t p = with("gddr5.timing=lpddr3_133");
  err_auto_t err = {0};
  p.channels = 2, p.reserve = 8;
  memory_system_t *m = memory_system_create(NULL, &p, &Soc, &err);
  assert_non_null(m);
  gddr5_ranks(memory_system_gddr5(m), (uint8_t[]){5, 4, 3, 2, 1, 0});
  memory_port_t port[Sources + 1];
  for (uint32_t i = 0; i <= Sources; i++) {
    // The last one: the textures, IP 0 as the GPU.
    uint32_t client = i == Cpus ? MemoryClientGpu : memory_system_client(m, i);
    port[i] = memory_system_port(m, i == Sources ? MemoryClientTexture : client);
  }
  rng_t rng;
  rng_seed(&rng, 5);
  uint64_t hash = 0, next = 0, made = 0, wanted = 0, got = 0, bytes[Sources] = {0};
  for (uint64_t now = 0; made < 4000 || !memory_system_idle(m);) {
    for (uint32_t i = 0; i <= Sources; i++) {
      memory_answer_t a;
      while (port[i].pop(port[i].self, &a)) {
        assert_true(a.tag % 7 == i && !a.error);
        hash = (hash ^ a.tag ^ now << 8) * 0x100000001b3u;
        got++;
      }
    }
    for (; made < 4000 && now >= next; next = now + rng_below(&rng, 200)) {
      uint32_t i = rng_below(&rng, Sources + 1), n = 32 << rng_below(&rng, 3);
      bool write = rng_below(&rng, 3) == 0;
      if (port[i].push(port[i].self, (uint64_t)rng_below(&rng, 1 << 20) * 32, n, write,
                       made * 7 + i)) {
        *(i == Sources ? &bytes[Cpus] : &bytes[i]) += n;
        wanted += !write;
        made++;
      }
    }
    memory_system_step(m);
    now++;
    uint64_t event = memory_system_next_event(m);
    event = made < 4000 && next < event ? next : event;
    if (skip && event > now && event != MEMORY_NEVER) {
      *skipped += event - now;
      memory_system_skip_to(m, now = event);
    }
  }
  assert_true(got == wanted && memory_system_next_event(m) == MEMORY_NEVER);
  for (uint32_t s = 0; s < Sources; s++) {
    const gddr5_source_stats_t *c = gddr5_source(memory_system_gddr5(m), s);
    assert_int_equal(c->read_bytes + c->write_bytes, bytes[s]);
  }
  memory_system_destroy(m);
  return hash;
}

TEST(memory_clients) {
  uint64_t skipped = 0;
  assert_int_equal(clients(false, &skipped), clients(true, &skipped));
  assert_true(skipped > 10000);
}

int main(void) { return run_all_tests(NULL, NULL); }
