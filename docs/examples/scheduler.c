// SPDX-License-Identifier: Apache-2.0
// A draw scheduler of one's own in the machine, in place of CHOPIN's: an opaque draw goes to the
// GPU that has the fewest draws waiting, not to the one with the fewest triangles left. Renders a
// frame with duplication, CHOPIN's scheduler and this one, and prints the speedups.
//   scheduler [FRAME [SETTING...]]      SETTING: as gpus=4
#include <nocturne.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/draw_scheduler/draw_scheduler.h"  // the unit's ports; docs/units/draw_scheduler.md

typedef struct {
  uint32_t gpus, limit;  // limit: of the commands waiting at a GPU
  uint32_t waiting[64];  // commands at each GPU, by the credits that it has not returned
  uint64_t to_go;        // GPUs that the piece on show is still to go to
  draw_scheduler_out_t out;
  struct {
    uint32_t id, first, count;
    uint8_t op, kind;
  } command;  // the one in work
  bool has_command;
  uint8_t kind;  // of the open group
  uint32_t left, rest,
      gpu;                 // of a transparent one: primitives to come, of these the GPU's, the GPU
  uint32_t share, longer;  // a GPU's share of its primitives; so many GPUs get one more
} scheduler_t;

static void *create(void *context, const void *params, uint32_t instance) {
  const draw_scheduler_params_t *p = params;
  scheduler_t *s = calloc(1, sizeof *s);
  (void)context;
  (void)instance;
  if (s) {
    s->gpus = p->gpus;
    s->limit = p->credits;
  }
  return s;
}

static void reset(void *self, void *out) {
  scheduler_t *s = self;
  *s = (scheduler_t){.gpus = s->gpus, .limit = s->limit};
  s->out = (draw_scheduler_out_t){.cmd_ready = true, .quiescent = true};
  memcpy(out, &s->out, sizeof s->out);
}

static uint64_t all(const scheduler_t *s) { return s->gpus == 64 ? ~0ull : (1ull << s->gpus) - 1; }

static uint32_t fewest_waiting(const scheduler_t *s) {
  uint32_t best = 0;
  for (uint32_t g = 1; g < s->gpus; g++) {
    best = s->waiting[g] < s->waiting[best] ? g : best;
  }
  return best;
}

// Puts the first `count` primitives of the command on show, for these GPUs.
static void show(scheduler_t *s, uint64_t gpus, uint32_t count) {
  s->to_go = gpus;
  s->out.piece_compose = s->command.op == DrawSchedulerOpGroupEnd;
  s->out.piece_kind = s->kind;
  s->out.piece_id = s->out.piece_compose ? 0 : s->command.id;
  s->out.piece_first = s->out.piece_compose ? 0 : s->command.first;
  s->out.piece_count = count;
  s->command.first += count;
  s->command.count -= count;
}

static void open_group(scheduler_t *s) {
  s->kind = s->command.kind;
  s->left = s->command.count;
  s->share = s->left / s->gpus;
  s->longer = s->left % s->gpus;
  s->gpu = 0;
  s->rest = s->share + (s->longer > 0);
}

// A transparent draw is cut where a GPU's share ends: GPUs blend in the order of their numbers.
static void cut(scheduler_t *s) {
  uint32_t count = s->command.count < s->rest ? s->command.count : s->rest;
  show(s, 1ull << s->gpu, count);
  s->rest -= count;
  if (s->rest == 0) {
    s->gpu++;
    s->rest = s->share + (s->gpu < s->longer);
  }
}

// Moves the command in work on, once no output is on show.
static void work(scheduler_t *s) {
  bool is_transparent = s->kind == DrawSchedulerGroupTransparent;
  s->has_command = false;
  if (s->command.op == DrawSchedulerOpGroupStart) {
    open_group(s);
  } else if (s->command.op == DrawSchedulerOpGroupEnd) {
    if (s->kind != DrawSchedulerGroupDuplicated) {
      show(s, all(s), 0);
    }
  } else if (s->kind == DrawSchedulerGroupDuplicated) {
    show(s, all(s), s->command.count);
  } else if (!is_transparent) {
    show(s, 1ull << fewest_waiting(s), s->command.count);
  } else if (s->command.count > 0) {
    cut(s);
    s->has_command = s->command.count > 0;
  }
}

