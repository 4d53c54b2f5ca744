// SPDX-License-Identifier: Apache-2.0
#include "machine_config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/strings.h"
#include "../texture/texture_design.h"

static const char *const Maps[] = {"rows", "skew", "work_tiles", "halving", NULL};
static const char *const Cells[] = {"tile", "block", "stamp", NULL};
static const char *const Orders[] = {"zero", "own", NULL};
static const char *const Merges[] = {"rop", "none", NULL};
static const char *const Broadcasts[] = {"paid", "free", NULL};
static const char *const BeatBytes[] = {"16", "32", "64", "128", "256", NULL};

typedef machine_params_t P;

static const char *const Switches[] = {"off", "on", NULL};

static const config_key_t Keys[] = {
    CONFIG_ENUM(P, scheme, "scheme", "chopin", MachineSchemeNames, "CHOPIN, III, IV, V",
                "how the frame is split among the GPUs"),
    CONFIG_ENUM(P, draws, "schedule.draws", "scheme", MachineDrawsNames, "extension",
                "who draws, or as the scheme says; round_robin and on: the draw scheduler's",
                .group = ConfigExtension, .hashed_if_set = true),
    CONFIG_ENUM(P, orders, "schedule.orders", "scheme", MachineOrdersNames, "extension",
                "who orders compositions: direct-send, a scheduler, or as the scheme says",
                .group = ConfigExtension, .hashed_if_set = true),
    CONFIG_ENUM(P, ideal, "schedule.ideal", "scheme", MachineIdealNames, "extension",
                "no latency and no limits of links between GPUs, or as the scheme says",
                .group = ConfigExtension, .hashed_if_set = true),
    CONFIG_UINT(P, gpus, "gpus", 8, 1, 64, "GPUs", "CHOPIN, Table II",
                "number of GPUs; 1 with scheme=single only"),
    CONFIG_UINT(P, threshold, "driver.threshold", 4096, 0, 100000000, "primitives",
                "CHOPIN, Table II", "groups with fewer primitives are duplicated"),
    CONFIG_BOOL(P, require_draws, "driver.require_draws", "false", "the authors' simulator",
                "compose a group only if it has more draws than there are GPUs",
                .group = ConfigReading),
    CONFIG_BOOL(P, function_while_writing, "driver.function_while_writing", "false",
                "the authors' simulator",
                "the depth function bounds a group only while depth is written",
                .group = ConfigReading),
    CONFIG_BOOL(P, depth_broadcast, "driver.depth_broadcast", "false", "reading",
                "broadcast depth that a group may not meet stale, instead of duplicating it",
                .group = ConfigReading),
    CONFIG_BOOL(P, order_tag, "driver.order_tag", "false", "extension",
                "tag depth words with the draw's order, so that equal depths compose exactly",
                .group = ConfigExtension),
    CONFIG_BOOL(P, by_all, "driver.by_all", "false", "extension",
                "in a sequence: draws of few triangles and a large area in the frame before go to "
                "all GPUs, each drawing its own tiles",
                .group = ConfigExtension),
    CONFIG_BOOL(P, weights, "driver.weights", "false", "extension",
                "in a sequence: draws count by their cycles in the frame before",
                .group = ConfigExtension),
    CONFIG_CONSTANT(P, hints.pixels, "driver.by_all_pixels", 10000, "pixels",
                    "model: fixed before any sweep", "A: by all from A + B x triangles on"),
    CONFIG_CONSTANT(P, hints.pixels_a_triangle, "driver.by_all_pixels_a_triangle", 300, "pixels",
                    "a sweep", "B: the same"),
    CONFIG_UINT(P, split, "driver.split", 0, 0, 100000, "permille", "extension",
                "a piece of an opaque draw holds at most so much of a GPU's share of what is left "
                "of its group; 0: draws stay whole",
                .group = ConfigExtension, .hashed_if_set = true),
    CONFIG_UINT(P, split_min, "driver.split_min", 128, 1, 100000000, "triangles", "extension",
                "of a piece, at least; driver.split only", .group = ConfigExtension,
                .hashed_if_set = true),
    CONFIG_BOOL(P, sync_needed, "driver.sync_needed", "false", "extension",
                "at target switches depth that nobody samples is not broadcast",
                .group = ConfigExtension, .hashed_if_set = true),
    CONFIG_UINT(P, barrier_share, "driver.barrier_share", 0, 0, 100000, "permille", "extension",
                "a group is composed only if its primitives are so much of those duplicated since "
                "GPUs last waited for each other; 0: any",
                .group = ConfigExtension, .hashed_if_set = true),
    CONFIG_BOOL(P, rehearse, "driver.rehearse", "false", "extension",
                "an oracle: each frame runs once before, unjudged, and the driver remembers it in "
                "place of the frame before",
                .group = ConfigExtension, .hashed_if_set = true),
    CONFIG_UINT(P, scout_triangles, "scout.triangles", 0, 0, 100000, "triangles", "extension",
                "draws of composed opaque groups of up to so many are projected ahead, and go to "
                "all GPUs if their area asks for it; 0: none",
                .group = ConfigExtension, .hashed_if_set = true),
    CONFIG_UINT(P, scout_share, "scout.share", 125, 0, 100000, "permille", "extension",
                "of a GPU's share of what is expected of the rest of the group: scouted draws go "
                "to all GPUs from there on; 0: by area alone",
                .group = ConfigExtension, .hashed_if_set = true),
    {.name = "scout.cycles",
     .kind = ConfigUint,
     CONFIG_FIELD(P, scout_cycles),
     .initial = "16",
     .min = 16,
     .max = 16,
     .unit = "cycles",
     .source = "a sweep",
     .meaning = "expected of a triangle of a draw that is not scouted",
     .constant = true,
     .hashed_if_set = true},
    CONFIG_BOOL(P, sync_blocks, "sync.blocks", "false", "extension",
                "broadcasts send blocks of 8x8 pixels that were written, instead of tiles",
                .group = ConfigExtension, .hashed_if_set = true),
    CONFIG_ENUM(
        P, dfsl_mode, "dfsl.mode", "off", Switches, "Emerald, 6.3",
        "the driver chooses gpu.wt for each frame of --frames, by the times of those before",
        .group = ConfigExtension, .hashed_if_set = true),
    CONFIG_UINT(P, dfsl_min, "dfsl.min_wt", 1, 1, 64, "blocks", "Emerald, 6.3",
                "smallest work tiles tried", .group = ConfigExtension, .hashed_if_set = true),
    CONFIG_UINT(P, dfsl_max, "dfsl.max_wt", 10, 1, 64, "blocks", "Emerald, 6.3",
                "largest work tiles tried", .group = ConfigExtension, .hashed_if_set = true),
    CONFIG_UINT(P, dfsl_run, "dfsl.run_frames", 100, 1, 10000, "frames", "Emerald, 6.3",
                "with the best, until they are tried again", .group = ConfigExtension,
                .hashed_if_set = true),
    CONFIG_UINT(P, progress_interval, "progress.interval", 1, 1, 1024, "triangles", "CHOPIN, VI-D",
                "triangles through geometry per progress message"),
    CONFIG_UINT(P, message_latency, "messages.latency", 200, 0, 100000, "cycles",
                "CHOPIN, Table II: as the links", "between a GPU and the schedulers, one way"),
    CONFIG_UINT(P, link.latency, "link.latency", 200, 1, 100000, "cycles", "CHOPIN, Table II",
                "between two GPUs, one way"),
    CONFIG_UINT(P, link.bytes_per_cycle, "link.bandwidth", 64, 1, 4096, "GB/s", "CHOPIN, Table II",
                "of a link, each way (1 GHz: bytes a cycle)"),
    CONFIG_UINT(P, link.buffer_bytes, "link.buffer", 32768, 256, 16777216, "bytes",
                "64 B/cycle x 400 cycles of round trip, rounded up", "receive buffer of a link"),
    CONFIG_UINT(P, link_shared_buffer, "link.shared_buffer", 0, 0, 16777216, "bytes",
                "link.buffer; the authors' simulator: 4096",
                "receive buffer of a GPU for all links to it together, a beat of it reserved for "
                "each; 0: link.buffer for each link",
                .group = ConfigReading),
    CONFIG_ENUM(P, direct_order, "direct.order", "own", Orders,
                "the stronger baseline; zero: CHOPIN, IV-E, and the authors' simulator",
                "chopin_direct sends in ascending order from GPU 0, or from own + 1",
                .group = ConfigReading),
    CONFIG_ENUM(P, ideal_merge, "ideal.merge", "rop", Merges, "the authors' simulator",
                "of chopin_ideal: at the ROP's rate, or in no time, without distribution units",
                .group = ConfigReading),
    CONFIG_ENUM(P, ideal_broadcast, "ideal.broadcast", "paid", Broadcasts, "the authors' simulator",
                "broadcasts at target switches in the ideal schemes: paid in full, or in no time",
                .group = ConfigReading),
    CONFIG_UINT(P, memory_latency, "distributor.memory_latency", 48, 1, 1000, "cycles",
                "DRAM: row miss of 37 cycles, and the way there", "a read of a distribution unit"),
    CONFIG_UINT(P, memory_bytes_per_cycle, "memory.bandwidth", 256, 1, 65536, "GB/s",
                "reading of CHOPIN, Table II: 2 TB/s, taken as the sum over 8 GPUs",
                "of one GPU, in broadcasts"),
    CONFIG_UINT(P, gpupd.batch_primitives, "gpupd.batch_primitives", 4096, 1, 100000000,
                "primitives", "the authors' simulator",
                "a batch ends with the draw that reaches it"),
    CONFIG_UINT(P, gpupd.batch_draws, "gpupd.batch_draws", 512, 1, 1000000, "draws",
                "the authors' simulator", "a batch ends with the draw that reaches it"),
    CONFIG_CONSTANT(P, gpupd.indices, "gpupd.indices", 3, "indices", "the authors' simulator",
                    "of 4 bytes, that stand for a triangle on a link"),
    CONFIG_UINT(P, gpupd.buffer, "gpupd.buffer", 96, 0, 65536, "indices",
                "the authors' simulator, configuration",
                "that a receiver can hold, a credit returning on arrival; 0: any number"),
    CONFIG_UINT(P, gpupd.send_rate, "gpupd.send_rate", 4, 1, 64, "triangles/cycle",
                "the authors' simulator: 16 bytes each from a bus of 64", "that a sender looks up"),
    CONFIG_BOOL(P, gpupd.culled, "gpupd.culled", "false",
                "frames do not say where they lie; true: the authors' simulator",
                "culled triangles are exchanged too, each with the surviving one before it",
                .group = ConfigReading),
    CONFIG_BOOL(P, gpupd.shared_port, "gpupd.shared_port", "false",
                "CHOPIN, V: a link between each pair; true: the authors' simulator",
                "a sender's links share the bandwidth of one", .group = ConfigReading),
    CONFIG_BOOL(P, gpupd.runahead, "gpupd.runahead", "true", "CHOPIN, V",
                "project and distribute a batch while the one before is drawn"),
    CONFIG_UINT(P, count_width, "draw_scheduler.count_width", 64, 10, 64, "bits", "CHOPIN, VI-F",
                "triangle counters"),
    CONFIG_UINT(P, opaque_ahead, "draw_scheduler.opaque_ahead", 0, 0, 1023, "commands",
                "extension; 0: CHOPIN",
                "an opaque draw waits while its GPU has so many outstanding; 0: while it has no "
                "credit",
                .group = ConfigExtension),
    CONFIG_BOOL(P, eligible, "draw_scheduler.eligible", "false", "extension",
                "the choice for an opaque draw is among the GPUs that may be given it",
                .group = ConfigExtension, .hashed_if_set = true),
    CONFIG_BOOL(P, tie_lowest, "draw_scheduler.tie_lowest", "false", "the authors' simulator",
                "ties go to the lowest GPU instead of the first after the last chosen",
                .group = ConfigReading),
    CONFIG_BOOL(P, lowest_first, "composition_scheduler.lowest_first", "false",
                "the authors' simulator",
                "a sender's next receiver is the lowest number instead of the next upwards",
                .group = ConfigReading),
    CONFIG_UINT(
        P, lookahead, "composition_scheduler.lookahead", 0, 0, 8, "transfers", "extension",
        "that a GPU may have granted at once on each side, at most; 0: the paper's scheduler",
        .group = ConfigExtension),
    CONFIG_UINT(
        P, coarse_epoch, "coarse_depth.epoch", 0, 0, 65535, "cycles", "extension",
        "GPUs share the coarse depth of composed opaque groups so often, 64 or more; 0: never",
        .group = ConfigExtension),
    CONFIG_UINT(P, early, "distributor.early", 0, 0, 1000000, "cycles", "extension",
                "from the first touch to the sending of all that was touched, while the group is "
                "still drawn, by a second unit in each GPU; 0: never",
                .group = ConfigExtension, .hashed_if_set = true),
    CONFIG_BOOL(P, early_memory, "distributor.early_memory", "false", "extension",
                "early transfers take bandwidth of the memory of the GPU that draws",
                .group = ConfigExtension, .hashed_if_set = true),
    CONFIG_ENUM(P, map_mode, "distributor.map", "rows", Maps, "CHOPIN, V", "tile to GPU"),
    CONFIG_UINT(P, work_tile, "distributor.work_tile", 1, 1, 10, "tiles", "Emerald",
                "side of a work tile, map work_tiles only"),
    CONFIG_ENUM(P, cell_mode, "distributor.cell", "stamp", Cells, "the authors' simulator",
                "grain of the touched map: 64x64 tile, 8x8 block, 2x2 stamp"),
    CONFIG_ENUM(P, beat_bytes, "distributor.beat_bytes", "64", BeatBytes,
                "CHOPIN, Table II: 64 GB/s", "payload of a beat"),
    CONFIG_UINT(P, limit, "limit", 0, 0, 1000000000000, "cycles", "chosen",
                "ends the run as a hang, whatever the progress; 0: none"),
    CONFIG_UINT(P, frame_work, "frame.work", 10000, 1, 1000000000, "million", "chosen",
                "a frame with more indices, vertices, triangles, pixels and thousands of "
                "instructions is refused"),
    CONFIG_UINT(P, frame_memory, "frame.memory", 8192, 1, 1000000000, "MiB", "chosen",
                "a frame whose surfaces take more in all GPUs is refused"),
    CONFIG_UINT(P, watchdog, "watchdog", 1000000, 1000, 4000000000, "cycles", "chosen",
                "cycles with something due, and no progress in any, that count as a hang"),
};

