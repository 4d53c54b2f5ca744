// Vocabulary of the combination unit (A-TFIM, V-D). The cycle contract is
// docs/units/combination_unit.md. The payload of a stream is read, or not 0, only while its
// valid is true.
#ifndef NOCTURNE_UNIT_COMBINATION_UNIT_H
#define NOCTURNE_UNIT_COMBINATION_UNIT_H

#include "child_consolidation.h"
#include "parent_texel_buffer.h"

typedef struct {
  uint32_t line_bytes;  // 16, 32 or 64
  bool exact;           // 12 bits a channel; false: the paper's 8
  uint32_t requests;    // packages in process: powers of two, 2 to 256
  uint32_t count_width;  // bits of a counter, 10 to 48; they wrap
  bool observe;          // false: no counters; peeks show 0
} combination_unit_params_t;

typedef enum {
  CombinationUnitErrorNone, CombinationUnitErrorParent,
} combination_unit_error_e;

// What peek_index names.
typedef enum {
  CombinationUnitLines, CombinationUnitDropped, CombinationUnitVoid, CombinationUnitRuns,
  CombinationUnitChildren, CombinationUnitFailed, CombinationUnitResponses,
  CombinationUnitCounters,
} combination_unit_counter_e;

// Child data from the switch.
typedef struct {
  uint16_t tag;   // of the read
  uint8_t epoch;  // of the cube when the switch took the read
  bool failed;
  uint32_t data[AtfimLineWords];  // RGBA8 texels; words beyond line_bytes are 0
} atfim_data_t;

typedef struct {
  uint8_t epoch;  // constant from one reset to the next

  bool data_valid;
  atfim_data_t data;

  bool take_ready;

  bool run_valid;
  atfim_run_t run;

  bool request_valid;
  atfim_request_t request;

  bool parent_valid;
  atfim_parent_t parent;

  bool response_ready;

  bool peek_valid;
  uint8_t peek_index;  // combination_unit_counter_e
} combination_unit_in_t;

typedef struct {
  bool quiescent;
  uint8_t error;  // combination_unit_error_e, sticky

  bool data_ready;

  bool take_valid;
  uint16_t take_tag;

  bool run_ready;

  bool update_valid;
  atfim_update_t update;

  bool request_ready;
  bool parent_ready;

  bool response_valid;
  uint32_t response[AtfimResponseWords];

  uint64_t peek_data;  // the answer to the last peek
} combination_unit_out_t;

typedef struct {
  void *self;
  unit_status_e (*step)(void *self, const combination_unit_in_t *in,
                        combination_unit_out_t *out);
  // Returns to the documented reset state; out gets its outputs.
  void (*reset)(void *self, combination_unit_out_t *out);
} combination_unit_t;

#endif
