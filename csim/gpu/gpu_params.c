// SPDX-License-Identifier: Apache-2.0
#include "gpu_params.h"

typedef gpu_params_t P;

#define KEY(field, value, low, high, unit, source, meaning) \
  CONFIG_UINT(P, field, #field, value, low, high, unit, source, meaning)
#define EXTRA(field, value, low, high, unit, source, meaning) \
  CONFIG_UINT(P, field, #field, value, low, high, unit, source, meaning, .group = ConfigExtension)
// A key of later than the machines that are recorded.
#define LATER(field, value, low, high, unit, source, meaning)                                      \
  CONFIG_UINT(P, field, #field, value, low, high, unit, source, meaning, .group = ConfigExtension, \
              .hashed_if_set = true)
#define LATER_ENUM(field, value, names, source, meaning)                                 \
  CONFIG_ENUM(P, field, #field, value, names, source, meaning, .group = ConfigExtension, \
              .hashed_if_set = true)
#define CONSTANT(field, value, unit, source, meaning) \
  CONFIG_CONSTANT(P, field, #field, value, unit, source, meaning)

static const char Attila[] = "the CHOPIN authors' simulator, configuration";
static const char Pipelined[] =
    "the CHOPIN authors' simulator: geometry of a batch beside the fragments of the one before";
static const char Measured[] = "the CHOPIN authors' simulator, 1-GPU measurements";
static const char Chopin[] = "CHOPIN, Table II";

static const char G80[] = "the G80 study, 4, note 1";
static const char Tiles[] = "chosen; the G80 study, E1";
static const char Textbook[] = "the textbook on GPUs, 6.4.4";
static const char Gem5[] = "gem5's caches, as Emerald has them; docs/model/shader.md";
static const char Emerald[] = "Emerald, Table 7 and its public code";

static const char *const Dispatches[] = {"free", "work_tile", "g80", NULL};
static const char *const Fronts[] = {"shared", "cluster", NULL};
static const char *const L1s[] = {"shared", "cluster", NULL};
static const char *const Layouts[] = {"tiled", "linear", NULL};
static const char *const Lines[] = {"64", "128", "256", NULL};
static const char *const Orders[] = {"nested", "pairs", NULL};
static const char *const Shaders[] = {"rate", "warp", NULL};
static const char *const Policies[] = {"lrr", "gto", NULL};
static const char *const Divergences[] = {"stack", "predicated", NULL};

static const config_key_t Keys[] = {
    KEY(queue, 8, 1, 1023, "commands", "chosen: 400 cycles of round trip, draws of 50",
        "command queue, and so the credits"),
    CONSTANT(draw_cycles, 16, "cycles", "chosen", "geometry, for each draw piece"),
    KEY(draws_in_flight, 2, 1, 500, "commands", Pipelined,
        "between the start of geometry and the end of the ROP"),
    KEY(draw_overlap, 0, 0, 1, "", Pipelined,
        "a draw enters the raster before the one before has left the ROP"),
    KEY(index_rate, 2, 1, 64, "indices/cycle", Attila, "index fetch"),
    KEY(vertex_rate, 2, 1, 64, "vertices/cycle", Attila, "vertex fetch"),
    {.name = "cut_vertices",
     .kind = ConfigUint,
     CONFIG_FIELD(P, cut_vertices),
     .initial = "32",
     .min = 32,
     .max = 32,
     .unit = "vertices",
     .source = "chosen: a post-transform cache",
     .meaning = "shaded again where a draw is cut, with driver.split",
     .constant = true,
     .hashed_if_set = true},
    CONSTANT(vertex_bytes, 32, "bytes", "chosen", "read for each distinct vertex"),
    CONSTANT(projection_length, 4, "instructions", "reading: a matrix by a vector",
             "of a vertex program for positions alone, at most (GPUpd's projection)"),
    CONSTANT(projection_bytes, 16, "bytes", "reading: four coordinates",
             "read for a vertex's position (GPUpd's projection)"),
    KEY(triangle_rate, 2, 1, 64, "triangles/cycle", Attila, "assembly, clipper and setup"),
    KEY(geometry_latency, 200, 1, 10000, "cycles", Measured, "command to raster"),
    KEY(triangle_queue, 64, 2, 1024, "triangles", Attila, "stored before the raster"),
    KEY(geometry_ahead, 1, 0, 1, "", "chosen", "geometry goes on while the raster is held"),
    CONSTANT(raster_triangle, 1, "cycles", Attila, "of the raster, to start a triangle"),
    KEY(raster_stamps, 4, 1, 64, "stamps/cycle", Attila, "triangle traversal"),
    CONFIG_ENUM(P, raster_order, "raster_order", "nested", Orders, Tiles,
                "tiles of 64x64 pixels and in them of 16x16, or rows of 16x16 in twos, by half "
                "blocks",
                .group = ConfigExtension),
    KEY(depth_stamps, 4, 1, 64, "stamps/cycle", Attila, "depth and stencil test"),
    CONSTANT(depth_queue, 16, "blocks", Attila, "raster to depth: 256 stamps"),
    KEY(retain, 0, 0, 1000, "permille", "CHOPIN, VI-B, Fig. 16",
        "culled fragments that are processed all the same, at random, without being written"),
    CONSTANT(shading_queue, 16, "blocks", Attila, "depth to shading"),
    KEY(shading_stamps, 4, 1, 64, "stamps/cycle", Attila, "interpolation"),
    KEY(sms, 8, 1, 64, "SMs", Chopin, "streaming multiprocessors"),
    KEY(lanes, 32, 1, 256, "lanes", Chopin, "shader cores of an SM"),
    KEY(threads, 2048, 64, 65536, "threads", Attila, "in flight in an SM"),
    KEY(shading_latency, 250, 1, 100000, "cycles", Measured, "first issue to last result"),
    KEY(texture_units, 4, 1, 64, "units", Chopin, "of an SM"),
    KEY(texture_cycles, 65, 1, 10000, "cycles", Measured,
        "of a texture unit, for each stamp and texture read: 0.53 cycles a textured fragment"),
    KEY(texture_next_cycles, 0, 0, 10000, "cycles",
        "the CHOPIN authors' simulator: a thread waits for each read",
        "the same, for each further read of a fragment; 0: gpu.texture_cycles"),
    KEY(texture_lines, 256, 16, 65536, "lines", Attila, "an SM's texture cache, 64 bytes each"),
    LATER(texture_ways, 16, 1, 64, "ways", "chosen; Emerald, Table 7: 24", "texture cache"),
    CONFIG_ENUM(P, dispatch, "dispatch", "free", Dispatches,
                "chosen; Emerald, 6.1; the G80 study, E1",
                "blocks go to the SM that is free first, or by a static map to a cluster of SMs",
                .group = ConfigExtension),
    EXTRA(cluster_sms, 1, 1, 8, "SMs", "chosen; the G80 study: 2",
          "of a cluster, with a static map"),
    EXTRA(cluster_fifo, 64, 1, 1024, "warps", "chosen; 16 is near the G80 study's window",
          "that wait for the SMs of a cluster"),
    EXTRA(batch_warps, 0, 0, 64, "warps", "chosen; the G80 study: 8 of a tile",
          "that a cluster takes at a time, the next when all have ended; 0: each when there is "
          "room"),
    EXTRA(wt, 1, 1, 64, "blocks", Emerald, "side of a work tile (gpu.dispatch work_tile)"),
    CONFIG_ENUM(P, shader, "shader", "rate", Shaders, "chosen",
                "shading is a rate, or warps run the skeletons of programs",
                .group = ConfigExtension),
    LATER_ENUM(front, "shared", Fronts, "Emerald, 3.3.2",
               "raster, early depth, shading queue and ROP of the GPU, or of each cluster "
               "(gpu.dispatch work_tile)"),
    LATER(masks, 64, 2, 1024, "masks", "chosen", "of primitives, that a cluster's front holds"),
    LATER(setup_latency, 8, 0, 1000, "cycles", "Emerald's public code, an example",
          "of a cluster's setup, which is a pipeline"),
    LATER(tc_engines, 0, 0, 8, "engines", "Emerald, Table 7: 2",
          "of a cluster's tile coalescer; 0: stamps are assembled in order"),
    LATER(tc_bins, 4, 1, 8, "raster tiles", "Emerald, Table 7", "that an engine stages from"),
    LATER(tc_wait, 20, 1, 1023, "cycles", "Emerald's public code, an example",
          "without a raster tile, after which an engine issues"),
    LATER(tc_live, 32, 2, 64, "TC tiles", "chosen", "of a cluster in shading"),
    EXTRA(warp_primitives, 8, 1, 8, "primitives", "chosen; the G80 study: 4",
          "of which a warp may have stamps"),
    EXTRA(warp_wait, 20, 1, 10000, "cycles", Emerald, "that a warp waits for more stamps"),
    EXTRA(warps, 64, 1, 128, "warps", Emerald, "resident in an SM"),
    EXTRA(schedulers, 1, 1, 8, "schedulers", Textbook, "of an SM: Tesla 1, Fermi 2, Volta 4"),
    CONFIG_ENUM(P, warp_policy, "warp_policy", "lrr", Policies, Emerald,
                "ready warps in turn, or the one issued last and then the oldest",
                .group = ConfigExtension),
    EXTRA(issue_per_warp, 1, 1, 2, "operations", Emerald,
          "an independent one of another unit goes along"),
    CONFIG_ENUM(P, divergence, "divergence", "stack", Divergences, Textbook,
                "a side of a branch without a lane is skipped, or never", .group = ConfigExtension),
    EXTRA(alu_groups, 0, 0, 8, "groups", Textbook, "of an SM's lanes; 0: one for each scheduler"),
    EXTRA(alu_latency, 11, 1, 1000, "cycles", G80, "issue to result"),
    EXTRA(sfu_lanes, 4, 1, 32, "lanes", Textbook, "special function units of an SM"),
    EXTRA(sfu_latency, 22, 1, 1000, "cycles", "chosen", "issue to result of a special function"),
    EXTRA(registers, 65536, 1024, 1048576, "registers", Emerald, "of an SM"),
    EXTRA(thread_registers, 0, 0, 1024, "registers", "chosen", "of a thread; 0: no limit"),
    EXTRA(dependent, 1000, 0, 1000, "permille", "the G80 study measured both ends",
          "of operations, that need the result before; where a program does not say"),
    KEY(rop_stamps, 2, 1, 64, "stamps/cycle", "CHOPIN, Table II: 8 ROPs, a pixel each",
        "blend and colour write"),
    CONSTANT(clear_rate, 256, "pixels/cycle", "chosen", "fast clear"),
    CONSTANT(touch_queue, 16, "blocks", "chosen", "touched blocks not yet taken"),
    KEY(block_sets, 32, 1, 4096, "sets", Attila, "depth cache and colour cache"),
    KEY(block_ways, 4, 1, 64, "ways", Attila, "depth cache and colour cache"),
    LATER_ENUM(l1, "shared", L1s, "Attila's; Emerald, Table 7: cluster",
               "depth and colour caches of the GPU, or of each cluster, not coherent"),
    LATER_ENUM(surface_layout, "tiled", Layouts, "Attila's; Emerald: linear",
               "blocks side by side, or rows of the surface; linear: gpu.line_bytes 128"),
    LATER_ENUM(line_bytes, "256", Lines, "a block of 8x8 pixels; Emerald, Table 7: 128",
               "line of depth and colour caches and of the L2, four sectors"),
    LATER(l1_misses, 0, 0, 64, "misses", Gem5,
          "under way of each depth, colour and texture cache; 0: any number"),
    LATER(l2_lines, 0, 0, 16, "lines/cycle", Gem5, "that the L2 takes; 0: any number"),
    KEY(l2_kib, 768, 1, 65536, "KiB", "CHOPIN, Table II: 6 MB by 8 GPUs", "L2 cache"),
    KEY(l2_ways, 8, 1, 64, "ways", "chosen", "L2 cache"),
    LATER(l2_latency, 20, 1, 1000, "cycles", "chosen; Emerald: 28", "a hit in the L2 cache"),
    KEY(channels, 8, 1, 64, "channels", Chopin, "DRAM"),
    KEY(channel_bytes, 32, 1, 1024, "bytes/cycle", "CHOPIN, Table II: 2 TB/s by 8 GPUs",
        "of a channel"),
    KEY(banks, 8, 1, 64, "banks", Chopin, "of a channel"),
    CONSTANT(row_bytes, 2048, "bytes", Attila, "row buffer"),
    CONSTANT(transactions, 64, "transactions", Attila, "that a channel holds"),
};

static const config_key_t TimingEntries[] = {
    CONFIG_ENTRY(P, trcd, "trcd", 1, 1000, "cycles", "activate to column command"),
    CONFIG_ENTRY(P, trp, "trp", 1, 1000, "cycles", "precharge"),
    CONFIG_ENTRY(P, cas, "cas", 1, 1000, "cycles", "column command to data"),
    CONFIG_ENTRY(P, trrd, "trrd", 0, 1000, "cycles", "activate to activate"),
    CONFIG_ENTRY(P, twr, "twr", 0, 1000, "cycles", "write to precharge"),
    CONFIG_ENTRY(P, twtr, "twtr", 0, 1000, "cycles", "write to read"),
};

static const config_set_t Timing = {.key = "gpu.timing",
                                    .prefix = "gpu",
                                    .initial = "attila",
                                    .source = Attila,
                                    .meaning = "timing of the GPU's DRAM",
                                    .entries = TimingEntries,
                                    .count = sizeof TimingEntries / sizeof *TimingEntries};

uint32_t gpu_params_cluster_sms(const gpu_params_t *p) {
  return p->dispatch == GpuDispatchFree ? p->sms : p->cluster_sms;
}

uint32_t gpu_params_clusters(const gpu_params_t *p) {
  uint32_t sms = gpu_params_cluster_sms(p);
  return (p->sms + sms - 1) / sms;
}

bool gpu_params_caches(const gpu_params_t *p) {
  return p->l1 != GpuL1Shared || p->surface_layout != GpuLayoutTiled || p->line_bytes != 2 ||
         p->l1_misses || p->l2_lines || p->l2_latency != 20 || p->texture_ways != 16;
}

bool gpu_config_add(config_t *config, void *params, err_t *err) {
  return config_add(config, "gpu", Keys, sizeof Keys / sizeof *Keys, params, err) &&
         config_add_set(config, &Timing, params, err);
}

bool gpu_params_default(gpu_params_t *params, err_t *err) {
  return config_defaults(gpu_config_add, params, NULL, err);
}
