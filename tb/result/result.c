// SPDX-License-Identifier: Apache-2.0
#include "result.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "csim/frame/image.h"
#include "csim/machine/energy.h"
#include "csim/machine/schedule.h"
#include "tb/harness/json_file.h"
#include "tb/harness/origin.h"
#include "shader_result.h"

static void set_uint(json_t *object, const char *key, uint64_t value) {
  json_object_set_new(object, key, json_integer((json_int_t)value));
}

// Keys, and the entries of the sets that they name.
static void add_key(void *self, const config_value_t *v) {
  if (!v->set) {
    json_object_set_new(self, v->name, json_string(v->text));
    return;
  }
  json_t *sets = json_object_get(self, "sets");
  if (!sets) {
    json_object_set_new(self, "sets", sets = json_object());
  }
  json_t *set = json_object_get(sets, v->set);
  if (!set) {
    json_object_set_new(sets, v->set, set = json_object());
  }
  json_object_set_new(set, v->key->name, json_string(v->text));
}

static image_difference_t compare(const result_t *r) {
  const check_result_t *c = &r->check;
  image_t a = {c->width, c->height, c->picture}, b = {c->width, c->height, c->reference};
  return image_compare(&a, &b, c->left_out);
}

static json_t *image_json(const result_t *r) {
  const check_result_t *c = &r->check;
  image_t picture = {c->width, c->height, c->picture};
  image_difference_t d = compare(r);
  char sha[BaseSha256Text];
  image_sha256(&picture, sha);
  json_t *o = json_object();
  json_object_set_new(o, "sha256", json_string(sha));
  json_object_set_new(o, "psnr_db", json_real(d.psnr_db));
  set_uint(o, "max_abs_error", d.max_abs_error);
  set_uint(o, "violations", c->violations);
  json_object_set_new(o, "bounded", json_boolean(c->bounded));
  set_uint(o, "target_violations", c->target_violations);
  set_uint(o, "tie_pixels", c->tie_pixels);
  if (r->params->texturing.read_errors) {
    set_uint(o, "failed_pixels", c->failed_pixels);
  }
  return o;
}

static double psnr(const check_result_t *c, uint32_t *other) {
  image_t a = {c->width, c->height, c->picture}, b = {c->width, c->height, other};
  return image_compare(&a, &b, NULL).psnr_db;
}

static json_t *quality_json(const check_result_t *c) {
  json_t *o = json_object();
  json_object_set_new(o, "psnr_db", json_real(psnr(c, c->fractional)));
  json_object_set_new(o, "psnr_whole_texel_db", json_real(psnr(c, c->whole)));
  return o;
}

// What texture filtering sends and gets over the GPU's memory interface: requests and
// responses with headers, the same size with any memory.
static uint64_t texture_traffic(const result_t *r, const texture_stats_t *t) {
  bool inside = r->params->texturing.design == TexturingSTfim;
  return t->package_bytes + t->response_bytes + t->signal_bytes +
         (inside ? 0 : t->reads * (TextureRequestBytes + TextureResponseBytes));
}

