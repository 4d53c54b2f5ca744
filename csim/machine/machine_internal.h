// What the parts of the machine share. Only csim/machine includes it.
//
//   machine.c         assembly, clock, watchdog
//   dispatch.c        driver -> draw scheduler -> command queues; progress and credits back
//   distribute.c      GPUpd: batches, projection, exchange of triangles
//   ideal.c           composition in zero time
//   compose.c         ready, start, beats, done, release; direct-send
//   compose_memory.c  what the distribution units read and write
//   sync.c            barrier and broadcast at a target switch
//   schedule.c        what the schedules took beside the shortest ones, after the run
#ifndef NOCTURNE_MACHINE_INTERNAL_H
#define NOCTURNE_MACHINE_INTERNAL_H

#include "../link/channel.h"
#include "machine.h"

// Tokens of holds: a compose order, or the item of a sync.
#define HOLD_COMPOSE UINT32_MAX

typedef struct {
  uint8_t op, kind;       // draw_op_e, draw_group_e
  uint32_t id, count;     // id: work item
} draw_command_t;

typedef enum {
  ComposeIdle,      // no composition
  ComposeDraining,  // held; the last touches go to the distribution unit
  ComposeActive,    // ready has been sent
} compose_phase_e;

// Reads in flight at one memory port of a distribution unit, in order.
enum { ReadsInFlight = 1024 };

typedef struct {
  uint32_t head, count;
  struct {
    uint64_t due;
    uint32_t tile;  // send: unused
    uint32_t address;
    pixel_distributor_pieces_t pieces;
  } reads[ReadsInFlight];
} read_queue_t;

// Data beats accepted by a receiver whose local pixels have not come yet.
typedef struct {
  uint32_t head, count;
  uint64_t data[ReadsInFlight + 8][PixelDistributorMaxPixels];
} beat_queue_t;

// One GPU and what stands beside it.
typedef struct {
  gpu_t *gpu;
  uint64_t wake;            // next cycle at which the GPU has something to do
  bool advanced;            // it did something in this cycle
  texturing_t *texturing;   // NULL with the texture rate
  uint64_t texture_wake;    // next cycle at which it has something to do
  uint64_t compose_wake;    // next cycle at which the composition has something to do here;
                            // what is sent to the node lowers it to the time of arrival
  uint32_t next_item;       // without draw scheduler: the driver's place for this GPU
  uint32_t progress;        // triangles not yet reported
  channel_t commands;       // scheduler -> GPU
  channel_t credits;        // GPU -> scheduler
  channel_t reports;        // GPU -> scheduler: progress
  channel_t to_composer;    // GPU -> composition scheduler
  channel_t from_composer;  // composition scheduler -> GPU
  // Composition
  pixel_distributor_t distributor;
  pixel_distributor_in_t in;
  pixel_distributor_out_t out;
  bool stepped_active;      // the last step had a pulse among its inputs
  uint8_t phase;            // compose_phase_e
  uint32_t composed;        // compose orders finished so far
  uint32_t configured;      // 1 + the composed group whose surface the map is configured for
  uint32_t width, height;   // of that surface
  bool configuring;
  bool clear_pending;
  uint64_t touch_cycle, ready_cycle;
  uint64_t beats_taken;
  bool send_ordered, sending, receive_ordered, receiving;
  uint8_t send_peer, receive_peer;
  bool receive_front;
  uint32_t sends;           // direct-send: transfers ordered
  uint64_t received_from;   // direct-send: mask
  read_queue_t *send_reads, *receive_reads;
  beat_queue_t *beats;
  // Sync
  bool at_barrier;
  // Where its time goes
  uint64_t stage_since;
  uint8_t stage;            // machine_stage_e
} node_t;

// When each composition was where, for schedule.h; NULL without compositions over links.
typedef struct {
  uint64_t *ready, *released;  // [composed index * gpus + GPU]
  uint32_t *beats;             // [(composed index * gpus + source) * gpus + destination]
} compositions_t;

typedef struct distribute distribute_t;

struct machine {
  machine_params_t params;
  const frame_t *frame;
  plan_t *plan;
  uint64_t now, *clock;
  machine_stats_t stats;
  char report[1 << 16];  // a hang: what each GPU waits for
  machine_status_e status;
  // Driver
  draw_command_t *commands;
  uint32_t command_count, next_command;
  bool has_draw_scheduler, has_composer, has_distributors;
  pixel_distributor_params_t distributor_params;
  draw_scheduler_t draws;
  draw_scheduler_in_t draws_in;
  draw_scheduler_out_t draws_out;
  bool draws_active;
  uint64_t dispatch_wake;  // next cycle at which a message arrives or the scheduler steps
  composition_scheduler_t composer;
  composition_scheduler_in_t composer_in;
  composition_scheduler_out_t composer_out;
  bool composer_active;
  uint64_t composer_wake;  // next cycle at which a message arrives or the scheduler steps
  node_t *nodes;
  texture_map_t texture_map;
  link_t *links;  // [source * gpus + destination]
  compositions_t compositions;
  uint8_t **target_owners, **depth_owners;  // tile -> GPU, of each surface
  uint8_t **owner_maps;  // the distinct ones, with their sizes
  uint32_t owner_map_count;
  frame_surface_t *owner_sizes;
  // GPUpd
  distribute_t *distribute;  // NULL with any other scheme
  // Sync
  uint32_t barrier_count;
  uint64_t barrier_release;
  uint32_t items_taken;    // by the slowest path, for the progress display
};

