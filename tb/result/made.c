// SPDX-License-Identifier: Apache-2.0
#include "made.h"

static void set(json_t *object, const char *key, uint64_t value) {
  json_object_set_new(object, key, json_integer((json_int_t)value));
}

static void add_config(void *self, const config_value_t *v) {
  json_t *to = self;
  if (v->set) {
    json_t *sets = json_object_get(self, "sets");
    if (!sets) {
      json_object_set_new(self, "sets", sets = json_object());
    }
    if (!(to = json_object_get(sets, v->set))) {
      json_object_set_new(sets, v->set, to = json_object());
    }
  }
  json_object_set_new(to, v->set ? v->key->name : v->name, json_string(v->text));
}

json_t *made_config(const facts_t *f) {
  json_t *o = json_object();
  config_visit(f->run->config, add_config, o);
  return o;
}

json_t *made_outside(const facts_t *f) {
  json_t *list = json_array();
  const char *names[4];
  machine_units_outside(f->run->machine, names);
  for (uint32_t i = 0; names[i]; i++) {
    json_array_append_new(list, json_string(names[i]));
  }
  return list;
}

json_t *made_parts(const facts_t *f) {
  const gpu_params_t *gpu = &machine_params(f->run->machine)->gpu;
  const shader_parts_t *p = &f->gpus.shader.parts;
  const uint64_t cycles = f->machine.cycles;
  const uint64_t slots = (uint64_t)f->gpu_count * gpu->sms * gpu->schedulers;
  json_t *o = json_object();
  for (uint32_t i = 0; i < ShaderParts; i++) {
    char name[12];
    json_t *part = json_object();
    uint64_t first = (uint64_t)i << p->shift, end = (uint64_t)(i + 1) << p->shift, known = 0;
    uint64_t length = first >= cycles ? 0 : (end < cycles ? end : cycles) - first;
    for (uint32_t k = ShaderPartIssuing; k < ShaderPartSeries; k++) {
      known += p->sum[k][i];
    }
    set(part, "resident", p->sum[ShaderPartResident][i]);
    set(part, "issuing", p->sum[ShaderPartIssuing][i]);
    set(part, "scoreboard", p->sum[ShaderPartScoreboard][i]);
    set(part, "texture", p->sum[ShaderPartTexture][i]);
    set(part, "unit", p->sum[ShaderPartUnit][i]);
    set(part, "no_warp", length * slots > known ? length * slots - known : 0);
    snprintf(name, sizeof name, "%u", i);
    json_object_set_new(o, name, part);
  }
  return o;
}

json_t *made_reasons(const facts_t *f) {
  json_t *o = json_object();
  uint64_t count[PlanReasonCount] = {0};
  for (uint32_t i = 0; i < f->plan.group_count; i++) {
    count[f->plan.groups[i].reason]++;
  }
  for (uint32_t k = 0; k < PlanReasonCount; k++) {
    if (k == PlanPolicy ? count[k] > 0 : k != PlanLonelyBarrier || f->run->params->barrier_share) {
      set(o, plan_reason_name(k), count[k]);
    }
  }
  return o;
}

static json_t *draws_json(const schedule_draws_t *parts, uint32_t count) {
  json_t *o = json_object();
  for (uint32_t i = 0; i < count; i++) {
    char key[16];
    json_t *part = json_object();
    snprintf(key, sizeof key, "%u", i + 1);
    set(part, "triangles", parts[i].triangles);
    set(part, "geometry", parts[i].geometry);
    set(part, "pipeline", parts[i].pipeline);
    json_object_set_new(o, key, part);
  }
  return o;
}

json_t *made_slices(const facts_t *f) { return draws_json(f->draws.slices, ScheduleSlices); }

json_t *made_quarters(const facts_t *f) { return draws_json(f->draws.quarters, ScheduleQuarters); }

static void add_unit(json_t *o, const harness_unit_stats_t *stats) {
  json_t *u = json_object();
  set(u, "instances", stats->instances);
  set(u, "steps", stats->steps);
  set(u, "cycles_compared", stats->cycles_compared);
  set(u, "mismatches", stats->mismatches);
  json_object_set_new(o, stats->name, u);
}