// Sums over the GPUs.
static void sum_texturing(const result_t *r, texturing_stats_t *sum) {
  *sum = (texturing_stats_t){0};
  for (uint32_t g = 0; g < machine_gpu_count(r->machine); g++) {
    texturing_stats_t s;
    texturing_stats(machine_texturing(r->machine, g), &s);
    texture_stats_t *a = &sum->units;
    const texture_stats_t *b = &s.units;
    a->quads += b->quads;
    a->pixels += b->pixels;
    a->anisotropic_pixels += b->anisotropic_pixels;
    a->ratio_sum += b->ratio_sum;
    a->address_ops += b->address_ops;
    a->filter_ops += b->filter_ops;
    a->l1_lookups += b->l1_lookups;
    a->l1_hits += b->l1_hits;
    a->l1_angle_misses += b->l1_angle_misses;
    a->l2_lookups += b->l2_lookups;
    a->l2_hits += b->l2_hits;
    a->l2_angle_misses += b->l2_angle_misses;
    a->parents += b->parents;
    a->parents_reused += b->parents_reused;
    a->lines += b->lines;
    a->l1_lines_hit += b->l1_lines_hit;
    a->l1_lines_merged += b->l1_lines_merged;
    a->l2_lines_hit += b->l2_lines_hit;
    a->l2_lines_merged += b->l2_lines_merged;
    a->packages += b->packages;
    a->package_parents += b->package_parents;
    a->failed_parents += b->failed_parents;
    a->reads += b->reads;
    a->package_bytes += b->package_bytes;
    a->response_bytes += b->response_bytes;
    a->signal_bytes += b->signal_bytes;
    a->stalls += b->stalls;
    a->latency_sum += b->latency_sum;
    a->latency_max = a->latency_max > b->latency_max ? a->latency_max : b->latency_max;
    a->max_sample_error =
        a->max_sample_error > b->max_sample_error ? a->max_sample_error : b->max_sample_error;
    sum->clients[MemoryClientGpu].read_bytes += s.clients[MemoryClientGpu].read_bytes;
    sum->clients[MemoryClientGpu].write_bytes += s.clients[MemoryClientGpu].write_bytes;
    sum->hmc.logic_reads += s.hmc.logic_reads;
    sum->hmc.link_bits += s.hmc.link_bits;
    sum->hmc.dram_bits += s.hmc.dram_bits;
    sum->hmc.tsv_bytes += s.hmc.tsv_bytes;
    sum->atfim.children += s.atfim.children;
    sum->atfim.child_reads += s.atfim.child_reads;
    sum->atfim.resets += s.atfim.resets;
    sum->atfim.packages += s.atfim.packages;
    sum->atfim.responses += s.atfim.responses;
    for (uint32_t i = 0; i < ChildConsolidationCounters; i++) {
      sum->atfim.lines[i] += s.atfim.lines[i];
    }
    for (uint32_t i = 0; i < TexelGeneratorCounters; i++) {
      sum->atfim.generator[i] += s.atfim.generator[i];
    }
  }
}

// Mean cycles from a quad's request to its filtered result; with a design of A-TFIM.
static double filter_latency(const result_t *r) {
  texturing_stats_t s;
  sum_texturing(r, &s);
  return s.units.quads ? (double)s.units.latency_sum / (double)s.units.quads : 0;
}

double result_sample_bound(const result_t *r) {
  const texturing_params_t *t = &r->params->texturing;
  return t->design == TexturingATfim && !texturing_reuses(t) ? 0 : INFINITY;
}

double result_sample_error(const result_t *r) {
  texturing_stats_t s;
  if (r->params->texturing.design == TexturingRate) {
    return 0;
  }
  sum_texturing(r, &s);
  return s.units.max_sample_error;
}

// Of A-TFIM, sums over the layers: what went in and out, child lines asked for and merged
// into reads, cycles without one by their cause.
static json_t *layers_json(const cube_stats_t *s) {
  static const char *const names[ChildConsolidationCounters] = {
      [ChildConsolidationCounterBeats] = "beats",
      [ChildConsolidationCounterMerged] = "merged",
      [ChildConsolidationCounterReads] = "new_reads",
      [ChildConsolidationCounterNoBeat] = "idle_no_beat",
      [ChildConsolidationCounterNoEntry] = "idle_no_entry",
      [ChildConsolidationCounterClosing] = "idle_closing",
      [ChildConsolidationCounterNoFetch] = "idle_no_fetch",
      [ChildConsolidationCounterNoRead] = "idle_no_read"};
  json_t *o = json_object();
  set_uint(o, "packages", s->packages);
  set_uint(o, "responses", s->responses);
  set_uint(o, "child_reads", s->child_reads);
  for (uint32_t i = 0; i < ChildConsolidationCounters; i++) {
    set_uint(o, names[i], s->lines[i]);
  }
  set_uint(o, "generator_not_taken", s->generator[TexelGeneratorCounterNotTaken]);
  set_uint(o, "generator_no_package", s->generator[TexelGeneratorCounterNoPackage]);
  set_uint(o, "generator_no_slot", s->generator[TexelGeneratorCounterNoSlot]);
  set_uint(o, "generator_no_request", s->generator[TexelGeneratorCounterNoRequest]);
  set_uint(o, "generator_filling", s->generator[TexelGeneratorCounterFilling]);
  return o;
}

