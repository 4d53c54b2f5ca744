// The joined top of A-TFIM's units in the cube for the harness: its fields and its RTL
// parameters. A field is named after its port.
#include <stdlib.h>

#include "csim/golden/atfim_golden.h"
#include "lockstep.h"

#define FIELD(type, name, f, n, bits, elements) \
  {name, offsetof(type, f), sizeof(((type *)0)->f) / (n), n, bits, elements}
#define IN(f, bits) FIELD(atfim_in_t, #f, f, 1, bits, 1)
#define INS(f, n, bits, elements) FIELD(atfim_in_t, #f, f, n, bits, elements)
#define OUT(f, bits) FIELD(atfim_out_t, #f, f, 1, bits, 1)
#define OUTS(f, n, bits) FIELD(atfim_out_t, #f, f, n, bits, n)
#define RUN_WRITE(f, bits) FIELD(atfim_out_t, #f, consolidation_writes.f, 1, bits, 1)
#define PARENT_WRITE(name, f, bits) FIELD(atfim_out_t, name, buffer_writes.f, 1, bits, 1)

static const unit_field_t InFields[] = {
    IN(epoch, 8), IN(descriptor_valid, 1), IN(descriptor.index, 16), IN(descriptor.base, 22),
    IN(descriptor.width, 14), IN(descriptor.height, 14), IN(descriptor.wrap_x, 2),
    IN(descriptor.wrap_y, 2), IN(package_valid, 1),
    INS(package, AtfimPackageWords, 32, AtfimPackageWords), IN(child_read_ready, 1),
    IN(child_data_valid, 1), IN(child_data.tag, 11), IN(child_data.epoch, 8),
    IN(child_data.failed, 1), INS(child_data.data, AtfimLineWords, 32, UnitDim),
    IN(response_ready, 1), IN(peek_valid, 1), IN(peek_unit, 2), IN(peek_select, 2),
    IN(peek_index, 16), {0}};
static const unit_field_t OutFields[] = {
    OUT(quiescent, 1), OUT(error, 16), OUT(package_ready, 1), OUT(child_read_valid, 1),
    OUT(child_read.tag, 11), OUT(child_read.line, 30), OUT(child_data_ready, 1),
    OUT(response_valid, 1), OUTS(response, AtfimResponseWords, 32), RUN_WRITE(insert_valid, 1),
    RUN_WRITE(insert_index, 8), RUN_WRITE(insert_parent, 8), RUN_WRITE(insert_first, 4),
    RUN_WRITE(insert_count, 4), RUN_WRITE(insert_slot, 8), RUN_WRITE(insert_new, 1),
    RUN_WRITE(close_valid, 1), RUN_WRITE(close_slot, 8),
    PARENT_WRITE("alloc_write_valid", alloc_valid, 1),
    PARENT_WRITE("alloc_write_index", alloc_index, 8),
    PARENT_WRITE("alloc_write_id", alloc_id, 8),
    PARENT_WRITE("alloc_write_ratio", alloc_ratio, 4),
    PARENT_WRITE("update_write_valid", update_valid, 1),
    PARENT_WRITE("update_write_index", update_index, 8),
    PARENT_WRITE("update_write_word", update_word, 63), OUT(peek_data, 64), {0}};
static const unit_field_t StateFields[] = {{0}};
static const unit_stream_t Streams[] = {
    {"descriptor", false, "descriptor_valid", NULL, {"descriptor"}},
    {"package", false, "package_valid", "package_ready", {"package"}},
    {"alloc_write", true, "alloc_write_valid", NULL, {"alloc_write"}},
    {"insert", true, "insert_valid", NULL, {"insert"}},
    {"child_read", true, "child_read_valid", "child_read_ready", {"child_read"}},
    {"child_data", false, "child_data_valid", "child_data_ready", {"child_data"}},
    {"close", true, "close_valid", NULL, {"close"}},
    {"update_write", true, "update_write_valid", NULL, {"update_write"}},
    {"response", true, "response_valid", "response_ready", {"response"}},
    {"peek", false, "peek_valid", NULL, {"peek_"}},
    {0}};
static const unit_port_t Ports[] = {
    {"descriptor.wrap_x", .values = {"Repeat", "Clamp", "Mirror"}},
    {"descriptor.wrap_y", .values = {"Repeat", "Clamp", "Mirror"}},
    {"child_data.data", .port = "child_data_i"},
    {"peek_unit", .values = {"Generator", "Consolidation", "Buffer", "Combination"}},
    {0}};

static unit_status_e golden_step(void *golden, const void *in, void *out) {
  atfim_t *g = golden;
  return g->step(g->self, in, out);
}
static void golden_reset(void *golden, void *out) {
  atfim_t *g = golden;
  g->reset(g->self, out);
}
static void golden_destroy(void *golden) {
  atfim_golden_destroy(golden);
  free(golden);
}

static const unit_info_t Info = {
    .name = "atfim", .in_size = sizeof(atfim_in_t), .out_size = sizeof(atfim_out_t),
    .state_size = 0, .in = InFields, .out = OutFields, .state = StateFields,
    .streams = Streams, .ports = Ports,
    .quiescent = offsetof(atfim_out_t, quiescent), .golden_step = golden_step,
    .golden_reset = golden_reset, .golden_observe = NULL, .golden_destroy = golden_destroy};

static unit_status_e step(void *self, const atfim_in_t *in, atfim_out_t *out) {
  return lockstep_step(self, in, out);
}
static void reset(void *self, atfim_out_t *out) { lockstep_reset(self, out); }

bool harness_atfim(void *context, const atfim_params_t *p, uint32_t instance, atfim_t *engine,
                   char error[HarnessErrorSize]) {
  harness_t *h = context;
  atfim_t *golden = NULL;
  snprintf(error, HarnessErrorSize, "out of memory, or a parameter beyond its range");
  if (harness_engine(h) != EngineRtl) {
    golden = malloc(sizeof *golden);
    if (!golden || !atfim_golden_create(p, golden)) {
      free(golden);
      return false;
    }
  }
  char params[256];
  snprintf(params, sizeof params,
           "Descriptors=%u ParentEntries=%u RunEntries=%u SetBits=%u Ways=%u LineBytes=%u "
           "Requests=%u Merge=%d Exact=%d CountWidth=%u Observe=%d",
           p->descriptors, p->parent_entries, p->run_entries, p->set_bits, p->ways, p->line_bytes,
           p->requests, p->merge, p->exact, p->count_width, p->observe);
  lockstep_t *l = lockstep_create(h, &Info, instance, params, golden, error);
  const uint32_t dims[UnitMaxDims] = {p->line_bytes / 4};
  *engine = (atfim_t){l, step, reset};
  return l && vectors_open(l, dims, error);
}
