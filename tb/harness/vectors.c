// A unit's vectors: what it was given and what it answered, step by step, for replay
// where there is no C (a second simulator, the bare Verilated unit), and in lockstep.
//
// Text. The first line holds unit, parameters, bits of inputs and of outputs. Every
// further line is one number in hexadecimal, from the top: a nibble that is 1 for a
// reset, the outputs after the clock, the inputs; each of the two padded to whole
// nibbles. Fields lie in the order of the unit's tables, the first lowest.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lockstep.h"
#include "units.h"

static uint32_t bits_of(const lockstep_t *l, const unit_field_t *fields) {
  uint32_t bits = 0;
  for (const unit_field_t *f = fields; f->name; f++) {
    bits += lockstep_dim(l, f->bits) * lockstep_dim(l, f->elements);
  }
  return bits;
}

enum { MaxNibbles = 8192 };

uint32_t vectors_pack(const lockstep_t *l, const void *in, uint32_t *words, uint32_t max) {
  uint32_t at = 0;
  memset(words, 0, max * sizeof *words);
  for (const unit_field_t *f = l->info->in; f->name; f++) {
    uint32_t bits = lockstep_dim(l, f->bits), elements = lockstep_dim(l, f->elements);
    for (uint32_t i = 0; i < elements; i++) {
      uint64_t value = 0;
      memcpy(&value, (const uint8_t *)in + f->offset + (size_t)i * f->size, f->size);
      for (uint32_t b = 0; b < bits && at < max * 32; b++, at++) {
        words[at / 32] |= (uint32_t)(value >> b & 1) << (at % 32);
      }
    }
  }
  return (at + 31) / 32;
}

// Packs a struct and writes it, highest nibble first.
static void put_struct(lockstep_t *l, const unit_field_t *fields, const void *base) {
  static uint8_t nibble[MaxNibbles];
  uint32_t at = 0;
  memset(nibble, 0, sizeof nibble);
  for (const unit_field_t *f = fields; f->name; f++) {
    uint32_t bits = lockstep_dim(l, f->bits), elements = lockstep_dim(l, f->elements);
    for (uint32_t i = 0; i < elements; i++) {
      uint64_t value = 0;
      memcpy(&value, (const uint8_t *)base + f->offset + (size_t)i * f->size, f->size);
      for (uint32_t b = 0; b < bits; b++, at++) {
        nibble[at / 4] |= (uint8_t)((value >> b & 1) << (at % 4));
      }
    }
  }
  for (uint32_t n = (at + 3) / 4; n > 0; n--) {
    putc("0123456789abcdef"[nibble[n - 1]], l->record);
  }
}

bool vectors_open(lockstep_t *l, const uint32_t dims[UnitMaxDims], char error[HarnessErrorSize]) {
  const char *folder = harness_record(l->harness);
  memcpy(l->dims, dims, sizeof l->dims);
  if (!folder) {
    return true;
  }
  char path[512];
  mkdir(folder, 0777);
  snprintf(path, sizeof path, "%s/%s-%u.vec", folder, l->info->name, l->instance);
  return vectors_begin(l, path, error);
}

bool vectors_begin(lockstep_t *l, const char *path, char error[HarnessErrorSize]) {
  uint32_t in = bits_of(l, l->info->in), out = bits_of(l, l->info->out);
  errno = EFBIG;
  l->record = in <= MaxNibbles * 4 && out <= MaxNibbles * 4 ? fopen(path, "w") : NULL;
  if (!l->record) {
    snprintf(error, HarnessErrorSize, "%.150s: cannot be written: %.60s", path, strerror(errno));
    return false;
  }
  fprintf(l->record, "%s %u %u %s\n", l->info->name, in, out, l->params);
  return true;
}

void vectors_write(lockstep_t *l, bool is_reset, const void *in, const void *out) {
  putc(is_reset ? '1' : '0', l->record);
  put_struct(l, l->info->out, out);
  put_struct(l, l->info->in, in);
  putc('\n', l->record);
}

// ---- Playing them ----

static uint32_t nibble_of(char c) {
  return c >= '0' && c <= '9' ? (uint32_t)(c - '0') : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                                                                           : 16;
}

// The reverse of put_struct; text has `nibbles` digits, highest first.
static void get_struct(const lockstep_t *l, const unit_field_t *fields, const char *text,
                       uint32_t nibbles, void *base) {
  uint32_t at = 0;
  for (const unit_field_t *f = fields; f->name; f++) {
    uint32_t bits = lockstep_dim(l, f->bits), elements = lockstep_dim(l, f->elements);
    for (uint32_t i = 0; i < elements; i++) {
      uint64_t value = 0;
      for (uint32_t b = 0; b < bits; b++, at++) {
        value |= (uint64_t)(nibble_of(text[nibbles - 1 - at / 4]) >> (at % 4) & 1) << b;
      }
      memcpy((uint8_t *)base + f->offset + (size_t)i * f->size, &value, f->size);
    }
  }
}