static json_t *texture_json(const result_t *r) {
  json_t *o = json_object();
  texturing_stats_t s;
  sum_texturing(r, &s);
  const texture_stats_t *t = &s.units;
  set_uint(o, "quads", t->quads);
  set_uint(o, "pixels", t->pixels);
  set_uint(o, "anisotropic_pixels", t->anisotropic_pixels);
  set_uint(o, "ratio_sum", t->ratio_sum);
  json_object_set_new(o, "filter_latency", json_real(filter_latency(r)));
  set_uint(o, "filter_latency_max", t->latency_max);
  set_uint(o, "address_operations", t->address_ops);
  set_uint(o, "filter_operations", t->filter_ops);
  set_uint(o, "l1_lookups", t->l1_lookups);
  set_uint(o, "l1_hits", t->l1_hits);
  set_uint(o, "l1_angle_misses", t->l1_angle_misses);
  set_uint(o, "l2_lookups", t->l2_lookups);
  set_uint(o, "l2_hits", t->l2_hits);
  set_uint(o, "l2_angle_misses", t->l2_angle_misses);
  set_uint(o, "line_reads", t->reads);
  set_uint(o, "parents", t->parents);
  set_uint(o, "parents_reused", t->parents_reused);
  if (r->params->texturing.design == TexturingATfim) {
    set_uint(o, "lines", t->lines);
    set_uint(o, "l1_lines_hit", t->l1_lines_hit);
    set_uint(o, "l1_lines_merged", t->l1_lines_merged);
    set_uint(o, "l2_lines_hit", t->l2_lines_hit);
    set_uint(o, "l2_lines_merged", t->l2_lines_merged);
  }
  set_uint(o, "packages", t->packages);
  set_uint(o, "package_parents", t->package_parents);
  set_uint(o, "failed_parents", t->failed_parents);
  set_uint(o, "children", s.atfim.children);
  set_uint(o, "cube_reads", s.hmc.logic_reads);
  set_uint(o, "resets", s.atfim.resets);
  if (r->params->texturing.design == TexturingATfim) {
    json_object_set_new(o, "layers", layers_json(&s.atfim));
  }
  set_uint(o, "stalls", t->stalls);
  json_object_set_new(o, "max_sample_error", json_real(t->max_sample_error));
  if (isfinite(result_sample_bound(r))) {
    json_object_set_new(o, "sample_error_bound", json_real(result_sample_bound(r)));
  }
  return o;
}

static json_t *energy_json(const result_t *r) {
  json_t *o = json_object();
  energy_t e;
  energy_of(&r->params->energy, r->machine, &e);
  json_object_set_new(o, "link_j", json_real(e.link));
  json_object_set_new(o, "dram_j", json_real(e.dram));
  json_object_set_new(o, "shader_j", json_real(e.shader));
  json_object_set_new(o, "texture_units_j", json_real(e.texture_units));
  json_object_set_new(o, "caches_j", json_real(e.caches));
  json_object_set_new(o, "cube_j", json_real(e.cube));
  json_object_set_new(o, "leakage_j", json_real(e.leakage));
  json_object_set_new(o, "total_j", json_real(e.total));
  return o;
}

static json_t *stages_json(const result_t *r) {
  json_t *o = json_object();
  gpu_stats_t sum = {0};
  for (uint32_t g = 0; g < machine_gpu_count(r->machine); g++) {
    const gpu_stats_t *s = gpu_stats(machine_gpu(r->machine, g));
    sum.busy_geometry += s->busy_geometry;
    sum.busy_raster += s->busy_raster;
    sum.busy_depth += s->busy_depth;
    sum.busy_shading += s->busy_shading;
    sum.busy_rop += s->busy_rop;
    sum.held += s->held;
    sum.busy_projection += s->busy_projection;
  }
  set_uint(o, "geometry", sum.busy_geometry);
  set_uint(o, "projection", sum.busy_projection);
  set_uint(o, "distribution", machine_stats(r->machine)->distribution_cycles);
  set_uint(o, "raster", sum.busy_raster);
  set_uint(o, "depth", sum.busy_depth);
  set_uint(o, "shading", sum.busy_shading);
  set_uint(o, "rop", sum.busy_rop);
  set_uint(o, "held", sum.held);
  set_uint(o, "composition", machine_stats(r->machine)->composition_cycles);
  set_uint(o, "sync", machine_stats(r->machine)->sync_cycles);
  return o;
}

