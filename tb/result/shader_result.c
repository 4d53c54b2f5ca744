// SPDX-License-Identifier: Apache-2.0
#include "shader_result.h"

#include <stdio.h>

#include "csim/gpu/gpu.h"

static void set_uint(json_t *object, const char *key, uint64_t value) {
  json_object_set_new(object, key, json_integer((json_int_t)value));
}

static void set_real(json_t *object, const char *key, double value) {
  json_object_set_new(object, key, json_real(value));
}

static void add(shader_stats_t *sum, const shader_stats_t *s) {
  sum->warps += s->warps;
  for (uint32_t i = 0; i < ProgramKinds; i++) {
    sum->issued[i] += s->issued[i];
  }
  sum->slots += s->slots;
  for (uint32_t i = 0; i < ShaderIdleCauses; i++) {
    sum->idle[i] += s->idle[i];
  }
  for (uint32_t i = 0; i <= ShaderLanes; i++) {
    sum->active[i] += s->active[i];
  }
  sum->lanes_helper += s->lanes_helper;
  sum->lanes_diverged += s->lanes_diverged;
  sum->lanes_killed += s->lanes_killed;
  sum->lanes_empty += s->lanes_empty;
  sum->branches += s->branches;
  sum->divergent += s->divergent;
  sum->resident += s->resident;
  sum->peak = s->peak > sum->peak ? s->peak : sum->peak;
  shader_parts_merge(&sum->parts, &s->parts);
}

static json_t *issued_json(const shader_stats_t *s) {
  json_t *o = json_object();
  set_uint(o, "alu", s->issued[ProgramAlu]);
  set_uint(o, "sfu", s->issued[ProgramSfu]);
  set_uint(o, "tex", s->issued[ProgramTex]);
  set_uint(o, "kill", s->issued[ProgramKill]);
  set_uint(o, "branch", s->issued[ProgramIf]);
  return o;
}

// Slots: cycles of all schedulers.
static json_t *slots_json(const shader_stats_t *s, uint64_t all) {
  json_t *o = json_object();
  uint64_t known = s->slots + s->idle[ShaderScoreboard] + s->idle[ShaderTexture] +
                   s->idle[ShaderUnit];
  set_uint(o, "issuing", s->slots);
  set_uint(o, "scoreboard", s->idle[ShaderScoreboard]);
  set_uint(o, "texture", s->idle[ShaderTexture]);
  set_uint(o, "unit", s->idle[ShaderUnit]);
  set_uint(o, "no_warp", all > known ? all - known : 0);
  return o;
}

static json_t *lanes_json(const shader_stats_t *s) {
  json_t *o = json_object(), *histogram = json_array();
  uint64_t active = 0;
  for (uint32_t i = 0; i <= ShaderLanes; i++) {
    active += i * s->active[i];
    json_array_append_new(histogram, json_integer((json_int_t)s->active[i]));
  }
  set_uint(o, "active", active);
  set_uint(o, "helper", s->lanes_helper);
  set_uint(o, "diverged", s->lanes_diverged);
  set_uint(o, "killed", s->lanes_killed);
  set_uint(o, "empty", s->lanes_empty);
  json_object_set_new(o, "operations", histogram);
  return o;
}

// By the part's number: cycles of warps in SMs, and of schedulers by what they did. slots: their
// number.
static json_t *parts_json(const shader_parts_t *p, uint64_t cycles, uint64_t slots) {
  json_t *o = json_object();
  for (uint32_t i = 0; i < ShaderParts; i++) {
    char name[12];
    json_t *part = json_object();
    uint64_t first = (uint64_t)i << p->shift, end = (uint64_t)(i + 1) << p->shift, known = 0;
    uint64_t length = first >= cycles ? 0 : (end < cycles ? end : cycles) - first;
    for (uint32_t k = ShaderPartIssuing; k < ShaderPartSeries; k++) {
      known += p->sum[k][i];
    }
    set_uint(part, "resident", p->sum[ShaderPartResident][i]);
    set_uint(part, "issuing", p->sum[ShaderPartIssuing][i]);
    set_uint(part, "scoreboard", p->sum[ShaderPartScoreboard][i]);
    set_uint(part, "texture", p->sum[ShaderPartTexture][i]);
    set_uint(part, "unit", p->sum[ShaderPartUnit][i]);
    set_uint(part, "no_warp", length * slots > known ? length * slots - known : 0);
    snprintf(name, sizeof name, "%u", i);
    json_object_set_new(o, name, part);
  }
  return o;
}

