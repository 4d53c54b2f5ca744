// What the harness knows of a unit: the tables of its fields, streams and ports, and its golden
// model behind four functions. Look-ups in the tables.
#ifndef NOCTURNE_HARNESS_UNIT_TABLE_H
#define NOCTURNE_HARNESS_UNIT_TABLE_H

#include "csim/unit/unit.h"

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

// A field's width or number of elements under the dimensions of an instance.
static inline uint32_t unit_dim(const uint32_t dims[UnitMaxDims], uint32_t number) {
  return number >= UnitDim ? dims[number - UnitDim] : number;
}

uint64_t unit_element(const void *base, const unit_field_t *field, uint32_t index);
const unit_field_t *unit_find_field(const unit_field_t *fields, const char *name);
const unit_port_t *unit_find_port(const unit_info_t *info, const char *field);  // NULL: none
// The stream with the longest prefix of the field's name, or NULL.
const unit_stream_t *unit_stream_of(const unit_info_t *info, const char *field);

// Whether its bits stand for themselves: a mask, not a number.
bool unit_is_mask(const unit_info_t *info, const unit_field_t *field);

// A value as text: its name, or decimal, or hexadecimal for masks and more than 32 bits.
void unit_value_text(const unit_info_t *info, const uint32_t dims[UnitMaxDims],
                     const unit_field_t *field, uint64_t value, char *text, size_t size);

#endif
