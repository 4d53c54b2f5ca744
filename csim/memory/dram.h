// SPDX-License-Identifier: Apache-2.0
// A GPU's own memory: channels with banks and row buffers. Every access names its bytes
// and gets the cycle of its last data. Each channel serves in order of arrival, with
// its banks opening rows in parallel; the calls come with time not going back.
#ifndef NOCTURNE_MEMORY_DRAM_H
#define NOCTURNE_MEMORY_DRAM_H

#include <stdbool.h>
#include <stdint.h>

enum { DramMaxChannels = 64, DramMaxBanks = 64, DramMaxTransactions = 256, DramBurst = 64 };

// Cycles, unless said otherwise.
typedef struct {
  uint32_t channels, channel_bytes;  // bytes a cycle
  uint32_t banks, row_bytes;
  uint32_t activate;        // row to column command (tRCD)
  uint32_t precharge;       // (tRP)
  uint32_t column;          // column command to first data (CAS)
  uint32_t row_to_row;      // activate to activate of another bank (tRRD)
  uint32_t write_recovery;  // last data written to precharge (tWR)
  uint32_t write_to_read;   // last data written to a read's column command (tWTR)
  uint32_t transactions;    // that a channel holds at most
} dram_params_t;

typedef struct {
  uint64_t row;        // open row + 1, 0: none
  uint64_t column;     // earliest column command
  uint64_t precharge;  // earliest precharge
} dram_bank_t;

typedef struct {
  uint64_t bus;                        // cycle at which the data lines are free
  uint64_t activate;                   // earliest next activate
  uint64_t read;                       // earliest read command after a write
  uint64_t done[DramMaxTransactions];  // end of the last transactions, a ring
  uint32_t next;
  dram_bank_t banks[DramMaxBanks];
} dram_channel_t;

typedef struct {
  dram_params_t params;
  uint8_t channel_shift, row_shift, bank_shift;
  uint32_t burst_cycles;
  dram_channel_t channel[DramMaxChannels];
  uint64_t bytes, accesses, row_misses, busy;  // busy: cycles of data, all channels
} dram_t;

void dram_init(dram_t *dram, const dram_params_t *params);

// Reads or writes `bytes` from `address` on, interleaved over the channels in bursts of
// 64 bytes; returns the cycle at which the last data has passed.
uint64_t dram_access(dram_t *dram, uint64_t now, uint64_t address, uint32_t bytes, bool write);

#endif