json_t *shader_result(const machine_t *machine) {
  const machine_params_t *p = machine_params(machine);
  uint64_t cycles = machine_stats(machine)->cycles, lines = 0, reads = 0;
  uint32_t gpus = machine_gpu_count(machine);
  shader_stats_t sum = {0};
  if (p->gpu.shader != GpuShaderWarp) {
    return NULL;
  }
  for (uint32_t i = 0; i < gpus; i++) {
    const gpu_stats_t *s = gpu_stats(machine_gpu(machine, i));
    add(&sum, gpu_shader_stats(machine_gpu(machine, i)));
    lines += s->texture_lines;
    reads += s->texture_reads;
  }
  uint64_t sm_cycles = cycles * gpus * p->gpu.sms;
  json_t *o = json_object();
  set_uint(o, "warps", sum.warps);
  json_object_set_new(o, "issued", issued_json(&sum));
  json_object_set_new(o, "slots", slots_json(&sum, sm_cycles * p->gpu.schedulers));
  json_object_set_new(o, "lanes", lanes_json(&sum));
  set_uint(o, "branches", sum.branches);
  set_uint(o, "branches_divergent", sum.divergent);
  set_real(o, "occupancy", sm_cycles ? (double)sum.resident / (double)sm_cycles : 0);
  set_uint(o, "occupancy_peak", sum.peak);
  set_uint(o, "part_cycles", 1ull << sum.parts.shift);
  const uint64_t schedulers = (uint64_t)gpus * p->gpu.sms * p->gpu.schedulers;
  json_object_set_new(o, "parts", parts_json(&sum.parts, cycles, schedulers));
  set_uint(o, "texture_reads", reads);
  set_uint(o, "texture_lines", lines);
  return o;
}

static void set_clusters(json_t *object, const char *key, const uint64_t value[GpuG80Clusters]) {
  json_t *all = json_array();
  for (uint32_t i = 0; i < GpuG80Clusters; i++) {
    json_array_append_new(all, json_integer((json_int_t)value[i]));
  }
  json_object_set_new(object, key, all);
}

json_t *dispatch_result(const machine_t *machine) {
  gpu_dispatch_stats_t sum = {0};
  if (machine_params(machine)->gpu.dispatch != GpuDispatchG80) {
    return NULL;
  }
  for (uint32_t i = 0; i < machine_gpu_count(machine); i++) {
    const gpu_dispatch_stats_t *s = gpu_dispatch_stats(machine_gpu(machine, i));
    sum.warps += s->warps;
    sum.stamps += s->stamps;
    sum.primitives += s->primitives;
    for (uint32_t c = 0; c < GpuG80Clusters; c++) {
      sum.busy[c] += s->busy[c];
      sum.starved[c] += s->starved[c];
      sum.fifo_full[c] += s->fifo_full[c];
    }
    if (s->pixels_at_stall > sum.pixels_at_stall) {
      sum.pixels_at_stall = s->pixels_at_stall;
    }
  }
  uint64_t busy = 0, most = 0;
  for (uint32_t c = 0; c < GpuG80Clusters; c++) {
    busy += sum.busy[c];
    most = sum.busy[c] > most ? sum.busy[c] : most;
  }
  json_t *o = json_object();
  set_uint(o, "warps", sum.warps);
  set_real(o, "stamps_per_warp", sum.warps ? (double)sum.stamps / (double)sum.warps : 0);
  set_real(o, "primitives_per_warp", sum.warps ? (double)sum.primitives / (double)sum.warps : 0);
  set_clusters(o, "busy", sum.busy);
  set_clusters(o, "starved_cycles", sum.starved);
  set_clusters(o, "fifo_full_cycles", sum.fifo_full);
  set_uint(o, "pixels_at_stall", sum.pixels_at_stall);
  set_real(o, "imbalance", busy ? (double)most * GpuG80Clusters / (double)busy : 0);
  return o;
}
