// SPDX-License-Identifier: Apache-2.0
// Parameters of a machine: the scheme, the number of GPUs, and the parameters of everything in it
// (sources: docs/reference/configuration.md).
#ifndef NOCTURNE_MACHINE_MACHINE_PARAMS_H
#define NOCTURNE_MACHINE_MACHINE_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "../driver/driver_memory.h"
#include "../gpu/gpu_params.h"
#include "../link/link.h"
#include "energy_params.h"
#include "scheme.h"
#include "soc_params.h"
#include "texturing.h"

// Time of merging in ideal CHOPIN.
typedef enum {
  MachineMergeRop,   // the ROP's rate: distribution units over links without limit
  MachineMergeNone,  // no time: in C
} machine_merge_e;

// Broadcasts at target switches in the ideal schemes take their time, or none.
typedef enum { MachineBroadcastPaid, MachineBroadcastFree } machine_broadcast_e;

// Which GPU direct-send sends to first.
typedef enum { MachineOrderZero, MachineOrderOwn } machine_order_e;

// GPUpd's distribution of primitives.
typedef struct {
  uint32_t batch_primitives, batch_draws;  // a batch ends with the draw that reaches either
  uint32_t indices;                        // of 4 bytes, that stand for a triangle on a link
  uint32_t buffer;                         // indices that a receiver can hold; 0: any number
  uint32_t send_rate;                      // triangles a cycle that the sender looks up
  bool culled;                             // culled triangles are exchanged too
  bool shared_port;                        // all links of a sender share one link's bandwidth
  bool runahead;  // a batch is projected and distributed while the one before is drawn
} gpupd_params_t;

typedef struct {
  uint32_t scheme;                // machine_scheme_e
  uint32_t draws, orders, ideal;  // machine_draws_e, machine_orders_e, machine_ideal_e
  uint32_t gpus;
  uint32_t threshold;
  bool require_draws, function_while_writing, depth_broadcast, order_tag;
  bool by_all, weights;  // of what the driver remembers of the frame before
  driver_hint_params_t hints;
  uint32_t split, split_min;  // of pieces_params_t
  bool sync_needed;           // depth that nobody samples is not broadcast at target switches
  bool sync_blocks;           // broadcasts send blocks of 8x8 pixels that were written
  uint32_t scout_triangles, scout_share, scout_cycles;  // of scout_params_t
  uint32_t barrier_share;                               // of plan_params_t
  bool rehearse;  // the driver remembers this frame, which ran once before, not the one before
  uint32_t progress_interval;       // triangles, 1 to 1024
  uint32_t message_latency;         // cycles, GPU to scheduler and back
  uint32_t memory_latency;          // cycles, distribution unit to its GPU's memory
  uint32_t memory_bytes_per_cycle;  // of a GPU, for the broadcasts at a target switch
  link_params_t link;
  uint32_t
      link_shared_buffer;    // bytes for all senders to a GPU together; 0: link.buffer_bytes each
  uint32_t direct_order;     // machine_order_e
  uint32_t ideal_merge;      // machine_merge_e
  uint32_t ideal_broadcast;  // machine_broadcast_e
  gpupd_params_t gpupd;
  uint32_t count_width;
  uint32_t opaque_ahead;  // commands outstanding at a GPU; 0: its credits
  bool eligible;          // the choice is among GPUs that may be given the draw
  bool tie_lowest, lowest_first;
  uint32_t coarse_epoch;  // of shared coarse depth; 0: none
  uint32_t lookahead;     // greatest depth of a composition with lookahead; 0: the paper's
  uint32_t
      early;  // cycles after which touched stamps are sent while their group is drawn; 0: never
  bool early_memory;      // which takes memory bandwidth
  uint32_t map_mode;      // pixel_distributor_map_e
  uint32_t work_tile;     // tiles
  uint32_t cell_mode;     // pixel_distributor_cell_e
  uint32_t beat_bytes;    // 16 << this: 0 to 4
  uint32_t watchdog;      // cycles without any progress that count as a hang
  uint64_t limit;         // cycles that count as a hang, whatever the progress; 0: none
  uint32_t frame_work;    // millions: most of a frame's work (machine_check_frame)
  uint32_t frame_memory;  // MiB: most that a frame's surfaces take in all GPUs
  uint32_t dfsl_mode, dfsl_min, dfsl_max, dfsl_run;  // of dfsl_t; mode: a bool
  soc_params_t soc;
  gpu_params_t gpu;
  texturing_params_t texturing;
  energy_params_t energy;
} machine_params_t;

// Returns the scheme's word, or the words of its axes joined by + if no scheme has these.
const char *machine_scheme_name(const machine_params_t *p);

// Returns who draws, a machine_draws_e.
uint32_t machine_draws(const machine_params_t *p);

// Returns the policy of the draw scheduler, a draw_scheduler_policy_e.
uint32_t machine_policy(const machine_params_t *p);

// Returns true if one GPU renders the frame alone.
bool machine_single(const machine_params_t *p);

// Returns true if groups are composed.
bool machine_composes(const machine_params_t *p);

// Returns true if primitives are distributed between GPUs.
bool machine_distributes(const machine_params_t *p);

// Returns true if transfers between GPUs have no latency and infinite bandwidth (CHOPIN, V).
bool machine_ideal(const machine_params_t *p);

// Returns true if a composition scheduler gives the orders; otherwise groups are composed by naive
// direct-send, or not at all.
bool machine_schedules(const machine_params_t *p);

// Returns true if distribution units exchange the sub-images; otherwise they are merged in no time.
bool machine_exchanges(const machine_params_t *p);

// Returns the greatest depth of the composition scheduler with lookahead; 0 if the paper's gives
// the orders. With transfers that take no time there is nothing to look ahead for.
uint32_t machine_lookahead(const machine_params_t *p);

// Returns the cycles after which touched stamps are sent while their group is drawn; 0: never.
uint32_t machine_early(const machine_params_t *p);

// Returns the distribution units: two of each GPU with early stamps, or one; where nothing is
// exchanged one in all, for its map.
uint32_t machine_distributors(const machine_params_t *p);

#endif