static const config_word_t Thresholds[] = {{"none", INFINITY}, {"always", TEXTURING_ALWAYS}, {0}};

typedef texturing_params_t T;

static const config_key_t TextureKeys[] = {
    CONFIG_ENUM(T, design, "design", "rate", TextureDesignNames,
                "A-TFIM, III to V; rate: CHOPIN's machine",
                "rate: texture units as a rate and isotropic; otherwise a design of A-TFIM"),
    {.name = "angle_threshold",
     .kind = ConfigDouble,
     CONFIG_FIELD(T, angle_threshold),
     .initial = "1.8",
     .low = 0,
     .high = 180,
     .words = Thresholds,
     .unit = "degrees",
     .source = "A-TFIM, VII-A",
     .meaning = "camera angles of a cached parent and a pixel may differ by; none: any, "
                "always: recompute"},
    CONFIG_BOOL(T, anisotropic, "anisotropic", "true", "A-TFIM, II-C",
                "false: no anisotropic filtering"),
    CONFIG_UINT(T, anisotropy, "anisotropy", 0, 0, 16, "samples", "A-TFIM, II-C",
                "most samples along the axis, of all mip-mapped textures; 0: as the frame says"),
    CONFIG_BOOL(T, shares_memory, "shares_memory", "true", "A-TFIM, III",
                "vertices, depth and colour use the same memory, not the GPU's own DRAM"),
    CONFIG_UINT(T, reset_interval, "reset_interval", 0, 0, 4000000000, "cycles", "for tests",
                "between resets of the units in the cube; 0: none"),
    CONFIG_UINT(T, read_errors, "read_errors", 0, 0, 1000, "permille", "for tests",
                "of the cube's reads that fail"),
};

