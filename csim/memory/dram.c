#include "dram.h"

#include <string.h>

void dram_init(dram_t *dram, const dram_params_t *params) {
  memset(dram, 0, sizeof *dram);
  dram->params = *params;
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint64_t burst_access(dram_t *d, uint64_t now, uint64_t burst, bool write) {
  const dram_params_t *p = &d->params;
  dram_channel_t *c = &d->channel[burst % p->channels];
  uint64_t row = burst / p->channels * DramBurst / p->row_bytes;
  dram_bank_t *b = &c->banks[row % p->banks];
  uint32_t length = (DramBurst + p->channel_bytes - 1) / p->channel_bytes;
  // A full channel takes the access when its oldest transaction ends.
  uint64_t start = later(now, c->done[c->next]);
  d->accesses++;
  if (b->row != row + 1) {
    uint64_t activate = start;
    if (b->row) {
      activate = later(activate, b->precharge) + p->precharge;
    }
    activate = later(activate, c->activate);
    c->activate = activate + p->row_to_row;
    b->row = row + 1;
    b->column = activate + p->activate;
    d->row_misses++;
  }
  uint64_t command = later(later(start, b->column), write ? 0 : c->read);
  uint64_t data = later(command + p->column, c->bus);
  uint64_t end = data + length;
  c->bus = end;
  b->precharge = later(b->precharge, end + (write ? p->write_recovery : 0));
  if (write) {
    c->read = end + p->write_to_read;
  }
  c->done[c->next] = end;
  c->next = c->next + 1 == p->transactions ? 0 : c->next + 1;
  d->busy += length;
  return end;
}

uint64_t dram_access(dram_t *d, uint64_t now, uint64_t address, uint32_t bytes, bool write) {
  uint64_t last = now;
  d->bytes += bytes;
  for (uint32_t done = 0; done < bytes; done += DramBurst) {
    last = later(last, burst_access(d, now, (address + done) / DramBurst, write));
  }
  return last;
}