static json_t *breakdown_json(const machine_stats_t *s) {
  json_t *o = json_object();
  for (uint32_t k = 0; k < MachineStageCount; k++) {
    set_uint(o, machine_stage_name(k), s->spent[k]);
  }
  return o;
}

static json_t *work_json(const result_t *r, json_t *memory) {
  json_t *o = json_object();
  gpu_stats_t sum = {0};
  for (uint32_t g = 0; g < machine_gpu_count(r->machine); g++) {
    const gpu_stats_t *s = gpu_stats(machine_gpu(r->machine, g));
    sum.draws += s->draws;
    sum.triangles += s->triangles;
    sum.projected += s->projected;
    sum.triangles_rastered += s->triangles_rastered;
    sum.fragments += s->fragments;
    sum.fragments_early_passed += s->fragments_early_passed;
    sum.fragments_shaded += s->fragments_shaded;
    sum.fragments_written += s->fragments_written;
    sum.fragments_retained += s->fragments_retained;
    sum.fragments_discarded += s->fragments_discarded;
    sum.texture_requests += s->texture_requests;
    sum.texture_bytes += s->texture_bytes;
    sum.depth_bytes += s->depth_bytes;
    sum.color_bytes += s->color_bytes;
    sum.vertex_bytes += s->vertex_bytes;
  }
  set_uint(o, "draws", sum.draws);
  set_uint(o, "triangles", sum.triangles);
  set_uint(o, "triangles_projected", sum.projected);
  set_uint(o, "triangles_rastered", sum.triangles_rastered);
  set_uint(o, "fragments", sum.fragments);
  set_uint(o, "fragments_early_passed", sum.fragments_early_passed);
  set_uint(o, "fragments_shaded", sum.fragments_shaded);
  set_uint(o, "fragments_written", sum.fragments_written);
  set_uint(o, "fragments_retained", sum.fragments_retained);
  set_uint(o, "fragments_discarded", sum.fragments_discarded);
  set_uint(o, "texture_requests", sum.texture_requests);
  set_uint(memory, "texture_bytes", sum.texture_bytes);
  set_uint(memory, "depth_bytes", sum.depth_bytes);
  set_uint(memory, "color_bytes", sum.color_bytes);
  set_uint(memory, "vertex_bytes", sum.vertex_bytes);
  return o;
}

static json_t *traffic_json(const result_t *r) {
  const machine_stats_t *s = machine_stats(r->machine);
  json_t *o = json_object();
  set_uint(o, "composition_bytes", s->composition_bytes);
  set_uint(o, "composition_header_bytes", s->composition_header_bytes);
  set_uint(o, "sync_bytes", s->sync_bytes);
  set_uint(o, "distribution_bytes", s->distribution_bytes);
  set_uint(o, "progress_bytes", s->progress_bytes);
  set_uint(o, "composition_message_bytes", s->composition_message_bytes);
  set_uint(o, "command_bytes", s->command_bytes);
  if (r->params->texturing.design != TexturingRate) {
    texturing_stats_t t;
    sum_texturing(r, &t);
    set_uint(o, "texture_bytes", texture_traffic(r, &t.units));
    set_uint(o, "texture_package_bytes", t.units.package_bytes);
    set_uint(o, "texture_response_bytes", t.units.response_bytes);
    set_uint(o, "texture_signal_bytes", t.units.signal_bytes);
    set_uint(o, "other_read_bytes", t.clients[MemoryClientGpu].read_bytes);
    set_uint(o, "other_write_bytes", t.clients[MemoryClientGpu].write_bytes);
    set_uint(o, "cube_link_bytes", t.hmc.link_bits / 8);
    set_uint(o, "cube_tsv_bytes", t.hmc.tsv_bytes);
  }
  return o;
}

