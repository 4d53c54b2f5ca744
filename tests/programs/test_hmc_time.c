// SPDX-License-Identifier: Apache-2.0
// The time of the HMC model: latency, flits, bandwidth of links and vaults, order within a bank.
#include "tests/programs/hmc_bench.h"

static uint64_t alone(const hmc_params_t *p, memory_kind_e kind, uint32_t bytes, bool logic) {
  hmc_t *h = create(p);
  memory_response_t r;
  assert_true(logic ? hmc_logic_read(h, 0, bytes, 1) : hmc_push(h, kind, 0, bytes, 1));
  while (logic ? !hmc_logic_pop(h, &r) : !hmc_pop(h, &r)) {
    assert_true(hmc_cycle(h) < Patience);
    if (hmc_package_pop(h, &r)) {
      assert_true(hmc_respond(h, 1, 80, false));
    }
    hmc_step(h);
  }
  uint64_t latency = hmc_cycle(h);
  hmc_stats_t s;
  hmc_stats(h, &s);
  if (kind != MemoryPackage) {
    assert_int_equal(logic ? s.logic_latency.sum : s.latency[kind].sum, latency);
  }
  hmc_destroy(h);
  return latency;
}

TEST(latency) {
  hmc_params_t p = defaults(), q = p;
  uint64_t read = alone(&p, MemoryRead, 64, false), inside = alone(&p, MemoryRead, 64, true);
  // 2 cycles there, tRCD, tCL and 4 ns of data are 24.8 ns, 5 flits through the port and
  // 2 cycles back.
  assert_in_range(inside, 31, 33);
  // The links add 2 ns for the packets' 6 flits and a cycle each way; the response starts
  // on its link while it still comes through the port.
  assert_in_range(read, inside + 1, inside + 4);
  q.link_latency += 8;  // 8 ns are 10 memory clocks
  assert_int_equal(alone(&q, MemoryRead, 64, false), read + 16);
  assert_int_equal(alone(&q, MemoryPackage, 64, false), alone(&p, MemoryPackage, 64, false) + 16);
  assert_int_equal(alone(&q, MemoryRead, 64, true), inside);
  q = p, q.switch_latency += 8;
  assert_int_equal(alone(&q, MemoryRead, 64, false), read + 16);
  assert_int_equal(alone(&q, MemoryRead, 64, true), inside + 16);
  assert_int_equal(alone(&q, MemoryPackage, 64, false), alone(&p, MemoryPackage, 64, false) + 16);
  q = p, q.tsv_latency += 8;
  assert_int_equal(alone(&q, MemoryRead, 64, true), inside + 16);
  q = p, q.bandwidth = 16;  // 4 GB/s a link: a flit takes 4 ns instead of 0.4
  assert_in_range(alone(&q, MemoryRead, 64, false), read + 20, read + 23);
  q = p, q.timing.trcd = 10400 + 8000;
  assert_int_equal(alone(&q, MemoryRead, 64, true), inside + 8);
  // A write is done with its data in the row; an atomic reads before.
  assert_true(alone(&p, MemoryAtomic, 16, false) <= read);
}

TEST(flits) {
  static const struct {
    uint32_t kind, bytes, down, up;
  } Cases[] = {{MemoryRead, 64, 1, 5},   {MemoryRead, 16, 1, 2},        {MemoryWrite, 64, 5, 1},
               {MemoryWrite, 33, 4, 1},  {MemoryPostedWrite, 64, 5, 0}, {MemoryAtomic, 16, 2, 2},
               {MemoryPackage, 64, 4, 5}};
  hmc_params_t p = defaults();
  for (size_t i = 0; i < sizeof Cases / sizeof *Cases; i++) {
    hmc_t *h = create(&p);
    memory_response_t r;
    assert_true(hmc_push(h, Cases[i].kind, 0, Cases[i].bytes, 1));
    for (int k = 0; k < 300; k++) {
      hmc_step(h);
      hmc_pop(h, &r);
      if (hmc_package_pop(h, &r)) {
        assert_true(hmc_respond(h, 1, 80, false));
      }
    }
    hmc_stats_t s;
    hmc_stats(h, &s);
    assert_int_equal(s.down[Cases[i].kind].flits, Cases[i].down);
    assert_int_equal(s.up[Cases[i].kind].flits, Cases[i].up);
    // Data go one way: a write's with the request, all else back; an atomic's both ways.
    uint32_t kind = Cases[i].kind;
    assert_int_equal(s.down[kind].bytes, Cases[i].bytes);
    assert_int_equal(s.up[kind].bytes, kind == MemoryPackage                        ? 80
                                       : kind == MemoryRead || kind == MemoryAtomic ? Cases[i].bytes
                                                                                    : 0);
    uint64_t moved = Cases[i].kind == MemoryPackage  ? 0
                     : Cases[i].kind == MemoryAtomic ? 64  // an atom read, an atom written
                                                     : (Cases[i].bytes + 31) / 32 * 32;
    assert_int_equal(s.tsv_bytes, moved);
    assert_int_equal(s.link_bits, 128 * (Cases[i].down + Cases[i].up));
    assert_int_equal(s.dram_bits, 8 * moved);
    hmc_destroy(h);
  }
}

