// SPDX-License-Identifier: Apache-2.0
// A unit as tables, written from its page (NAME_table.c): fields, streams, parameters, and its
// typed engine behind functions without types. Comparison, vectors, waves, reports and random
// stimulus know units by these tables only.
#ifndef NOCTURNE_UNIT_TABLE_H
#define NOCTURNE_UNIT_TABLE_H

#include "csim/base/err.h"
#include "unit.h"

enum {
  UnitDim = 1 << 30,  // numbers from here on are dimensions, see unit_field_t
  UnitMaxDims = 32,
  UnitParamsText = 512,
};

typedef enum {
  UnitRoleQuiescent,
  UnitRoleError,
  UnitRolePin,
  UnitRoleValid,
  UnitRoleReady,
  UnitRolePayload,
  UnitRoleBack,
  UnitRolePeekValid,
  UnitRolePeekInput,
  UnitRolePeekData,
  UnitRoleState,
} unit_role_e;

// A field of a unit's in, out or state struct: `count` elements of `size` bytes. `bits` is the
// width of an element in hardware and `elements` how many of them the hardware has; both are
// numbers, or UnitDim + i for the i-th dimension of the instance.
typedef struct {
  const char *name;  // "beat.pieces.mask"
  uint32_t offset, size, count;
  uint32_t bits, elements;
  const char *port;           // "beat_mask_i"
  const char *const *values;  // names of the values, NULL after the last; NULL: none
  unit_role_e role;
  int32_t stream;     // index into the streams, -1: of none
  uint32_t per_lane;  // elements of a lane; 0: all lanes have these
  bool is_mask;       // each bit stands for itself: shown in hexadecimal
  bool is_constant;   // a pin: may change with a reset only
  uint32_t limit;     // of an index into a table: it is below; a number or UnitDim + i; 0: none
} unit_field_t;

// A transaction happens when valid and ready have a common bit; names are fields of the in or
// the out struct.
typedef struct {
  const char *name;
  bool is_output;  // valid and payload belong to out, ready to in; else reversed
  bool is_event;   // an observation: nobody waits for it
  const char *valid;
  const char *ready;  // NULL: always taken
  uint32_t lanes;     // bits of valid and ready, a number or UnitDim + i
} unit_stream_t;

// A value of peek_select: `limit` indices, a number or UnitDim + i.
typedef struct {
  const char *name;
  uint32_t limit;
} unit_peek_t;

// A named parameter set.
typedef struct {
  const char *name;
  const void *params;
} unit_set_t;

typedef struct {
  const char *name;  // of the member
  const char *rtl;   // of the parameter of the hardware's top
  uint32_t offset, size;
  int64_t low, high;
  const int64_t *of;  // the only values allowed, `of_count` of them, or NULL
  uint32_t of_count;
  bool power_of_two;
  const char *const *values;
} unit_param_t;

// An engine without types: what stands behind a unit's typed engine, or is called through one.
typedef struct {
  void *self;
  unit_status_e (*step)(void *self, const void *in, void *out);
  void (*reset)(void *self, void *out);
  void (*observe)(void *self, void *state);  // not called for units without state
} unit_engine_t;

typedef struct {
  const char *name;
  uint64_t page;  // hash of the page that this was written from
  size_t in_size, out_size, state_size, params_size, engine_size;
  const unit_field_t *in, *out, *state;  // each ends with a NULL name
  const unit_stream_t *streams;          // likewise
  const unit_peek_t *peeks;              // likewise; empty without peek_select
  const unit_param_t *params;            // likewise
  const void *defaults;                  // of the parameters
  const unit_set_t *sets;                // each ends with a NULL name
  const uint8_t *random_sets;            // indices of sets from which a seed chooses one
  uint32_t random_count;
  size_t quiescent;  // offset in out
  void (*dims)(const void *params, uint32_t dims[UnitMaxDims]);
  // A typed engine (NAME_t), called without types; observe is NULL without state.
  unit_status_e (*step)(void *typed, const void *in, void *out);
  void (*reset)(void *typed, void *out);
  void (*observe)(void *typed, void *state);
  // Makes `typed` a typed engine that calls `engine`, which must outlive it.
  void (*bind)(void *typed, const unit_engine_t *engine);
  // Sets the bytes of the structs that are members, and clears the padding.
  void (*members)(void *in, void *out, void *state);
} unit_info_t;

struct stimulus_unit;

// A unit with its golden model and its random stimulus.
typedef struct {
  const unit_info_t *info;
  // Fills a typed engine; false: out of memory or a parameter out of range.
  bool (*create)(const void *params, void *typed);
  void (*destroy)(void *typed);
  const struct stimulus_unit *stimulus;  // of its own, if linked in; or NULL
} unit_model_t;

// A field's width or number of elements under the dimensions of an instance.
static inline uint32_t unit_dim(const uint32_t dims[UnitMaxDims], uint32_t number) {
  return number >= UnitDim ? dims[number - UnitDim] : number;
}

uint64_t unit_element(const void *base, const unit_field_t *field, uint32_t index);
void unit_set_element(void *base, const unit_field_t *field, uint32_t index, uint64_t value);
const unit_field_t *unit_find_field(const unit_field_t *fields, const char *name);
// The stream that a field of in or out belongs to, or NULL.
const unit_stream_t *unit_stream_of(const unit_info_t *info, const char *field);

// A value as text: its name, or decimal, or hexadecimal for masks and more than 32 bits.
void unit_value_text(const uint32_t dims[UnitMaxDims], const unit_field_t *field, uint64_t value,
                     char *text, size_t size);

// Parameters as the hardware takes them, "NumGpus=8 CountWidth=64 ...".
void unit_params_text(const unit_info_t *info, const void *params, char text[UnitParamsText]);
// The reverse; what is not named keeps its default. False with one line in error.
bool unit_params_read(const unit_info_t *info, const char *text, void *params, err_t *err);
// The parameters of a named set; NULL: the unit has no such set.
const void *unit_set_params(const unit_info_t *info, const char *name);

// Returns true if every parameter is in its range; one line in error if not.
bool unit_params_allowed(const unit_info_t *info, const void *params, err_t *err);

// Returns true if every byte of in, out and state is in a field of the tables or is padding: what
// is in none would not be compared. One line in error if not.
bool unit_is_covered(const unit_info_t *info, err_t *err);

// ---- For the generated files ----

// Sets the bytes of *s that are members, and clears the padding. A compiler that can't tell them
// apart clears all: unit_is_covered then finds nothing.
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
#define UNIT_MEMBERS(s) (memset((s), 0xff, sizeof *(s)), __builtin_clear_padding(s))
#endif
#endif
#ifndef UNIT_MEMBERS
#define UNIT_MEMBERS(s) memset((s), 0, sizeof *(s))
#endif

static inline uint64_t unit_min(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t unit_max(uint64_t a, uint64_t b) { return a > b ? a : b; }
static inline uint64_t unit_clog2(uint64_t n) {
  uint64_t bits = 0;
  while (bits < 62 && 1ull << bits < n) {
    bits++;
  }
  return bits;
}

#endif