static void step(void *self, const void *inputs, void *out) {
  scheduler_t *s = self;
  const draw_scheduler_in_t *in = inputs;
  for (uint32_t g = 0; g < s->gpus; g++) {
    s->waiting[g] -= in->credit >> g & 1;
  }
  s->out.piece_valid &= ~in->piece_ready;
  if (in->cmd_valid && s->out.cmd_ready) {
    s->command.op = in->cmd_op;
    s->command.kind = in->cmd_kind;
    s->command.id = in->cmd_id;
    s->command.first = in->cmd_first;
    s->command.count = in->cmd_count;
    s->has_command = true;
  } else if (s->has_command && !s->to_go && !s->out.piece_valid) {
    work(s);
  }
  // A piece is shown to a GPU that has room for it.
  for (uint32_t g = 0; g < s->gpus; g++) {
    if ((s->to_go >> g & 1) && s->waiting[g] < s->limit) {
      s->to_go &= ~(1ull << g);
      s->out.piece_valid |= 1ull << g;
      s->waiting[g]++;
    }
  }
  s->out.cmd_ready = !s->has_command;
  s->out.quiescent =
      !s->has_command && !s->to_go && !s->out.piece_valid && !in->cmd_valid && !in->credit;
  memcpy(out, &s->out, sizeof s->out);
}

// The cycles of a frame; 0: it failed, and the error is printed.
static uint64_t cycles(const nocturne_config_t *config, const nocturne_frame_t *frame,
                       const nocturne_engine_t *own) {
  nocturne_error_t error;
  nocturne_run_t *run = nocturne_run_create(config, frame, &error);
  bool ok = run && (!own || nocturne_run_replace(run, own, &error) == NocturneOk) &&
            nocturne_run_render(run, &error) == NocturneOk;
  uint64_t n = ok ? nocturne_run_cycles(run) : 0;
  if (!ok) {
    fprintf(stderr, "scheduler: %s\n", error.text);
  }
  nocturne_run_destroy(run);
  return n;
}

int main(int argc, char **argv) {
  static const nocturne_engine_t Own = {.unit = "draw_scheduler",
                                        .page = draw_scheduler_page,
                                        .create = create,
                                        .destroy = free,
                                        .reset = reset,
                                        .step = step};
  nocturne_error_t error = {0};
  nocturne_config_t *config = nocturne_config_create("vectors/config/chopin.yaml", &error);
  nocturne_frame_t *frame = nocturne_frame_load(argc > 1 ? argv[1] : "gen:cod2", 1, &error);
  bool ok = config && frame;
  for (int i = 2; ok && i < argc; i++) {
    ok = nocturne_config_set(config, argv[i], &error) == NocturneOk;
  }
  if (ok) {
    uint64_t chopin = cycles(config, frame, NULL), own = cycles(config, frame, &Own);
    ok = nocturne_config_set(config, "scheme=duplication", &error) == NocturneOk;
    uint64_t duplication = ok ? cycles(config, frame, NULL) : 0;
    ok = ok && chopin && own && duplication;
    if (ok) {
      printf("duplication %llu cycles\n", (unsigned long long)duplication);
      printf("chopin      %llu cycles, speedup %.3f\n", (unsigned long long)chopin,
             (double)duplication / (double)chopin);
      printf("own         %llu cycles, speedup %.3f; %.3f over chopin\n", (unsigned long long)own,
             (double)duplication / (double)own, (double)chopin / (double)own);
    }
  }
  if (error.status != NocturneOk) {
    fprintf(stderr, "scheduler: %s\n", error.text);
  }
  nocturne_frame_destroy(frame);
  nocturne_config_destroy(config);
  return ok ? 0 : 1;
}