static inline bool machine_composes(const machine_t *m) {
  uint32_t s = m->params.scheme;
  return s == MachineChopinRoundRobin || s == MachineChopinDirect || s == MachineChopin ||
         s == MachineChopinIdeal;
}

static inline bool machine_distributes(const machine_t *m) {
  return m->params.scheme == MachineGpupd || m->params.scheme == MachineGpupdIdeal;
}

// No latency and infinite bandwidth between the GPUs (CHOPIN, V).
static inline bool machine_ideal(const machine_t *m) {
  return m->params.scheme == MachineGpupdIdeal || m->params.scheme == MachineChopinIdeal;
}

// Remembers the earliest cycle.
static inline void earliest(uint64_t *next, uint64_t cycle) {
  if (cycle < *next) {
    *next = cycle;
  }
}

bool machine_fail(machine_t *m, machine_status_e status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Each part: does what is due at m->now and returns the next cycle at which it has
// something to do, UINT64_MAX if it only waits. False in *ok ends the run.
bool dispatch_create(machine_t *m);
void dispatch_destroy(machine_t *m);
uint64_t dispatch_step(machine_t *m, bool *ok);
bool dispatch_done(const machine_t *m);
void dispatch_flush_progress(machine_t *m, uint32_t g);

uint64_t compose_step(machine_t *m, bool *ok);
bool compose_create(machine_t *m, const machine_units_t *units, char error[FrameErrorSize]);
void compose_destroy(machine_t *m);
bool compose_done(const machine_t *m);
void compose_describe(const machine_t *m, uint32_t g, char *text, size_t size);

uint64_t sync_step(machine_t *m);

// GPUpd. The commands of a GPU are a stream of projections and work items, the same places
// in all GPUs.
typedef struct {
  bool project;    // else a work item of the plan
  uint32_t item;   // of the plan
  uint32_t batch;
} stream_entry_t;

bool distribute_create(machine_t *m);
void distribute_destroy(machine_t *m);
uint64_t distribute_step(machine_t *m);
// The entry at this place, or NULL at the end.
const stream_entry_t *distribute_entry(const machine_t *m, uint32_t place);
// Whether a GPU may be given it.
bool distribute_ready(const machine_t *m, const stream_entry_t *entry);
// A GPU's share of the primitives of a draw to project.
void distribute_share(const machine_t *m, uint32_t g, uint32_t primitives, uint32_t *first,
                      uint32_t *count);

// What compose.c, compose_memory.c and ideal.c share: the memory port of a composition.
typedef struct {
  surface_t *color, *depth;
  bool transparent;
  uint32_t mark;
} port_t;

// Where a pixel stands in a port's surfaces, which may be of different sizes.
typedef struct {
  size_t color, depth;
} port_at_t;

const plan_group_t *compose_group(const machine_t *m, uint32_t composed);
port_t compose_port(machine_t *m, node_t *n);
// pixel: of the tile, in surface order.
port_at_t compose_at(const port_t *p, uint32_t tile_x, uint32_t tile_y, uint32_t pixel);
uint32_t compose_read(const port_t *p, port_at_t at, uint32_t count, uint64_t *data);
void compose_write(const port_t *p, port_at_t at, uint64_t pixel);
void compose_note_tie(machine_t *m, node_t *n, const port_t *p, port_at_t at, uint64_t incoming,
                      uint64_t local, bool written);
// Adds a read; answers those that are due; takes what the unit writes.
void compose_ask(machine_t *m, read_queue_t *q, uint32_t tile, uint32_t address,
                 const pixel_distributor_pieces_t *pieces);
void compose_answer_send(machine_t *m, node_t *n, const port_t *p);
void compose_answer_receive(machine_t *m, node_t *n, const port_t *p);
void compose_port_write(machine_t *m, node_t *n, const port_t *p);

void compose_begin(machine_t *m, node_t *n);

// The sub-image of `source` in the tiles that g owns is merged at g, in no time.
void ideal_merge(machine_t *m, uint32_t source, uint32_t g);

#endif
