// SPDX-License-Identifier: Apache-2.0
#include "vectors.h"

#include <errno.h>
#include <stdio.h>

enum { MaxNibbles = 8192 };

typedef struct {
  FILE *file;
  char path[512];
  uint8_t *state;
  uint8_t bits[4 * MaxNibbles];  // of a number, lowest first
} recorder_t;

static uint32_t bits_of(const instance_t *u, const unit_field_t *fields) {
  uint32_t bits = 0;
  for (const unit_field_t *f = fields; f->name; f++) {
    bits += instance_dim(u, f->bits) * instance_dim(u, f->elements);
  }
  return bits;
}

uint32_t vectors_in_bits(const instance_t *u) { return bits_of(u, u->info->in); }

uint32_t vectors_out_bits(const instance_t *u) {
  return bits_of(u, u->info->out) + bits_of(u, u->info->state);
}

// Packs a struct from bit `at` on; returns the bit after it.
static uint32_t pack(uint8_t *bits, uint32_t at, const instance_t *u, const unit_field_t *fields,
                     const void *base) {
  for (const unit_field_t *f = fields; f->name; f++) {
    uint32_t width = instance_dim(u, f->bits), elements = instance_dim(u, f->elements);
    for (uint32_t i = 0; i < elements; i++) {
      uint64_t value = unit_element(base, f, i);
      for (uint32_t b = 0; b < width; b++, at++) {
        bits[at] = value >> b & 1;
      }
    }
  }
  return at;
}

// Writes a number, highest nibble first.
static void put_number(recorder_t *r, uint32_t count) {
  memset(r->bits + count, 0, 3);
  for (uint32_t n = (count + 3) / 4; n > 0; n--) {
    const uint8_t *b = r->bits + 4 * (n - 1);
    putc("0123456789abcdef"[b[0] | b[1] << 1 | b[2] << 2 | b[3] << 3], r -> file);
  }
}

static void put_line(recorder_t *r, char kind, const instance_t *u, const void *in,
                     const void *out) {
  putc(kind, r->file);
  uint32_t count = pack(r->bits, 0, u, u->info->out, out);
  if (u->info->observe) {
    instance_observe(u, r->state);
    count = pack(r->bits, count, u, u->info->state, r->state);
  }
  put_number(r, count);
  put_number(r, pack(r->bits, 0, u, u->info->in, in));
  putc('\n', r->file);
}

static void step(void *self, const instance_t *u, const void *in, const void *before,
                 const void *after) {
  (void)before;
  put_line(self, '0', u, in, after);
}

static void reset(void *self, const instance_t *u, const void *out) {
  put_line(self, (char)('0' + u->reset_clocks), u, u->last_in, out);
}

static bool end(void *self, const failure_t *first, err_t *err) {
  recorder_t *r = self;
  (void)first;
  bool ok = !ferror(r->file);
  ok = fclose(r->file) == 0 && ok;
  if (!ok) {
    err_set(err, ErrCheck, "%s: the vectors are incomplete: disk full?", r->path);
  }
  free(r->state);
  free(r);
  return ok;
}

bool vectors_record(observer_t *observer, const instance_t *u, const char *path, err_t *err) {
  const uint32_t in = vectors_in_bits(u), out = vectors_out_bits(u);
  recorder_t *r = calloc(1, sizeof *r);
  if (r) {
    r->state = calloc(1, u->info->state_size + 1);
  }
  errno = r && r->state ? EFBIG : ENOMEM;
  if (r && r->state && in <= MaxNibbles * 4 - 3 && out <= MaxNibbles * 4 - 3) {
    r->file = fopen(path, "w");
  }
  if (!r || !r->file) {
    err_set(err, ErrCheck, "%s: cannot be written: %s", path, strerror(errno));
    free(r ? r->state : NULL);
    free(r);
    return false;
  }
  snprintf(r->path, sizeof r->path, "%s", path);
  fprintf(r->file, "%s %u %u %s\n", u->info->name, in, out, u->params);
  *observer = (observer_t){r, step, reset, end};
  return true;
}

static uint32_t nibble_of(char c) {
  return c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                                : 16;
}

uint32_t vectors_reset(const char *line) { return nibble_of(line[0]); }

// From bit `at` on; returns the bit after it.
static uint32_t unpack(const instance_t *u, const unit_field_t *fields, const char *text,
                       uint32_t nibbles, uint32_t at, void *base) {
  for (const unit_field_t *f = fields; f->name; f++) {
    uint32_t bits = instance_dim(u, f->bits), elements = instance_dim(u, f->elements);
    for (uint32_t i = 0; i < elements; i++) {
      uint64_t value = 0;
      for (uint32_t b = 0; b < bits; b++, at++) {
        value |= (uint64_t)(nibble_of(text[nibbles - 1 - at / 4]) >> (at % 4) & 1) << b;
      }
      memcpy((uint8_t *)base + f->offset + (size_t)i * f->size, &value, f->size);
    }
  }
  return at;
}

void vectors_unpack_in(const instance_t *u, const char *text, uint32_t nibbles, void *in) {
  unpack(u, u->info->in, text, nibbles, 0, in);
}

void vectors_unpack_out(const instance_t *u, const char *text, uint32_t nibbles, void *out,
                        void *state) {
  const uint32_t at = unpack(u, u->info->out, text, nibbles, 0, out);
  unpack(u, u->info->state, text, nibbles, at, state);
}