static const config_key_t AtfimKeys[] = {
    CONFIG_UINT(T, offload.slots, "slots", 16, 1, 32, "requests", "reading",
                "of a texture unit, unanswered; a power of two"),
    CONFIG_UINT(T, atfim.descriptors, "descriptors", 1024, 2, 65536, "textures", "reading",
                "the cube's table; a power of two"),
    CONFIG_UINT(T, atfim.slots, "packages", 16, 2, 64, "packages", "A-TFIM, V-D: 256 parents",
                "in process in a layer, 16 parents each; a power of two"),
    CONFIG_UINT(T, atfim.entries, "run_entries", 256, 16, 256, "entries", "A-TFIM, VII-E",
                "child texel consolidation; a power of two"),
    CONFIG_UINT(T, atfim.set_bits, "set_bits", 6, 1, 6, "bits", "reading",
                "of the consolidation: 2^n sets"),
    CONFIG_UINT(T, atfim.ways, "ways", 4, 1, 4, "ways", "reading",
                "of the consolidation; 1, 2 or 4"),
    CONFIG_UINT(T, offload.package_flits, "package_flits", 4, 2, 4, "flits", "A-TFIM, VI: 64 bytes",
                "of a package on the link; 2 or 4"),
    CONFIG_UINT(T, layers, "layers", 1, 1, 16, "layers", "A-TFIM, Fig. 9: one",
                "of A-TFIM's units in a cube, each with its own 16 + 16 ALUs"),
    CONFIG_BOOL(T, atfim.merge, "merge", "true", "A-TFIM, V-D",
                "children of different parents share a read"),
};

