// The texel generator for the harness: its fields and its RTL parameters.
#include <stdlib.h>

#include "csim/golden/texel_generator_golden.h"
#include "lockstep.h"

#define IN(f, bits) UNIT_BITS(texel_generator_in_t, f, bits)
#define OUT(f, bits) UNIT_BITS(texel_generator_out_t, f, bits)
#define OUTS(f, bits, n) UNIT_BITS_ARRAY(texel_generator_out_t, f, bits, n)

static const unit_field_t InFields[] = {
    IN(epoch, 8), IN(descriptor_valid, 1), IN(descriptor.index, 16), IN(descriptor.base, 22),
    IN(descriptor.width, 14), IN(descriptor.height, 14), IN(descriptor.wrap_x, 2),
    IN(descriptor.wrap_y, 2), IN(package_valid, 1),
    UNIT_BITS_ARRAY(texel_generator_in_t, package, 32, AtfimPackageWords), IN(request_ready, 1),
    IN(parent_free, 1), IN(beat_ready, 1), IN(peek_valid, 1), IN(peek_select, 1),
    IN(peek_index, 16), {0}};
static const unit_field_t OutFields[] = {
    OUT(quiescent, 1), OUT(error, 4), OUT(package_ready, 1), OUT(request_valid, 1),
    OUT(request.id, 11), OUT(request.epoch, 8), OUT(request.mask, 8), OUT(request.ratio, 4),
    OUT(request.refused, 1), OUT(alloc_valid, 1), OUT(alloc.index, 8), OUT(alloc.id, 8),
    OUT(alloc.ratio, 4), OUT(beat_valid, 1), OUT(beat.parent, 8), OUT(beat.ratio, 4),
    OUTS(beat.line, 30, AtfimMaxRatio), OUTS(beat.texel, 4, AtfimMaxRatio), OUT(peek_data, 55),
    {0}};
static const unit_field_t StateFields[] = {{0}};
static const unit_stream_t Streams[] = {
    {"descriptor", false, "descriptor_valid", NULL, {"descriptor"}},
    {"package", false, "package_valid", "package_ready", {"package"}},
    {"request", true, "request_valid", "request_ready", {"request"}},
    {"alloc", true, "alloc_valid", NULL, {"alloc"}},
    {"parent_free", false, "parent_free", NULL, {"parent_free"}},
    {"beat", true, "beat_valid", "beat_ready", {"beat"}},
    {"peek", false, "peek_valid", NULL, {"peek_"}},
    {0}};
static const unit_port_t Ports[] = {
    {"descriptor.wrap_x", .values = {"Repeat", "Clamp", "Mirror"}},
    {"descriptor.wrap_y", .values = {"Repeat", "Clamp", "Mirror"}},
    {"request.mask", .is_mask = true},
    {"peek_select", .values = {"Descriptor", "Counter"}},
    {"error", .values = {"None", "Package", "Descriptor", "Credit"}},
    {0}};

static unit_status_e golden_step(void *golden, const void *in, void *out) {
  texel_generator_t *g = golden;
  return g->step(g->self, in, out);
}
static void golden_reset(void *golden, void *out) {
  texel_generator_t *g = golden;
  g->reset(g->self, out);
}
static void golden_destroy(void *golden) {
  texel_generator_golden_destroy(golden);
  free(golden);
}

static const unit_info_t Info = {
    .name = "texel_generator", .in_size = sizeof(texel_generator_in_t),
    .out_size = sizeof(texel_generator_out_t), .state_size = 0, .in = InFields, .out = OutFields,
    .state = StateFields, .streams = Streams, .ports = Ports,
    .quiescent = offsetof(texel_generator_out_t, quiescent), .golden_step = golden_step,
    .golden_reset = golden_reset, .golden_observe = NULL, .golden_destroy = golden_destroy};

static unit_status_e step(void *self, const texel_generator_in_t *in, texel_generator_out_t *out) {
  return lockstep_step(self, in, out);
}
static void reset(void *self, texel_generator_out_t *out) { lockstep_reset(self, out); }

bool harness_texel_generator(void *context, const texel_generator_params_t *p,
                             texel_generator_t *engine, char error[HarnessErrorSize]) {
  harness_t *h = context;
  texel_generator_t *golden = NULL;
  snprintf(error, HarnessErrorSize, "out of memory, or a parameter beyond its range");
  if (harness_engine(h) != EngineRtl) {
    golden = malloc(sizeof *golden);
    if (!golden || !texel_generator_golden_create(p, golden)) {
      free(golden);
      return false;
    }
  }
  char params[256];
  snprintf(params, sizeof params, "Descriptors=%u Entries=%u LineBytes=%u CountWidth=%u Observe=%d",
           p->descriptors, p->entries, p->line_bytes, p->count_width, p->observe);
  lockstep_t *l = lockstep_create(h, &Info, 0, params, golden, error);
  static const uint32_t Dims[UnitMaxDims];
  *engine = (texel_generator_t){l, step, reset};
  return l && vectors_open(l, Dims, error);
}
