// SPDX-License-Identifier: Apache-2.0
// What a machine is made of: the scheme, the number of GPUs, and the parameters of everything in it
// (sources: docs/configuration.md).
#ifndef NOCTURNE_MACHINE_MACHINE_PARAMS_H
#define NOCTURNE_MACHINE_MACHINE_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "../driver/driver_memory.h"
#include "../gpu/gpu_params.h"
#include "../link/link.h"
#include "energy_params.h"
#include "texturing.h"

typedef enum {
  MachineSingle,
  MachineDuplication,
  MachineChopinRoundRobin,  // chopin_rr: round-robin draws, both schedulers otherwise
  MachineChopinDirect,      // chopin_direct: draw scheduler, naive direct-send
  MachineChopin,
  MachineGpupd,        // cooperative projection and sequential distribution (CHOPIN, III-A)
  MachineGpupdIdeal,   // gpupd_ideal: no latency, bandwidth and buffers without limit; in order
  MachineChopinIdeal,  // chopin_ideal: the same of CHOPIN; ideal.merge says what merging takes
  MachineSchemeCount,
} machine_scheme_e;

// What ideal CHOPIN's merging takes.
typedef enum {
  MachineMergeRop,   // the ROP's rate: distribution units over links without limit
  MachineMergeNone,  // no time: in C
} machine_merge_e;

// Whether the broadcasts at target switches take their time in the ideal schemes.
typedef enum { MachineBroadcastPaid, MachineBroadcastFree } machine_broadcast_e;

// Which GPU direct-send sends to first.
typedef enum { MachineOrderZero, MachineOrderOwn } machine_order_e;

// GPUpd's distribution of primitives.
typedef struct {
  uint32_t batch_primitives, batch_draws;  // a batch ends with the draw that reaches either
  uint32_t indices;      // of 4 bytes, that stand for a triangle on a link
  uint32_t buffer;       // indices that a receiver can hold; 0: any number
  uint32_t send_rate;    // triangles a cycle that the sender looks up
  bool culled;           // culled triangles are exchanged too
  bool shared_port;      // all links of a sender share one link's bandwidth
  bool runahead;         // a batch is projected and distributed while the one before is drawn
} gpupd_params_t;

typedef struct {
  uint32_t scheme;  // machine_scheme_e
  uint32_t gpus;
  uint32_t threshold;
  bool require_draws, function_while_writing, depth_broadcast, order_tag;
  bool by_all, weights;        // of what the driver remembers of the frame before
  driver_hint_params_t hints;
  uint32_t progress_interval;  // triangles, 1 to 1024
  uint32_t message_latency;    // cycles, GPU to scheduler and back
  uint32_t memory_latency;     // cycles, distribution unit to its GPU's memory
  uint32_t memory_bytes_per_cycle;  // of a GPU, for the broadcasts at a target switch
  link_params_t link;
  uint32_t link_shared_buffer; // bytes for all senders to a GPU together; 0: link.buffer_bytes each
  uint32_t direct_order;       // machine_order_e
  uint32_t ideal_merge;        // machine_merge_e
  uint32_t ideal_broadcast;    // machine_broadcast_e
  gpupd_params_t gpupd;
  uint32_t count_width;
  uint32_t opaque_ahead;       // commands outstanding at a GPU; 0: its credits
  bool tie_lowest, lowest_first;
  uint32_t lookahead;          // greatest depth of a composition with lookahead; 0: the paper's
  uint32_t map_mode;           // pixel_distributor_map_e
  uint32_t work_tile;          // tiles
  uint32_t cell_mode;          // pixel_distributor_cell_e
  uint32_t beat_bytes;         // 16 << this: 0 to 4
  uint32_t watchdog;           // cycles without any progress that count as a hang
  uint64_t limit;              // cycles that count as a hang, whatever the progress; 0: none
  uint32_t frame_work;         // millions: most of a frame's work (machine_check_frame)
  uint32_t frame_memory;       // MiB: most that a frame's surfaces take in all GPUs
  gpu_params_t gpu;
  texturing_params_t texturing;
  energy_params_t energy;
} machine_params_t;

const char *machine_scheme_name(uint32_t scheme);

// Groups are composed.
static inline bool machine_composes(const machine_params_t *p) {
  uint32_t s = p->scheme;
  return s == MachineChopinRoundRobin || s == MachineChopinDirect || s == MachineChopin ||
         s == MachineChopinIdeal;
}

// Primitives are distributed between GPUs.
static inline bool machine_distributes(const machine_params_t *p) {
  return p->scheme == MachineGpupd || p->scheme == MachineGpupdIdeal;
}

// No latency and infinite bandwidth between the GPUs (CHOPIN, V).
static inline bool machine_ideal(const machine_params_t *p) {
  return p->scheme == MachineGpupdIdeal || p->scheme == MachineChopinIdeal;
}

// Sub-images are exchanged by distribution units; otherwise merged in no time.
static inline bool machine_exchanges(const machine_params_t *p) {
  return machine_composes(p) && !(machine_ideal(p) && p->ideal_merge == MachineMergeNone);
}

// A composition scheduler gives the orders; without one, naive direct-send.
static inline bool machine_schedules(const machine_params_t *p) {
  return machine_composes(p) && p->scheme != MachineChopinDirect;
}

// The composition scheduler with lookahead gives the orders, with depths up to this; 0: the paper's
// does. With transfers that take no time there is nothing to look ahead for.
static inline uint32_t machine_lookahead(const machine_params_t *p) {
  return machine_schedules(p) && !machine_ideal(p) ? p->lookahead : 0;
}

#endif
