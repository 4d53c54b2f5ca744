#include "vectors.h"

#include <errno.h>
#include <stdio.h>

enum { MaxNibbles = 8192 };

typedef struct {
  FILE *file;
  char path[512];
} recorder_t;

uint32_t vectors_bits(const instance_t *u, const unit_field_t *fields) {
  uint32_t bits = 0;
  for (const unit_field_t *f = fields; f->name; f++) {
    bits += instance_dim(u, f->bits) * instance_dim(u, f->elements);
  }
  return bits;
}

uint32_t vectors_pack(const instance_t *u, const void *in, uint32_t *words, uint32_t max) {
  uint32_t at = 0;
  memset(words, 0, max * sizeof *words);
  for (const unit_field_t *f = u->info->in; f->name; f++) {
    uint32_t bits = instance_dim(u, f->bits), elements = instance_dim(u, f->elements);
    for (uint32_t i = 0; i < elements; i++) {
      uint64_t value = unit_element(in, f, i);
      for (uint32_t b = 0; b < bits && at < max * 32; b++, at++) {
        words[at / 32] |= (uint32_t)(value >> b & 1) << (at % 32);
      }
    }
  }
  return (at + 31) / 32;
}

// Packs a struct and writes it, highest nibble first.
static void put_struct(FILE *file, const instance_t *u, const unit_field_t *fields,
                       const void *base) {
  static uint8_t nibble[MaxNibbles];
  uint32_t at = 0;
  memset(nibble, 0, sizeof nibble);
  for (const unit_field_t *f = fields; f->name; f++) {
    uint32_t bits = instance_dim(u, f->bits), elements = instance_dim(u, f->elements);
    for (uint32_t i = 0; i < elements; i++) {
      uint64_t value = unit_element(base, f, i);
      for (uint32_t b = 0; b < bits; b++, at++) {
        nibble[at / 4] |= (uint8_t)((value >> b & 1) << (at % 4));
      }
    }
  }
  for (uint32_t n = (at + 3) / 4; n > 0; n--) {
    putc("0123456789abcdef"[nibble[n - 1]], file);
  }
}

static void put_line(const recorder_t *r, char kind, const instance_t *u, const void *in,
                     const void *out) {
  putc(kind, r->file);
  put_struct(r->file, u, u->info->out, out);
  put_struct(r->file, u, u->info->in, in);
  putc('\n', r->file);
}

static void step(void *self, const instance_t *u, const void *in, const void *before,
                 const void *after) {
  (void)before;
  put_line(self, '0', u, in, after);
}

static void reset(void *self, const instance_t *u, const void *out) {
  put_line(self, '1', u, u->last_in, out);
}

static bool end(void *self, const failure_t *first, char error[HarnessErrorSize]) {
  recorder_t *r = self;
  (void)first;
  bool ok = !ferror(r->file);
  ok = fclose(r->file) == 0 && ok;
  if (!ok) {
    snprintf(error, HarnessErrorSize, "%.150s: the vectors are incomplete: disk full?", r->path);
  }
  free(r);
  return ok;
}

bool vectors_record(observer_t *observer, const instance_t *u, const char *path,
                    char error[HarnessErrorSize]) {
  uint32_t in = vectors_bits(u, u->info->in), out = vectors_bits(u, u->info->out);
  recorder_t *r = calloc(1, sizeof *r);
  errno = r ? EFBIG : ENOMEM;
  if (r && in <= MaxNibbles * 4 && out <= MaxNibbles * 4) {
    r->file = fopen(path, "w");
  }
  if (!r || !r->file) {
    snprintf(error, HarnessErrorSize, "%.150s: cannot be written: %.60s", path, strerror(errno));
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

void vectors_unpack(const instance_t *u, const unit_field_t *fields, const char *text,
                    uint32_t nibbles, void *base) {
  uint32_t at = 0;
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
}
