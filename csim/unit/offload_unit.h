// Vocabulary of the offloading unit (A-TFIM, V-D): a GPU's texture units on one side, the
// link to the cube on the other. The cycle contract is docs/units/offload_unit.md. The
// payload of a stream is read, or not 0, only while its valid is true. Bit u of a 64-bit
// mask stands for texture unit u.
#ifndef NOCTURNE_UNIT_OFFLOAD_UNIT_H
#define NOCTURNE_UNIT_OFFLOAD_UNIT_H

#include "atfim_package.h"
#include "unit.h"

enum {
  OffloadUnitMaxUnits = 64,
  OffloadUnitRequestWords = 9,  // words 1 to 9 of a package
};

typedef struct {
  uint32_t units;  // texture units, 1 to 64
  uint32_t slots;  // unanswered requests of a unit: powers of two, 1 to 32
  uint32_t count_width;  // bits of a counter, 10 to 48; they wrap
  bool observe;          // false: no counters; peeks and the state of the slots show 0
} offload_unit_params_t;

typedef enum {
  OffloadUnitErrorNone, OffloadUnitErrorResponse, OffloadUnitErrorReissue,
} offload_unit_error_e;

// What peek_index names.
typedef enum {
  OffloadUnitRequests, OffloadUnitPackages, OffloadUnitResponses, OffloadUnitDropped,
  OffloadUnitCounters,
} offload_unit_counter_e;

typedef struct {
  uint64_t request_valid;
  uint32_t request[OffloadUnitMaxUnits][OffloadUnitRequestWords];

  bool reissue_valid;
  uint8_t reissue_epoch;

  bool package_ready;

  bool response_valid;
  uint32_t response[AtfimResponseWords];

  uint64_t answer_ready;

  bool peek_valid;
  uint8_t peek_index;  // offload_unit_counter_e
} offload_unit_in_t;

typedef struct {
  bool quiescent;
  uint8_t error;  // offload_unit_error_e, sticky

  uint64_t request_ready;
  uint8_t request_slot[OffloadUnitMaxUnits];  // that the unit's next request gets

  bool package_valid;
  uint32_t package[AtfimPackageWords];

  bool response_ready;

  uint64_t answer_valid;  // one bit at most; one payload for all units
  uint8_t answer_slot;
  uint8_t answer_mask, answer_failed;
  bool answer_refused;
  uint32_t answer_texel[AtfimParents];

  uint64_t peek_data;  // the answer to the last peek
} offload_unit_out_t;

// The slots, whole: bit s of entry u is unit u's slot s. One in none of the three is
// answered, its answer not yet taken.
typedef struct {
  uint32_t free[OffloadUnitMaxUnits];
  uint32_t pending[OffloadUnitMaxUnits];
  uint32_t waiting[OffloadUnitMaxUnits];
  uint8_t epoch;
} offload_unit_state_t;

typedef struct {
  void *self;
  unit_status_e (*step)(void *self, const offload_unit_in_t *in, offload_unit_out_t *out);
  // Returns to the documented reset state; out gets its outputs.
  void (*reset)(void *self, offload_unit_out_t *out);
  void (*observe)(void *self, offload_unit_state_t *state);
} offload_unit_t;

#endif
