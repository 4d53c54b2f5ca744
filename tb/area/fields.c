// SPDX-License-Identifier: Apache-2.0
#include "fields.h"

#include <string.h>

// width: the bits of an entry that the paper counts; 0: all of them.
static const struct {
  const char *unit, *table, *field, *rtl;
  uint32_t width;
} Fields[] = {
    // CHOPIN IV-D, VI-F: two 64-bit counters for each GPU
    {"draw_scheduler", "draw scheduler table", "scheduled triangles", "scheduled_q[*]", 0},
    {"draw_scheduler", "draw scheduler table", "processed triangles", "processed_q[*]", 0},
    // CHOPIN Table I, VI-F
    {"composition_scheduler", "composition scheduler table", "CGID", "cgid_q", 0},
    {"composition_scheduler", "composition scheduler table", "ready", "ready_q", 0},
    {"composition_scheduler", "composition scheduler table", "receiving", "receiving_q", 0},
    {"composition_scheduler", "composition scheduler table", "sending", "sending_q", 0},
    {"composition_scheduler", "composition scheduler table", "sent GPUs", "sent_q", 0},
    {"composition_scheduler", "composition scheduler table", "received GPUs", "received_q", 0},
    // The same table, where Sending and Receiving are counters
    {"lookahead_scheduler", "composition scheduler table", "CGID", "cgid_q", 0},
    {"lookahead_scheduler", "composition scheduler table", "ready", "ready_q", 0},
    {"lookahead_scheduler", "composition scheduler table", "sent GPUs", "sent_q", 0},
    {"lookahead_scheduler", "composition scheduler table", "received GPUs", "received_q", 0},
    // A-TFIM V-D, VII-E: of 45 bits an entry, a row of 16 parents; begun bits are others,
    // and so is the package's seen
    {"parent_texel_buffer", "parent texel buffer", "value", "value_q", 16 * 32},
    {"parent_texel_buffer", "parent texel buffer", "children that lack", "left_q", 0},
    // A-TFIM VII-E: 16 bits an entry
    {"child_consolidation", "child texel consolidation", "parent and child", "word_q", 16},
    {"atfim", "parent texel buffer", "value", "u_buffer.value_q", 16 * 32},
    {"atfim", "parent texel buffer", "children that lack", "u_buffer.left_q", 0},
    {"atfim", "child texel consolidation", "parent and child", "u_consolidation.word_q", 16},
};
enum { FieldCount = sizeof Fields / sizeof *Fields };

// Both papers state them for the defaults, which are 8 GPUs.
double area_paper_bytes(const char *unit) {
  static const struct {
    const char *unit;
    double bytes;
  } paper[] = {{"draw_scheduler", 128},
               {"composition_scheduler", 27},
               {"parent_texel_buffer", 256 * 45 / 8.0},
               {"child_consolidation", 256 * 16 / 8.0},
               {"atfim", 256 * 45 / 8.0 + 256 * 16 / 8.0}};
  for (size_t i = 0; i < sizeof paper / sizeof *paper; i++) {
    if (strcmp(paper[i].unit, unit) == 0) {
      return paper[i].bytes;
    }
  }
  return 0;
}

bool area_fields(const char *unit, const netlist_t *netlist, area_fields_t *fields, err_t *err) {
  fields->count = 0;
  fields->paper_bits = 0;
  for (size_t i = 0; i < FieldCount; i++) {
    if (strcmp(Fields[i].unit, unit) != 0) {
      continue;
    }
    const netlist_storage_t *found = NULL;
    for (uint32_t s = 0; s < netlist->storage_count; s++) {
      if (strcmp(netlist->storage[s].name, Fields[i].rtl) == 0) {
        found = &netlist->storage[s];
      }
    }
    if (!found || found->width < Fields[i].width) {
      return err_set(err, ErrCheck,
                     "%s: the RTL has no %s of %u bits, which tb/area/fields.c names",
                     Fields[i].unit, Fields[i].rtl, Fields[i].width);
    }
    area_field_t *f = &fields->field[fields->count++];
    *f = (area_field_t){Fields[i].table, Fields[i].field, Fields[i].rtl,
                        Fields[i].width ? (uint64_t)Fields[i].width * found->words : found->bits};
    fields->paper_bits += f->bits;
  }
  return true;
}

uint64_t area_other_bits(const area_fields_t *fields, const netlist_storage_t *storage) {
  for (uint32_t f = 0; f < fields->count; f++) {
    if (strcmp(fields->field[f].rtl, storage->name) == 0) {
      return storage->bits - fields->field[f].bits;
    }
  }
  return storage->bits;
}
