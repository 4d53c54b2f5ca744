// SPDX-License-Identifier: Apache-2.0
#include "dram.h"

#include <string.h>

#include "../base/cycle.h"

enum { NoShift = 255 };

static uint8_t shift_of(uint32_t n) { return n & (n - 1) ? NoShift : (uint8_t)__builtin_ctz(n); }

// Returns n / d and the remainder; a shift where d is a power of two.
static uint64_t divide(uint64_t n, uint32_t d, uint8_t shift, uint32_t *remainder) {
  if (shift != NoShift) {
    *remainder = (uint32_t)n & (d - 1);
    return n >> shift;
  }
  *remainder = (uint32_t)(n % d);
  return n / d;
}

void dram_init(dram_t *dram, const dram_params_t *params) {
  memset(dram, 0, sizeof *dram);
  dram->params = *params;
  dram->channel_shift = shift_of(params->channels);
  dram->row_shift = shift_of(params->row_bytes / DramBurst);
  dram->burst_cycles = (DramBurst + params->channel_bytes - 1) / params->channel_bytes;
  dram->bank_shift = shift_of(params->banks);
}

static uint64_t burst_access(dram_t *d, uint64_t now, uint64_t burst, bool write) {
  const dram_params_t *p = &d->params;
  uint32_t channel, column, bank;
  uint64_t local = divide(burst, p->channels, d->channel_shift, &channel);
  uint64_t row = divide(local, p->row_bytes / DramBurst, d->row_shift, &column);
  divide(row, p->banks, d->bank_shift, &bank);
  dram_channel_t *c = &d->channel[channel];
  dram_bank_t *b = &c->banks[bank];
  uint32_t length = d->burst_cycles;
  // A full channel takes the access when its oldest transaction ends.
  uint64_t start = cycle_later(now, c->done[c->next]);
  d->accesses++;
  if (b->row != row + 1) {
    uint64_t activate = start;
    if (b->row) {
      activate = cycle_later(activate, b->precharge) + p->precharge;
    }
    activate = cycle_later(activate, c->activate);
    c->activate = activate + p->row_to_row;
    b->row = row + 1;
    b->column = activate + p->activate;
    d->row_misses++;
  }
  uint64_t command = cycle_later(cycle_later(start, b->column), write ? 0 : c->read);
  uint64_t data = cycle_later(command + p->column, c->bus);
  uint64_t end = data + length;
  c->bus = end;
  b->precharge = cycle_later(b->precharge, end + (write ? p->write_recovery : 0));
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
    last = cycle_later(last, burst_access(d, now, (address + done) / DramBurst, write));
  }
  return last;
}