// Keys of units that served one pixel per package.
static const config_key_t Gone[] = {
    CONFIG_GONE("texture.accumulator", "sums of 12 bits a channel, always"),
    CONFIG_GONE("atfim.parent_entries", "atfim.packages, 16 parents each"),
    CONFIG_GONE("atfim.requests", "atfim.packages"),
    CONFIG_GONE("atfim.line_bytes", "lines of 64 bytes, always"),
    CONFIG_GONE("atfim.ideal", "atfim.layers"),
};

bool machine_config_add(config_t *config, machine_params_t *params, err_t *err) {
  T *t = &params->texturing;
  return config_add(config, "", Keys, sizeof Keys / sizeof *Keys, params, err) &&
         gpu_config_add(config, &params->gpu, err) &&
         config_add(config, "texture", TextureKeys, sizeof TextureKeys / sizeof *TextureKeys, t,
                    err) &&
         config_add(config, "atfim", AtfimKeys, sizeof AtfimKeys / sizeof *AtfimKeys, t, err) &&
         texture_config_add(config, &t->units, err) && hmc_config_add(config, &t->hmc, err) &&
         gddr5_config_add(config, &t->gddr5, err) &&
         energy_config_add(config, &params->energy, err) &&
         soc_config_add(config, &params->soc, err) &&
         config_add(config, "", Gone, sizeof Gone / sizeof *Gone, params, err);
}

