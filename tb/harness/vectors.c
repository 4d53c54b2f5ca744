// A unit's vectors: what it was given and what it answered, step by step, for replay
// where there is no C: a second simulator, and the bare Verilated unit.
//
// Text. The first line holds unit, parameters, bits of inputs and of outputs. Every
// further line is one number in hexadecimal, from the top: a nibble that is 1 for a
// reset, the outputs after the clock, the inputs; each of the two padded to whole
// nibbles. Fields lie in the order of the unit's tables, the first lowest.
#include <string.h>
#include <sys/stat.h>

#include "lockstep.h"

static uint32_t resolve(const lockstep_t *l, uint32_t number) {
  return number >= UnitDim ? l->dims[number - UnitDim] : number;
}

static uint32_t bits_of(const lockstep_t *l, const unit_field_t *fields) {
  uint32_t bits = 0;
  for (const unit_field_t *f = fields; f->name; f++) {
    bits += resolve(l, f->bits) * resolve(l, f->elements);
  }
  return bits;
}

enum { MaxNibbles = 8192 };

uint32_t vectors_pack(const lockstep_t *l, const void *in, uint32_t *words, uint32_t max) {
  uint32_t at = 0;
  memset(words, 0, max * sizeof *words);
  for (const unit_field_t *f = l->info->in; f->name; f++) {
    uint32_t bits = resolve(l, f->bits), elements = resolve(l, f->elements);
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
    uint32_t bits = resolve(l, f->bits), elements = resolve(l, f->elements);
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
  uint32_t in = bits_of(l, l->info->in), out = bits_of(l, l->info->out);
  char path[512];
  mkdir(folder, 0777);
  snprintf(path, sizeof path, "%s/%s-%u.vec", folder, l->info->name, l->instance);
  l->record = in <= MaxNibbles * 4 && out <= MaxNibbles * 4 ? fopen(path, "w") : NULL;
  if (!l->record) {
    snprintf(error, HarnessErrorSize, "cannot write %.180s", path);
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
