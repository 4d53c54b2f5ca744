#include "speed.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lockstep.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool any_valid(const unit_info_t *info, const uint8_t *in) {
  for (const unit_stream_t *s = info->streams; s && s->name; s++) {
    for (const unit_field_t *f = info->in; !s->is_output && f->name; f++) {
      uint64_t value = 0;
      if (strcmp(f->name, s->valid) == 0) {
        memcpy(&value, in + f->offset, f->size);
        if (value) {
          return true;
        }
      }
    }
  }
  return false;
}

// The machine is shared: the best of several rounds is the least disturbed one.
enum { Rounds = 5 };

static double lockstep_rate(lockstep_t *l, double seconds) {
  double best = 0;
  uint8_t *out = calloc(1, l->unit.info->out_size);
  uint64_t count = l->kept_count;
  for (int r = 0; out && r < Rounds; r++) {
    uint64_t steps = 0;
    double start = now(), spent;
    do {
      lockstep_reset(l, out);
      for (uint64_t i = 0; i < count; i++) {
        if (lockstep_step(l, l->kept + i * l->unit.info->in_size, out) != UnitOk) {
          free(out);
          return 0;
        }
      }
      steps += count;
      spent = now() - start;
    } while (spent < seconds / Rounds);
    best = (double)steps / spent > best ? (double)steps / spent : best;
  }
  free(out);
  return best;
}

static double bare_rate(lockstep_t *l, double seconds, char error[HarnessErrorSize]) {
  rtl_model_t bare = {0};
  dpi_context_t none = {0};
  bool lacking;
  double best = 0;
  if (!rtl_model_open(&bare, l->unit.info->name, l->unit.params, "bare", 1, &none, &lacking,
                      error)) {
    return 0;
  }
  void *ports = bare.ports(l->kept, l->kept_count);
  for (int r = 0; r < Rounds; r++) {
    uint64_t steps = 0;
    double start = now(), spent;
    do {
      bare.reset(bare.model, 1);
      bare.run(bare.model, ports, 0, 2);
      bare.reset(bare.model, 0);
      bare.run(bare.model, ports, 1, l->kept_count);
      steps += l->kept_count;
      spent = now() - start;
    } while (spent < seconds / Rounds);
    best = (double)steps / spent > best ? (double)steps / spent : best;
  }
  bare.ports_free(ports);
  rtl_model_close(&bare);
  return best;
}

bool speed_measure(harness_t *h, double seconds, speed_t *speed,
                   char error[HarnessErrorSize]) {
  lockstep_t *l = harness_unit(h, 0);
  snprintf(error, HarnessErrorSize, "no inputs were kept");
  if (!l || !l->kept_count) {
    return false;
  }
  uint64_t valid = 0;
  for (uint64_t i = 0; i < l->kept_count; i++) {
    valid += any_valid(l->unit.info, l->kept + i * l->unit.info->in_size);
  }
  speed->valid_share = (double)valid / (double)l->kept_count;
  speed->lockstep_hz = lockstep_rate(l, seconds);
  snprintf(error, HarnessErrorSize, "the replay failed");
  speed->bare_hz = bare_rate(l, seconds, error);
  return speed->lockstep_hz > 0 && speed->bare_hz > 0;
}
