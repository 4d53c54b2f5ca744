// SPDX-License-Identifier: Apache-2.0
// One vault of the HMC: the rules of DRAM timing, the turns of the data lines, refresh, fairness.
#include "csim/memory/vault.h"
#include "tests/programs/hmc_bench.h"

enum { Banks = 8, Pool = 64 };

// A vault whose every access is held against the rules of timing.
typedef struct {
  vault_timing_t t;
  vault_t v;
  hmc_packet_t pool[Pool];
  uint16_t free[Pool];
  uint32_t free_count;
  uint64_t bank_last[Banks], window[4], accesses, data_end, last, reads;
} ruled_t;

// Checks the access that the vault has started in the clocks from `now` on, with data until `done`.
static void check_access(ruled_t *r, const hmc_packet_t *p, uint64_t now, uint64_t done) {
  const vault_timing_t *t = &r->t;
  uint64_t start = r->v.last - 1;
  assert_true(start >= now && start < now + 1000 && start >= p->ready);
  assert_int_equal(start % t->tck, 0);
  assert_true(!r->accesses || start >= r->last + t->trrd);
  assert_true(!r->bank_last[p->bank] || start >= r->bank_last[p->bank] + t->trc);
  assert_true(r->accesses < 4 || start >= r->window[r->accesses % 4] + t->tfaw);
  // Closed for tRFC after each refresh: none starts in it.
  uint64_t first = (uint64_t)t->trefi * (t->staggered ? 4 : 32) / 32;
  if (start > first) {
    uint64_t due = first + (start - first) / t->trefi * t->trefi;
    assert_true(start >= due + t->trfc || start < due);
  }
  // Data lines: one access after the other.
  uint64_t time = p->bytes * 1000ull / t->bandwidth;
  if (p->kind == MemoryRead) {
    assert_true(done >= start + t->trcd + t->tcl);
    assert_true(!r->reads || done >= r->data_end + (time < 3200 ? time : 3200));
    r->data_end = done;
    r->reads++;
  } else {
    assert_true(done >= start + t->trcd + t->cwl);
  }
  r->bank_last[p->bank] = r->last = r->window[r->accesses % 4] = start;
  r->accesses++;
}

TEST(rules_of_a_vault) {
  for (uint32_t set = 0; set < sizeof Timings / sizeof *Timings; set++) {
    hmc_params_t p = with_timing(Timings[set]);
    ruled_t r = {.t = hmc_timing(&p), .free_count = Pool};
    r.t.trefi = 500000;  // many refreshes
    for (uint16_t i = 0; i < Pool; i++) {
      r.free[i] = i;
    }
    vault_init(&r.v, &r.t, 3, 32);
    rng_t rng;
    rng_seed(&rng, set + 1);
    uint64_t order = 0;
    const uint64_t end = 100000000;
    for (uint64_t now = 0; now < end; now += 1000) {
      bool busy = now / 10000000 % 2;  // in turns full and thin
      while (r.free_count && rng_chance(&rng, busy ? 900 : 20)) {
        uint16_t i = r.free[--r.free_count];
        r.pool[i] = (hmc_packet_t){.ready = now,
                                   .order = order++,
                                   .bytes = 32 << rng_below(&rng, 2),
                                   .kind = rng_chance(&rng, 700) ? MemoryRead : MemoryWrite,
                                   .bank = (uint8_t)rng_below(&rng, Banks),
                                   .class = (uint8_t)rng_below(&rng, 2)};
        vault_push(&r.v, r.pool, i);
      }
      uint64_t done, next;
      uint16_t i;
      while ((i = vault_issue(&r.v, &r.t, Banks, 3, r.pool, now + 1000, &done, &next)) !=
             VaultNone) {
        check_access(&r, &r.pool[i], now, done);
        r.free[r.free_count++] = i;
      }
      assert_true(next >= now + 1000);
    }
    assert_int_equal(r.v.stats.activates, r.accesses);
    assert_in_range(r.v.stats.refreshes, end / r.t.trefi - 1, end / r.t.trefi + 1);
    assert_true(r.accesses > 2000);
  }
}