static json_t *groups_json(const plan_t *p) {
  json_t *o = json_object(), *reasons = json_object();
  uint64_t count[PlanReasonCount] = {0};
  for (uint32_t i = 0; i < p->group_count; i++) {
    count[p->groups[i].reason]++;
  }
  for (uint32_t k = 0; k < PlanReasonCount; k++) {
    set_uint(reasons, plan_reason_name(k), count[k]);
  }
  set_uint(o, "total", p->group_count);
  set_uint(o, "composed", p->composed_count);
  set_uint(o, "triangles", p->triangles);
  set_uint(o, "triangles_composed", p->triangles_composed);
  json_object_set_new(o, "by_reason", reasons);
  return o;
}

// What the driver made of the frame before. NULL: nothing.
static json_t *hints_json(const machine_t *m) {
  const driver_hint_t *hints = machine_hints(m);
  const plan_t *plan = machine_plan(m);
  uint64_t by_all = 0, assigned = 0, weight = 0;
  for (uint32_t i = 0; hints && i < plan->item_count; i++) {
    const plan_item_t *it = &plan->items[i];
    if (it->kind != PlanItemDraw || plan->groups[it->group].kind != DrawSchedulerGroupOpaque) {
      continue;
    }
    bool is_by_all = hints[it->command].by_all;
    by_all += is_by_all;
    assigned += !is_by_all;
    weight += is_by_all ? 0 : hints[it->command].weight;
  }
  json_t *o = hints ? json_object() : NULL;
  if (o) {
    set_uint(o, "by_all", by_all);
    set_uint(o, "assigned", assigned);
    set_uint(o, "weight", machine_params(m)->weights ? weight : 0);
  }
  return o;
}

static void set_real(json_t *object, const char *key, double value) {
  json_object_set_new(object, key, json_real(value));
}

static void add_bounds(json_t *o, const bounds_summary_t *s) {
  set_uint(o, "groups", s->groups);
  set_uint(o, "taken", s->taken);
  set_uint(o, "bound", s->bound);
  set_real(o, "least", s->least);
  set_real(o, "quarter", s->quarter);
  set_real(o, "median", s->median);
  set_real(o, "three_quarters", s->three_quarters);
  set_real(o, "most", s->most);
}

// NULL: out of memory.
static json_t *schedule_json(const machine_t *m) {
  schedule_compositions_t c;
  schedule_assignment_t a;
  if (!schedule_compositions(m, &c) || !schedule_assignment(m, &a)) {
    return NULL;
  }
  json_t *o = json_object(), *compositions = json_object(), *assignment = json_object();
  add_bounds(compositions, &c.summary);
  set_uint(compositions, "imbalance", c.imbalance);
  add_bounds(assignment, &a.summary);
  set_uint(assignment, "greedy", a.greedy);
  set_uint(assignment, "by_triangles", a.by_triangles);
  json_object_set_new(o, "compositions", compositions);
  json_object_set_new(o, "assignment", assignment);
  return o;
}

// An object with the numbers from 1 on as keys.
static json_t *draws_part(const schedule_draws_t *parts, uint32_t count) {
  json_t *o = json_object();
  for (uint32_t i = 0; i < count; i++) {
    char key[16];
    json_t *part = json_object();
    snprintf(key, sizeof key, "%u", i + 1);
    set_uint(part, "triangles", parts[i].triangles);
    set_uint(part, "geometry", parts[i].geometry);
    set_uint(part, "pipeline", parts[i].pipeline);
    json_object_set_new(o, key, part);
  }
  return o;
}

// NULL: out of memory.
static json_t *draws_json(const machine_t *m) {
  static schedule_rates_t r;
  if (!schedule_rates(m, &r)) {
    return NULL;
  }
  json_t *o = json_object();
  set_uint(o, "count", r.draws);
  set_real(o, "correlation", r.correlation);
  json_object_set_new(o, "slices", draws_part(r.slices, ScheduleSlices));
  json_object_set_new(o, "quarters", draws_part(r.quarters, ScheduleQuarters));
  return o;
}

