// Vocabulary of the texel generator (A-TFIM, V-D). The cycle contract is
// docs/units/texel_generator.md. The payload of a stream is read, or not 0, only while its
// valid is true.
#ifndef NOCTURNE_UNIT_TEXEL_GENERATOR_H
#define NOCTURNE_UNIT_TEXEL_GENERATOR_H

#include "atfim_package.h"
#include "unit.h"

typedef struct {
  uint32_t descriptors;  // powers of two, 2 to 65536
  uint32_t entries;      // of the parent texel buffer: powers of two, 16 to 256
  uint32_t line_bytes;   // 16, 32 or 64
  uint32_t count_width;  // bits of a counter, 10 to 48; they wrap
  bool observe;          // false: no counters; peeks show 0
} texel_generator_params_t;

typedef enum {
  TexelGeneratorErrorNone, TexelGeneratorErrorPackage, TexelGeneratorErrorDescriptor,
  TexelGeneratorErrorCredit,
} texel_generator_error_e;

// What peek_select names.
typedef enum {
  TexelGeneratorPeekDescriptor,  // index: descriptor
  TexelGeneratorPeekCounter,     // index: texel_generator_counter_e
} texel_generator_peek_e;

typedef enum {
  TexelGeneratorPackages, TexelGeneratorRefused, TexelGeneratorDropped, TexelGeneratorParents,
  TexelGeneratorChildren, TexelGeneratorCounters,
} texel_generator_counter_e;

// A write of the descriptor table.
typedef struct {
  uint16_t index;
  uint32_t base;           // byte address / 4096, 22 bits
  uint16_t width, height;  // texels of level 0, 1 to 8192
  uint8_t wrap_x, wrap_y;  // atfim_wrap_e
} atfim_descriptor_t;

// One per package, for the combination unit.
typedef struct {
  uint16_t id;
  uint8_t epoch;
  uint8_t mask;
  uint8_t ratio;  // R - 1
  bool refused;
} atfim_request_t;

// Reserves an entry of the parent texel buffer.
typedef struct {
  uint8_t index;  // entry
  uint8_t id;     // low 5 bits of the request's sequence, number of the parent below
  uint8_t ratio;  // R - 1
} atfim_alloc_t;

// The children of one parent.
typedef struct {
  uint8_t parent;                 // entry of the parent texel buffer
  uint8_t ratio;                  // R - 1
  uint32_t line[AtfimMaxRatio];   // byte address / 16 of the line, 30 bits
  uint8_t texel[AtfimMaxRatio];   // texel in the line
} atfim_beat_t;

typedef struct {
  uint8_t epoch;  // constant from one reset to the next

  bool descriptor_valid;
  atfim_descriptor_t descriptor;

  bool package_valid;
  uint32_t package[AtfimPackageWords];

  bool request_ready;
  bool parent_free;  // an entry of the parent texel buffer came free
  bool beat_ready;

  bool peek_valid;
  uint8_t peek_select;  // texel_generator_peek_e
  uint16_t peek_index;
} texel_generator_in_t;

typedef struct {
  bool quiescent;
  uint8_t error;  // texel_generator_error_e, sticky

  bool package_ready;

  bool request_valid;
  atfim_request_t request;

  bool alloc_valid;
  atfim_alloc_t alloc;

  bool beat_valid;
  atfim_beat_t beat;

  uint64_t peek_data;  // the answer to the last peek
} texel_generator_out_t;

typedef struct {
  void *self;
  unit_status_e (*step)(void *self, const texel_generator_in_t *in, texel_generator_out_t *out);
  // Returns to the documented reset state; out gets its outputs.
  void (*reset)(void *self, texel_generator_out_t *out);
} texel_generator_t;

#endif