// Activate times and ends of data of two accesses that are there from the start.
static void pair(const vault_timing_t *t, memory_kind_e first, memory_kind_e second, uint8_t bank,
                 uint64_t start[2], uint64_t done[2]) {
  vault_t v;
  hmc_packet_t pool[2] = {{.bytes = 32, .kind = (uint8_t)first},
                          {.bytes = 32, .kind = (uint8_t)second, .bank = bank, .order = 1}};
  uint64_t next;
  vault_init(&v, t, 0, 1);
  vault_push(&v, pool, 0);
  vault_push(&v, pool, 1);
  for (uint16_t i = 0; i < 2; i++) {
    assert_int_equal(vault_issue(&v, t, 8, 3, pool, MEMORY_NEVER - 1, &done[i], &next), i);
    start[i] = v.last - 1;
  }
}

TEST(reads_after_writes) {
  hmc_params_t p = with_timing("dramsim3");
  p.timing.trefi = 0;
  vault_timing_t t = hmc_timing(&p);
  uint64_t start[2], done[2], read = t.trcd + t.tcl + 3200, write = t.trcd + t.cwl + 3200;
  pair(&t, MemoryRead, MemoryRead, 1, start, done);
  assert_int_equal(done[0], start[0] + read);
  assert_int_equal(start[1], start[0] + t.trrd);
  // Another bank: the read's column command comes tWTR after the data written.
  pair(&t, MemoryWrite, MemoryRead, 1, start, done);
  assert_int_equal(done[0], start[0] + write);
  assert_in_range(done[1], done[0] + t.twtr + t.tcl + 3200, done[0] + t.twtr + t.tcl + 4800);
  // Another bank: written data follow the data read after a clock.
  pair(&t, MemoryRead, MemoryWrite, 1, start, done);
  assert_in_range(done[1], done[0] + t.tck + 3200, done[0] + t.tck + 4800);
  // The same bank: precharge waits for tWR after a write, for tRTP and tRAS after a read.
  pair(&t, MemoryWrite, MemoryRead, 0, start, done);
  assert_in_range(start[1], done[0] + t.twr + t.trp, done[0] + t.twr + t.trp + t.tck);
  pair(&t, MemoryRead, MemoryRead, 0, start, done);
  assert_int_equal(start[1], start[0] + t.trc);
  t.trtp = 40000;
  pair(&t, MemoryRead, MemoryRead, 0, start, done);
  assert_int_equal(start[1], start[0] + t.trcd + t.trtp + t.trp);
  t.tras = 80000;
  pair(&t, MemoryRead, MemoryRead, 0, start, done);
  assert_int_equal(start[1], start[0] + t.tras + t.trp);
  pair(&t, MemoryWrite, MemoryRead, 0, start, done);
  assert_int_equal(start[1], start[0] + t.tras + t.trp);
  // An atomic reads, takes a clock, then writes; it is answered before the write.
  t = hmc_timing(&p);
  pair(&t, MemoryAtomic, MemoryRead, 0, start, done);
  assert_int_equal(done[0], start[0] + read + t.tck);
  assert_true(start[1] >= done[0] + t.cwl + t.twr + t.trp);
}

// The turn of the data lines: written data start a clock after the data read end, on the memory
// clock, whichever of the two latencies is the longer.
TEST(writes_after_reads) {
  hmc_params_t p = with_timing("dramsim3");
  p.timing.trefi = 0;
  vault_timing_t t = hmc_timing(&p);
  t.trrd = t.tck;  // the rows are open in time
  uint64_t start[2], done[2];
  for (uint32_t cwl = t.tck; cwl <= 30 * t.tck; cwl += t.tck) {
    t.cwl = cwl;
    pair(&t, MemoryRead, MemoryWrite, 1, start, done);
    // The write's column command: its data after those read, and tCCD after the other command.
    uint64_t command = done[0] + t.tck - t.cwl;
    uint64_t gap = start[0] + t.trcd + (t.tccd > 3200 ? t.tccd : 3200);
    command = command > gap ? command : gap;
    command = (command + t.tck - 1) / t.tck * t.tck;
    assert_int_equal(done[1], command + t.cwl + 3200);
  }
}

