#include "gpu_params.h"

#include <string.h>

#define PARAM(field, value, low, high, unit, source, meaning) \
  {#field, offsetof(gpu_params_t, field), value, low, high, unit, source, meaning}

static const char Attila[] = "the CHOPIN authors' simulator, configuration";
static const char Measured[] = "the CHOPIN authors' simulator, 1-GPU measurements";

const gpu_param_t gpu_params_table[] = {
    PARAM(queue, 64, 1, 1023, "commands", "chosen", "command queue, and so the credits"),
    PARAM(draw_cycles, 16, 0, 10000, "cycles", "chosen", "geometry, for each draw piece"),
    PARAM(index_rate, 2, 1, 64, "indices/cycle", Attila, "index fetch"),
    PARAM(vertex_rate, 2, 1, 64, "vertices/cycle", Attila, "vertex fetch"),
    PARAM(triangle_rate, 2, 1, 64, "triangles/cycle", Attila, "clipper and setup"),
    PARAM(triangle_queue, 32, 2, 1024, "triangles", Attila, "between geometry and raster"),
    PARAM(geometry_latency, 150, 0, 10000, "cycles", Measured, "vertex fetch to raster"),
    PARAM(geometry_ahead, 1, 0, 1, "", "chosen", "geometry goes on while the raster is held"),
    PARAM(stamp_rate, 2, 1, 64, "stamps/cycle", Measured,
          "raster, depth and ROP: 7.6 fragments a cycle were reached"),
    PARAM(depth_queue, 16, 1, 1024, "blocks", Attila, "raster to depth: 64 stamps"),
    PARAM(shading_queue, 16, 1, 1024, "blocks", Attila, "depth to shading"),
    PARAM(in_flight, 256, 1, 4000, "blocks", Attila, "in shading: 2,048 threads an SM"),
    PARAM(sms, 8, 1, 64, "SMs", "CHOPIN, Table II", "streaming multiprocessors"),
    PARAM(lanes, 32, 1, 256, "lanes", "CHOPIN, Table II", "shader cores of an SM"),
    PARAM(shading_latency, 250, 0, 100000, "cycles", Measured, "first issue to last result"),
    PARAM(texture_cycles, 16, 1, 1000, "cycles", Measured,
          "of an SM, for each textured stamp: 0.53 cycles a textured fragment"),
    PARAM(texture_lines, 2048, 1, 65536, "lines", "A-TFIM, Table I", "texture cache, 64 bytes each"),
    PARAM(clear_rate, 256, 1, 65536, "pixels/cycle", "chosen", "fast clear"),
    PARAM(touch_queue, 16, 1, 1024, "blocks", "chosen", "touched blocks not yet taken"),
    PARAM(channels, 8, 1, 64, "channels", "CHOPIN, Table II", "DRAM"),
    PARAM(channel_bytes, 32, 1, 1024, "bytes/cycle", "CHOPIN, Table II: 2 TB/s by 8 GPUs",
          "of a channel"),
    PARAM(banks, 8, 1, 64, "banks", "CHOPIN, Table II", "of a channel"),
    PARAM(row_bytes, 2048, 64, 65536, "bytes", Attila, "row buffer"),
    PARAM(row_hit, 10, 1, 1000, "cycles", Attila, "CAS"),
    PARAM(row_miss, 37, 1, 1000, "cycles", Attila, "precharge 14, activate 13, CAS 10"),
};

const size_t gpu_params_table_count = sizeof gpu_params_table / sizeof *gpu_params_table;

void gpu_params_default(gpu_params_t *params) {
  for (size_t i = 0; i < gpu_params_table_count; i++) {
    memcpy((char *)params + gpu_params_table[i].offset, &gpu_params_table[i].initial,
           sizeof(uint32_t));
  }
}