static bool power_of_two(uint32_t value) { return (value & (value - 1)) == 0; }

static bool check_texturing(const config_t *config, const machine_params_t *p, err_t *err) {
  const texturing_params_t *t = &p->texturing;
  const struct {
    const char *key;
    uint32_t value;
  } powers[] = {
      {"atfim.slots", t->offload.slots},  {"atfim.descriptors", t->atfim.descriptors},
      {"atfim.packages", t->atfim.slots}, {"atfim.run_entries", t->atfim.entries},
      {"atfim.ways", t->atfim.ways},      {"atfim.package_flits", t->offload.package_flits}};
  if (!texturing_detailed(t)) {
    return true;
  }
  for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
    if (!power_of_two(powers[i].value)) {
      err_set(err, ErrInput, "%s: %s=%u: it must be a power of two",
              config_origin(config, powers[i].key), powers[i].key, powers[i].value);
      return false;
    }
  }
  uint32_t units = p->gpu.sms * p->gpu.texture_units;
  if (units > TextureMaxUnits) {
    err_set(err, ErrInput,
            "%s: gpu.sms=%u times gpu.texture_units=%u: texture.design=%s has at most %u units",
            config_origin(config, "gpu.sms"), p->gpu.sms, p->gpu.texture_units,
            TextureDesignNames[t->design], TextureMaxUnits);
    return false;
  }
  return true;
}

