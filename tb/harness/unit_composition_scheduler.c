// The composition scheduler for the harness: its fields and its RTL parameters.
#include <stdlib.h>

#include "csim/golden/composition_scheduler_golden.h"
#include "lockstep.h"

enum { DimGpus = UnitDim, DimIndex };

#define IN(f, bits) UNIT_BITS(composition_scheduler_in_t, f, bits)
#define OUT(f, bits) UNIT_BITS(composition_scheduler_out_t, f, bits)
#define STATE(f, bits) UNIT_BITS(composition_scheduler_state_t, f, bits)
#define STATES(f, bits) UNIT_BITS_ARRAY(composition_scheduler_state_t, f, bits, DimGpus)

static const unit_field_t InFields[] = {
    IN(message_valid, DimGpus), UNIT_BITS_ARRAY(composition_scheduler_in_t, message, 2, DimGpus),
    IN(start_ready, 1), IN(release_ready, DimGpus), {0}};
static const unit_field_t OutFields[] = {
    OUT(quiescent, 1), OUT(error, 3), OUT(start_valid, 1), OUT(start_front, 1),
    OUT(start_source, DimIndex), OUT(start_destination, DimIndex), OUT(start_cgid, 8),
    OUT(release_valid, DimGpus), {0}};
static const unit_field_t StateFields[] = {
    STATES(cgid, 8), STATE(ready, DimGpus), STATE(receiving, DimGpus), STATE(sending, DimGpus),
    STATES(sent, DimGpus), STATES(received, DimGpus), {0}};
static const unit_stream_t Streams[] = {
    {"message", false, "message_valid", NULL, {"message"}},
    {"start", true, "start_valid", "start_ready", {"start_"}},
    {"release", true, "release_valid", "release_ready", {"release_"}},
    {0}};
static const unit_port_t Ports[] = {
    {"message", .port = "message_op_i", .values = {"ReadyOpaque", "ReadyTransparent", "Done"}},
    {"error", .values = {"None", "Message", "Ready", "Done", "Kind"}},
    {0}};

static unit_status_e golden_step(void *golden, const void *in, void *out) {
  composition_scheduler_t *g = golden;
  return g->step(g->self, in, out);
}
static void golden_reset(void *golden, void *out) {
  composition_scheduler_t *g = golden;
  g->reset(g->self, out);
}
static void golden_observe(void *golden, void *state) {
  composition_scheduler_t *g = golden;
  g->observe(g->self, state);
}
static void golden_destroy(void *golden) {
  composition_scheduler_golden_destroy(golden);
  free(golden);
}

static const unit_info_t Info = {
    .name = "composition_scheduler", .in_size = sizeof(composition_scheduler_in_t),
    .out_size = sizeof(composition_scheduler_out_t),
    .state_size = sizeof(composition_scheduler_state_t), .in = InFields, .out = OutFields,
    .state = StateFields, .streams = Streams, .ports = Ports,
    .quiescent = offsetof(composition_scheduler_out_t, quiescent),
    .golden_step = golden_step, .golden_reset = golden_reset, .golden_observe = golden_observe,
    .golden_destroy = golden_destroy};

static unit_status_e step(void *self, const composition_scheduler_in_t *in,
                          composition_scheduler_out_t *out) {
  return lockstep_step(self, in, out);
}
static void reset(void *self, composition_scheduler_out_t *out) { lockstep_reset(self, out); }
static void observe(void *self, composition_scheduler_state_t *state) {
  lockstep_observe(self, state);
}

bool harness_composition_scheduler(void *context, const composition_scheduler_params_t *p,
                                   composition_scheduler_t *engine, char error[HarnessErrorSize]) {
  harness_t *h = context;
  composition_scheduler_t *golden = NULL;
  snprintf(error, HarnessErrorSize, "out of memory, or a parameter beyond its range");
  if (harness_engine(h) != EngineRtl) {
    golden = malloc(sizeof *golden);
    if (!golden || !composition_scheduler_golden_create(p, golden)) {
      free(golden);
      return false;
    }
  }
  char params[128];
  snprintf(params, sizeof params, "NumGpus=%u LowestFirst=%d", p->gpus, p->lowest_first);
  lockstep_t *l = lockstep_create(h, &Info, 0, params, golden, error);
  uint32_t index_bits = 1;
  while (1u << index_bits < p->gpus) {
    index_bits++;
  }
  const uint32_t dims[UnitMaxDims] = {p->gpus, index_bits};
  *engine = (composition_scheduler_t){l, step, reset, observe};
  return l && vectors_open(l, dims, error);
}
