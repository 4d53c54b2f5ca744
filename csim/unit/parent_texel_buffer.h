// Vocabulary of the parent texel buffer (A-TFIM, V-D, VII-E). The cycle contract is
// docs/units/parent_texel_buffer.md. The payload of a stream is read, or not 0, only while
// its valid is true. Channels are RGBA, red first.
#ifndef NOCTURNE_UNIT_PARENT_TEXEL_BUFFER_H
#define NOCTURNE_UNIT_PARENT_TEXEL_BUFFER_H

#include "texel_generator.h"

typedef struct {
  uint32_t entries;  // powers of two, 16 to 256
  bool exact;        // 12 bits a channel; false: the paper's 8
  bool observe;      // false: peeks and reports of writes show 0
} parent_texel_buffer_params_t;

typedef enum {
  ParentTexelBufferErrorNone, ParentTexelBufferErrorAlloc, ParentTexelBufferErrorUpdate,
} parent_texel_buffer_error_e;

// Children to add to a parent.
typedef struct {
  uint8_t index;    // entry
  uint8_t count;    // number of children - 1
  bool failed;      // their read failed
  uint16_t sum[4];  // 12 bits each
} atfim_update_t;

// A completed parent.
typedef struct {
  uint8_t id;
  bool failed;
  uint16_t value[4];
} atfim_parent_t;

typedef struct {
  bool alloc_valid;
  atfim_alloc_t alloc;

  bool update_valid;
  atfim_update_t update;

  bool parent_ready;

  bool peek_valid;
  uint8_t peek_index;
} parent_texel_buffer_in_t;

// What the last clock wrote; the word is laid out in the contract.
typedef struct {
  bool alloc_valid;
  uint8_t alloc_index;
  uint8_t alloc_id, alloc_ratio;
  bool update_valid;
  uint8_t update_index;
  uint64_t update_word;
} parent_texel_buffer_writes_t;

typedef struct {
  bool quiescent;
  uint8_t error;  // parent_texel_buffer_error_e, sticky

  bool parent_valid;
  atfim_parent_t parent;

  parent_texel_buffer_writes_t writes;

  uint64_t peek_data;  // the answer to the last peek
} parent_texel_buffer_out_t;

typedef struct {
  void *self;
  unit_status_e (*step)(void *self, const parent_texel_buffer_in_t *in,
                        parent_texel_buffer_out_t *out);
  // Returns to the documented reset state; out gets its outputs.
  void (*reset)(void *self, parent_texel_buffer_out_t *out);
} parent_texel_buffer_t;

#endif
