// Vocabulary of the child texel consolidation (A-TFIM, V-D, VII-E). The cycle contract is
// docs/units/child_consolidation.md, which also defines run, entry and slot. The payload
// of a stream is read, or not 0, only while its valid is true.
#ifndef NOCTURNE_UNIT_CHILD_CONSOLIDATION_H
#define NOCTURNE_UNIT_CHILD_CONSOLIDATION_H

#include "texel_generator.h"

typedef struct {
  uint32_t entries;     // runs: powers of two, 16 to 256
  uint32_t set_bits;    // 1 to 6
  uint32_t ways;        // 1, 2 or 4
  uint32_t line_bytes;  // 16, 32 or 64
  bool merge;           // false: each run is its own read
  uint32_t count_width;  // bits of a counter, 10 to 48; they wrap
  bool observe;          // false: no counters; peeks and reports of writes show 0
} child_consolidation_params_t;

typedef enum {
  ChildConsolidationErrorNone, ChildConsolidationErrorTake,
} child_consolidation_error_e;

// What peek_select names.
typedef enum {
  ChildConsolidationPeekEntry, ChildConsolidationPeekSlot,
  ChildConsolidationPeekCounter,  // index: child_consolidation_counter_e
  ChildConsolidationPeekTexels,   // of an entry
} child_consolidation_peek_e;

typedef enum {
  ChildConsolidationChildren, ChildConsolidationRuns, ChildConsolidationReads,
  ChildConsolidationCounters,
} child_consolidation_counter_e;

// A read of a line. Its data come back with the tag, in any order.
typedef struct {
  uint16_t tag;   // bits 7:0 slot, 10:8 generation
  uint32_t line;  // byte address / 16, 30 bits
} atfim_read_t;

// Children of a parent that the line holds.
typedef struct {
  bool is_void;  // nobody asked for the line; all other fields but last are 0
  bool last;     // of the line
  uint8_t parent;                // entry of the parent texel buffer
  uint8_t first, count;          // first child; number of children - 1
  uint8_t ratio;                 // R - 1
  uint8_t texel[AtfimMaxRatio];  // texel in the line, by child
} atfim_run_t;

typedef struct {
  bool beat_valid;
  atfim_beat_t beat;

  bool read_ready;

  bool take_valid;
  uint16_t take_tag;

  bool run_ready;

  bool peek_valid;
  uint8_t peek_select;  // child_consolidation_peek_e
  uint8_t peek_index;
} child_consolidation_in_t;

// What the last clock wrote.
typedef struct {
  bool insert_valid;
  uint8_t insert_index;  // entry
  uint8_t insert_parent, insert_first, insert_count;
  uint8_t insert_slot;
  bool insert_new;       // the slot was taken newly, with a read
  bool close_valid;
  uint8_t close_slot;
} child_consolidation_writes_t;

typedef struct {
  bool quiescent;
  uint8_t error;  // child_consolidation_error_e, sticky

  bool beat_ready;

  bool read_valid;
  atfim_read_t read;

  bool take_ready;

  bool run_valid;
  atfim_run_t run;

  child_consolidation_writes_t writes;

  uint64_t peek_data;  // the answer to the last peek
} child_consolidation_out_t;

typedef struct {
  void *self;
  unit_status_e (*step)(void *self, const child_consolidation_in_t *in,
                        child_consolidation_out_t *out);
  // Returns to the documented reset state; out gets its outputs.
  void (*reset)(void *self, child_consolidation_out_t *out);
} child_consolidation_t;

#endif
