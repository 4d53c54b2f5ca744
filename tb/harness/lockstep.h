// One unit instance behind an engine: what all units share. The typed files
// (unit_*.c) describe a unit by tables and forward to lockstep_step.
#ifndef NOCTURNE_HARNESS_LOCKSTEP_H
#define NOCTURNE_HARNESS_LOCKSTEP_H

#include "csim/base/rng.h"
#include "dpi/dpi_context.h"
#include "harness.h"

// A field of a unit's in, out or state struct: `count` elements of `size` bytes. `bits`
// is the width of an element in hardware and `elements` how many of them the hardware
// has, for recorded vectors; both are numbers, or UnitDim + i for the i-th dimension of
// the instance.
typedef struct {
  const char *name;
  uint32_t offset, size, count;
  uint32_t bits, elements;
} unit_field_t;

enum { UnitDim = 100000, UnitMaxDims = 16, UnitMaxValues = 16 };

#define UNIT_BITS(type, field, bits) \
  {#field, offsetof(type, field), sizeof(((type *)0)->field), 1, bits, 1}
#define UNIT_BITS_ARRAY(type, field, bits, elements)                  \
  {#field, offsetof(type, field), sizeof(((type *)0)->field[0]),      \
   sizeof(((type *)0)->field) / sizeof(((type *)0)->field[0]), bits, elements}

// One interface of a unit, for the log of its transactions. A transaction happens when
// valid and ready have a common bit; names are fields of the in or the out struct.
typedef struct {
  const char *name;
  bool is_output;         // valid and payload belong to out, ready to in; else reversed
  const char *valid;
  const char *ready;      // NULL: always taken
  const char *prefix[3];  // fields that belong to it start with one of these
} unit_stream_t;

// What a field's table leaves out: the port of a field that is named otherwise (NULL: the
// field's name with '_' for '.', and _i or _o), and the names of its values, for logs and
// waves ("" where a value has none).
typedef struct {
  const char *field, *port;
  const char *values[UnitMaxValues];  // NULL after the last
  bool is_mask;                       // waves show it in hexadecimal
} unit_port_t;

typedef struct {
  const char *name;
  size_t in_size, out_size, state_size;
  const unit_field_t *in, *out, *state;  // each ends with a NULL name
  const unit_stream_t *streams;          // likewise; NULL: no log of transactions
  const unit_port_t *ports;              // likewise; NULL: nothing to add
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
  void (*run)(void *model, const uint32_t *words, uint64_t stride, uint64_t lines);  // bare
  void (*coverage)(void *model, const char *path);  // with coverage
  char unit[64], params[256];
} rtl_model_t;

enum { LockstepLog = 256 };

// What differed first.
typedef struct {
  const char *class;
  const struct lockstep *unit;
  const unit_field_t *field;  // NULL: no field differs (an assertion)
  bool is_state;
  uint32_t index;
  uint64_t expected, actual, cycle;
} lockstep_failure_t;

typedef struct lockstep {
  harness_t *harness;
  const unit_info_t *info;
  uint32_t instance;
  void *golden;  // the typed engine, owned
  bool has_golden, has_rtl, tracing, waves_open, failed, was_quiescent;
  rtl_model_t rtl;
  dpi_context_t context;
  void *rtl_out, *rtl_state, *golden_state, *last_in, *last_out;
  uint64_t cycle;  // of the step being checked
  uint64_t steps, cycles_compared, mismatches, skips_checked, resets;
  rng_t rng;
  uint8_t *log;  // the last steps: inputs, then the outputs that followed
  uint64_t log_cycle[LockstepLog];
  uint32_t dims[UnitMaxDims];
  bool quiet;     // a failure is noted, not reported: trials of harness_shrink
  uint8_t *kept;  // inputs of the steps so far, at most keep_steps of them
  uint64_t kept_count, kept_from;  // kept_from: the first after the last reset
  lockstep_failure_t failure;  // the last one
  char params[256];
  FILE *record;
} lockstep_t;

// params: the unit's RTL parameters, "NumGpus=8 ...". golden may be NULL with the rtl
// engine; it is owned by the instance from here on.
lockstep_t *lockstep_create(harness_t *harness, const unit_info_t *info, uint32_t instance,
                            const char *params, void *golden, char error[HarnessErrorSize]);
unit_status_e lockstep_step(lockstep_t *l, const void *in, void *out);
void lockstep_reset(lockstep_t *l, void *out);
void lockstep_observe(lockstep_t *l, void *state);

// The hardware beside golden is the synthesized netlist, not the RTL.
bool lockstep_has_netlist(const lockstep_t *l);

// A field's width or number of elements in this instance.
uint32_t lockstep_dim(const lockstep_t *l, uint32_t number);
uint64_t unit_element(const void *base, const unit_field_t *field, uint32_t index);
const unit_field_t *unit_find_field(const unit_field_t *fields, const char *name);
const unit_port_t *unit_find_port(const unit_info_t *info, const char *field);  // NULL: none
// The stream with the longest prefix of the field's name, or NULL.
const unit_stream_t *unit_stream_of(const unit_info_t *info, const char *field);

// Whether its bits stand for themselves: a mask, not a number.
bool unit_is_mask(const unit_info_t *info, const unit_field_t *field);
// A value as text: its name, or decimal, or hexadecimal for masks and
// more than 32 bits.
void unit_value_text(const lockstep_t *l, const unit_field_t *field, uint64_t value, char *text,
                     size_t size);

// The log of the last LockstepLog steps: inputs, the outputs that followed (those that the inputs
// of step n met are of step n - 1, also for the first step), and the cycle.
const uint8_t *lockstep_log_in(const lockstep_t *l, uint64_t step);
const uint8_t *lockstep_log_out(const lockstep_t *l, uint64_t step);
uint64_t lockstep_log_cycle(const lockstep_t *l, uint64_t step);

engine_e harness_engine(const harness_t *harness);
lockstep_t *harness_unit(const harness_t *harness, uint32_t index);  // NULL beyond the last
const char *harness_record(const harness_t *harness);  // folder, or NULL

// Recorded vectors, tb/harness/vectors.c: one line a step or reset.
// dims: the instance's dimensions (unit_field_t); without them nothing is recorded.
bool vectors_open(lockstep_t *l, const uint32_t dims[UnitMaxDims], char error[HarnessErrorSize]);
void vectors_write(lockstep_t *l, bool is_reset, const void *in, const void *out);

bool vectors_begin(lockstep_t *l, const char *path, char error[HarnessErrorSize]);

// The log of transactions, tb/harness/transactions.c. before: the outputs that this step's
// inputs met.
void transactions_step(FILE *log, const lockstep_t *l, const void *in, const void *before);
void transactions_reset(FILE *log, const lockstep_t *l);

// Packs inputs into words, lowest first; returns how many there are (at most max).
uint32_t vectors_pack(const lockstep_t *l, const void *in, uint32_t *words, uint32_t max);

#endif
