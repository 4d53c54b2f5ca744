// The log of transactions: a line for each, the same from golden and RTL, so that two runs are
// compared with diff. It holds what the machine saw and nothing of the engine.
//
//   CYCLE UNIT.INSTANCE STREAM[LANE] FIELD=VALUE ...
//   CYCLE UNIT.INSTANCE reset
//
// LANE where the stream's valid has several bits: the GPU. Single fields are a name, decimal, or
// hexadecimal (masks, more than 32 bits); arrays are hexadecimal, the first element first.
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lockstep.h"

// lanes 1: the whole payload; more: the part of each array that belongs to the lane.
static void put_payload(FILE *f, const lockstep_t *l, const unit_stream_t *s, const void *base,
                        uint32_t lane, uint32_t lanes) {
  const unit_field_t *fields = s->is_output ? l->info->out : l->info->in;
  for (const unit_field_t *field = fields; field->name; field++) {
    if (unit_stream_of(l->info, field->name) != s || strcmp(field->name, s->valid) == 0 ||
        (s->ready && strcmp(field->name, s->ready) == 0)) {
      continue;
    }
    uint32_t elements = lockstep_dim(l, field->elements), first = 0;
    if (elements == 0) {
      elements = field->count;
    }
    // Arrays as long as there are lanes, or a multiple, are by lane; those of a fixed length not.
    bool by_lane = lanes > 1 && field->elements >= UnitDim && elements % lanes == 0;
    uint32_t count = by_lane ? elements / lanes : elements;
    first = by_lane ? lane * count : 0;
    fprintf(f, " %s=", field->name);
    if (count == 1) {
      char text[64];
      unit_value_text(l, field, unit_element(base, field, first), text, sizeof text);
      fputs(text, f);
    }
    for (uint32_t i = 0; i < count && count > 1; i++) {
      fprintf(f, "%s%" PRIx64, i ? "," : "", unit_element(base, field, first + i));
    }
  }
}

void transactions_reset(FILE *f, const lockstep_t *l) {
  fprintf(f, "%" PRIu64 " %s.%u reset\n", l->cycle, l->info->name, l->instance);
}

void transactions_step(FILE *f, const lockstep_t *l, const void *in, const void *before) {
  const unit_info_t *info = l->info;
  for (const unit_stream_t *s = info->streams; s && s->name; s++) {
    const void *ours = s->is_output ? before : in, *theirs = s->is_output ? in : before;
    const unit_field_t *valid = unit_find_field(s->is_output ? info->out : info->in, s->valid);
    const unit_field_t *ready =
        s->ready ? unit_find_field(s->is_output ? info->in : info->out, s->ready) : NULL;
    if (!valid) {
      continue;
    }
    uint64_t bits = unit_element(ours, valid, 0);
    bits &= ready ? unit_element(theirs, ready, 0) : UINT64_MAX;
    uint32_t lanes = lockstep_dim(l, valid->bits);
    for (uint32_t lane = 0; bits; lane++, bits >>= 1) {
      if (bits & 1) {
        fprintf(f, "%" PRIu64 " %s.%u %s", l->cycle, info->name, l->instance, s->name);
        if (lanes > 1) {
          fprintf(f, "[%u]", lane);
        }
        put_payload(f, l, s, ours, lane, lanes);
        putc('\n', f);
      }
    }
  }
}
