// SPDX-License-Identifier: Apache-2.0
// nocturne frame info|generate: what a frame or a sequence holds; generated workloads as files.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "csim/driver/plan.h"
#include "csim/frame/generate_frame.h"
#include "csim/gpu/render.h"
#include "csim/machine/machine_config.h"
#include "frame_programs.h"

// The driver's parameters for the groups that are shown.
static const plan_params_t PlanParams = {.gpus = 8, .compose = true, .threshold = 4096};

// Counts the texture samples of rendering the frame on one GPU.
static bool print_probes(const frame_t *f) {
  surface_t *targets, *depths;
  shade_probes_t probes = {{0}};
  if (!render_surfaces_create(f, &targets, &depths)) {
    return false;
  }
  shade_sampling_t sampling = {.filter = ShadeParents, .anisotropic = true, .probes = &probes};
  render_commands(f, 0, f->command_count, targets, depths, sampling, NULL, NULL);
  render_surfaces_destroy(f, targets, depths);
  uint64_t all = 0, over[2] = {0}, sum = 0;
  for (uint32_t r = 1; r <= 16; r++) {
    all += probes.by_ratio[r];
    sum += r * probes.by_ratio[r];
    over[0] += r > 1 ? probes.by_ratio[r] : 0;
    over[1] += r > 2 ? probes.by_ratio[r] : 0;
  }
  double share = all ? 100.0 / (double)all : 0;
  printf(
      "  probes      %.2f million texture samples, %.1f %% anisotropic (%.1f %% with R > 2), "
      "mean R %.2f\n",
      1e-6 * (double)all, share * (double)over[0], share * (double)over[1],
      all ? (double)sum / (double)all : 0.0);
  return true;
}

// Refuses frames beyond the default machine's limits; they would be rendered here too.
static bool check_limits(const frame_sequence_t *s, machine_params_t *params, int *status) {
  err_auto_t err = {0};
  err_set(&err, ErrMachine, "out of memory");
  config_t *config = config_create();
  bool ok = config && machine_config_add(config, params, &err) &&
            machine_check_frames(params, s->frames, s->count, &err);
  if (!ok) {
    *status = cli_fail(&err);
  }
  config_destroy(config);
  return ok;
}

static void print_work(const frame_t *f, const machine_params_t *p) {
  frame_work_t w;
  frame_work(f, &w);
  printf(
      "  work        %.2f million indices, vertices and triangles, at most %.2f million pixels,\n"
      "              %.0f million instructions (frame.work: %" PRIu64 " of %u)\n",
      1e-6 * (double)w.geometry, 1e-6 * (double)w.pixels, 1e-6 * (double)w.instructions,
      frame_work_millions(&w), p->frame_work);
  printf("  memory      %.1f MiB of surfaces in each GPU (frame.memory: %u MiB in all)\n",
         (double)w.surface_bytes / (1 << 20), p->frame_memory);
}

static void print_textures(const frame_texture_t *textures, uint32_t count) {
  uint64_t texels = 0;
  for (uint32_t i = 0; i < count; i++) {
    texels += (uint64_t)textures[i].width * textures[i].height;
  }
  printf("  textures    %u, %.1f million texels on level 0\n", count, 1e-6 * (double)texels);
}

typedef struct {
  uint64_t draws, clears, submitted;
} counts_t;

static counts_t count_commands(const frame_t *f) {
  counts_t n = {0};
  for (uint32_t i = 0; i < f->command_count; i++) {
    const frame_cmd_t *c = &f->commands[i];
    n.draws += c->kind == FrameCmdDraw;
    n.clears += c->kind == FrameCmdClear;
    n.submitted += c->kind == FrameCmdDraw ? c->triangles_in : 0;
  }
  return n;
}

static void print_commands(const frame_t *f) {
  const counts_t n = count_commands(f);
  printf("  commands    %" PRIu64 " draws, %" PRIu64 " clears\n", n.draws, n.clears);
  printf("  triangles   %" PRIu64 " submitted, %u after clipping and culling, %u vertices\n",
         n.submitted, f->triangle_count, f->vertex_count);
}

static void print_programs(const frame_t *f) {
  uint64_t most = 0, draws = 0;
  uint32_t branching = 0;
  for (uint32_t i = 0; i < f->program_count; i++) {
    const uint64_t length = program_operations(&f->programs[i]);
    bool branches = false;
    for (uint32_t k = 0; k < f->programs[i].count; k++) {
      branches |= f->programs[i].op[k].kind == ProgramIf;
    }
    branching += branches;
    most = length > most ? length : most;
  }
  for (uint32_t i = 0; i < f->command_count; i++) {
    draws += f->commands[i].program != 0;
  }
  if (f->program_count) {
    printf("  programs    %u, %u with branches, of at most %" PRIu64 " operations; %" PRIu64
           " draws name one\n",
           f->program_count, branching, most, draws);
  }
}

static void print_surfaces(const frame_t *f) {
  printf("  surfaces    %u targets, %u depth buffers\n", f->target_count, f->depth_count);
  for (uint32_t i = 0; i < f->target_count; i++) {
    printf("%s%ux%u", i ? ", " : "              targets ", f->targets[i].width,
           f->targets[i].height);
  }
  for (uint32_t i = 0; i < f->depth_count; i++) {
    static const char *const uses[] = {"", ", tested only", ", sampled"};
    printf("%s%ux%u%s", i ? ", " : "; depth ", f->depths[i].width, f->depths[i].height,
           uses[frame_depth_use(f, i)]);
  }
  printf("\n");
}

