// SPDX-License-Identifier: Apache-2.0
// Shared parts of the writers of the C side.
#ifndef NOCTURNE_UNIT_GENERATE_PARTS_H
#define NOCTURNE_UNIT_GENERATE_PARTS_H

#include "generate_file.h"

// Writes NAME.h, NAME_table.c, and NAME_fields.h: the fields of inputs and outputs with their
// dimensions, for the proof of a unit that joins this one (tests/units/atfim/proof_part.h).
generate_fn generate_header, generate_table, generate_fields;

static inline const char *generate_c_type(const page_field_t *field) {
  return field->c_bytes == 1   ? "uint8_t"
         : field->c_bytes == 2 ? "uint16_t"
         : field->c_bytes == 4 ? "uint32_t"
                               : "uint64_t";
}

#endif
