// SPDX-License-Identifier: Apache-2.0
#include "words.h"

#include <inttypes.h>
#include <string.h>

#include "csim/machine/machine_config.h"
#include "csim/machine/schedule.h"

// Names of the stages for readers who have not read docs/reference/json.md.
static const char *const Stages[MachineStageCount] = {
    [MachineInGeometry] = "geometry: vertices and triangles",
    [MachineInProjection] = "projection: which triangles lie where",
    [MachineInDistribution] = "distribution: triangles on their way between GPUs",
    [MachineInRaster] = "raster: which pixels a triangle covers",
    [MachineInFragments] = "fragments: depth test, shading, writing of pixels",
    [MachineInComposition] = "composition: waiting for the last GPU, then joining the pictures",
    [MachineInSync] = "barriers: all GPUs meet before a picture is used",
    [MachineIdle] = "idle: nothing to draw yet",
};

static void print_picture(const result_t *r, FILE *f) {
  const check_result_t *c = &r->check;
  uint32_t gpus = machine_gpu_count(r->machine);
  if (c->violations || c->target_violations) {
    fprintf(f,
            "  picture  WRONG: %" PRIu64
            " pixels differ from what one GPU renders by more than "
            "rounding explains.\n",
            c->violations + c->target_violations);
    return;
  }
  fprintf(f,
          "  picture  %u GPU%s rendered this frame%s, and every pixel is as one GPU alone renders "
          "it",
          gpus, gpus == 1 ? "" : "s", gpus == 1 ? "" : " together");
  if (c->tie_pixels) {
    fprintf(f,
            "\n           (but %" PRIu64
            " where two surfaces are equally near and either may "
            "win)",
            c->tie_pixels);
  }
  if (c->failed_pixels) {
    fprintf(f, "\n           (but %" PRIu64 " with texels that memory failed to give)",
            c->failed_pixels);
  }
  fprintf(f, ".\n");
}

static void print_checks(const result_t *r, FILE *f) {
  const harness_unit_stats_t sum = result_totals(r);
  if (sum.cycles_compared == 0) {
    fprintf(
        f, "  checked  No hardware: this engine runs one side only; --engine lockstep compares.\n");
    return;
  }
  fprintf(f,
          "  checked  The hardware ran as RTL in %" PRIu64
          " cycles, beside a model of its own in "
          "C;\n           %s. Cycles in which nothing can happen are skipped.\n",
          sum.cycles_compared,
          sum.mismatches ? "THEY DIFFER" : "every output was the same in every one");
}

// Prints the shares of the baseline's time that this run saves (sign > 0) or pays.
static void print_shares(const result_t *r, int sign, FILE *f) {
  const machine_stats_t *s = machine_stats(r->machine);
  double whole = (double)r->baseline_cycles * machine_gpu_count(r->machine);
  bool any = false;
  for (uint32_t k = 0; k < MachineStageCount; k++) {
    double won = 100 * ((double)r->baseline_spent[k] - (double)s->spent[k]) / whole;
    if (sign * won >= 0.05) {
      fprintf(f, "           %-7s %5.1f %%  %s\n",
              any        ? ""
              : sign > 0 ? "saves"
                         : "pays",
              sign * won, Stages[k]);
      any = true;
    }
  }
}

// Prints why compositions wait: how unevenly their draws lie on the GPUs.
static void print_balance(const result_t *r, FILE *f) {
  schedule_compositions_t c;
  schedule_assignment_t a;
  const plan_t *p = machine_plan(r->machine);
  if (p->triangles > 0 && p->composed_count < p->group_count) {
    fprintf(f,
            "           %u of the %u groups of draws, with %.1f %% of the triangles, are shared "
            "among the GPUs; the\n           others are drawn by all of them.\n",
            p->composed_count, p->group_count,
            100.0 * (double)p->triangles_composed / (double)p->triangles);
  }
  if (!schedule_compositions(r->machine, &c) || !schedule_assignment(r->machine, &a)) {
    return;
  }
  if (a.summary.groups && a.summary.bound && a.summary.taken > a.summary.bound) {
    fprintf(f,
            "           Where draws are shared, the GPU with the most has %" PRIu64
            " cycles of "
            "them; shared evenly, as\n           far as whole draws can be, it would have %" PRIu64
            ". A draw is never split, and a few large triangles\n           may hold one GPU for "
            "long.\n",
            a.summary.taken, a.summary.bound);
  }
  if (c.summary.groups) {
    fprintf(f,
            "           From the first GPU that is done to the last, %" PRIu64
            " cycles pass; "
            "joining the pictures then takes\n           %" PRIu64 ", %" PRIu64
            " if the links were "
            "never idle and messages took no time.\n",
            c.imbalance, c.summary.taken, c.summary.bound);
  }
}

static double ms(double cycles) { return cycles / 1e6; }

// Says who waited for whom in the frames of a SoC, from the second on.
static void print_soc(const result_t *r, FILE *f) {
  const soc_stats_t *s = soc_stats(r->soc->soc);
  const soc_frame_t *sum = &s->sums.frame;
  const double n = (double)s->sums.frames, gpu = (double)sum->gpu, beside = (double)sum->beside;
  const double rest = (double)s->sums.span - (double)sum->cycles;
  fprintf(f,
          "  system   Of a frame's %.2f ms the GPU waited %.2f for the CPUs to prepare it, drew "
          "for %.2f, and\n"
          "           %s; then both waited %.2f for the next frame's turn.\n",
          ms((double)s->sums.span / n), ms((double)sum->prepare / n), ms(gpu / n),
          gpu > beside ? "the CPUs were done beside it before and waited for it"
                       : "waited for what the CPUs did beside it",
          ms(rest / n));
  fprintf(f,
          "           Within %s they waited %.2f ms. The display began %" PRIu64
          " refresh%s and gave %" PRIu64 " up.\n",
          "a frame", ms((gpu > beside ? gpu - beside : beside - gpu) / n),
          s->sums.display.refreshes, s->sums.display.refreshes == 1 ? "" : "es",
          s->sums.display.aborted);
}

void words_print(const result_t *r, FILE *f) {
  const machine_stats_t *s = machine_stats(r->machine);
  fprintf(f, "\nin words\n");
  print_picture(r, f);
  print_checks(r, f);
  if (r->soc) {
    print_soc(r, f);
  }
  if (!r->baseline || r->baseline_gpus != machine_gpu_count(r->machine)) {
    return;
  }
  double speedup = (double)r->baseline_cycles / (double)s->cycles;
  bool duplicates = strcmp(r->baseline, "duplication") == 0;
  fprintf(f,
          "  speed    %" PRIu64 " cycles, instead of %" PRIu64
          " with %s%s:\n           %.3f times "
          "as fast%s. Of that time %s\n",
          s->cycles, r->baseline_cycles, r->baseline,
          duplicates ? " (every GPU works through all triangles\n           and draws its own part "
                       "of the screen)"
                     : "",
          speedup, speedup < 1 ? ", that is slower: on this frame it pays more than it saves" : "",
          machine_scheme_name(r->params));
  print_shares(r, 1, f);
  print_shares(r, -1, f);
  if (s->spent[MachineInComposition]) {
    print_balance(r, f);
  }
}
