// SPDX-License-Identifier: Apache-2.0
// Mutated frames with right checksums: each is refused in one line, or rendered rightly, within
// bounded time and memory. A program of its own:
//
//   mutated_frames [COUNT [SEED [FIRST]]]
//
// Every fourth file is a sequence, of which one frame is judged. Every frame is read, judged by
// limits and planned. Of those that are taken on, every RenderEvery-th is rendered and compared
// with an independent render, pixel by pixel (pixel_render.h); every MachineEvery-th in a machine
// of golden units, scheme, number of GPUs and policies at random; every EngineEvery-th in golden,
// rtl and lockstep, which must give the same bytes.
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "csim/base/config.h"
#include "csim/frame/generate_frame.h"
#include "csim/gpu/render.h"
#include "csim/machine/check.h"
#include "csim/machine/machine.h"
#include "csim/machine/machine_config.h"
#include "csim/units/pixel_distributor/golden.h"
#include "mutate_frame.h"
#define PIXEL_UNCHECKED
#include "pixel_render.h"
#include "tb/harness/rendering.h"

enum {
  Bases = 12,
  RenderEvery = 10,
  MachineEvery = 50,
  EngineEvery = 1000,
  WorkLimit = 4,      // millions
  MemoryLimit = 100,  // MiB
  MostSeconds = 60,   // of CPU, for one frame in all engines
  FileRoom = 1 << 22,
};
static const uint64_t MostMemory = 3ull << 30;

typedef struct {
  mutate_t base[Bases];
  uint64_t refused, beyond, planned, sequences, rendered, machines, engines;
  char why[600];
} test_t;

#define wrong(t, ...) mutate_wrong((t)->why, sizeof(t)->why, __VA_ARGS__)

// ---- Reading

static frame_sequence_t *read_bytes(const mutate_t *m, err_t *err) {
  char path[40];
  int file = memfd_create("mutated.nframe", 0);
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  frame_sequence_t *s = NULL;
  if (file < 0 || write(file, m->data, m->size) != (ssize_t)m->size) {
    err_set(err, ErrInput, "cannot be stored");
  } else {
    s = frame_sequence_read(path, err);
  }
  close(file);
  return s;
}

static bool is_refusal(const err_t *err) {
  return !strchr(err_text(err), '\n') && strncmp(err_text(err), "/proc/self/fd/", 14) == 0 &&
         strstr(err_text(err), ": byte ") && strstr(err_text(err), ": section ") &&
         strstr(err_text(err), "expected");
}

// ---- Rendering

// Returns true if all targets are as the independent render has them. owner: of a pixel, or NULL.
static bool same_picture(test_t *t, const frame_t *f, const surface_t *targets,
                         const pixel_surfaces_t *want) {
  for (uint32_t i = 0; i < f->target_count; i++) {
    for (uint32_t y = 0; y < f->targets[i].height; y++) {
      for (uint32_t x = 0; x < f->targets[i].width; x++) {
        uint32_t got = targets[i].color[surface_index(targets[i].tiles_x, x, y)];
        uint32_t pixel = want->color[i][(size_t)y * f->targets[i].width + x];
        if (got != pixel) {
          return wrong(t, "target %u, pixel %u,%u is %08x, pixel by pixel it is %08x", i, x, y, got,
                       pixel);
        }
      }
    }
  }
  return true;
}

static bool same_depth(test_t *t, const frame_t *f, const surface_t *depths,
                       const pixel_surfaces_t *want) {
  for (uint32_t i = 0; i < f->depth_count; i++) {
    for (uint32_t y = 0; y < f->depths[i].height; y++) {
      for (uint32_t x = 0; x < f->depths[i].width; x++) {
        uint32_t at = surface_index(depths[i].tiles_x, x, y);
        size_t pixel = (size_t)y * f->depths[i].width + x;
        if ((depths[i].depth[at] & SurfaceDepthMask) != want->depth[i][pixel] ||
            depths[i].stencil[at] != want->stencil[i][pixel]) {
          return wrong(t,
                       "depth buffer %u, pixel %u,%u is %06x, stencil %02x; pixel by pixel it "
                       "is %06x, %02x",
                       i, x, y, depths[i].depth[at] & SurfaceDepthMask, depths[i].stencil[at],
                       want->depth[i][pixel], want->stencil[i][pixel]);
        }
      }
    }
  }
  return true;
}

