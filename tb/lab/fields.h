// The fields that the papers count, and where the RTL keeps them.
#ifndef NOCTURNE_AREA_FIELDS_H
#define NOCTURNE_AREA_FIELDS_H

#include "area.h"

// Fills fields, field_count and paper_bits. False with one line in error: the RTL lacks a field.
bool area_fields(area_result_t *result, char error[AreaErrorSize]);

// Bits of a register or memory that no field of the papers claims.
uint64_t area_other_bits(const area_result_t *result, const netlist_storage_t *storage);

#endif
