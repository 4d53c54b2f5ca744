// The child texel consolidation for the harness: its fields and its RTL parameters.
#include <stdlib.h>

#include "csim/golden/child_consolidation_golden.h"
#include "lockstep.h"

#define IN(f, bits) UNIT_BITS(child_consolidation_in_t, f, bits)
#define INS(f, bits) UNIT_BITS_ARRAY(child_consolidation_in_t, f, bits, AtfimMaxRatio)
#define OUT(f, bits) UNIT_BITS(child_consolidation_out_t, f, bits)
#define OUTS(f, bits, n) UNIT_BITS_ARRAY(child_consolidation_out_t, f, bits, n)
// Its port has no prefix "writes".
#define WRITE(f, bits)                                                     \
  {#f, offsetof(child_consolidation_out_t, writes.f),                      \
   sizeof(((child_consolidation_out_t *)0)->writes.f), 1, bits, 1}

static const unit_field_t InFields[] = {
    IN(beat_valid, 1), IN(beat.parent, 8), IN(beat.ratio, 4), INS(beat.line, 30),
    INS(beat.texel, 4), IN(read_ready, 1), IN(take_valid, 1), IN(take_tag, 11), IN(run_ready, 1),
    IN(peek_valid, 1), IN(peek_select, 2), IN(peek_index, 8), {0}};
static const unit_field_t OutFields[] = {
    OUT(quiescent, 1), OUT(error, 4), OUT(beat_ready, 1), OUT(read_valid, 1), OUT(read.tag, 11),
    OUT(read.line, 30), OUT(take_ready, 1), OUT(run_valid, 1), OUT(run.is_void, 1),
    OUT(run.last, 1), OUT(run.parent, 8), OUT(run.first, 4), OUT(run.count, 4), OUT(run.ratio, 4),
    OUTS(run.texel, 4, AtfimMaxRatio), WRITE(insert_valid, 1), WRITE(insert_index, 8),
    WRITE(insert_parent, 8), WRITE(insert_first, 4), WRITE(insert_count, 4), WRITE(insert_slot, 8),
    WRITE(insert_new, 1), WRITE(close_valid, 1), WRITE(close_slot, 8), OUT(peek_data, 64), {0}};
static const unit_field_t StateFields[] = {{0}};
static const unit_stream_t Streams[] = {
    {"beat", false, "beat_valid", "beat_ready", {"beat"}},
    {"insert", true, "insert_valid", NULL, {"insert_"}},
    {"read", true, "read_valid", "read_ready", {"read"}},
    {"take", false, "take_valid", "take_ready", {"take_"}},
    {"close", true, "close_valid", NULL, {"close_"}},
    {"run", true, "run_valid", "run_ready", {"run"}},
    {"peek", false, "peek_valid", NULL, {"peek_"}},
    {0}};
static const unit_port_t Ports[] = {
    {"run.is_void", .port = "run_void_o"},
    {"peek_select", .values = {"Entry", "Slot", "Counter", "Texels"}},
    {"error", .values = {"None", "Take"}},
    {0}};

static unit_status_e golden_step(void *golden, const void *in, void *out) {
  child_consolidation_t *g = golden;
  return g->step(g->self, in, out);
}
static void golden_reset(void *golden, void *out) {
  child_consolidation_t *g = golden;
  g->reset(g->self, out);
}
static void golden_destroy(void *golden) {
  child_consolidation_golden_destroy(golden);
  free(golden);
}

static const unit_info_t Info = {
    .name = "child_consolidation", .in_size = sizeof(child_consolidation_in_t),
    .out_size = sizeof(child_consolidation_out_t), .state_size = 0, .in = InFields,
    .out = OutFields, .state = StateFields, .streams = Streams, .ports = Ports,
    .quiescent = offsetof(child_consolidation_out_t, quiescent), .golden_step = golden_step,
    .golden_reset = golden_reset, .golden_observe = NULL, .golden_destroy = golden_destroy};

static unit_status_e step(void *self, const child_consolidation_in_t *in,
                          child_consolidation_out_t *out) {
  return lockstep_step(self, in, out);
}
static void reset(void *self, child_consolidation_out_t *out) { lockstep_reset(self, out); }

bool harness_child_consolidation(void *context, const child_consolidation_params_t *p,
                                 child_consolidation_t *engine, char error[HarnessErrorSize]) {
  harness_t *h = context;
  child_consolidation_t *golden = NULL;
  snprintf(error, HarnessErrorSize, "out of memory, or a parameter beyond its range");
  if (harness_engine(h) != EngineRtl) {
    golden = malloc(sizeof *golden);
    if (!golden || !child_consolidation_golden_create(p, golden)) {
      free(golden);
      return false;
    }
  }
  char params[256];
  snprintf(params, sizeof params,
           "Entries=%u SetBits=%u Ways=%u LineBytes=%u Merge=%d CountWidth=%u Observe=%d", p->entries,
           p->set_bits, p->ways, p->line_bytes, p->merge, p->count_width, p->observe);
  lockstep_t *l = lockstep_create(h, &Info, 0, params, golden, error);
  static const uint32_t Dims[UnitMaxDims];
  *engine = (child_consolidation_t){l, step, reset};
  return l && vectors_open(l, Dims, error);
}
