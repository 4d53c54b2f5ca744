// SPDX-License-Identifier: Apache-2.0
#include "collect.h"

#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "csim/texture/texture_design.h"
#include "table.h"
#include "tb/harness/origin.h"

void collect_gpus(const result_t *r, gpu_facts_t *sum) {
  *sum = (gpu_facts_t){0};
  for (uint32_t g = 0; g < machine_gpu_count(r->machine); g++) {
    const gpu_t *gpu = machine_gpu(r->machine, g);
    const shader_stats_t *shader = gpu_shader_stats(gpu);
    const gpu_dispatch_stats_t *dispatch = gpu_dispatch_stats(gpu);
    const texturing_t *texturing = machine_texturing(r->machine, g);
    gpu_facts_t one = {.gpu = *gpu_stats(gpu)};
    if (shader) {
      one.shader = *shader;
      shader_parts_merge(&sum->shader.parts, &shader->parts);
    }
    if (dispatch) {
      one.dispatch = *dispatch;
    }
    if (texturing) {
      texturing_stats(texturing, &one.texturing);
    }
    rows_join(sum, &one);
  }
}

static double ratio(uint64_t value, uint64_t by) { return by ? (double)value / (double)by : 0; }

// Returns the bytes of requests and responses, headers included, that texture filtering passes
// over the GPU's memory interface.
static uint64_t texture_bytes(const result_t *r, const gpu_facts_t *sum) {
  const texture_stats_t *t = &sum->texturing.units;
  bool inside = texture_design(r->params->texturing.design)->memory == TextureMemoryVaults;
  return t->package_bytes + t->response_bytes + t->signal_bytes +
         (inside ? 0 : t->reads * (TextureRequestBytes + TextureResponseBytes));
}

static void add_pictures(facts_t *f) {
  const check_result_t *c = &f->check;
  image_t picture = {c->width, c->height, c->picture};
  image_t single = {c->width, c->height, c->reference};
  f->picture = image_compare(&picture, &single, c->left_out);
  if (texturing_detailed(&f->run->params->texturing)) {
    image_t fractional = {c->width, c->height, c->fractional};
    image_t whole = {c->width, c->height, c->whole};
    f->psnr = image_compare(&picture, &fractional, NULL).psnr_db;
    f->psnr_whole_texel = image_compare(&picture, &whole, NULL).psnr_db;
  }
}

static void add_textures(facts_t *f) {
  if (texturing_detailed(&f->run->params->texturing)) {
    energy_of(&f->run->params->energy, f->run->machine, &f->energy);
  }
  f->filter_latency = ratio(f->gpus.texturing.units.latency_sum, f->gpus.texturing.units.quads);
  f->texture_bytes = texture_bytes(f->run, &f->gpus);
  f->cube_link_bytes = f->gpus.texturing.hmc.link_bits / 8;
  f->sample_bound = result_sample_bound(f->run);
}

static void add_warps(facts_t *f) {
  const gpu_params_t *p = &machine_params(f->run->machine)->gpu;
  const shader_stats_t *s = &f->gpus.shader;
  const gpu_dispatch_stats_t *d = &f->gpus.dispatch;
  const uint64_t sm_cycles = f->machine.cycles * f->gpu_count * p->sms;
  const uint64_t slots = sm_cycles * p->schedulers;
  const uint64_t known =
      s->slots + s->idle[ShaderScoreboard] + s->idle[ShaderTexture] + s->idle[ShaderUnit];
  uint64_t most = 0;
  f->slots_no_warp = slots > known ? slots - known : 0;
  for (uint32_t i = 0; i <= ShaderLanes; i++) {
    f->lanes_active += i * s->active[i];
  }
  f->occupancy = ratio(s->resident, sm_cycles);
  f->part_cycles = 1ull << s->parts.shift;
  uint64_t sums[4] = {0};
  for (uint32_t i = 0; i < f->clusters; i++) {
    sums[0] += d->warps.of[i];
    sums[1] += d->stamps.of[i];
    sums[2] += d->primitives.of[i];
    sums[3] += d->busy.of[i];
    most = d->busy.of[i] > most ? d->busy.of[i] : most;
  }
  f->dispatch_warps = sums[0];
  f->stamps_per_warp = ratio(sums[1], sums[0]);
  f->primitives_per_warp = ratio(sums[2], sums[0]);
  f->imbalance = ratio(most * f->clusters, sums[3]);
}

// Counts what the driver decided for the draws of opaque composed groups.
static void add_hints(facts_t *f) {
  const pieces_t *pieces = machine_pieces(f->run->machine);
  f->pieces = *pieces;
  for (uint32_t i = 0; i < f->plan.group_count; i++) {
    f->groups_left += f->plan.groups[i].reason == PlanLonelyBarrier;
  }
  for (uint32_t i = 0; i < f->plan.item_count; i++) {
    const plan_item_t *it = &f->plan.items[i];
    if (it->kind == PlanItemDraw && f->plan.groups[it->group].kind == DrawSchedulerGroupOpaque) {
      const bool by_all = pieces->pieces[pieces->starts[it->command]].by_all;
      f->hints.by_all += by_all;
      f->hints.assigned += !by_all;
      for (uint32_t k = pieces->starts[it->command]; k < pieces->starts[it->command + 1]; k++) {
        f->hints.weight += pieces->weighs ? pieces->pieces[k].weight : 0;
      }
    }
  }
}