// The first field whose hardware bits differ, or NULL.
static const char *differs(const lockstep_t *l, const void *a, const void *b) {
  for (const unit_field_t *f = l->info->out; f->name; f++) {
    if (memcmp((const uint8_t *)a + f->offset, (const uint8_t *)b + f->offset,
               (size_t)f->size * lockstep_dim(l, f->elements)) != 0) {
      return f->name;
    }
  }
  return NULL;
}

typedef struct {
  FILE *file;
  const char *path;
  char *line;
  size_t room, in_nibbles, out_nibbles;
  uint64_t number;  // of the line
} reader_t;

static bool open_vectors(reader_t *r, harness_t *h, lockstep_t **unit,
                         char error[HarnessErrorSize]) {
  char name[64] = "";
  unsigned in_bits = 0, out_bits = 0;
  int used = 0;
  unit_params_t params;
  uint32_t count = 0;
  r->file = fopen(r->path, "r");
  if (!r->file) {
    snprintf(error, HarnessErrorSize, "%.150s: %s", r->path, strerror(errno));
    return false;
  }
  const unit_entry_t *entry = NULL;
  if (getline(&r->line, &r->room, r->file) > 0 &&
      sscanf(r->line, "%63[a-z_] %u %u%n", name, &in_bits, &out_bits, &used) == 3) {
    entry = unit_find(name);
  }
  if (ferror(r->file)) {
    snprintf(error, HarnessErrorSize, "%.150s: %s", r->path, strerror(errno));
    return false;
  }
  if (!entry) {
    snprintf(error, HarnessErrorSize, "%.150s:1:1: expected a unit, the bits of its inputs and "
             "outputs, and its parameters", r->path);
    return false;
  }
  while (harness_unit(h, count)) {
    count++;
  }
  if (!unit_read_params(entry, r->line + used, &params, error) || !entry->make(h, &params, error)) {
    return false;
  }
  *unit = harness_unit(h, count);
  if (bits_of(*unit, (*unit)->info->in) != in_bits || bits_of(*unit, (*unit)->info->out) != out_bits) {
    snprintf(error, HarnessErrorSize, "%.120s:1:1: %u and %u bits, expected %u and %u; the unit has "
             "changed", r->path, in_bits, out_bits, bits_of(*unit, (*unit)->info->in),
             bits_of(*unit, (*unit)->info->out));
    return false;
  }
  r->in_nibbles = (in_bits + 3) / 4;
  r->out_nibbles = (out_bits + 3) / 4;
  r->number = 1;
  return true;
}

// False at the end, or with error set.
static bool next_vector(reader_t *r, char error[HarnessErrorSize]) {
  ssize_t n = getline(&r->line, &r->room, r->file);
  size_t wanted = 1 + r->out_nibbles + r->in_nibbles;
  r->number++;
  if (n <= 0) {
    return false;
  }
  size_t length = strcspn(r->line, "\n");
  if (length != wanted || strspn(r->line, "0123456789abcdef") != wanted) {
    snprintf(error, HarnessErrorSize, "%.120s:%" PRIu64 ":%zu: expected %zu hexadecimal digits",
             r->path, r->number, strspn(r->line, "0123456789abcdef") + 1, wanted);
    return false;
  }
  return true;
}

bool harness_play_vectors(harness_t *h, const char *path, uint64_t *clock, uint64_t *differing,
                          char text[HarnessErrorSize], char error[HarnessErrorSize]) {
  reader_t r = {.path = path};
  lockstep_t *l = NULL;
  bool ok = open_vectors(&r, h, &l, error);
  uint8_t *in = NULL, *out = NULL, *expected = NULL;
  text[0] = '\0';
  *differing = 0;
  if (ok) {
    in = calloc(1, l->info->in_size);
    out = calloc(1, l->info->out_size);
    expected = calloc(1, l->info->out_size);
    ok = in && out && expected;
    snprintf(error, HarnessErrorSize, "%s", ok ? "" : "out of memory");
    bool is_fresh = true;
    while (ok && !harness_failure(h) && next_vector(&r, error)) {
      get_struct(l, l->info->in, r.line + 1 + r.out_nibbles, (uint32_t)r.in_nibbles, in);
      get_struct(l, l->info->out, r.line + 1, (uint32_t)r.out_nibbles, expected);
      if (r.line[0] == '1' || is_fresh) {
        lockstep_reset(l, out);
      }
      is_fresh = false;
      if (r.line[0] != '1') {
        lockstep_step(l, in, out);
        ++*clock;
      }
      const char *name = differs(l, out, expected);
      if (name && ++*differing == 1) {
        snprintf(text, HarnessErrorSize, "  signal %s: not as recorded in line %" PRIu64 "\n", name,
                 r.number);
      }
    }
    if (ok && r.number == 2 && !error[0]) {
      snprintf(error, HarnessErrorSize, "%.150s:2:1: expected a vector", path);
    }
    ok = ok && !error[0];
  }
  free(in);
  free(out);
  free(expected);
  free(r.line);
  if (r.file) {
    fclose(r.file);
  }
  return ok;
}