static bool render(test_t *t, const frame_t *f) {
  pixel_surfaces_t want = {0};
  surface_t *targets = NULL, *depths = NULL;
  bool good = pixel_surfaces_make(f, &want) && render_surfaces_create(f, &targets, &depths);
  if (!good) {
    return wrong(t, "out of memory");
  }
  pixel_render(f, &want);
  render_commands(f, 0, f->command_count, targets, depths, (shade_sampling_t){0}, NULL, NULL);
  good = same_picture(t, f, targets, &want) && same_depth(t, f, depths, &want);
  render_surfaces_destroy(f, targets, depths);
  pixel_surfaces_free(f, &want);
  t->rendered++;
  return good;
}

// ---- Machines

static machine_params_t random_machine(rng_t *rng) {
  static machine_params_t defaults;
  err_auto_t err = {0};
  if (!defaults.gpus) {
    config_t *config = config_create();
    if (!config || !machine_config_add(config, &defaults, &err)) {
      printf("not ok mutated frames: defaults of a machine: %s\n",
             config ? err_text(&err) : "out of memory");
      exit(1);
    }
    config_destroy(config);
  }
  machine_params_t p = defaults;
  p.scheme = rng_below(rng, MachineSchemeCount);
  p.gpus = 2 + rng_below(rng, 7);
  p.threshold = rng_chance(rng, 800) ? rng_below(rng, 60) : p.threshold;
  p.depth_broadcast = rng_chance(rng, 500);
  p.order_tag = rng_chance(rng, 500);
  p.function_while_writing = rng_chance(rng, 200);
  p.map_mode = rng_below(rng, 4);
  p.cell_mode = rng_below(rng, 3);
  p.gpupd.batch_draws = 1 + rng_below(rng, 30);
  p.gpupd.culled = rng_chance(rng, 300);
  p.gpu.draw_overlap = rng_chance(rng, 500);
  p.gpu.shader = rng_chance(rng, 300) ? GpuShaderWarp : GpuShaderRate;
  p.frame_work = WorkLimit;
  p.frame_memory = MemoryLimit;
  return p;
}

// The bytes of all targets and the cycles, as one number.
static uint64_t outcome_of(machine_t *m, const frame_t *f) {
  uint64_t hash = machine_stats(m)->cycles;
  for (uint32_t i = 0; i < f->target_count; i++) {
    for (uint32_t y = 0; y < f->targets[i].height; y++) {
      for (uint32_t x = 0; x < f->targets[i].width; x++) {
        surface_t *s = gpu_target(machine_gpu(m, machine_owner(m, (uint16_t)i, x, y)), i);
        uint32_t at = surface_index(s->tiles_x, x, y);
        surface_touch(s, at / SurfaceTilePixels);
        hash = (hash ^ s->color[at]) * 1099511628211u;
      }
    }
  }
  return hash;
}

static bool run(test_t *t, const machine_params_t *p, const frame_t *f, machine_t *m,
                uint64_t *outcome) {
  check_t *check =
      check_create(f, machine_plan(m), machine_gpu_count(m), (shade_sampling_t){0}, false);
  if (!check) {
    return wrong(t, "out of memory");
  }
  const char *scheme = machine_scheme_name(p);
  bool good = machine_run(m, NULL, NULL) == MachineDone;
  if (!good) {
    wrong(t, "%s on %u GPUs: %s", scheme, p->gpus, machine_report(m));
  } else {
    check_result_t r;
    check_finish(check, m, &r);
    if (r.violations || r.target_violations) {
      good = wrong(t, "%s on %u GPUs: %llu violations, %llu in other targets, the first at %u,%u",
                   scheme, p->gpus, (unsigned long long)r.violations,
                   (unsigned long long)r.target_violations, r.x, r.y);
    }
    *outcome = outcome_of(m, f);
  }
  check_destroy(check);
  return good;
}

