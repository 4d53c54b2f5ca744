// SPDX-License-Identifier: Apache-2.0
#include "frame_program_codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CountBytes = 2, OpBytes = 22, TextSize = 96 };

static void put16(uint8_t *to, uint16_t value) {
  to[0] = (uint8_t)value;
  to[1] = (uint8_t)(value >> 8);
}

static uint16_t get16(const uint8_t *from) { return (uint16_t)(from[0] | from[1] << 8); }

static void pack_op(const program_op_t *op, uint8_t record[OpBytes]) {
  const uint16_t words[7] = {op->dependent, op->permille, op->side, op->x0, op->y0, op->x1, op->y1};
  record[0] = op->kind;
  record[1] = op->predicate;
  record[2] = op->stage;
  record[3] = op->ref;
  for (uint32_t i = 0; i < 7; i++) {
    put16(record + 4 + 2 * i, words[i]);
  }
  frame_put32(record + 18, op->count);
}

static program_op_t unpack_op(const uint8_t record[OpBytes]) {
  return (program_op_t){.kind = record[0],
                        .predicate = record[1],
                        .stage = record[2],
                        .ref = record[3],
                        .dependent = get16(record + 4),
                        .permille = get16(record + 6),
                        .side = get16(record + 8),
                        .x0 = get16(record + 10),
                        .y0 = get16(record + 12),
                        .x1 = get16(record + 14),
                        .y1 = get16(record + 16),
                        .count = frame_get32(record + 18)};
}

bool frame_programs_encode(const program_t *programs, uint32_t count, frame_bytes_t *raw) {
  size_t ops = 0, at = 0;
  for (uint32_t i = 0; i < count; i++) {
    ops += programs[i].count;
  }
  raw->size = (size_t)count * CountBytes + ops * OpBytes;
  raw->data = malloc(raw->size ? raw->size : 1);
  if (!raw->data) {
    return false;
  }
  uint8_t *records = raw->data + (size_t)count * CountBytes;
  for (uint32_t i = 0; i < count; i++) {
    put16(raw->data + (size_t)i * CountBytes, (uint16_t)programs[i].count);
    for (uint32_t k = 0; k < programs[i].count; k++, at++) {
      uint8_t record[OpBytes];
      pack_op(&programs[i].op[k], record);
      for (size_t b = 0; b < OpBytes; b++) {
        records[b * ops + at] = record[b];
      }
    }
  }
  return true;
}

// Operations of all programs together; false with a message.
static bool count_ops(uint32_t count, const frame_bytes_t *raw, size_t *ops, err_t *err) {
  const size_t counts = (size_t)count * CountBytes;
  *ops = 0;
  for (uint32_t i = 0; raw->size >= counts && i < count; i++) {
    const uint32_t own = get16(raw->data + (size_t)i * CountBytes);
    if (own < 1 || own > ProgramMaxOps) {
      err_set(err, ErrInput, "program %u: %u operations, expected 1 to %d", i, own, ProgramMaxOps);
      return false;
    }
    *ops += own;
  }
  if (raw->size != counts + *ops * OpBytes) {
    err_set(err, ErrInput, "%zu bytes unpacked, expected %zu", raw->size, counts + *ops * OpBytes);
    return false;
  }
  return true;
}

bool frame_programs_decode(program_t **programs, uint32_t count, const frame_bytes_t *raw,
                           err_t *err) {
  size_t ops, at = 0;
  *programs = NULL;
  if (!count_ops(count, raw, &ops, err)) {
    return false;
  }
  program_t *all = calloc(count ? count : 1, sizeof *all);
  if (!all) {
    err_set(err, ErrMachine, "no memory, expected a machine with more");
    return false;
  }
  const uint8_t *records = raw->data + (size_t)count * CountBytes;
  for (uint32_t i = 0; i < count; i++) {
    all[i].count = get16(raw->data + (size_t)i * CountBytes);
    for (uint32_t k = 0; k < all[i].count; k++, at++) {
      uint8_t record[OpBytes];
      for (size_t b = 0; b < OpBytes; b++) {
        record[b] = records[b * ops + at];
      }
      all[i].op[k] = unpack_op(record);
    }
  }
  if (!frame_programs_check(all, count, err)) {
    free(all);
    return false;
  }
  for (uint32_t i = 0; i < count; i++) {
    program_check(&all[i], NULL);  // fills in where its branches go
  }
  *programs = all;
  return true;
}
