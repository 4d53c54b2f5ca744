// One unit instance behind an engine: what all units share. The typed files
// (unit_*.c) describe a unit by tables and forward to lockstep_step.
#ifndef NOCTURNE_HARNESS_LOCKSTEP_H
#define NOCTURNE_HARNESS_LOCKSTEP_H

#include "csim/base/rng.h"
#include "dpi/dpi_context.h"
#include "harness.h"

// A field of a unit's in, out or state struct: `count` elements of `size` bytes.
typedef struct {
  const char *name;
  uint32_t offset, size, count;
} unit_field_t;

#define UNIT_FIELD(type, field) {#field, offsetof(type, field), sizeof(((type *)0)->field), 1}
#define UNIT_ARRAY(type, field)                                       \
  {#field, offsetof(type, field), sizeof(((type *)0)->field[0]),      \
   sizeof(((type *)0)->field) / sizeof(((type *)0)->field[0])}

typedef struct {
  const char *name;
  size_t in_size, out_size, state_size;
  const unit_field_t *in, *out, *state;  // each ends with a NULL name
  size_t quiescent;                      // offset in out
  unit_status_e (*golden_step)(void *golden, const void *in, void *out);
  void (*golden_reset)(void *golden, void *out);
  void (*golden_observe)(void *golden, void *state);  // NULL: no state struct
  void (*golden_destroy)(void *golden);
} unit_info_t;

// A Verilated unit in its shared object.
typedef struct {
  void *object, *model;
  void *(*create)(uint64_t seed);
  void (*destroy)(void *model);
  void (*step)(void *model, uint64_t time);
  void (*reset)(void *model, int active);
  int (*stopped)(void *model);
  int (*trace_open)(void *model, const char *path);
  void (*trace_close)(void *model);
} rtl_model_t;

enum { LockstepLog = 16 };

typedef struct lockstep {
  harness_t *harness;
  const unit_info_t *info;
  uint32_t instance;
  void *golden;  // the typed engine, owned
  bool has_golden, has_rtl, tracing, failed, was_quiescent;
  rtl_model_t rtl;
  dpi_context_t context;
  void *rtl_out, *rtl_state, *golden_state, *last_in, *last_out;
  uint64_t steps, cycles_compared, mismatches, skips_checked;
  rng_t rng;
  uint8_t *log;  // the last LockstepLog inputs, with their cycles
  uint64_t log_cycle[LockstepLog];
  FILE *record;
} lockstep_t;

// params: the unit's RTL parameters, "NumGpus=8 ...". golden may be NULL with the rtl
// engine; it is owned by the instance from here on.
lockstep_t *lockstep_create(harness_t *harness, const unit_info_t *info, uint32_t instance,
                            const char *params, void *golden, char error[HarnessErrorSize]);
unit_status_e lockstep_step(lockstep_t *l, const void *in, void *out);
void lockstep_reset(lockstep_t *l, void *out);
void lockstep_observe(lockstep_t *l, void *state);
void lockstep_destroy(lockstep_t *l);

engine_e harness_engine(const harness_t *harness);

#endif
