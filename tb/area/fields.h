// SPDX-License-Identifier: Apache-2.0
// The fields that the papers count, and where the RTL keeps them.
#ifndef NOCTURNE_AREA_FIELDS_H
#define NOCTURNE_AREA_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "csim/base/err.h"
#include "netlist.h"

enum { AreaFieldMax = 64 };

// A field that the papers count: bits of a register or memory of the RTL.
typedef struct {
  const char *table, *field, *rtl;
  uint64_t bits;
} area_field_t;

typedef struct {
  uint32_t count;
  area_field_t field[AreaFieldMax];
  uint64_t paper_bits;  // of all fields
} area_fields_t;

// Those of a unit. False with one line in error: the RTL lacks a field.
bool area_fields(const char *unit, const netlist_t *netlist, area_fields_t *fields, err_t *err);

// Bits of a register or memory that no field of the papers claims.
uint64_t area_other_bits(const area_fields_t *fields, const netlist_storage_t *storage);

// The papers' figure for a unit's fields at its default parameters, bytes; 0: none.
double area_paper_bytes(const char *unit);

#endif