// Checks what the G80's dispatch and batches need.
static bool check_dispatch(const config_t *config, const gpu_params_t *p, err_t *err) {
  bool g80 = p->dispatch == GpuDispatchG80;
  if (g80 && p->shader != GpuShaderWarp) {
    err_set(err, ErrInput, "%s: gpu.dispatch=g80: only with gpu.shader=warp",
            config_origin(config, "gpu.dispatch"));
    return false;
  }
  if (p->batch_warps && p->shader != GpuShaderWarp) {
    err_set(err, ErrInput, "%s: gpu.batch_warps=%u: only with gpu.shader=warp",
            config_origin(config, "gpu.batch_warps"), p->batch_warps);
    return false;
  }
  uint32_t clusters = (p->sms + p->cluster_sms - 1) / p->cluster_sms;
  if (g80 && clusters != 6) {
    err_set(err, ErrInput,
            "%s: gpu.sms=%u: gpu.dispatch=g80 needs 6 clusters, gpu.cluster_sms=%u makes %u",
            config_origin(config, "gpu.sms"), p->sms, p->cluster_sms, clusters);
    return false;
  }
  return true;
}

// Checks what fronts of clusters need.
static bool check_front(const config_t *config, const gpu_params_t *p, err_t *err) {
  const uint32_t clusters = gpu_params_clusters(p);
  if (p->front == GpuFrontCluster && p->dispatch != GpuDispatchWorkTile) {
    return err_set(err, ErrInput, "%s: gpu.front=cluster: only with gpu.dispatch=work_tile",
                   config_origin(config, "gpu.front"));
  }
  return p->front == GpuFrontShared || clusters <= GpuMaxFronts ||
         err_set(err, ErrInput,
                 "%s: gpu.front=cluster: %u clusters, expected at most %u; raise "
                 "gpu.cluster_sms or lower gpu.sms",
                 config_origin(config, "gpu.front"), clusters, GpuMaxFronts);
}

// Checks what the tile coalescer needs.
static bool check_tc(const config_t *config, const gpu_params_t *p, err_t *err) {
  const char *wrong = p->shader != GpuShaderWarp           ? "only with gpu.shader=warp"
                      : p->dispatch != GpuDispatchWorkTile ? "only with gpu.dispatch=work_tile"
                      : p->batch_warps                     ? "only with gpu.batch_warps=0"
                      : p->cluster_fifo < 2                ? "gpu.cluster_fifo must hold 2 warps"
                                                           : NULL;
  return !p->tc_engines || !wrong ||
         err_set(err, ErrInput, "%s: gpu.tc_engines=%u: %s",
                 config_origin(config, "gpu.tc_engines"), p->tc_engines, wrong);
}

// Checks what the caches need of each other and of the memory behind them.
static bool check_caches(const config_t *config, const machine_params_t *m, err_t *err) {
  const gpu_params_t *p = &m->gpu;
  const uint32_t line = 64u << p->line_bytes;
  const char *shared = texturing_detailed(&m->texturing) && m->texturing.shares_memory
                           ? "only with a GPU's own DRAM, texture.design=rate or "
                             "texture.shares_memory=false"
                           : NULL;
  const struct {
    const char *key;
    uint32_t value;
    const char *wrong;  // NULL: fine
  } checks[] = {
      {"gpu.texture_lines", p->texture_lines,
       p->texture_lines % p->texture_ways ? "expected a multiple of gpu.texture_ways" : NULL},
      {"gpu.l1_misses", p->l1_misses, p->l1_misses ? shared : NULL},
      {"gpu.l2_lines", p->l2_lines, p->l2_lines ? shared : NULL},
      {"gpu.l2_kib", p->l2_kib,
       gpu_params_caches(p) && p->l2_kib * 1024 < line * p->l2_ways
           ? "it must hold gpu.l2_ways lines"
           : NULL},
      {"gpu.line_bytes", line,
       p->surface_layout == GpuLayoutLinear && line != 128
           ? "expected 128 with gpu.surface_layout=linear"
           : NULL},
  };
  if (p->l1 == GpuL1Cluster && p->dispatch == GpuDispatchFree) {
    return err_set(err, ErrInput,
                   "%s: gpu.l1=cluster: only with a static map, gpu.dispatch=work_tile or g80",
                   config_origin(config, "gpu.l1"));
  }
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
    if (checks[i].wrong) {
      return err_set(err, ErrInput, "%s: %s=%u: %s", config_origin(config, checks[i].key),
                     checks[i].key, checks[i].value, checks[i].wrong);
    }
  }
  return true;
}

