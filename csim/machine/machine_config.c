#include "machine_config.h"

#include <stdio.h>
#include <string.h>

static const char *const Schemes[] = {"single",        "duplication", "chopin_rr",
                                      "chopin_direct", "chopin",      NULL};
static const char *const Maps[] = {"rows", "skew", "work_tiles", "halving", NULL};
static const char *const Cells[] = {"tile", "block", "stamp", NULL};
static const char *const BeatBytes[] = {"16", "32", "64", "128", "256", NULL};

typedef machine_params_t P;

static const config_key_t Keys[] = {
    CONFIG_ENUM(P, scheme, "scheme", "chopin", Schemes, "CHOPIN, III, IV, V",
                "how the frame is split among the GPUs"),
    CONFIG_UINT(P, gpus, "gpus", 8, 1, 64, "GPUs", "CHOPIN, Table II", "number of GPUs"),
    CONFIG_UINT(P, threshold, "driver.threshold", 4096, 0, 100000000, "primitives",
                "CHOPIN, Table II", "groups with fewer primitives are duplicated"),
    CONFIG_BOOL(P, require_draws, "driver.require_draws", "false", "the authors' simulator",
                "compose a group only if it has more draws than there are GPUs"),
    CONFIG_BOOL(P, function_while_writing, "driver.function_while_writing", "false",
                "the authors' simulator",
                "the depth function bounds a group only while depth is written"),
    CONFIG_BOOL(P, depth_broadcast, "driver.depth_broadcast", "false", "reading",
                "broadcast depth that a group may not meet stale, instead of duplicating it"),
    CONFIG_BOOL(P, order_tag, "driver.order_tag", "false", "extension",
                "tag depth words with the draw's order, so that equal depths compose exactly"),
    CONFIG_UINT(P, progress_interval, "progress.interval", 1, 1, 1024, "triangles",
                "CHOPIN, VI-D", "triangles through geometry per progress message"),
    CONFIG_UINT(P, message_latency, "messages.latency", 200, 0, 100000, "cycles",
                "CHOPIN, Table II: as the links", "between a GPU and the schedulers, one way"),
    CONFIG_UINT(P, link.latency, "link.latency", 200, 1, 100000, "cycles", "CHOPIN, Table II",
                "between two GPUs, one way"),
    CONFIG_UINT(P, link.bytes_per_cycle, "link.bandwidth", 64, 1, 4096, "GB/s",
                "CHOPIN, Table II", "of a link, each way (1 GHz: bytes a cycle)"),
    CONFIG_UINT(P, link.buffer_bytes, "link.buffer", 32768, 256, 16777216, "bytes",
                "64 B/cycle x 400 cycles of round trip, rounded up", "receive buffer of a link"),
    CONFIG_UINT(P, memory_latency, "distributor.memory_latency", 48, 1, 1000, "cycles",
                "DRAM: row miss of 37 cycles, and the way there", "a read of a distribution unit"),
    CONFIG_UINT(P, memory_bytes_per_cycle, "memory.bandwidth", 256, 1, 65536, "GB/s",
                "CHOPIN, Table II: 2 TB/s in total at 8 GPUs", "of one GPU, in broadcasts"),
    CONFIG_UINT(P, count_width, "draw_scheduler.count_width", 64, 10, 64, "bits",
                "CHOPIN, VI-F", "triangle counters"),
    CONFIG_BOOL(P, tie_lowest, "draw_scheduler.tie_lowest", "false", "the authors' simulator",
                "ties go to the lowest GPU instead of the first after the last chosen"),
    CONFIG_BOOL(P, lowest_first, "composition_scheduler.lowest_first", "false",
                "the authors' simulator",
                "a sender's next receiver is the lowest number instead of the next upwards"),
    CONFIG_ENUM(P, map_mode, "distributor.map", "rows", Maps, "CHOPIN, V", "tile to GPU"),
    CONFIG_UINT(P, work_tile, "distributor.work_tile", 1, 1, 10, "tiles", "Emerald",
                "side of a work tile, map work_tiles only"),
    CONFIG_ENUM(P, cell_mode, "distributor.cell", "stamp", Cells, "the authors' simulator",
                "grain of the touched map: 64x64 tile, 8x8 block, 2x2 stamp"),
    CONFIG_ENUM(P, beat_bytes, "distributor.beat_bytes", "64", BeatBytes,
                "CHOPIN, Table II: 64 GB/s", "payload of a beat"),
    CONFIG_UINT(P, limit, "limit", 0, 0, 1000000000000, "cycles", "chosen",
                "ends the run as a hang, whatever the progress; 0: none"),
    CONFIG_UINT(P, watchdog, "watchdog", 1000000, 1000, 4000000000, "cycles", "chosen",
                "cycles without any event that count as a hang"),
};

bool machine_config_add(config_t *config, machine_params_t *params, char error[ConfigErrorSize]) {
  gpu_params_default(&params->gpu);
  if (!config_add(config, "", Keys, sizeof Keys / sizeof *Keys, params, error)) {
    return false;
  }
  for (size_t i = 0; i < gpu_params_table_count; i++) {
    const gpu_param_t *p = &gpu_params_table[i];
    config_key_t key = {.name = p->name, .kind = ConfigUint, .offset = p->offset,
                        .size = sizeof(uint32_t), .min = p->min, .max = p->max, .unit = p->unit,
                        .source = p->source, .meaning = p->meaning};
    if (!config_add(config, "gpu", &key, 1, &params->gpu, error)) {
      return false;
    }
  }
  return true;
}

bool machine_config_check(const config_t *config, const machine_params_t *params,
                          char error[ConfigErrorSize]) {
  if (params->scheme != MachineSingle && params->gpus < 2) {
    snprintf(error, ConfigErrorSize,
             "%s: gpus=%u: scheme %s needs 2 to 64 GPUs; scheme=single renders on one",
             config_origin(config, "gpus"), params->gpus, machine_scheme_name(params->scheme));
    return false;
  }
  uint32_t beat = 16u << params->beat_bytes;
  if (params->link.buffer_bytes < beat) {
    snprintf(error, ConfigErrorSize,
             "%s: link.buffer=%u: it must hold a beat, distributor.beat_bytes=%u",
             config_origin(config, "link.buffer"), params->link.buffer_bytes, beat);
    return false;
  }
  return true;
}