// Refreshes that an access held up are made up for one after the other; what was idle has had
// them in time.
TEST(late_refreshes) {
  hmc_params_t p = defaults();
  vault_timing_t t = hmc_timing(&p);
  t.staggered = false;
  t.trefi = 500 * t.tck;
  t.trfc = 470 * t.tck;
  uint64_t due = t.trefi, done, next;
  for (uint32_t late = 0; late < 2; late++) {
    vault_t v;
    vault_init(&v, &t, 0, 1);
    // The first is activated just before the refresh is due, or long before.
    hmc_packet_t pool[2] = {
        {.bytes = 32, .kind = MemoryRead, .ready = late ? due - t.tck : 0},
        {.bytes = 32, .kind = MemoryRead, .bank = 1, .order = 1, .ready = due + 505 * t.tck}};
    vault_push(&v, pool, 0);
    assert_int_equal(vault_issue(&v, &t, 8, 3, pool, MEMORY_NEVER - 1, &done, &next), 0);
    uint64_t idle = v.ready[0];
    assert_true(late ? idle > due + 30 * t.tck : idle < due);
    vault_push(&v, pool, 1);
    assert_int_equal(vault_issue(&v, &t, 8, 3, pool, MEMORY_NEVER - 1, &done, &next), 1);
    uint64_t start = late ? idle + 2 * t.trfc : due + t.trefi + t.trfc;
    assert_in_range(v.last - 1, start, start + 2 * t.tck);
    assert_int_equal(v.stats.refreshes, 2);
  }
}

// A read does not wait for a stream of writes to end, nor a write for reads.
TEST(nobody_starves) {
  hmc_params_t p = defaults();
  p.timing.trefi = 0;
  p.starve = 300;
  vault_timing_t t = hmc_timing(&p);
  t.trc = 24000, t.twr = t.trp = t.tras = 800;  // banks are never short
  for (uint32_t odd = MemoryRead; odd <= MemoryWrite; odd++) {
    vault_t v;
    hmc_packet_t pool[8] = {0};
    vault_init(&v, &t, 0, 1);
    uint64_t order = 0, served = 0;
    for (uint16_t i = 0; i < 8; i++) {
      pool[i] = (hmc_packet_t){.order = order++,
                               .bytes = 64,
                               .bank = (uint8_t)i,
                               .ready = i == 7,
                               .kind = (i == 7) == (odd == MemoryRead) ? MemoryRead : MemoryWrite};
      vault_push(&v, pool, i);
    }
    for (int i = 0; i < 1000 && !served; i++) {
      uint64_t done, next;
      uint16_t k = vault_issue(&v, &t, 8, 3, pool, MEMORY_NEVER - 1, &done, &next);
      if (k == 7) {
        served = v.last - 1;
      } else {
        pool[k].order = order++;
        vault_push(&v, pool, k);
      }
    }
    assert_in_range(served, 250000, 350000);
  }
}

// Without the hash the low bits of the block; with it five fields, each as wide as a vault's
// number. Blocks that are any power of two apart come to all vaults alike, each place holds one
// block.
TEST(hashed_vaults) {
  hmc_params_t p = defaults();
  for (uint32_t hash = 0; hash < 2; hash++) {
    p.vault_hash = hash;
    hmc_t *h = create(&p);
    rng_t rng;
    rng_seed(&rng, 1);
    for (uint32_t i = 0; i < 20000; i++) {
      uint64_t n = rng_u64(&rng) >> 36;  // of 2^28 blocks
      uint64_t by_hash = (n ^ n >> 5 ^ n >> 10 ^ n >> 15 ^ n >> 20) & 31;
      assert_int_equal(hmc_vault(h, n * 64 + i % 64), hash ? by_hash : n & 31);
    }
    for (uint32_t apart = 0; apart <= 20; apart++) {
      uint32_t count[32] = {0}, most = 0;
      for (uint64_t i = 0; i < 1024; i++) {
        uint32_t v = hmc_vault(h, (i << apart) * 64);
        most = ++count[v] > most ? count[v] : most;
      }
      assert_int_equal(most, hash ? 32 : apart < 5 ? 32u << apart : 1024);
    }
    hmc_destroy(h);
  }
  p.vaults = 8, p.links = 4;
  hmc_t *h = create(&p);
  bool seen[1 << 12] = {0};  // a row of 8 for each value of the bits above
  for (uint64_t n = 0; n < 1 << 12; n++) {
    bool *place = &seen[n >> 3 << 3 | hmc_vault(h, n * 64)];
    assert_false(*place);
    *place = true;
  }
  hmc_destroy(h);
}

int main(void) { return run_all_tests(NULL, NULL); }
