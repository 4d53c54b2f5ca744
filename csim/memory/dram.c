#include "dram.h"

#include <string.h>

void dram_init(dram_t *dram, const dram_params_t *params) {
  memset(dram, 0, sizeof *dram);
  dram->params = *params;
}

uint64_t dram_access(dram_t *d, uint64_t now, uint64_t address, uint32_t bytes) {
  const dram_params_t *p = &d->params;
  uint64_t last = now;
  d->bytes += bytes;
  for (uint32_t done = 0; done < bytes; done += DramBurst) {
    uint64_t burst = (address + done) / DramBurst;
    uint32_t channel = (uint32_t)(burst % p->channels);
    uint64_t local = burst / p->channels * DramBurst;
    uint64_t row = local / p->row_bytes + 1;
    uint32_t bank = (uint32_t)(row % p->banks);
    bool hit = d->row[channel][bank] == row;
    d->row[channel][bank] = row;
    d->accesses++;
    d->row_misses += !hit;
    // Banks work in parallel: a row opens while data of others pass.
    uint64_t start = d->free[channel] > now ? d->free[channel] : now;
    uint64_t earliest = now + (hit ? p->row_hit : p->row_miss);
    start = start > earliest ? start : earliest;
    d->free[channel] = start + (DramBurst + p->channel_bytes - 1) / p->channel_bytes;
    last = d->free[channel] > last ? d->free[channel] : last;
  }
  return last;
}
