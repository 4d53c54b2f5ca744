// The draw scheduler for the harness: its fields and its RTL parameters.
#include <stdlib.h>

#include "csim/golden/draw_scheduler_golden.h"
#include "lockstep.h"

enum { DimGpus = UnitDim, DimCount };

#define IN(f, bits) UNIT_BITS(draw_scheduler_in_t, f, bits)
#define OUT(f, bits) UNIT_BITS(draw_scheduler_out_t, f, bits)

static const unit_field_t InFields[] = {
    IN(cmd_valid, 1), IN(cmd_op, 2), IN(cmd_kind, 2), IN(policy, 2), IN(cmd_id, 32),
    IN(cmd_first, 32), IN(cmd_count, 32), IN(piece_ready, DimGpus), IN(credit, DimGpus),
    IN(progress_valid, DimGpus), UNIT_BITS_ARRAY(draw_scheduler_in_t, progress, 11, DimGpus),
    {0}};
static const unit_field_t OutFields[] = {
    OUT(cmd_ready, 1), OUT(quiescent, 1), OUT(error, 3), OUT(piece_compose, 1),
    OUT(piece_kind, 2), OUT(piece_id, 32), OUT(piece_first, 32), OUT(piece_count, 32),
    OUT(piece_valid, DimGpus), {0}};
static const unit_field_t StateFields[] = {
    UNIT_BITS_ARRAY(draw_scheduler_state_t, scheduled, DimCount, DimGpus),
    UNIT_BITS_ARRAY(draw_scheduler_state_t, processed, DimCount, DimGpus), {0}};
static const unit_stream_t Streams[] = {
    {"command", false, "cmd_valid", "cmd_ready", {"cmd_", "policy"}},
    {"piece", true, "piece_valid", "piece_ready", {"piece_"}},
    {"credit", false, "credit", NULL, {"credit"}},
    {"progress", false, "progress_valid", NULL, {"progress"}},
    {0}};
static const unit_port_t Ports[] = {
    {"cmd_op", .values = {"GroupStart", "Draw", "GroupEnd"}},
    {"cmd_kind", .values = {"Duplicated", "Opaque", "Transparent"}},
    {"piece_kind", .values = {"Duplicated", "Opaque", "Transparent"}},
    {"policy", .values = {"LeastRemaining", "RoundRobin", "DuplicateAll"}},
    {"error", .values = {"None", "Sequence", "Wrap", "Range", "Progress", "Credit"}},
    {"progress", .port = "progress_count_i"},
    {0}};

static unit_status_e golden_step(void *golden, const void *in, void *out) {
  draw_scheduler_t *g = golden;
  return g->step(g->self, in, out);
}
static void golden_reset(void *golden, void *out) {
  draw_scheduler_t *g = golden;
  g->reset(g->self, out);
}
static void golden_observe(void *golden, void *state) {
  draw_scheduler_t *g = golden;
  g->observe(g->self, state);
}
static void golden_destroy(void *golden) {
  draw_scheduler_golden_destroy(golden);
  free(golden);
}

static const unit_info_t Info = {
    .name = "draw_scheduler", .in_size = sizeof(draw_scheduler_in_t),
    .out_size = sizeof(draw_scheduler_out_t), .state_size = sizeof(draw_scheduler_state_t),
    .in = InFields, .out = OutFields, .state = StateFields, .streams = Streams, .ports = Ports,
    .quiescent = offsetof(draw_scheduler_out_t, quiescent), .golden_step = golden_step,
    .golden_reset = golden_reset, .golden_observe = golden_observe,
    .golden_destroy = golden_destroy};

static unit_status_e step(void *self, const draw_scheduler_in_t *in, draw_scheduler_out_t *out) {
  return lockstep_step(self, in, out);
}
static void reset(void *self, draw_scheduler_out_t *out) { lockstep_reset(self, out); }
static void observe(void *self, draw_scheduler_state_t *state) { lockstep_observe(self, state); }

bool harness_draw_scheduler(void *context, const draw_scheduler_params_t *p,
                            draw_scheduler_t *engine, char error[HarnessErrorSize]) {
  harness_t *h = context;
  draw_scheduler_t *golden = NULL;
  snprintf(error, HarnessErrorSize, "out of memory, or a parameter beyond its range");
  if (harness_engine(h) != EngineRtl) {
    golden = malloc(sizeof *golden);
    if (!golden || !draw_scheduler_golden_create(p, golden)) {
      free(golden);
      return false;
    }
  }
  uint64_t ones = p->count_width == 64 ? UINT64_MAX : (1ull << p->count_width) - 1;
  char params[256];
  snprintf(params, sizeof params, "NumGpus=%u CountWidth=%u Credits=%u TieLowest=%d ResetBelow=%u",
           p->gpus, p->count_width, p->credits, p->tie_lowest,
           p->reset_count ? (unsigned)(ones - p->reset_count) : 0);
  lockstep_t *l = lockstep_create(h, &Info, 0, params, golden, error);
  const uint32_t dims[UnitMaxDims] = {p->gpus, p->count_width};
  *engine = (draw_scheduler_t){l, step, reset, observe};
  return l && vectors_open(l, dims, error);
}