static json_t *engine_json(const result_t *r) {
  json_t *o = json_object(), *units = json_object(), *tools = json_object();
  harness_unit_stats_t stats[8];
  uint32_t n = harness_stats(r->harness, stats, 8);
  json_object_set_new(o, "name", json_string(engine_name(r->engine)));
  for (uint32_t i = 0; i < n; i++) {
    json_t *u = json_object();
    set_uint(u, "instances", stats[i].instances);
    set_uint(u, "steps", stats[i].steps);
    set_uint(u, "cycles_compared", stats[i].cycles_compared);
    set_uint(u, "mismatches", stats[i].mismatches);
    json_object_set_new(units, stats[i].name, u);
  }
  json_object_set_new(o, "units", units);
  json_object_set_new(tools, "compiler", json_string(__VERSION__));
  if (r->engine != EngineGolden) {
    json_object_set_new(tools, "verilator", json_string(origin_verilator()));
  }
  json_object_set_new(o, "tools", tools);
  return o;
}

json_t *result_json(const result_t *r) {
  const machine_stats_t *s = machine_stats(r->machine);
  json_t *o = json_object(), *config = json_object(), *memory = json_object();
  char sha[BaseSha256Text], hash[24];
  config_visit(r->config, add_key, config);
  config_sha256(r->config, sha);
  snprintf(hash, sizeof hash, "%016" PRIx64, frame_hash(r->frame));
  json_object_set_new(o, "version", json_string(NOCTURNE_VERSION));
  json_object_set_new(o, "config", config);
  json_object_set_new(o, "config_sha256", json_string(sha));
  set_uint(o, "seed", r->seed);
  json_object_set_new(o, "frame", json_string(r->frame->name));
  json_object_set_new(o, "frame_hash", json_string(hash));
  json_object_set_new(o, "scheme", json_string(machine_scheme_name(r->params->scheme)));
  set_uint(o, "gpus", machine_gpu_count(r->machine));
  json_t *outside = json_array();
  const char *names[4];
  machine_units_outside(r->machine, names);
  for (uint32_t i = 0; names[i]; i++) {
    json_array_append_new(outside, json_string(names[i]));
  }
  json_object_set_new(o, "units_outside", outside);
  set_uint(o, "cycles", s->cycles);
  if (r->baseline) {
    json_t *b = json_object();
    json_object_set_new(b, "setting", json_string(r->baseline));
    set_uint(b, "cycles", r->baseline_cycles);
    json_object_set_new(b, "speedup", json_real((double)r->baseline_cycles / (double)s->cycles));
    json_object_set_new(o, "baseline", b);
  }
  json_object_set_new(o, "image", image_json(r));
  bool detailed = r->params->texturing.design != TexturingRate;
  if (detailed) {
    json_object_set_new(o, "quality", quality_json(&r->check));
    json_object_set_new(o, "texture", texture_json(r));
    json_object_set_new(o, "energy", energy_json(r));
  }
  json_object_set_new(o, "traffic", traffic_json(r));
  json_object_set_new(o, "stages", stages_json(r));
  json_object_set_new(o, "breakdown", breakdown_json(s));
  json_object_set_new(o, "work", work_json(r, memory));
  json_t *shader = shader_result(r->machine);
  if (shader) {
    json_object_set_new(o, "shader", shader);
  }
  json_t *dispatch = dispatch_result(r->machine);
  if (dispatch) {
    json_object_set_new(o, "dispatch", dispatch);
  }
  json_object_set_new(o, "memory", memory);
  json_object_set_new(o, "groups", groups_json(machine_plan(r->machine)));
  json_t *hints = hints_json(r->machine);
  if (hints) {
    json_object_set_new(o, "hints", hints);
  }
  json_t *composition = json_object();
  set_uint(composition, "starts", s->starts);
  set_uint(composition, "releases", s->releases);
  set_uint(composition, "syncs", s->syncs);
  set_uint(composition, "batches", s->batches);
  json_object_set_new(o, "composition", composition);
  bool ok = json_object_set_new(o, "schedule", schedule_json(r->machine)) == 0;
  ok = json_object_set_new(o, "draws", draws_json(r->machine)) == 0 && ok;
  json_object_set_new(o, "engine", engine_json(r));
  json_t *timing = json_object();
  json_object_set_new(timing, "seconds", json_real(r->seconds));
  json_object_set_new(timing, "cycles_per_second", json_real((double)s->cycles / r->seconds));
  set_uint(timing, "cycles_evaluated", s->cycles_evaluated);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  set_uint(timing, "peak_memory_bytes", (uint64_t)usage.ru_maxrss * 1024);
  json_object_set_new(o, "timing", timing);
  if (!ok) {
    json_decref(o);
  }
  return ok ? o : NULL;
}

