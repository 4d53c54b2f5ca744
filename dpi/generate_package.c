// SPDX-License-Identifier: Apache-2.0
// Writes the SystemVerilog package of a unit: the codes of its description and the sizes that
// depend on no parameter.
#include <inttypes.h>
#include <string.h>

#include "generate_sides.h"

enum { NameSize = 128 };

// Bits of a code from 0 to count - 1.
static uint32_t code_bits(uint32_t count) {
  uint32_t bits = 1;
  while (bits < 32 && 1u << bits < count) {
    bits++;
  }
  return bits;
}

// The codes of errors are ErrNAME, as the contracts call them.
static void put_codes(FILE *file, const page_values_t *values) {
  char name[NameSize];
  const uint32_t bits = code_bits(values->count);
  page_camel(strcmp(values->name, "error") == 0 ? "err" : values->name, name, sizeof name);
  fprintf(file, "\n");
  for (uint32_t v = 0; v < values->count; v++) {
    fprintf(file, "  localparam logic [%u:0] %s%s = %u'd%u;\n", bits - 1, name, values->values[v],
            bits, v);
  }
}

// Bits of all elements of a field; false if they depend on a parameter.
static bool has_bits(const page_field_t *field, int64_t *bits) {
  int64_t count;
  if (!page_is_constant(field->bits, bits) || !page_is_constant(field->count, &count)) {
    return false;
  }
  *bits *= count;
  return true;
}

// Where each field of a type lies in its packed vector, the first one lowest.
static void put_type(FILE *file, const page_type_t *type) {
  char name[NameSize], field[NameSize];
  int64_t bits, at = 0;
  for (uint32_t i = 0; i < type->field_count; i++) {
    if (!has_bits(&type->fields[i], &bits)) {
      return;
    }
  }
  page_camel(type->name, name, sizeof name);
  fprintf(file, "\n  // Packed %s\n", type->name);
  for (uint32_t i = 0; i < type->field_count; i++) {
    has_bits(&type->fields[i], &bits);
    page_camel(type->fields[i].name, field, sizeof field);
    fprintf(file, "  localparam int %s%sAt = %" PRId64 ", %s%sBits = %" PRId64 ";\n", name, field,
            at, name, field, bits);
    at += bits;
  }
  fprintf(file, "  localparam int %sTotalBits = %" PRId64 ";\n", name, at);
}

void generate_package(FILE *file, const page_t *page) {
  char guard[NameSize];
  snprintf(guard, sizeof guard, "%s", page->name);
  for (char *c = guard; *c; c++) {
    *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
  }
  fprintf(file,
          "// SPDX-License-"
          "Identifier: Apache-2.0\n"
          "// Codes and sizes of %s.\n"
          "// Written from its description, page.yaml (make docs); its modules include this file.\n"
          "`ifndef %s_PKG_SV\n`define %s_PKG_SV\n\n"
          "// No module uses all of the codes.\n"
          "// verilator lint_off UNUSED\n"
          "package %s_pkg;\n",
          page->name, guard, guard, page->name);
  for (uint32_t i = 0; i < page->value_count; i++) {
    put_codes(file, &page->values[i]);
  }
  for (uint32_t i = 0; i < page->type_count; i++) {
    put_type(file, &page->types[i]);
  }
  fprintf(file, "\nendpackage\n// verilator lint_on UNUSED\n\n`endif\n");
}
