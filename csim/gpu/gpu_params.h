// Parameters of one GPU, their defaults, ranges and sources. One table describes them all
// (gpu_params.c); the configuration exposes it under the keys gpu.*.
#ifndef NOCTURNE_GPU_PARAMS_H
#define NOCTURNE_GPU_PARAMS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint32_t queue;               // command-queue entries
  uint32_t draw_cycles;         // geometry, per draw piece
  uint32_t index_rate;          // indices a cycle
  uint32_t vertex_rate;         // vertices a cycle
  uint32_t triangle_rate;       // triangles a cycle through clip and setup
  uint32_t triangle_queue;      // between geometry and raster
  uint32_t geometry_latency;    // cycles
  uint32_t geometry_ahead;      // 1: geometry goes on while the raster is held
  uint32_t stamp_rate;          // stamps a cycle: raster, depth, ROP
  uint32_t depth_queue;         // blocks
  uint32_t shading_queue;       // blocks
  uint32_t in_flight;           // blocks between shading and ROP
  uint32_t sms;
  uint32_t lanes;               // of an SM
  uint32_t shading_latency;     // cycles
  uint32_t texture_cycles;      // of an SM, per textured stamp and probe
  uint32_t texture_lines;       // lines of the texture cache
  uint32_t clear_rate;          // pixels a cycle
  uint32_t touch_queue;         // touched blocks not yet taken
  uint32_t channels;            // of DRAM
  uint32_t channel_bytes;       // a cycle
  uint32_t banks;               // of a channel
  uint32_t row_bytes;
  uint32_t row_hit, row_miss;   // cycles to the first data
} gpu_params_t;

typedef struct {
  const char *name;
  size_t offset;
  uint32_t initial;
  uint64_t min, max;
  const char *unit, *source, *meaning;
} gpu_param_t;

extern const gpu_param_t gpu_params_table[];
extern const size_t gpu_params_table_count;

void gpu_params_default(gpu_params_t *params);

#endif
