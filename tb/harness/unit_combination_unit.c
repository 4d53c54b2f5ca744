// The combination unit for the harness: its fields and its RTL parameters.
#include <stdlib.h>

#include "csim/golden/combination_unit_golden.h"
#include "lockstep.h"

enum { DimWords = UnitDim, DimCounter };

#define INNER(type, f, part, n, bits, elements) \
  {#f "." #part, offsetof(type, f.part), sizeof(((type *)0)->f.part) / (n), n, bits, elements}
#define IN(f, bits) UNIT_BITS(combination_unit_in_t, f, bits)
#define IN_PART(f, part, bits) INNER(combination_unit_in_t, f, part, 1, bits, 1)
#define IN_PARTS(f, part, n, bits, elements) \
  INNER(combination_unit_in_t, f, part, n, bits, elements)
#define OUT(f, bits) UNIT_BITS(combination_unit_out_t, f, bits)
#define OUT_PART(f, part, bits) INNER(combination_unit_out_t, f, part, 1, bits, 1)
#define OUT_PARTS(f, part, n, bits, elements) \
  INNER(combination_unit_out_t, f, part, n, bits, elements)

static const unit_field_t InFields[] = {
    IN(epoch, 8), IN(data_valid, 1), IN_PART(data, tag, 11), IN_PART(data, epoch, 8),
    IN_PART(data, failed, 1), IN_PARTS(data, data, AtfimLineWords, 32, DimWords),
    IN(take_ready, 1), IN(run_valid, 1), IN_PART(run, is_void, 1), IN_PART(run, last, 1),
    IN_PART(run, parent, 8), IN_PART(run, first, 4), IN_PART(run, count, 4),
    IN_PART(run, ratio, 4), IN_PARTS(run, texel, AtfimMaxRatio, 4, AtfimMaxRatio),
    IN(request_valid, 1), IN_PART(request, id, 11), IN_PART(request, epoch, 8),
    IN_PART(request, mask, 8), IN_PART(request, ratio, 4), IN_PART(request, refused, 1),
    IN(parent_valid, 1), IN_PART(parent, id, 8), IN_PART(parent, failed, 1),
    IN_PARTS(parent, value, 4, 12, 4), IN(response_ready, 1), IN(peek_valid, 1),
    IN(peek_index, 8), {0}};
static const unit_field_t OutFields[] = {
    OUT(quiescent, 1), OUT(error, 4), OUT(data_ready, 1), OUT(take_valid, 1), OUT(take_tag, 11),
    OUT(run_ready, 1), OUT(update_valid, 1), OUT_PART(update, index, 8),
    OUT_PART(update, count, 4), OUT_PART(update, failed, 1), OUT_PARTS(update, sum, 4, 12, 4),
    OUT(request_ready, 1), OUT(parent_ready, 1), OUT(response_valid, 1),
    UNIT_BITS_ARRAY(combination_unit_out_t, response, 32, AtfimResponseWords), OUT(peek_data, DimCounter),
    {0}};
static const unit_field_t StateFields[] = {{0}};
static const unit_stream_t Streams[] = {
    {"data", false, "data_valid", "data_ready", {"data"}},
    {"take", true, "take_valid", "take_ready", {"take_"}},
    {"run", false, "run_valid", "run_ready", {"run"}},
    {"update", true, "update_valid", NULL, {"update"}},
    {"request", false, "request_valid", "request_ready", {"request"}},
    {"parent", false, "parent_valid", "parent_ready", {"parent"}},
    {"response", true, "response_valid", "response_ready", {"response"}},
    {"peek", false, "peek_valid", NULL, {"peek_"}},
    {0}};
static const unit_port_t Ports[] = {
    {"data.data", .port = "data_i"},
    {"run.is_void", .port = "run_void_i"},
    {"request.mask", .is_mask = true},
    {"error", .values = {"None", "Parent"}},
    {0}};

static unit_status_e golden_step(void *golden, const void *in, void *out) {
  combination_unit_t *g = golden;
  return g->step(g->self, in, out);
}
static void golden_reset(void *golden, void *out) {
  combination_unit_t *g = golden;
  g->reset(g->self, out);
}
static void golden_destroy(void *golden) {
  combination_unit_golden_destroy(golden);
  free(golden);
}

static const unit_info_t Info = {
    .name = "combination_unit", .in_size = sizeof(combination_unit_in_t),
    .out_size = sizeof(combination_unit_out_t), .state_size = 0, .in = InFields,
    .out = OutFields, .state = StateFields, .streams = Streams, .ports = Ports,
    .quiescent = offsetof(combination_unit_out_t, quiescent), .golden_step = golden_step,
    .golden_reset = golden_reset, .golden_observe = NULL, .golden_destroy = golden_destroy};

static unit_status_e step(void *self, const combination_unit_in_t *in,
                          combination_unit_out_t *out) {
  return lockstep_step(self, in, out);
}
static void reset(void *self, combination_unit_out_t *out) { lockstep_reset(self, out); }

bool harness_combination_unit(void *context, const combination_unit_params_t *p,
                              combination_unit_t *engine, char error[HarnessErrorSize]) {
  harness_t *h = context;
  combination_unit_t *golden = NULL;
  snprintf(error, HarnessErrorSize, "out of memory, or a parameter beyond its range");
  if (harness_engine(h) != EngineRtl) {
    golden = malloc(sizeof *golden);
    if (!golden || !combination_unit_golden_create(p, golden)) {
      free(golden);
      return false;
    }
  }
  char params[256];
  snprintf(params, sizeof params, "LineBytes=%u Exact=%u Requests=%u CountWidth=%u Observe=%d",
           p->line_bytes, p->exact, p->requests, p->count_width, p->observe);
  lockstep_t *l = lockstep_create(h, &Info, 0, params, golden, error);
  const uint32_t dims[UnitMaxDims] = {p->line_bytes / 4, p->count_width};
  *engine = (combination_unit_t){l, step, reset};
  return l && vectors_open(l, dims, error);
}
