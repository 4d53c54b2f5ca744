// SPDX-License-Identifier: Apache-2.0
// A CPU of a system on a chip: the stream of misses of its last-level cache. Instructions are
// counted, not executed (docs/model/soc.md).
//
// In each cycle that the SoC evaluates call soc_core_step, before the memory's step. Nothing that a
// core draws at random depends on time.
#ifndef NOCTURNE_MACHINE_SOC_CORE_H
#define NOCTURNE_MACHINE_SOC_CORE_H

#include "../base/rng.h"
#include "../base/text.h"
#include "../memory/memory_port.h"
#include "soc_params.h"

enum { SocLine = 64, SocCoreBytes = 64 << 20 };

typedef enum { SocCoreRests, SocCoreWorks, SocCoreBackground } soc_core_mode_e;

typedef struct {
  const soc_cpu_params_t *params;
  uint32_t index;
  memory_port_t port;
  rng_t rng;
  soc_core_mode_e mode;
  bool runs;                 // executes instructions; else it waits for reads
  uint64_t at, since;        // 1/1000 instructions, and the cycle in which it had done them
  uint64_t miss, end;        // of the next miss, and of the work
  uint64_t due;              // next background request
  uint32_t under_way;        // reads
  bool has_write, has_read;  // a miss that waits for room
  uint64_t write, line;      // of it; line is the place in the stream
  uint32_t left;             // lines until the next jump
  uint64_t misses, extra;    // of the whole run; instructions that background requests stand for
} soc_core_t;

void soc_core_init(soc_core_t *core, const soc_cpu_params_t *params, uint32_t index, uint64_t seed,
                   memory_port_t port);

// Begins work of so many thousand instructions, at cycle now.
void soc_core_work(soc_core_t *core, uint64_t now, uint32_t thousands);

// Begins background requests.
void soc_core_background(soc_core_t *core, uint64_t now);

// Ends them; a request that waits for room is still sent.
void soc_core_rest(soc_core_t *core);

void soc_core_step(soc_core_t *core, uint64_t now);

// Tells if the work is done and its reads are back.
static inline bool soc_core_done(const soc_core_t *core) {
  return core->mode != SocCoreWorks && core->under_way == 0 && !core->has_read;
}

// Tells if a request waits for room.
static inline bool soc_core_blocked(const soc_core_t *core) { return core->has_read; }

// Returns the next cycle after now in which it does something by itself, UINT64_MAX if it waits.
uint64_t soc_core_next(const soc_core_t *core, uint64_t now);

// Returns the instructions that it has executed, those that background requests stand for included.
uint64_t soc_core_instructions(const soc_core_t *core, uint64_t now);

// Adds to the report of a hang what it waits for.
void soc_core_describe(const soc_core_t *core, text_t *text);

#endif