static bool run_engine(test_t *t, const machine_params_t *p, const frame_t *f, engine_e engine,
                       uint64_t *outcome) {
  err_auto_t err = {0};
  harness_options_t options = {.engine = engine, .seed = 1};
  harness_t *h = harness_create(&options);
  machine_units_t units = rendering_units(h);
  machine_t *m = h ? machine_create(p, f, NULL, &units, &err) : NULL;
  bool good = m ? run(t, p, f, m, outcome) : wrong(t, "%s", h ? err_text(&err) : "out of memory");
  if (h && harness_failure(h)) {
    good = wrong(t, "%s", harness_failure(h));
  }
  machine_destroy(m);
  harness_destroy(h);
  return good;
}

// Widths that need no other build of the units.
static bool has_usual_sizes(const frame_t *f) {
  bool usual = true;
  for (uint32_t i = 0; i < f->target_count + f->depth_count; i++) {
    const frame_surface_t *s =
        i < f->target_count ? &f->targets[i] : &f->depths[i - f->target_count];
    usual = usual && s->width <= 2048 && s->height <= 2048;
  }
  return usual;
}

static bool run_engines(test_t *t, machine_params_t p, const frame_t *f) {
  static const uint8_t schemes[] = {MachineChopin, MachineChopinDirect, MachineChopinRoundRobin};
  p.scheme = schemes[p.scheme % sizeof schemes];
  p.gpus = 3;
  p.cell_mode = PixelDistributorCellStamp;
  uint64_t outcome[3];
  for (uint32_t e = 0; e < 3; e++) {
    if (!run_engine(t, &p, f, (engine_e)(EngineGolden + e), &outcome[e])) {
      return false;
    }
  }
  t->engines++;
  return (outcome[0] == outcome[1] && outcome[1] == outcome[2]) ||
         wrong(t, "%s: the engines give different pictures or cycles", machine_scheme_name(&p));
}

// ---- One frame

// The damaged part, a section or a header; or none, and the frame's contents are changed.
static mutate_damage_t some_damage(rng_t *rng, bool *contents) {
  mutate_damage_t damage = {.section = -1};
  uint32_t kind = rng_below(rng, 10);
  *contents = kind > 1;
  if (kind == 0) {
    damage.section = (int)rng_below(rng, MutatePrograms + 1);
  } else if (kind == 1) {
    damage = (mutate_damage_t){(int)rng_below(rng, MutatePrograms + 2) - 1, true};
  }
  return damage;
}

// One of the bases, changed or not. NULL: said why.
static frame_t *some_frame(test_t *t, rng_t *rng, bool change) {
  err_auto_t err = {0};
  const mutate_t *base = &t->base[rng_below(rng, Bases)];
  int file = memfd_create("base.nframe", 0);
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  frame_t *f = NULL;
  if (file >= 0 && write(file, base->data, base->size) == (ssize_t)base->size) {
    f = frame_read(path, &err);
  }
  close(file);
  if (!f) {
    wrong(t, "the base: %s", err_text(&err));
    return NULL;
  }
  for (uint32_t k = change ? 1 + rng_below(rng, 4) : 0; k > 0; k--) {
    mutate_frame(rng, f);
  }
  return f;
}

static bool make_one(test_t *t, rng_t *rng, mutate_t *file) {
  bool change;
  const mutate_damage_t damage = some_damage(rng, &change);
  frame_t *f = some_frame(t, rng, change);
  bool good = f && (mutate_pack(rng, f, &damage, file) || wrong(t, "no room for the file"));
  frame_free(f);
  return good;
}

