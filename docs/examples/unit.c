// SPDX-License-Identifier: Apache-2.0
// One hardware unit by itself: two draws through the draw scheduler of 4 GPUs, its ports by their
// names.
//   unit [ENGINE]      golden, rtl, lockstep or gates (golden)
#include <nocturne.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  nocturne_unit_t *unit;
  void *in, *out;
} bench_t;

static void set(bench_t *b, const char *name, uint64_t value) {
  nocturne_field_set(nocturne_unit_field(b->unit, NocturneIn, name), b->in, 0, value);
}

static uint64_t get(bench_t *b, const char *name) {
  return nocturne_field_get(nocturne_unit_field(b->unit, NocturneOut, name), b->out, 0);
}

// A group of two opaque draws: op (start, draw, end), kind (opaque), triangles.
static const struct {
  uint32_t op, kind, count;
} Commands[] = {{0, 1, 0}, {1, 1, 100}, {1, 1, 20}, {2, 1, 0}};
enum { CommandCount = sizeof Commands / sizeof *Commands, Cycles = 20 };

static bool play(bench_t *b, nocturne_error_t *error) {
  uint32_t sent = 0;
  nocturne_unit_reset(b->unit, b->out);
  set(b, "piece_ready", 0xf);
  for (uint32_t cycle = 0; cycle < Cycles; cycle++) {
    const uint64_t pieces = get(b, "piece_valid"), ready = get(b, "cmd_ready");
    if (pieces) {
      printf("cycle %2u: to GPUs %#llx, draw %llu, %llu triangles\n", cycle,
             (unsigned long long)pieces, (unsigned long long)get(b, "piece_id"),
             (unsigned long long)get(b, "piece_count"));
    }
    set(b, "cmd_valid", sent < CommandCount);
    if (sent < CommandCount) {
      set(b, "cmd_op", Commands[sent].op);
      set(b, "cmd_kind", Commands[sent].kind);
      set(b, "cmd_count", Commands[sent].count);
      set(b, "cmd_id", sent);
    }
    sent += sent < CommandCount && ready;
    if (nocturne_unit_step(b->unit, b->in, b->out, error) != NocturneOk) {
      return false;
    }
  }
  return true;
}

int main(int argc, char **argv) {
  nocturne_error_t error;
  bench_t b = {.unit = nocturne_unit_create("draw_scheduler", "NumGpus=4",
                                            argc > 1 ? argv[1] : "golden", 1, NULL, &error)};
  bool ok = b.unit;
  if (ok) {
    b.in = calloc(1, nocturne_unit_size(b.unit, NocturneIn));
    b.out = calloc(1, nocturne_unit_size(b.unit, NocturneOut));
    ok = b.in && b.out && play(&b, &error);
  }
  if (!ok) {
    fprintf(stderr, "unit: %s\n", error.text);
  }
  free(b.in);
  free(b.out);
  nocturne_unit_destroy(b.unit);
  return ok ? 0 : 1;
}