static double composed_share(const plan_t *plan) {
  return plan->triangles ? 100.0 * (double)plan->triangles_composed / (double)plan->triangles : 0.0;
}

static void print_groups(const plan_t *plan) {
  printf(
      "  groups      %u; at 8 GPUs and threshold 4096 %u are composed, with %.1f %% of the "
      "triangles\n",
      plan->group_count, plan->composed_count, composed_share(plan));
  printf("  large groups (4096 primitives or more):\n");
  for (uint32_t i = 0; i < plan->group_count; i++) {
    const plan_group_t *g = &plan->groups[i];
    if (g->primitives >= PlanParams.threshold) {
      printf("    %5u: %4u draws, %7u primitives, %s, %s\n", i, g->draws, g->primitives,
             plan_operator_name(g->op), plan_reason_name(g->reason));
    }
  }
}

static int info_frame(const frame_t *f, const machine_params_t *machine) {
  plan_t *plan = plan_create(f, &PlanParams);
  if (!plan) {
    return cli_refuse(ExitLacking, "out of memory");
  }
  printf("%s\n", f->name);
  printf("  size        %ux%u, hash %016" PRIx64 "\n", f->width, f->height, frame_hash(f));
  print_commands(f);
  print_surfaces(f);
  print_work(f, machine);
  print_textures(f->textures, f->texture_count);
  print_programs(f);
  const bool probed = print_probes(f);
  if (probed) {
    print_groups(plan);
  }
  plan_destroy(plan);
  return probed ? ExitPassed : cli_refuse(ExitLacking, "out of memory");
}

static int info_sequence(const frame_sequence_t *s, const machine_params_t *machine) {
  uint64_t work = 0;
  printf("%s\n  frames      %u\n", s->name, s->count);
  print_textures(s->textures, s->texture_count);
  printf(
      "  frame  size       draws  clears  submitted     kept  vertices  textures  groups  "
      "composed  hash\n");
  for (uint32_t i = 0; i < s->count; i++) {
    const frame_t *f = s->frames[i];
    const counts_t n = count_commands(f);
    frame_work_t w;
    char size[24];
    frame_work(f, &w);
    work += frame_work_millions(&w);
    plan_t *plan = plan_create(f, &PlanParams);
    if (!plan) {
      return cli_refuse(ExitLacking, "out of memory");
    }
    snprintf(size, sizeof size, "%ux%u", f->width, f->height);
    printf("  %5u  %-9s  %5" PRIu64 "  %6" PRIu64 "  %9" PRIu64
           "  %7u  %8u  %8u  %6u  %6.1f %%"
           "  %016" PRIx64 "\n",
           i, size, n.draws, n.clears, n.submitted, f->triangle_count, f->vertex_count,
           f->texture_count, plan->group_count, composed_share(plan), frame_hash(f));
    plan_destroy(plan);
  }
  printf("  work        frame.work: %" PRIu64 " of %u in all\n", work, machine->frame_work);
  return ExitPassed;
}

static int info(const char *name) {
  err_auto_t err = {0};
  machine_params_t machine = {0};
  int status = ExitPassed;
  frame_sequence_t *s = frame_sequence_load(name, 1, 1, &err);
  if (!s) {
    return cli_fail(&err);
  }
  if (check_limits(s, &machine, &status)) {
    status = s->count == 1 ? info_frame(s->frames[0], &machine) : info_sequence(s, &machine);
  }
  frame_sequence_free(s);
  return status;
}

// Writes a file of one frame, or with a count a file of a sequence.
static int generate(const char *name, const char *path, const char *seed, const char *count) {
  err_auto_t err = {0};
  uint64_t number = 1, frames = 1;
  if (seed && !cli_read_number(seed, 0, UINT64_MAX, &number)) {
    return cli_refuse(ExitUsage, "seed %s: expected a number", seed);
  }
  if (count && !cli_read_number(count, 1, FrameMaxFrames, &frames)) {
    return cli_refuse(ExitUsage, "count %s: expected a number from 1 to %d", count, FrameMaxFrames);
  }
  frame_sequence_t *s = frame_sequence_load(name, number, (uint32_t)frames, &err);
  if (!s) {
    return cli_fail(&err);
  }
  const bool one = s->count == 1 && !count;
  const bool good =
      one ? frame_write(s->frames[0], path, &err) : frame_sequence_write(s, path, &err);
  frame_sequence_free(s);
  return good ? ExitPassed : cli_fail(&err);
}

static int usage(FILE *to) {
  fprintf(to,
          "Usage: nocturne frame info FRAME...\n"
          "       nocturne frame programs FRAME [FROM FILE.nframe]\n"
          "       nocturne frame generate gen:NAME FILE.nframe [SEED [COUNT]]\n");
  return to == stdout ? ExitPassed : ExitUsage;
}

int cli_frame(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0) {
      return usage(stdout);
    }
  }
  if (argc >= 3 && strcmp(argv[1], "info") == 0) {
    int status = ExitPassed;
    for (int i = 2; i < argc; i++) {
      int one = info(argv[i]);
      status = one > status ? one : status;
    }
    return status;
  }
  if ((argc == 3 || argc == 5) && strcmp(argv[1], "programs") == 0) {
    return argc == 3 ? frame_programs_list(argv[2])
                     : frame_programs_take(argv[2], argv[3], argv[4]);
  }
  if (argc >= 4 && argc <= 6 && strcmp(argv[1], "generate") == 0) {
    return generate(argv[2], argv[3], argc >= 5 ? argv[4] : NULL, argc == 6 ? argv[5] : NULL);
  }
  return usage(stderr);
}