static bool make_several(test_t *t, rng_t *rng, mutate_t *file) {
  err_auto_t err = {0};
  bool change;
  const mutate_damage_t damage = some_damage(rng, &change);
  frame_sequence_t *s = frame_sequence_create("several");
  bool good = s != NULL;
  for (uint32_t k = 2 + rng_below(rng, 3); good && k > 0; k--) {
    frame_t *f = some_frame(t, rng, change && rng_chance(rng, 500));
    if (f && rng_chance(rng, 500)) {
      mutate_add_programs(rng, f);
    }
    good = f && (frame_sequence_add(s, f, &err) || wrong(t, "%s", err_text(&err)));
  }
  frame_t *any = good ? s->frames[rng_below(rng, s->count)] : NULL;
  if (any && any->texture_count && change && rng_chance(rng, 150)) {
    any->shared[rng_below(rng, any->texture_count)] = (uint16_t)mutate_number(rng);
  }
  if (any && any->command_count && change && rng_chance(rng, 50)) {
    any->commands[rng_below(rng, any->command_count)].program = (uint16_t)mutate_number(rng);
  }
  good = good && (mutate_pack_sequence(rng, s, &damage, file) || wrong(t, "no room for the file"));
  frame_sequence_free(s);
  return good;
}

static bool judge_frame(test_t *t, machine_params_t p, uint64_t n, const frame_t *f) {
  plan_params_t plan_params = {.gpus = p.gpus,
                               .compose = true,
                               .threshold = p.threshold,
                               .depth_broadcast = p.depth_broadcast,
                               .order_tag = p.order_tag};
  plan_t *plan = plan_create(f, &plan_params);
  bool good = plan != NULL || wrong(t, "out of memory");
  plan_destroy(plan);
  t->planned++;
  good = good && (n % RenderEvery != 0 || render(t, f));
  if (good && n % MachineEvery == 0) {
    uint64_t outcome;
    good = run_engine(t, &p, f, EngineGolden, &outcome);
    t->machines++;
  }
  return good && (n % EngineEvery != 0 || !has_usual_sizes(f) || run_engines(t, p, f));
}

static bool judge(test_t *t, rng_t *rng, uint64_t n, const mutate_t *file) {
  err_auto_t err = {0};
  frame_sequence_t *s = read_bytes(file, &err);
  if (!s) {
    t->refused++;
    return is_refusal(&err) || wrong(t, "a refusal of another form: %s", err_text(&err));
  }
  machine_params_t p = random_machine(rng);
  bool good;
  if (machine_check_frames(&p, s->frames, s->count, &err)) {
    t->sequences += s->count > 1;
    good = judge_frame(t, p, n, s->frames[rng_below(rng, s->count)]);
  } else {
    t->beyond++;
    good = strncmp(err_text(&err), "frame.", 6) == 0 ||
           wrong(t, "a refusal of another form: %s", err_text(&err));
  }
  frame_sequence_free(s);
  return good;
}

static bool mutation(test_t *t, uint64_t seed, uint64_t n, mutate_t *file) {
  rng_t rng;
  rng_seed(&rng, mutate_seed(seed, n));
  clock_t start = clock();
  bool made = n % 4 == 2 ? make_several(t, &rng, file) : make_one(t, &rng, file);
  if (!made || !judge(t, &rng, n, file)) {
    return false;
  }
  double took = (double)(clock() - start) / CLOCKS_PER_SEC;
  if (took > MostSeconds) {
    return wrong(t, "it took %.1f s of CPU, expected at most %d", took, MostSeconds);
  }
  return mutate_peak_memory() <= MostMemory || wrong(t, "%llu MiB of memory, expected at most %llu",
                                                     (unsigned long long)mutate_peak_memory() >> 20,
                                                     (unsigned long long)MostMemory >> 20);
}

// ---- The bases

