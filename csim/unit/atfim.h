// Vocabulary of A-TFIM in the cube's logic layer (A-TFIM, V, Fig. 9): texel generator,
// child consolidation, parent texel buffer and combination unit joined. The cycle contract
// is docs/units/atfim.md. The payload of a stream is read, or not 0, only while its valid
// is true.
#ifndef NOCTURNE_UNIT_ATFIM_H
#define NOCTURNE_UNIT_ATFIM_H

#include "combination_unit.h"

typedef struct {
  uint32_t descriptors;     // textures in the table: powers of two, 2 to 65536
  uint32_t parent_entries;  // powers of two, 16 to 256
  uint32_t run_entries;     // powers of two, 16 to 256
  uint32_t set_bits, ways;  // of the consolidation: 1 to 6; 1, 2 or 4
  uint32_t line_bytes;      // 16, 32 or 64
  uint32_t requests;        // packages in process: powers of two, 2 to 256
  bool merge;               // false: no two runs share a read
  bool exact;               // 12 bits a channel; false: the paper's 8
  uint32_t count_width;     // bits of a counter, 10 to 48; they wrap
  bool observe;             // false: no counters; peeks and reports of writes show 0
} atfim_params_t;

// The paper's configuration (Table I, V-D, VII-E) with the exact accumulator.
static inline atfim_params_t atfim_defaults(void) {
  return (atfim_params_t){
    .descriptors = 1024, .parent_entries = 256, .run_entries = 256, .set_bits = 6, .ways = 4,
    .line_bytes = 64, .requests = 64, .merge = true, .exact = true, .count_width = 48,
    .observe = true,
  };
}

// What peek_unit names.
typedef enum {
  AtfimPeekGenerator, AtfimPeekConsolidation, AtfimPeekBuffer, AtfimPeekCombination,
} atfim_peek_e;

typedef struct {
  uint8_t epoch;  // constant from one reset to the next

  bool descriptor_valid;
  atfim_descriptor_t descriptor;

  bool package_valid;
  uint32_t package[AtfimPackageWords];

  bool child_read_ready;

  bool child_data_valid;
  atfim_data_t child_data;

  bool response_ready;

  bool peek_valid;
  uint8_t peek_unit;    // atfim_peek_e
  uint8_t peek_select;  // as in the unit
  uint16_t peek_index;
} atfim_in_t;

typedef struct {
  bool quiescent;
  uint16_t error;  // 4 bits each, sticky: generator (lowest), consolidation, buffer, combination

  bool package_ready;

  bool child_read_valid;
  atfim_read_t child_read;

  bool child_data_ready;

  bool response_valid;
  uint32_t response[AtfimResponseWords];

  child_consolidation_writes_t consolidation_writes;
  parent_texel_buffer_writes_t buffer_writes;

  uint64_t peek_data;  // the answer to the last peek
} atfim_out_t;

typedef struct {
  void *self;
  unit_status_e (*step)(void *self, const atfim_in_t *in, atfim_out_t *out);
  // Returns to the documented reset state; out gets its outputs.
  void (*reset)(void *self, atfim_out_t *out);
} atfim_t;

#endif
