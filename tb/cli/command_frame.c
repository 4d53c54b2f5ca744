// SPDX-License-Identifier: Apache-2.0
// nocturne frame info|generate: what a frame holds; generated workloads as files.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "csim/driver/plan.h"
#include "csim/frame/frame.h"
#include "csim/frame/generate.h"
#include "csim/gpu/render.h"
#include "csim/machine/machine_config.h"

// NULL: with one line said and the exit status.
static frame_t *load(const char *name, uint64_t seed, int *status) {
  char error[FrameErrorSize];
  frame_t *f = frame_load(name, seed, error);
  if (!f) {
    *status = cli_complain(error, ExitUsage);
  }
  return f;
}

// Texture samples that rendering the frame on one GPU makes.
static bool print_probes(const frame_t *f) {
  surface_t *targets, *depths;
  shade_probes_t probes = {{0}};
  if (!render_surfaces_create(f, &targets, &depths)) {
    return false;
  }
  shade_sampling_t sampling = {
      .filter = ShadeParentsExact, .anisotropic = true, .probes = &probes};
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
  printf("  probes      %.2f million texture samples, %.1f %% anisotropic (%.1f %% with R > 2), "
         "mean R %.2f\n", 1e-6 * (double)all, share * (double)over[0], share * (double)over[1],
         all ? (double)sum / (double)all : 0.0);
  return true;
}

// What the default machine takes on, which is also what is rendered here.
static bool check_limits(const frame_t *f, machine_params_t *params, int *status) {
  char error[ConfigErrorSize] = "out of memory";
  config_t *config = config_create();
  bool ok = config && machine_config_add(config, params, error) &&
            machine_check_frame(params, f, error);
  if (!ok) {
    *status = cli_complain(error, ExitUsage);
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

static int info(const char *name) {
  machine_params_t machine = {0};
  int status = ExitPassed;
  frame_t *f = load(name, 1, &status);
  if (!f || !check_limits(f, &machine, &status)) {
    frame_free(f);
    return status;
  }
  uint64_t draws = 0, clears = 0, submitted = 0, texels = 0;
  for (uint32_t i = 0; i < f->command_count; i++) {
    const frame_cmd_t *c = &f->commands[i];
    draws += c->kind == FrameCmdDraw;
    clears += c->kind == FrameCmdClear;
    submitted += c->kind == FrameCmdDraw ? c->triangles_in : 0;
  }
  for (uint32_t i = 0; i < f->texture_count; i++) {
    texels += (uint64_t)f->textures[i].width * f->textures[i].height;
  }
  plan_params_t params = {.gpus = 8, .compose = true, .threshold = 4096};
  plan_t *plan = plan_create(f, &params);
  if (!plan) {
    fprintf(stderr, "nocturne: out of memory\n");
    frame_free(f);
    return ExitLacking;
  }
  printf("%s\n", f->name);
  printf("  size        %ux%u, hash %016" PRIx64 "\n", f->width, f->height, frame_hash(f));
  printf("  commands    %" PRIu64 " draws, %" PRIu64 " clears\n", draws, clears);
  printf("  triangles   %" PRIu64 " submitted, %u after clipping and culling, %u vertices\n",
         submitted, f->triangle_count, f->vertex_count);
  printf("  surfaces    %u targets, %u depth buffers\n", f->target_count, f->depth_count);
  for (uint32_t i = 0; i < f->target_count; i++) {
    printf("%s%ux%u", i ? ", " : "              targets ", f->targets[i].width,
           f->targets[i].height);
  }
  for (uint32_t i = 0; i < f->depth_count; i++) {
    printf("%s%ux%u", i ? ", " : "; depth ", f->depths[i].width, f->depths[i].height);
  }
  printf("\n");
  print_work(f, &machine);
  printf("  textures    %u, %.1f million texels on level 0\n", f->texture_count,
         1e-6 * (double)texels);
  if (!print_probes(f)) {
    fprintf(stderr, "nocturne: out of memory\n");
    plan_destroy(plan);
    frame_free(f);
    return ExitLacking;
  }
  printf("  groups      %u; at 8 GPUs and threshold 4096 %u are composed, with %.1f %% of the "
         "triangles\n", plan->group_count, plan->composed_count,
         plan->triangles ? 100.0 * (double)plan->triangles_composed / (double)plan->triangles
                         : 0.0);
  printf("  large groups (4096 primitives or more):\n");
  for (uint32_t i = 0; i < plan->group_count; i++) {
    const plan_group_t *g = &plan->groups[i];
    if (g->primitives >= params.threshold) {
      printf("    %5u: %4u draws, %7u primitives, %s, %s\n", i, g->draws, g->primitives,
             plan_operator_name(g->op), plan_reason_name(g->reason));
    }
  }
  plan_destroy(plan);
  frame_free(f);
  return ExitPassed;
}

static int generate(const char *name, const char *path, const char *seed) {
  char error[FrameErrorSize];
  uint64_t number = 1;
  if (seed && !cli_read_number(seed, 0, UINT64_MAX, &number)) {
    fprintf(stderr, "nocturne: seed %s: expected a number\n", seed);
    return ExitUsage;
  }
  int status = ExitPassed;
  frame_t *f = load(name, number, &status);
  if (f && !frame_write(f, path, error)) {
    status = cli_complain(error, ExitFailed);
  }
  frame_free(f);
  return status;
}

static int usage(FILE *to) {
  fprintf(to, "Usage: nocturne frame info FRAME...\n"
              "       nocturne frame generate gen:NAME FILE.nframe [SEED]\n");
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
  if ((argc == 4 || argc == 5) && strcmp(argv[1], "generate") == 0) {
    return generate(argv[2], argv[3], argc == 5 ? argv[4] : NULL);
  }
  return usage(stderr);
}
