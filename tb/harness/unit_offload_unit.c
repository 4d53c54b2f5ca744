// The offloading unit for the harness: its fields and its RTL parameters.
#include <stdlib.h>

#include "csim/golden/offload_unit_golden.h"
#include "lockstep.h"

enum { DimUnits = UnitDim, DimWords, DimSlots, DimCounter };  // words of the requests of all units

#define IN(f, bits) UNIT_BITS(offload_unit_in_t, f, bits)
#define OUT(f, bits) UNIT_BITS(offload_unit_out_t, f, bits)
#define STATES(f) UNIT_BITS_ARRAY(offload_unit_state_t, f, DimSlots, DimUnits)
#define OUTS(f, bits, n) UNIT_BITS_ARRAY(offload_unit_out_t, f, bits, n)

static const unit_field_t InFields[] = {
    IN(request_valid, DimUnits),
    {"request", offsetof(offload_unit_in_t, request), sizeof(uint32_t),
     OffloadUnitMaxUnits * OffloadUnitRequestWords, 32, DimWords},
    IN(reissue_valid, 1), IN(reissue_epoch, 8), IN(package_ready, 1), IN(response_valid, 1),
    UNIT_BITS_ARRAY(offload_unit_in_t, response, 32, AtfimResponseWords),
    IN(answer_ready, DimUnits), IN(peek_valid, 1), IN(peek_index, 8), {0}};
static const unit_field_t OutFields[] = {
    OUT(quiescent, 1), OUT(error, 4), OUT(request_ready, DimUnits), OUTS(request_slot, 5, DimUnits),
    OUT(package_valid, 1), OUTS(package, 32, AtfimPackageWords), OUT(response_ready, 1),
    OUT(answer_valid, DimUnits), OUT(answer_slot, 5), OUT(answer_mask, 8), OUT(answer_failed, 8),
    OUT(answer_refused, 1), OUTS(answer_texel, 32, AtfimParents), OUT(peek_data, DimCounter), {0}};
static const unit_field_t StateFields[] = {
    STATES(free), STATES(pending), STATES(waiting), UNIT_BITS(offload_unit_state_t, epoch, 8), {0}};
static const unit_stream_t Streams[] = {
    {"request", false, "request_valid", "request_ready", {"request"}},
    {"package", true, "package_valid", "package_ready", {"package"}},
    {"response", false, "response_valid", "response_ready", {"response"}},
    {"answer", true, "answer_valid", "answer_ready", {"answer_"}},
    {"reissue", false, "reissue_valid", NULL, {"reissue_"}},
    {"peek", false, "peek_valid", NULL, {"peek_"}},
    {0}};
static const unit_port_t Ports[] = {
    {"answer_mask", .is_mask = true},
    {"answer_failed", .is_mask = true},
    {"error", .values = {"None", "Response", "Reissue"}},
    {0}};

static unit_status_e golden_step(void *golden, const void *in, void *out) {
  offload_unit_t *g = golden;
  return g->step(g->self, in, out);
}
static void golden_reset(void *golden, void *out) {
  offload_unit_t *g = golden;
  g->reset(g->self, out);
}
static void golden_observe(void *golden, void *state) {
  offload_unit_t *g = golden;
  g->observe(g->self, state);
}
static void golden_destroy(void *golden) {
  offload_unit_golden_destroy(golden);
  free(golden);
}

static const unit_info_t Info = {
    .name = "offload_unit", .in_size = sizeof(offload_unit_in_t),
    .out_size = sizeof(offload_unit_out_t), .state_size = sizeof(offload_unit_state_t),
    .in = InFields, .out = OutFields, .state = StateFields, .streams = Streams, .ports = Ports,
    .quiescent = offsetof(offload_unit_out_t, quiescent), .golden_step = golden_step,
    .golden_reset = golden_reset, .golden_observe = golden_observe,
    .golden_destroy = golden_destroy};

static unit_status_e step(void *self, const offload_unit_in_t *in, offload_unit_out_t *out) {
  return lockstep_step(self, in, out);
}
static void reset(void *self, offload_unit_out_t *out) { lockstep_reset(self, out); }
static void observe(void *self, offload_unit_state_t *state) { lockstep_observe(self, state); }

bool harness_offload_unit(void *context, const offload_unit_params_t *p, uint32_t instance,
                          offload_unit_t *engine, char error[HarnessErrorSize]) {
  harness_t *h = context;
  offload_unit_t *golden = NULL;
  snprintf(error, HarnessErrorSize, "out of memory, or a parameter beyond its range");
  if (harness_engine(h) != EngineRtl) {
    golden = malloc(sizeof *golden);
    if (!golden || !offload_unit_golden_create(p, golden)) {
      free(golden);
      return false;
    }
  }
  char params[256];
  snprintf(params, sizeof params, "NumTextureUnits=%u Slots=%u CountWidth=%u Observe=%d", p->units,
           p->slots, p->count_width, p->observe);
  lockstep_t *l = lockstep_create(h, &Info, instance, params, golden, error);
  const uint32_t dims[UnitMaxDims] = {p->units, p->units * OffloadUnitRequestWords, p->slots,
                                      p->count_width};
  *engine = (offload_unit_t){l, step, reset, observe};
  return l && vectors_open(l, dims, error);
}