json_t *made_units(const facts_t *f) {
  json_t *o = json_object();
  harness_unit_stats_t stats;
  for (uint32_t i = 0; harness_stats(f->run->harness, i, &stats); i++) {
    add_unit(o, &stats);
  }
  stats = f->run->soc ? soc_session_stats(f->run->soc) : (harness_unit_stats_t){0};
  if (stats.name) {
    add_unit(o, &stats);
  }
  return o;
}

json_t *made_own(const facts_t *f) {
  json_t *o = json_object();
  const harness_options_t *options = harness_options(f->run->harness);
  for (uint32_t i = 0; i < options->own_count; i++) {
    const harness_own_t *own = &options->own[i];
    json_object_set_new(o, own->unit, json_string(own->hash ? own->hash : ""));
  }
  if (options->driver) {
    json_object_set_new(o, "driver", json_string(options->driver->hash));
  }
  return o;
}

// ---- A SoC

static const char *source_name(const facts_t *f, uint32_t source, char name[16]) {
  const uint32_t cores = f->soc.stats->cores;
  snprintf(name, 16, "cpu%u", source);
  return source < cores ? name : source == cores ? "gpu" : "display";
}

static double mean(uint64_t sum, uint64_t count) { return count ? (double)sum / (double)count : 0; }

json_t *made_soc_sources(const facts_t *f) {
  json_t *o = json_object();
  char name[16];
  for (uint32_t i = 0; i < f->soc.stats->cores + 2; i++) {
    const gddr5_source_stats_t *s = &f->soc.stats->sums.sources[i];
    json_t *of = json_object();
    set(of, "read_bytes", s->read_bytes);
    set(of, "write_bytes", s->write_bytes);
    set(of, "accesses", s->accesses);
    set(of, "row_hits", s->row_hits);
    set(of, "activates", s->activates);
    json_object_set_new(of, "read_latency", json_real(mean(s->latency.sum, s->latency.count)));
    set(of, "read_latency_p99", memory_latency_within(&s->latency, Gddr5LatencyBin, 990));
    json_object_set_new(o, source_name(f, i, name), of);
  }
  return o;
}

json_t *made_soc_deadlines(const facts_t *f) {
  json_t *o = json_object();
  const soc_sums_t *s = &f->soc.stats->sums;
  char name[16];
  for (uint32_t ip = 0; ip < 2; ip++) {
    json_t *of = json_object();
    set(of, "met", s->met[ip]);
    set(of, "missed", s->missed[ip]);
    json_object_set_new(o, source_name(f, f->soc.stats->cores + ip, name), of);
  }
  return o;
}

json_t *made_soc_dash(const facts_t *f) {
  json_t *o = json_object();
  const soc_sums_t *s = &f->soc.stats->sums;
  char name[16];
  for (uint32_t ip = 0; ip < 2; ip++) {
    json_t *of = json_object();
    json_object_set_new(of, "urgent", json_real(mean(s->urgent[ip], s->active[ip])));
    json_object_set_new(of, "probability", json_real(mean(s->probability[ip], s->ticks)));
    json_object_set_new(o, source_name(f, f->soc.stats->cores + ip, name), of);
  }
  for (uint32_t i = 0; i < f->soc.stats->cores; i++) {
    json_t *of = json_object();
    json_object_set_new(of, "intensive", json_real(mean(s->intensive[i], s->quanta)));
    json_object_set_new(o, source_name(f, i, name), of);
  }
  return o;
}

json_t *made_soc_parts(const facts_t *f) {
  json_t *o = json_object();
  const soc_stats_t *s = f->soc.stats;
  char name[16];
  set(o, "cycles", 1ull << s->part_shift);
  for (uint32_t i = 0; i < s->cores + 2; i++) {
    json_t *list = json_array();
    for (uint32_t k = 0; k < SocParts; k++) {
      json_array_append_new(list, json_integer((json_int_t)s->parts[i][k]));
    }
    json_object_set_new(o, source_name(f, i, name), list);
  }
  return o;
}
