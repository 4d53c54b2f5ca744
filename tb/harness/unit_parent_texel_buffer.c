// The parent texel buffer for the harness: its fields and its RTL parameters.
#include <stdlib.h>

#include "csim/golden/parent_texel_buffer_golden.h"
#include "lockstep.h"

#define INNER(type, f, part, n, bits) \
  {#f "." #part, offsetof(type, f.part), sizeof(((type *)0)->f.part) / (n), n, bits, n}
#define IN(f, bits) UNIT_BITS(parent_texel_buffer_in_t, f, bits)
#define IN_PART(f, part, bits) INNER(parent_texel_buffer_in_t, f, part, 1, bits)
#define IN_PARTS(f, part, n, bits) INNER(parent_texel_buffer_in_t, f, part, n, bits)
#define OUT(f, bits) UNIT_BITS(parent_texel_buffer_out_t, f, bits)
#define OUT_PART(f, part, bits) INNER(parent_texel_buffer_out_t, f, part, 1, bits)
#define OUT_PARTS(f, part, n, bits) INNER(parent_texel_buffer_out_t, f, part, n, bits)

static const unit_field_t InFields[] = {
    IN(alloc_valid, 1), IN_PART(alloc, index, 8), IN_PART(alloc, id, 8), IN_PART(alloc, ratio, 4),
    IN(update_valid, 1), IN_PART(update, index, 8), IN_PART(update, count, 4),
    IN_PART(update, failed, 1), IN_PARTS(update, sum, 4, 12), IN(parent_ready, 1),
    IN(peek_valid, 1), IN(peek_index, 8), {0}};
static const unit_field_t OutFields[] = {
    OUT(quiescent, 1), OUT(error, 4), OUT(parent_valid, 1), OUT_PART(parent, id, 8),
    OUT_PART(parent, failed, 1), OUT_PARTS(parent, value, 4, 12), OUT_PART(writes, alloc_valid, 1),
    OUT_PART(writes, alloc_index, 8), OUT_PART(writes, alloc_id, 8),
    OUT_PART(writes, alloc_ratio, 4),
    OUT_PART(writes, update_valid, 1), OUT_PART(writes, update_index, 8),
    OUT_PART(writes, update_word, 63), OUT(peek_data, 63), {0}};
static const unit_field_t StateFields[] = {{0}};
static const unit_stream_t Streams[] = {
    {"alloc", false, "alloc_valid", NULL, {"alloc"}},
    {"update", false, "update_valid", NULL, {"update"}},
    {"parent", true, "parent_valid", "parent_ready", {"parent"}},
    {"alloc_write", true, "writes.alloc_valid", NULL, {"writes.alloc_"}},
    {"update_write", true, "writes.update_valid", NULL, {"writes.update_"}},
    {"peek", false, "peek_valid", NULL, {"peek_"}},
    {0}};
static const unit_port_t Ports[] = {
    {"error", .values = {"None", "Alloc", "Update"}},
    {"writes.alloc_valid", .port = "alloc_write_valid_o"},
    {"writes.alloc_index", .port = "alloc_write_index_o"},
    {"writes.alloc_id", .port = "alloc_write_id_o"},
    {"writes.alloc_ratio", .port = "alloc_write_ratio_o"},
    {"writes.update_valid", .port = "update_write_valid_o"},
    {"writes.update_index", .port = "update_write_index_o"},
    {"writes.update_word", .port = "update_write_word_o"},
    {0}};

static unit_status_e golden_step(void *golden, const void *in, void *out) {
  parent_texel_buffer_t *g = golden;
  return g->step(g->self, in, out);
}
static void golden_reset(void *golden, void *out) {
  parent_texel_buffer_t *g = golden;
  g->reset(g->self, out);
}
static void golden_destroy(void *golden) {
  parent_texel_buffer_golden_destroy(golden);
  free(golden);
}

static const unit_info_t Info = {
    .name = "parent_texel_buffer", .in_size = sizeof(parent_texel_buffer_in_t),
    .out_size = sizeof(parent_texel_buffer_out_t), .state_size = 0, .in = InFields,
    .out = OutFields, .state = StateFields, .streams = Streams, .ports = Ports,
    .quiescent = offsetof(parent_texel_buffer_out_t, quiescent), .golden_step = golden_step,
    .golden_reset = golden_reset, .golden_observe = NULL, .golden_destroy = golden_destroy};

static unit_status_e step(void *self, const parent_texel_buffer_in_t *in,
                          parent_texel_buffer_out_t *out) {
  return lockstep_step(self, in, out);
}
static void reset(void *self, parent_texel_buffer_out_t *out) { lockstep_reset(self, out); }

bool harness_parent_texel_buffer(void *context, const parent_texel_buffer_params_t *p,
                                 parent_texel_buffer_t *engine, char error[HarnessErrorSize]) {
  harness_t *h = context;
  parent_texel_buffer_t *golden = NULL;
  snprintf(error, HarnessErrorSize, "out of memory, or a parameter beyond its range");
  if (harness_engine(h) != EngineRtl) {
    golden = malloc(sizeof *golden);
    if (!golden || !parent_texel_buffer_golden_create(p, golden)) {
      free(golden);
      return false;
    }
  }
  char params[256];
  snprintf(params, sizeof params, "Entries=%u Exact=%u Observe=%d", p->entries, p->exact,
           p->observe);
  lockstep_t *l = lockstep_create(h, &Info, 0, params, golden, error);
  const uint32_t dims[UnitMaxDims] = {0};
  *engine = (parent_texel_buffer_t){l, step, reset};
  return l && vectors_open(l, dims, error);
}