// Half as wide and high: a quarter of the pixels, all that a frame can have.
static void halve(frame_t *f) {
  frame_surface_t *const surfaces[] = {f->targets, f->depths};
  const uint32_t counts[] = {f->target_count, f->depth_count};
  for (uint32_t k = 0; k < 2; k++) {
    for (uint32_t i = 0; i < counts[k]; i++) {
      surfaces[k][i].width = (surfaces[k][i].width + 1) / 2;
      surfaces[k][i].height = (surfaces[k][i].height + 1) / 2;
    }
  }
  f->width = f->targets[0].width;
  f->height = f->targets[0].height;
  for (uint32_t i = 0; i < f->vertex_count; i++) {
    f->vertices[i].x /= 2;
    f->vertices[i].y /= 2;
  }
  for (uint32_t i = 0; i < f->command_count; i++) {
    frame_rect_t *const rects[] = {&f->commands[i].state.scissor, &f->commands[i].state.viewport};
    for (uint32_t k = 0; k < 2; k++) {
      *rects[k] = (frame_rect_t){rects[k]->x0 / 2, rects[k]->y0 / 2, (rects[k]->x1 + 1) / 2,
                                 (rects[k]->y1 + 1) / 2};
    }
  }
}

static bool make_base(test_t *t, uint32_t i) {
  err_auto_t err = {0};
  char name[20];
  const mutate_damage_t none = {.section = -1};
  rng_t rng;
  snprintf(name, sizeof name, "gen:test-%u", 1 + i % 8);
  frame_t *f = frame_generate(name, 1 + i / 8, &err);
  if (!f) {
    return wrong(t, "%s: %s", name, err_text(&err));
  }
  rng_seed(&rng, i);
  if (i % 4 != 0) {
    halve(f);
  }
  // A third have depth buffers and targets of different sizes.
  for (uint32_t k = 0; i % 3 == 0 && k < f->depth_count; k++) {
    f->depths[k].width += 64 + 50 * i;
    f->depths[k].height = i % 2 ? f->depths[k].height + 70 : f->depths[k].height * 3 / 4;
  }
  mutate_fit(f);
  t->base[i] = (mutate_t){malloc(FileRoom), 0, FileRoom};
  bool good = t->base[i].data && mutate_pack(&rng, f, &none, &t->base[i]);
  frame_free(f);
  return good || wrong(t, "%s: no room", name);
}

static void keep(const mutate_t *file) {
  FILE *to = fopen("build/test/mutated.nframe", "wb");
  if (to) {
    fwrite(file->data, 1, file->size, to);
    fclose(to);
    printf("  the frame is build/test/mutated.nframe\n");
  }
}

// Mutations of a range; false at the first finding.
static bool mutations(test_t *t, const mutate_range_t *range, mutate_t *file) {
  for (uint64_t n = range->first; n < range->first + range->count; n++) {
    if (!mutation(t, range->seed, n, file)) {
      printf(
          "not ok mutated frames: seed %llu, number %llu: %s\n  again: mutated_frames 1 "
          "%llu %llu\n",
          (unsigned long long)range->seed, (unsigned long long)n, t->why,
          (unsigned long long)range->seed, (unsigned long long)n);
      keep(file);
      return false;
    }
  }
  printf(
      "ok mutated frames: %llu refused, %llu beyond the limits, %llu planned, of them %llu of "
      "sequences; %llu rendered, %llu in machines, %llu in three engines\n",
      (unsigned long long)t->refused, (unsigned long long)t->beyond, (unsigned long long)t->planned,
      (unsigned long long)t->sequences, (unsigned long long)t->rendered,
      (unsigned long long)t->machines, (unsigned long long)t->engines);
  return true;
}

int main(int argc, char **argv) {
  static test_t t;
  const mutate_range_t range = mutate_range(argc, argv, 400);
  mutate_t file = {malloc(FileRoom), 0, FileRoom};
  bool good = file.data != NULL || wrong(&t, "out of memory");
  for (uint32_t i = 0; good && i < Bases; i++) {
    good = make_base(&t, i);
  }
  if (good) {
    good = mutations(&t, &range, &file);
  } else {
    printf("not ok mutated frames: %s\n", t.why);
  }
  for (uint32_t i = 0; i < Bases; i++) {
    free(t.base[i].data);
  }
  free(file.data);
  return good ? 0 : 1;
}
