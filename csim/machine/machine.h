// The assembly of several GPUs, their links, the driver and the hardware units, and
// the clock that they share (CHOPIN, IV, V).
//
// machine_create builds everything, machine_run renders one frame to its end,
// machine_picture gives what is shown. The machine reaches a hardware unit only
// through its interface in csim/unit, and cannot tell which engine is behind it.
#ifndef NOCTURNE_MACHINE_MACHINE_H
#define NOCTURNE_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "../driver/plan.h"
#include "../frame/frame.h"
#include "../gpu/gpu.h"
#include "../link/link.h"
#include "../unit/composition_scheduler.h"
#include "../unit/draw_scheduler.h"
#include "../unit/pixel_distributor.h"
#include "energy.h"
#include "texturing.h"

typedef enum {
  MachineSingle,
  MachineDuplication,
  MachineChopinRoundRobin,  // chopin_rr: round-robin draws, both schedulers otherwise
  MachineChopinDirect,      // chopin_direct: draw scheduler, naive direct-send
  MachineChopin,
  MachineGpupd,             // cooperative projection and sequential distribution (CHOPIN, III-A)
  MachineGpupdIdeal,        // gpupd_ideal: no latency, infinite bandwidth and buffers; the order stays
  MachineChopinIdeal,       // chopin_ideal: composition in C in zero time
  MachineSchemeCount,
} machine_scheme_e;

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
  uint32_t progress_interval;  // triangles, 1 to 1024
  uint32_t message_latency;    // cycles, GPU to scheduler and back
  uint32_t memory_latency;     // cycles, distribution unit to its GPU's memory
  uint32_t memory_bytes_per_cycle;  // of a GPU, for the broadcasts at a target switch
  link_params_t link;
  gpupd_params_t gpupd;
  uint32_t count_width;
  bool tie_lowest, lowest_first;
  uint32_t map_mode;           // pixel_distributor_map_e
  uint32_t work_tile;          // tiles
  uint32_t cell_mode;          // pixel_distributor_cell_e
  uint32_t beat_bytes;         // 16 << this: 0 to 4
  uint32_t watchdog;           // cycles without any progress that count as a hang
  uint64_t limit;              // cycles that count as a hang, whatever the progress; 0: none
  gpu_params_t gpu;
  texturing_params_t texturing;
  energy_params_t energy;
} machine_params_t;

const char *machine_scheme_name(uint32_t scheme);

// Makes the engines of the units. Each returns false with one line in error.
// The maker owns what it made; it outlives the machine.
typedef struct {
  void *context;
  bool (*draw_scheduler)(void *context, const draw_scheduler_params_t *params,
                         draw_scheduler_t *engine, char error[FrameErrorSize]);
  bool (*composition_scheduler)(void *context, const composition_scheduler_params_t *params,
                                composition_scheduler_t *engine, char error[FrameErrorSize]);
  bool (*pixel_distributor)(void *context, const pixel_distributor_params_t *params,
                            uint32_t instance, pixel_distributor_t *engine,
                            char error[FrameErrorSize]);
  cube_units_t cube;
} machine_units_t;

typedef enum {
  MachineDone,
  MachineUnitFailed,   // an engine reported a mismatch or a stop
  MachineHang,
  MachineProtocol,     // a unit raised its error output
} machine_status_e;

// What a GPU's time goes to: the last stage that has work and is not stopped by a later one.
typedef enum {
  MachineInGeometry,
  MachineInProjection,    // GPUpd
  MachineInDistribution,  // GPUpd: nothing to do until a batch has been distributed
  MachineInRaster,
  MachineInFragments,     // early depth, shading, ROP
  MachineInComposition,   // own draws done, until release
  MachineInSync,          // barrier and broadcast
  MachineIdle,            // nothing to do
  MachineStageCount,
} machine_stage_e;

const char *machine_stage_name(uint32_t stage);

typedef struct {
  uint64_t cycles;             // first command to last write
  uint64_t cycles_evaluated;   // cycles in which anything was done
  uint64_t composition_bytes;  // beats, side-band included
  uint64_t composition_header_bytes;  // of those: headers, side-band, end beats
  uint64_t sync_bytes;
  uint64_t distribution_bytes;  // triangles and marks between GPUs
  uint64_t progress_bytes;
  uint64_t composition_message_bytes;
  uint64_t command_bytes;
  uint64_t starts, releases, syncs;
  uint64_t composition_cycles;  // summed over GPUs: ready to release
  uint64_t sync_cycles;
  uint64_t distribution_cycles;  // of the links: the batches' exchanges, one after the other
  uint64_t batches;
  uint64_t spent[MachineStageCount];  // each cycle of each GPU counts in one
} machine_stats_t;

typedef struct machine machine_t;

machine_t *machine_create(const machine_params_t *params, const frame_t *frame,
                          const machine_units_t *units, char error[FrameErrorSize]);
void machine_destroy(machine_t *machine);

// Called now and then with the share of work items that have been taken, 0 to 1.
typedef void (*machine_progress_t)(void *context, double share, uint64_t cycle);

machine_status_e machine_run(machine_t *machine, machine_progress_t progress, void *context);

// What failed, in words: a hang names what each unit and GPU waits for.
const char *machine_report(const machine_t *machine);

const machine_stats_t *machine_stats(const machine_t *machine);
const plan_t *machine_plan(const machine_t *machine);
// GPUs at work: 1 with scheme single, whatever gpus says.
uint32_t machine_gpu_count(const machine_t *machine);
gpu_t *machine_gpu(machine_t *machine, uint32_t index);
// NULL with the texture rate.
const texturing_t *machine_texturing(const machine_t *machine, uint32_t index);
// The GPU that owns pixel (x, y) of a target.
uint32_t machine_owner(const machine_t *machine, uint16_t target, uint32_t x, uint32_t y);

// The CHOPIN units that have no part in this scheme's run, NULL after the last: at most 3.
void machine_units_outside(const machine_t *machine, const char *names[4]);

// The machine writes its cycle to *clock as it goes.
void machine_watch_clock(machine_t *machine, uint64_t *clock);

#endif