// Saturated reads of the links, GB/s of data.
static double saturated(const hmc_params_t *p, uint32_t bytes) {
  hmc_t *h = create(p);
  rng_t rng;
  rng_seed(&rng, 1);
  memory_response_t r;
  uint64_t waiting = 0, got = 0;
  enum { Cycles = 20000 };
  for (int i = 0; i < Cycles; i++) {
    while (hmc_pop(h, &r)) {
      waiting--;
      got++;
    }
    while (waiting < 512 && hmc_push(h, MemoryRead, address(&rng, p, 0, bytes), bytes, 0)) {
      waiting++;
    }
    hmc_step(h);
  }
  hmc_destroy(h);
  return (double)got * bytes / Cycles;
}

// Data per link time: N of N + 16 bytes; no head-of-line loss in the switch.
TEST(link_bandwidth) {
  hmc_params_t p = defaults();
  double full = saturated(&p, 64);
  assert_true(full > 126.5 && full < 128.1);
  full = saturated(&p, 16);
  assert_true(full > 79 && full < 80.1);
  p.bandwidth = 320;
  full = saturated(&p, 64);
  assert_true(full > 250 && full < 256.1);
  p = defaults();
  p.bandwidth = 40;
  full = saturated(&p, 64);
  assert_true(full > 31.6 && full < 32.1);
}

// Reads of one bank come back in the order of their pushes.
TEST(order_of_a_bank) {
  hmc_params_t p = defaults();
  hmc_t *h = create(&p);
  rng_t rng;
  rng_seed(&rng, 4);
  uint64_t pushed = 0, next[4] = {0}, last[4] = {0};
  memory_response_t r;
  for (int i = 0; i < 30000; i++) {
    uint64_t bank = rng_below(&rng, 4);
    uint64_t a = (rng_below(&rng, 1000) * 256ull + bank * 32 + 3) * 64;
    uint64_t tag = bank << 32 | next[bank];
    if (hmc_push(h, rng_chance(&rng, 300) ? MemoryAtomic : MemoryRead, a, 16, tag)) {
      next[bank]++;
      pushed++;
    }
    while (hmc_pop(h, &r)) {
      assert_int_equal(r.tag & 0xffffffff, last[r.tag >> 32]++);
      pushed--;
    }
    hmc_step(h);
  }
  assert_true(last[0] > 300);
  hmc_destroy(h);
}

// GB/s of reads of the logic layer in one vault.
static double one_vault(const hmc_params_t *p) {
  hmc_t *h = create(p);
  memory_response_t r;
  uint64_t sent = 0, got = 0;
  for (int i = 0; i < 4000; i++) {
    while (hmc_logic_read(h, sent * 32 * 64, 64, sent)) {
      sent++;
    }
    while (hmc_logic_pop(h, &r)) {
      got++;
    }
    hmc_step(h);
  }
  hmc_destroy(h);
  return (double)got * 64 / 4000;
}

TEST(vault_bandwidth) {
  hmc_params_t p = defaults();
  double full = one_vault(&p);
  assert_true(full > 15.5 && full <= 16);
  p.timing.bandwidth = 10;
  full = one_vault(&p);
  assert_true(full > 9.7 && full <= 10);
  p = defaults();
  p.vault_port = 1;  // 5 flits a line
  full = one_vault(&p);
  assert_true(full > 12.6 && full <= 12.8);
  p.timing.trefi = 0, p.vault_port = 2;
  assert_true(one_vault(&p) > 15.8);
  p.vault_hash = true;  // a stride of 32 blocks comes to all
  assert_true(one_vault(&p) > 300);
}

int main(void) { return run_all_tests(NULL, NULL); }
