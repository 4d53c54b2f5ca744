// SPDX-License-Identifier: Apache-2.0
// Shared parts of the writers of the simulator's side: how a field crosses, and its widths as text.
#ifndef NOCTURNE_DPI_GENERATE_PARTS_H
#define NOCTURNE_DPI_GENERATE_PARTS_H

#include <stdio.h>

#include "csim/unit/generate_file.h"

// The cut of the DPI calls, measured in Verilator 5.006 (docs/develop/harness.md): scalars cross in
// one get and one put, an argument each. A stream with an array has a call of its own, made only
// while it is valid.
typedef enum {
  CutNarrow,  // in get or put
  CutStream,  // in the call of its stream
  CutLane,    // in the call of a lane of its stream: more than 64 bits for each lane
  CutChange,  // an array that is always there: fetched each clock, pushed when it changes
} cut_e;

generate_fn generate_top, generate_answers, generate_vectors, generate_bare, generate_bare_access,
    generate_ports, generate_package;

enum { WidthSize = 2 * PageTextSize + 8 };  // two texts, brackets and a product sign

cut_e cut_of(const page_t *page, const page_field_t *field);
// The cut of a stream's payload; CutNarrow also for a stream without payload.
cut_e cut_of_stream(const page_t *page, const page_stream_t *stream);

// The struct that holds a stream's valid and payload, and the one that holds its ready.
const page_field_t *stream_fields(const page_t *page, const page_stream_t *stream);
// "beat_in_valid_i"; for streams with a valid.
const char *valid_port(const page_t *page, const page_stream_t *stream);

// Bits of the whole port, of its elements, its elements: SystemVerilog.
void width_text(const page_t *page, const page_field_t *field, char text[WidthSize]);
bool width_constant(const page_field_t *field, int64_t *width);
// Most bits of the whole port.
uint64_t width_max(const page_field_t *field);
// "[7:0] ", "" for a port that is always one bit and no array.
void range_text(const page_t *page, const page_field_t *field, char text[WidthSize]);
// Bits of a lane's elements.
void lane_width_text(const page_t *page, const page_field_t *field, char text[WidthSize]);

// The C type of a scalar argument, and SystemVerilog's: by the port's most bits, at most 64.
const char *c_scalar(const page_field_t *field);
const char *sv_scalar(const page_field_t *field);
uint32_t scalar_bits(const page_field_t *field);  // 1, 8, 16, 32 or 64

// "  parameter int NumGpus = 8,\n" and derived values, of the top; the list ends without a comma.
void put_parameters(FILE *file, const page_t *page, bool derived_as_ports);
// The unit's instance u_dut: every port to a net of its name.
void put_instance(FILE *file, const page_t *page);
// Each field of `in`, `out` and `state`, in this order: calls fn.
typedef void field_fn(FILE *file, const page_t *page, const page_field_t *field);
void each_port(FILE *file, const page_t *page, field_fn *fn);

// For C: a constant struct of the parameters, and where `p` points: P_NAME macros or defaults.
void put_c_parameters(FILE *file, const page_t *page);

#endif
