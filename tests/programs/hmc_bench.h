// SPDX-License-Identifier: Apache-2.0
// A cube on a bench: its parameters, and random addresses in it.
#ifndef NOCTURNE_TESTS_HMC_BENCH_H
#define NOCTURNE_TESTS_HMC_BENCH_H

#include "csim/base/rng.h"
#include "csim/memory/hmc.h"
#include "tests/programs/test.h"

enum { Patience = 200000 };

static const char *const Timings[] = {"cashmc_512", "cashmc", "dramsim3", "ramulator", "gem5"};

// timing: NULL: the default.
static inline hmc_params_t with_timing(const char *timing) {
  hmc_params_t p;
  err_auto_t err = {0};
  if (!hmc_params_default(&p, timing, &err)) {
    fail_msg("%s", err_text(&err));
  }
  return p;
}

static inline hmc_params_t defaults(void) { return with_timing(NULL); }

static inline hmc_t *create(const hmc_params_t *p) {
  err_auto_t err = {0};
  hmc_t *h = hmc_create(p, &err);
  assert_string_equal(err_text(&err), "");
  assert_non_null(h);
  return h;
}

static inline void assert_idle(const hmc_t *h, const hmc_params_t *p) {
  assert_true(hmc_next_event(h) == MEMORY_NEVER);
  for (uint32_t l = 0; l < p->links; l++) {
    assert_int_equal(hmc_tokens(h, l), p->tokens);
    assert_int_equal(hmc_host_tokens(h, l), p->host_tokens);
  }
}

// Returns an address of a block. spot: 0: all over, 1: one vault, 2: one bank.
static inline uint64_t address(rng_t *rng, const hmc_params_t *p, uint32_t spot, uint32_t bytes) {
  uint64_t blocks = (uint64_t)p->vaults * p->banks * p->bank_mib * 1048576 / p->block;
  uint64_t block = rng_u64(rng) % blocks;
  if (spot) {
    block = block / p->vaults * p->vaults + 5 % p->vaults;
  }
  if (spot == 2) {
    uint64_t bank = p->vaults * p->banks;
    block = block / bank * bank + 5 % p->vaults;
  }
  return block * p->block + rng_below(rng, p->block / 16 - (bytes - 1) / 16) * 16;
}

#endif
