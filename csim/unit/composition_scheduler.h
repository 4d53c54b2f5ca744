// Vocabulary of the image-composition scheduler (CHOPIN, IV-E, Table I). The cycle
// contract is docs/units/composition_scheduler.md. Bit g of a mask stands for GPU g.
#ifndef NOCTURNE_UNIT_COMPOSITION_SCHEDULER_H
#define NOCTURNE_UNIT_COMPOSITION_SCHEDULER_H

#include "unit.h"

typedef struct {
  uint32_t gpus;      // 2 to 64
  bool lowest_first;  // a sender's next receiver: lowest number (the authors' simulator)
                      // instead of the first after itself
} composition_scheduler_params_t;

typedef enum { CompositionReadyOpaque, CompositionReadyTransparent, CompositionDone } composition_message_e;

typedef enum {
  CompositionErrorNone, CompositionErrorMessage, CompositionErrorReady, CompositionErrorDone,
  CompositionErrorKind,
} composition_error_e;

typedef struct {
  uint64_t message_valid;
  uint8_t message[UnitMaxGpus];  // composition_message_e
  bool start_ready;
  uint64_t release_ready;
} composition_scheduler_in_t;

typedef struct {
  bool quiescent;
  uint8_t error;      // composition_error_e, sticky
  bool start_valid;
  bool start_front;   // transparent: the sender's layers lie in front of the receiver's
  uint8_t start_source, start_destination;
  uint8_t start_cgid;
  uint64_t release_valid;
} composition_scheduler_out_t;

// The paper's table, whole (Table I).
typedef struct {
  uint8_t cgid[UnitMaxGpus];
  uint64_t ready, receiving, sending;  // masks
  uint64_t sent[UnitMaxGpus];
  uint64_t received[UnitMaxGpus];
} composition_scheduler_state_t;

typedef struct {
  void *self;
  unit_status_e (*step)(void *self, const composition_scheduler_in_t *in,
                        composition_scheduler_out_t *out);
  void (*reset)(void *self, composition_scheduler_out_t *out);
  void (*observe)(void *self, composition_scheduler_state_t *state);
} composition_scheduler_t;

#endif
