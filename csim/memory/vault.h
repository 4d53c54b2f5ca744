// SPDX-License-Identifier: Apache-2.0
// A vault of the HMC: its controller, its banks and their DRAM timing, in picoseconds.
// Closed page: each access activates a row, moves its columns and precharges by itself.
//
// The controller decides when an activate can start, not before: among the heads of the
// banks' queues the one that can be activated first, the oldest of equals. Column commands
// go in the order of the activates, so an access is timed whole when it is activated. An
// activate waits for the columns before it rather than holding its bank open. An access that
// could long have been activated but for the direction of the data lines goes before those
// of the other direction.
//
// Each bank has a queue for each class (requests of the links, reads of the logic layer),
// so that responses which the links cannot take do not hold up the other class.
//
// Rules kept: tRC, tRAS, tRP, tRCD, tRRD, four activates in tFAW, tCCD, the data lines,
// tRTP, tWR, tWTR, refresh of all banks (tRFC every tREFI), commands on the memory clock.
#ifndef NOCTURNE_MEMORY_VAULT_H
#define NOCTURNE_MEMORY_VAULT_H

#include "memory.h"

enum { VaultMaxBanks = 16, VaultAtom = 32, VaultNone = 0xffff };

typedef enum { VaultLink, VaultLogic, VaultClasses } vault_class_e;

// ps, unless said otherwise
typedef struct {
  uint32_t tck;  // command clock
  uint32_t trcd, tcl, trp, tras, trc, trrd;
  uint32_t tfaw;  // 0: no such rule
  uint32_t tccd, cwl, twr, twtr, trtp;
  uint32_t trfc, trefi;   // trefi 0: no refresh
  uint32_t command;       // a command's way to the DRAM, which the next one waits for
  uint32_t column_bytes;  // that one column command moves: 32 or 64
  uint32_t bandwidth;     // of the data lines, GB/s
  uint32_t starve;        // a bank that waited so long turns the data lines
  bool staggered;         // the vaults refresh one after the other, not all at once
} vault_timing_t;

// A request on its way, and then its response.
typedef struct {
  uint64_t tag;
  uint64_t pushed;  // cycle
  uint64_t ready;   // ps in a vault's queue; otherwise the cycle it may move on
  uint64_t order;   // age
  uint32_t bytes;
  uint16_t next;        // in its list
  uint8_t kind, class;  // memory_kind_e, vault_class_e
  uint8_t link, vault, bank;
  uint8_t flits;    // of the packet as it is now
  bool error, bad;  // bad: answered with an error without touching the DRAM
} hmc_packet_t;

typedef struct {
  uint64_t activates, refreshes;
  uint64_t read_bytes, write_bytes;  // moved by column commands
} vault_stats_t;

typedef struct {
  uint64_t ready[VaultMaxBanks];   // earliest activate
  uint64_t window[4];              // the last four activates + 1, 0: none; a ring
  uint64_t last;                   // last activate + 1
  uint64_t read, write;            // earliest column command
  uint64_t refresh;                // next one due
  uint32_t slot;                   // in window
  uint16_t waiting[VaultClasses];  // banks with a queue
  uint16_t queued[VaultClasses];
  uint16_t head[VaultClasses][VaultMaxBanks], tail[VaultClasses][VaultMaxBanks];
  vault_stats_t stats;
} vault_t;

void vault_init(vault_t *vault, const vault_timing_t *timing, uint32_t index, uint32_t vaults);

// Queues a packet. packet->ready says when it can be seen; pushes of a bank and class come in that
// order. Returns a time before which it changes nothing that vault_issue can do.
uint64_t vault_push(vault_t *vault, hmc_packet_t *pool, uint16_t packet);

// Activates one access of the classes in the mask, if one can be activated before `until`;
// returns its packet and the end of its data in *done. Otherwise VaultNone and in *next
// the earliest time at which one can, or MEMORY_NEVER.
uint16_t vault_issue(vault_t *vault, const vault_timing_t *timing, uint32_t banks, uint32_t classes,
                     hmc_packet_t *pool, uint64_t until, uint64_t *done, uint64_t *next);

#endif