bool result_write_json(const result_t *r, const char *path, char error[ConfigErrorSize]) {
  json_t *o = result_json(r);
  bool ok = json_file_write(o, path, ResultJsonFlags, error, ConfigErrorSize);
  json_decref(o);
  return ok;
}

uint64_t result_mismatches(const result_t *r) {
  harness_unit_stats_t stats[8];
  uint64_t sum = 0;
  for (uint32_t i = harness_stats(r->harness, stats, 8); i-- > 0;) {
    sum += stats[i].mismatches;
  }
  return sum;
}

double result_psnr(const result_t *r) { return compare(r).psnr_db; }

void result_print(const result_t *r, FILE *f) {
  const machine_stats_t *s = machine_stats(r->machine);
  const plan_t *p = machine_plan(r->machine);
  image_difference_t d = compare(r);
  fprintf(f, "%s, %s, %u GPUs, engine %s\n", r->frame->name, machine_scheme_name(r->params->scheme),
          machine_gpu_count(r->machine), engine_name(r->engine));
  fprintf(f, "  cycles            %" PRIu64 "\n", s->cycles);
  if (r->baseline) {
    fprintf(f, "  speedup           %.3f over %s (%" PRIu64 " cycles)\n",
            (double)r->baseline_cycles / (double)s->cycles, r->baseline, r->baseline_cycles);
  }
  fprintf(f, "  groups            %u, %u composed with %.1f %% of the triangles\n", p->group_count,
          p->composed_count, p->triangles ? 100.0 * (double)p->triangles_composed /
                                                (double)p->triangles : 0.0);
  fprintf(f, "  traffic           composition %.2f MB, sync %.2f MB, progress %.2f MB, "
          "composition messages %" PRIu64 " bytes\n",
          1e-6 * (double)s->composition_bytes, 1e-6 * (double)s->sync_bytes,
          1e-6 * (double)s->progress_bytes, s->composition_message_bytes);
  fprintf(f, "  picture           PSNR %.2f dB to the single GPU, largest difference %u, "
          "violations %" PRIu64 ", tied pixels %" PRIu64 "\n",
          d.psnr_db, d.max_abs_error, r->check.violations, r->check.tie_pixels);
  if (r->params->texturing.design != TexturingRate) {
    texturing_stats_t t;
    energy_t e;
    sum_texturing(r, &t);
    energy_of(&r->params->energy, r->machine, &e);
    fprintf(f, "  texture           %s: %.1f cycles a quad in the mean, traffic %.2f MB, PSNR "
            "%.2f dB to the baseline design, largest sample error %.4f\n",
            texturing_design_name(r->params->texturing.design), filter_latency(r),
            1e-6 * (double)texture_traffic(r, &t.units), psnr(&r->check, r->check.fractional),
            t.units.max_sample_error);
    fprintf(f, "  energy            %.3f mJ\n", 1e3 * e.total);
  }
  if (r->check.violations) {
    fprintf(f, "  first violation   pixel (%u, %u), bound %u\n", r->check.x, r->check.y,
            r->check.bound);
  }
  harness_unit_stats_t stats[8];
  uint32_t n = harness_stats(r->harness, stats, 8);
  for (uint32_t i = 0; i < n; i++) {
    fprintf(f, "  %-21s %" PRIu64 " cycles evaluated, %" PRIu64 " compared, mismatches %" PRIu64
            "\n", stats[i].name, stats[i].steps, stats[i].cycles_compared, stats[i].mismatches);
  }
  fprintf(f, "  speed             %.2f million cycles a second (%" PRIu64
          " cycles evaluated, %.2f s)\n",
          1e-6 * (double)s->cycles / r->seconds, s->cycles_evaluated, r->seconds);
}