static void add_origin(facts_t *f) {
  const result_t *r = f->run;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  if (r->dfsl) {
    dfsl_t d = *r->dfsl;
    f->dfsl_phase = dfsl_evaluates(&d) ? "evaluate" : "run";
    f->dfsl_wt = dfsl_next(&d);
    dfsl_learn(&d, f->gpus.gpu.fragment_cycles);
    f->dfsl_best = d.best;
    f->dfsl_evaluations = dfsl_evaluations(&d);
  }
  f->version = NOCTURNE_VERSION;
  f->frame = r->frame->name;
  f->sequence = r->sequence;
  f->scheme = machine_scheme_name(r->params);
  f->baseline = r->baseline;
  f->engine = engine_name(r->engine);
  f->compiler = __VERSION__;
  f->seed = r->seed;
  f->baseline_cycles = r->baseline_cycles;
  f->speedup = ratio(r->baseline_cycles, f->machine.cycles);
  f->seconds = r->seconds;
  f->cycles_per_second = (double)f->machine.cycles / r->seconds;
  f->peak_memory = (uint64_t)usage.ru_maxrss * 1024;
}

// Hashes cost as much as a small run, so only the JSON has them.
static void add_hashes(facts_t *f) {
  const result_t *r = f->run;
  const image_t picture = {f->check.width, f->check.height, f->check.picture};
  image_sha256(&picture, f->image_sha256);
  config_sha256(r->config, f->config_sha256);
  snprintf(f->frame_hash, sizeof f->frame_hash, "%016" PRIx64,
           r->check.hashed ? r->check.frame_hash : frame_hash(r->frame));
}

// Means of the frames that count, and of the memory over all sources.
static void add_soc(facts_t *f) {
  if (!f->run->soc) {
    return;
  }
  const soc_stats_t *s = f->soc.stats = soc_stats(f->run->soc->soc);
  const soc_frame_t *sum = &s->sums.frame;
  gddr5_source_stats_t all = {0};
  for (uint32_t i = 0; i < s->cores + 2; i++) {
    const gddr5_source_stats_t *of = &s->sums.sources[i];
    all.read_bytes += of->read_bytes + of->write_bytes;
    all.accesses += of->accesses;
    all.row_hits += of->row_hits;
    all.activates += of->activates;
  }
  f->soc.frame = s->frame;
  f->soc.display = s->sums.display;
  f->soc.fps = 1e9 * ratio(s->sums.frames, s->sums.span);
  f->soc.prepare_cycles = ratio(sum->prepare, s->sums.frames);
  f->soc.gpu_cycles = ratio(sum->gpu, s->sums.frames);
  f->soc.beside_cycles = ratio(sum->beside, s->sums.frames);
  f->soc.frame_cycles = ratio(sum->cycles, s->sums.frames);
  f->soc.prepare_rate = 1e6 * ratio(sum->prepare_bytes, sum->prepare);
  f->soc.beside_rate = 1e6 * ratio(sum->beside_bytes, sum->gpu);
  f->soc.row_hits = ratio(all.row_hits, all.accesses);
  f->soc.bytes_per_activate = ratio(all.read_bytes, all.activates);
}

void collect_printed(const result_t *r, facts_t *f) {
  *f = (facts_t){.run = r,
                 .machine = *machine_stats(r->machine),
                 .check = r->check,
                 .plan = *machine_plan(r->machine),
                 .gpu_count = machine_gpu_count(r->machine),
                 .clusters = gpu_params_clusters(&machine_params(r->machine)->gpu)};
  collect_gpus(r, &f->gpus);
  const gpu_tc_stats_t *tc = &f->gpus.gpu.tc;
  f->bits_per_primitive = ratio(f->gpus.gpu.vpo.bits, f->gpus.gpu.vpo.primitives);
  f->stamps_per_tile = ratio(tc->stamps, tc->tiles);
  f->tc_bins = ratio(tc->held, tc->engine_cycles);
  const gpu_cache_stats_t *caches = &f->gpus.gpu.caches;
  f->l1_misses = caches->depth.misses + caches->color.misses + caches->texture.misses;
  add_pictures(f);
  add_textures(f);
  add_warps(f);
  add_origin(f);
  add_soc(f);
}

bool collect(const result_t *r, facts_t *f) {
  collect_printed(r, f);
  add_hints(f);
  add_hashes(f);
  f->verilator = r->engine == EngineGolden ? "" : origin_verilator();
  return schedule_compositions(r->machine, &f->compositions) &&
         schedule_assignment(r->machine, &f->assignment) && schedule_rates(r->machine, &f->draws);
}