// Checks what warps need of an SM.
static bool check_warps(const config_t *config, const gpu_params_t *p, err_t *err) {
  uint32_t groups = p->alu_groups ? p->alu_groups : p->schedulers;
  if (p->shader == GpuShaderWarp && groups > p->lanes) {
    err_set(err, ErrInput, "%s: gpu.lanes=%u: fewer than %u groups of ALUs (%s)",
            config_origin(config, "gpu.lanes"), p->lanes, groups,
            p->alu_groups ? "gpu.alu_groups" : "gpu.schedulers");
    return false;
  }
  uint32_t registers = p->thread_registers * ShaderLanes;
  if (p->shader == GpuShaderWarp && registers > p->registers) {
    err_set(err, ErrInput, "%s: gpu.thread_registers=%u: a warp needs %u, gpu.registers=%u",
            config_origin(config, "gpu.thread_registers"), p->thread_registers, registers,
            p->registers);
    return false;
  }
  return true;
}

// Refuses a place on an axis that the others leave without a meaning.
static bool check_schedule(const config_t *config, const machine_params_t *p, err_t *err) {
  const char *draws = machine_scheme_name(p);
  if (p->orders && !machine_composes(p)) {
    err_set(err, ErrInput, "%s: schedule.orders=%s: %s composes nothing, expected scheme",
            config_origin(config, "schedule.orders"), MachineOrdersNames[p->orders], draws);
    return false;
  }
  if (machine_ideal(p) && !machine_composes(p) && !machine_distributes(p)) {
    err_set(err, ErrInput,
            "%s: schedule.ideal=true: schedule.draws=%s exchanges nothing, expected false",
            config_origin(config, "schedule.ideal"), MachineDrawsNames[machine_draws(p)]);
    return false;
  }
  if (machine_ideal(p) && p->ideal_merge == MachineMergeNone && machine_composes(p) &&
      !machine_schedules(p)) {
    err_set(err, ErrInput, "%s: ideal.merge=none: expected rop with direct-send",
            config_origin(config, "ideal.merge"));
    return false;
  }
  return true;
}

// Checks what a SoC needs of the machine around it.
static bool check_soc(const config_t *config, const machine_params_t *p, err_t *err) {
  const char *wrong = !machine_single(p)                       ? "only with scheme=single"
                      : p->texturing.design != TextureBaseline ? "only with texture.design=baseline"
                      : !p->texturing.shares_memory ? "only with texture.shares_memory=true"
                                                    : NULL;
  if (p->soc.scheduler && wrong) {
    return err_set(err, ErrInput, "%s: soc.scheduler: %s", config_origin(config, "soc.scheduler"),
                   wrong);
  }
  const gddr5_sources_t sources = soc_params_sources(&p->soc);
  err_auto_t why = {0};
  if (!soc_config_check(config, &p->soc, err)) {
    return false;
  }
  if (!p->soc.scheduler || gddr5_check(&p->texturing.gddr5, &sources, &why)) {
    return true;
  }
  const char *text = err_text(&why);
  char *key = text_make("%.*s", (int)strcspn(text, "= :"), text);
  err_set(err, ErrInput, "%s: %s", key ? config_origin(config, key) : "", text);
  free(key);
  return false;
}

