// A GPU's own memory: channels with banks and row buffers. Every access names its bytes
// and gets the cycle of its last data; bandwidth and row conflicts are those of the
// accesses before it. First come, first served in each channel.
#ifndef NOCTURNE_MEMORY_DRAM_H
#define NOCTURNE_MEMORY_DRAM_H

#include <stdbool.h>
#include <stdint.h>

enum { DramMaxChannels = 64, DramMaxBanks = 64, DramBurst = 64 };

typedef struct {
  uint32_t channels, channel_bytes, banks, row_bytes;  // bytes a cycle; bytes
  uint32_t row_hit, row_miss;                          // cycles to the first data
} dram_params_t;

typedef struct {
  dram_params_t params;
  uint64_t free[DramMaxChannels];  // cycle at which the channel's data lines are free
  uint64_t row[DramMaxChannels][DramMaxBanks];  // open row + 1
  uint64_t bytes, accesses, row_misses;
} dram_t;

void dram_init(dram_t *dram, const dram_params_t *params);

// Reads or writes `bytes` from `address` on, interleaved over the channels in bursts of
// 64 bytes; returns the cycle at which the last data has passed.
uint64_t dram_access(dram_t *dram, uint64_t now, uint64_t address, uint32_t bytes);

#endif
