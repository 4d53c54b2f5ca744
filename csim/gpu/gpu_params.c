#include "gpu_params.h"

#include <string.h>

#define PARAM(field, value, low, high, unit, source, meaning) \
  {#field, offsetof(gpu_params_t, field), value, low, high, unit, source, meaning}

static const char Attila[] = "the CHOPIN authors' simulator, configuration";
static const char Pipelined[] =
    "the CHOPIN authors' simulator: geometry of a batch beside the fragments of the one before";
static const char Measured[] = "the CHOPIN authors' simulator, 1-GPU measurements";
static const char Chopin[] = "CHOPIN, Table II";

const gpu_param_t gpu_params_table[] = {
    PARAM(queue, 8, 1, 1023, "commands", "chosen: 400 cycles of round trip, draws of 50",
          "command queue, and so the credits"),
    PARAM(draw_cycles, 16, 0, 10000, "cycles", "chosen", "geometry, for each draw piece"),
    PARAM(draws_in_flight, 2, 1, 500, "commands", Pipelined,
          "between the start of geometry and the end of the ROP"),
    PARAM(draw_overlap, 0, 0, 1, "", Pipelined,
          "a draw enters the raster before the one before has left the ROP"),
    PARAM(index_rate, 2, 1, 64, "indices/cycle", Attila, "index fetch"),
    PARAM(vertex_rate, 2, 1, 64, "vertices/cycle", Attila, "vertex fetch"),
    PARAM(vertex_bytes, 32, 4, 1024, "bytes", "chosen", "read for each distinct vertex"),
    PARAM(projection_length, 4, 1, 1024, "instructions", "reading: a matrix by a vector",
          "of a vertex program for positions alone, at most (GPUpd's projection)"),
    PARAM(projection_bytes, 16, 4, 1024, "bytes", "reading: four coordinates",
          "read for a vertex's position (GPUpd's projection)"),
    PARAM(triangle_rate, 2, 1, 64, "triangles/cycle", Attila, "assembly, clipper and setup"),
    PARAM(geometry_latency, 200, 1, 10000, "cycles", Measured, "command to raster"),
    PARAM(triangle_queue, 64, 2, 1024, "triangles", Attila, "stored before the raster"),
    PARAM(geometry_ahead, 1, 0, 1, "", "chosen", "geometry goes on while the raster is held"),
    PARAM(raster_triangle, 1, 1, 64, "cycles", Attila, "of the raster, to start a triangle"),
    PARAM(raster_stamps, 4, 1, 64, "stamps/cycle", Attila, "triangle traversal"),
    PARAM(depth_stamps, 4, 1, 64, "stamps/cycle", Attila, "depth and stencil test"),
    PARAM(depth_queue, 16, 1, 1024, "blocks", Attila, "raster to depth: 256 stamps"),
    PARAM(retain, 0, 0, 1000, "permille", "CHOPIN, VI-B, Fig. 16",
          "culled fragments that are processed all the same, at random, without being written"),
    PARAM(shading_queue, 16, 1, 1024, "blocks", Attila, "depth to shading"),
    PARAM(shading_stamps, 4, 1, 64, "stamps/cycle", Attila, "interpolation"),
    PARAM(sms, 8, 1, 64, "SMs", Chopin, "streaming multiprocessors"),
    PARAM(lanes, 32, 1, 256, "lanes", Chopin, "shader cores of an SM"),
    PARAM(threads, 2048, 64, 65536, "threads", Attila, "in flight in an SM"),
    PARAM(shading_latency, 250, 1, 100000, "cycles", Measured, "first issue to last result"),
    PARAM(texture_units, 4, 1, 64, "units", Chopin, "of an SM"),
    PARAM(texture_cycles, 65, 1, 10000, "cycles", Measured,
          "of a texture unit, for each stamp and texture read: 0.53 cycles a textured fragment"),
    PARAM(texture_lines, 256, 16, 65536, "lines", Attila, "an SM's texture cache, 64 bytes each"),
    PARAM(rop_stamps, 2, 1, 64, "stamps/cycle", "CHOPIN, Table II: 8 ROPs, a pixel each",
          "blend and colour write"),
    PARAM(clear_rate, 256, 1, 65536, "pixels/cycle", "chosen", "fast clear"),
    PARAM(touch_queue, 16, 1, 1024, "blocks", "chosen", "touched blocks not yet taken"),
    PARAM(block_sets, 32, 1, 4096, "sets", Attila, "depth cache and colour cache"),
    PARAM(block_ways, 4, 1, 64, "ways", Attila, "depth cache and colour cache"),
    PARAM(l2_kib, 768, 1, 65536, "KiB", "CHOPIN, Table II: 6 MB by 8 GPUs", "L2 cache"),
    PARAM(l2_ways, 8, 1, 64, "ways", "chosen", "L2 cache"),
    PARAM(l2_latency, 20, 0, 10000, "cycles", "chosen", "a hit in the L2 cache"),
    PARAM(channels, 8, 1, 64, "channels", Chopin, "DRAM"),
    PARAM(channel_bytes, 32, 1, 1024, "bytes/cycle", "CHOPIN, Table II: 2 TB/s by 8 GPUs",
          "of a channel"),
    PARAM(banks, 8, 1, 64, "banks", Chopin, "of a channel"),
    PARAM(row_bytes, 2048, 64, 65536, "bytes", Attila, "row buffer"),
    PARAM(trcd, 13, 1, 1000, "cycles", Attila, "activate to column command"),
    PARAM(trp, 14, 1, 1000, "cycles", Attila, "precharge"),
    PARAM(cas, 10, 1, 1000, "cycles", Attila, "column command to data"),
    PARAM(trrd, 9, 0, 1000, "cycles", Attila, "activate to activate"),
    PARAM(twr, 10, 0, 1000, "cycles", Attila, "write to precharge"),
    PARAM(twtr, 5, 0, 1000, "cycles", Attila, "write to read"),
    PARAM(transactions, 64, 1, 256, "transactions", Attila, "that a channel holds"),
};

const size_t gpu_params_table_count = sizeof gpu_params_table / sizeof *gpu_params_table;

void gpu_params_default(gpu_params_t *params) {
  for (size_t i = 0; i < gpu_params_table_count; i++) {
    memcpy((char *)params + gpu_params_table[i].offset, &gpu_params_table[i].initial,
           sizeof(uint32_t));
  }
}