// Tells if touched stamps can be sent early, where they are.
static bool check_early(const config_t *config, const machine_params_t *params, err_t *err) {
  if (params->early > 0 && machine_schedules(params) && (!params->lookahead || params->order_tag)) {
    return err_set(err, ErrInput,
                   "%s: distributor.early=%u: only with composition_scheduler.lookahead and "
                   "driver.order_tag=false",
                   config_origin(config, "distributor.early"), params->early);
  }
  return true;
}

static bool check_rehearsal(const config_t *config, const machine_params_t *params, err_t *err) {
  return !params->rehearse || params->by_all || params->weights ||
         err_set(err, ErrInput,
                 "%s: driver.rehearse=true: only with driver.by_all=true or driver.weights=true",
                 config_origin(config, "driver.rehearse"));
}

bool machine_config_check(const config_t *config, const machine_params_t *params, err_t *err) {
  if (!machine_single(params) && params->gpus < 2) {
    err_set(err, ErrInput,
            "%s: gpus=%u: scheme %s needs 2 to 64 GPUs; scheme=single renders on one",
            config_origin(config, "gpus"), params->gpus, machine_scheme_name(params));
    return false;
  }
  if (params->gpupd.buffer && params->gpupd.buffer < params->gpupd.indices) {
    err_set(err, ErrInput, "%s: gpupd.buffer=%u: it must hold a triangle, gpupd.indices=%u",
            config_origin(config, "gpupd.buffer"), params->gpupd.buffer, params->gpupd.indices);
    return false;
  }
  if (params->scout_triangles && !params->by_all) {
    err_set(err, ErrInput, "%s: scout.triangles=%u: only with driver.by_all=true",
            config_origin(config, "scout.triangles"), params->scout_triangles);
    return false;
  }
  if (params->gpu.retain && texturing_detailed(&params->texturing)) {
    return err_set(err, ErrInput, "%s: gpu.retain=%u: only with texture.design=rate",
                   config_origin(config, "gpu.retain"), params->gpu.retain);
  }
  if (params->coarse_epoch > 0 && params->coarse_epoch < 64) {
    return err_set(err, ErrInput, "%s: coarse_depth.epoch=%u: expected 0 or 64 to 65535",
                   config_origin(config, "coarse_depth.epoch"), params->coarse_epoch);
  }
  if (params->lookahead > 0 && params->lowest_first) {
    err_set(err, ErrInput,
            "%s: composition_scheduler.lookahead=%u: expected 0 with "
            "composition_scheduler.lowest_first=true",
            config_origin(config, "composition_scheduler.lookahead"), params->lookahead);
    return false;
  }
  if (params->dfsl_mode && params->gpu.dispatch != GpuDispatchWorkTile) {
    return err_set(err, ErrInput, "%s: dfsl.mode=on: only with gpu.dispatch=work_tile",
                   config_origin(config, "dfsl.mode"));
  }
  if (params->dfsl_mode && params->dfsl_min > params->dfsl_max) {
    return err_set(err, ErrInput, "%s: dfsl.min_wt=%u: expected at most dfsl.max_wt=%u",
                   config_origin(config, "dfsl.min_wt"), params->dfsl_min, params->dfsl_max);
  }
  uint32_t beat = 16u << params->beat_bytes;
  if (params->link.buffer_bytes < beat) {
    err_set(err, ErrInput, "%s: link.buffer=%u: it must hold a beat, distributor.beat_bytes=%u",
            config_origin(config, "link.buffer"), params->link.buffer_bytes, beat);
    return false;
  }
  if (params->link_shared_buffer && params->link_shared_buffer < (params->gpus - 1) * beat) {
    err_set(err, ErrInput,
            "%s: link.shared_buffer=%u: it must hold a beat of each link, %u times "
            "distributor.beat_bytes=%u",
            config_origin(config, "link.shared_buffer"), params->link_shared_buffer,
            params->gpus - 1, beat);
    return false;
  }
  return check_schedule(config, params, err) && check_soc(config, params, err) &&
         check_dispatch(config, &params->gpu, err) && check_warps(config, &params->gpu, err) &&
         check_caches(config, params, err) && check_tc(config, &params->gpu, err) &&
         check_front(config, &params->gpu, err) && check_texturing(config, params, err) &&
         check_rehearsal(config, params, err) && check_early(config, params, err);
}
