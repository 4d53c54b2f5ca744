// SPDX-License-Identifier: Apache-2.0
// Waves of all units together, as VCD: what crosses their boundaries, cycle by cycle, from any
// engine. In each cycle a unit shows its inputs of that cycle and the outputs that they meet; a
// unit that is not clocked has no inputs.
#include "system_waves.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "save_file.h"

typedef struct {
  const instance_t *unit;
  uint8_t *in, *out, *next;       // of this cycle; outputs of the next
  uint8_t *shown_in, *shown_out;  // what the file says
  uint32_t first;                 // identifier of its first signal
} part_t;

typedef struct {
  FILE *file;
  const char *path;
  uint64_t from, to, cycle;
  uint64_t last;  // cycle in the file
  part_t *parts;
  uint32_t count;
  bool begun;
} system_waves_t;

// An instance is known from its first reset, which comes before the first step of any.
static part_t *part_of(system_waves_t *s, const instance_t *u) {
  for (uint32_t i = 0; i < s->count; i++) {
    if (s->parts[i].unit == u) {
      return &s->parts[i];
    }
  }
  return NULL;
}

static void free_part(part_t *p) {
  free(p->in);
  free(p->out);
  free(p->next);
  free(p->shown_in);
  free(p->shown_out);
}

static void add_part(system_waves_t *s, const instance_t *u) {
  part_t *parts = realloc(s->parts, (s->count + 1) * sizeof *parts);
  if (!parts) {
    return;
  }
  s->parts = parts;
  part_t *p = &parts[s->count++];
  *p = (part_t){.unit = u,
                .in = calloc(1, u->info->in_size),
                .out = calloc(1, u->info->out_size),
                .next = calloc(1, u->info->out_size),
                .shown_in = calloc(1, u->info->in_size),
                .shown_out = calloc(1, u->info->out_size)};
  if (!p->in || !p->out || !p->next || !p->shown_in || !p->shown_out) {
    free_part(p);
    s->count--;
  }
}

static void put_identifier(FILE *f, uint32_t number) {
  do {
    putc('!' + (int)(number % 94), f);
    number /= 94;
  } while (number > 0);
}

static void put_value(FILE *f, uint64_t value, uint32_t bits, uint32_t identifier) {
  if (bits == 1) {
    putc('0' + (int)(value & 1), f);
  } else {
    putc('b', f);
    uint32_t b = bits - 1;
    while (b > 0 && !(value >> b & 1)) {
      b--;
    }
    for (b++; b-- > 0;) {
      putc('0' + (int)(value >> b & 1), f);
    }
    putc(' ', f);
  }
  put_identifier(f, identifier);
  putc('\n', f);
}

// Declares a struct's signals; returns the next free identifier.
static uint32_t declare(system_waves_t *s, const part_t *p, bool is_input, uint32_t number) {
  const instance_t *u = p->unit;
  for (const unit_field_t *f = is_input ? u->info->in : u->info->out; f->name; f++) {
    uint32_t bits = instance_dim(u, f->bits), elements = instance_dim(u, f->elements);
    for (uint32_t i = 0; i < elements && bits > 0; i++) {
      fprintf(s->file, "$var wire %u ", bits);
      put_identifier(s->file, number++);
      fprintf(s->file, elements > 1 ? " %s[%u]" : " %s", f->port, i);
      fprintf(s->file, bits > 1 ? " [%u:0] $end\n" : " $end\n", bits - 1);
    }
  }
  return number;
}

// Writes what differs from what the file says; all of it the first time.
static uint32_t put_changes(system_waves_t *s, const part_t *p, bool is_input, uint32_t number) {
  const instance_t *u = p->unit;
  const uint8_t *now = is_input ? p->in : p->out, *shown = is_input ? p->shown_in : p->shown_out;
  for (const unit_field_t *f = is_input ? u->info->in : u->info->out; f->name; f++) {
    uint32_t bits = instance_dim(u, f->bits), elements = instance_dim(u, f->elements);
    for (uint32_t i = 0; i < elements && bits > 0; i++, number++) {
      uint64_t value = unit_element(now, f, i);
      if (!s->begun || value != unit_element(shown, f, i)) {
        put_value(s->file, value, bits, number);
      }
    }
  }
  return number;
}

static void put_header(system_waves_t *s) {
  uint32_t number = 0;
  fputs("$timescale 1ps $end\n$scope module machine $end\n", s->file);
  for (uint32_t i = 0; i < s->count; i++) {
    part_t *p = &s->parts[i];
    p->first = number;
    fprintf(s->file, "$scope module %s_%u $end\n", p->unit->info->name, p->unit->number);
    number = declare(s, p, false, declare(s, p, true, number));
    fputs("$upscope $end\n", s->file);
  }
  fputs("$upscope $end\n$enddefinitions $end\n", s->file);
}

static void put_cycle(system_waves_t *s, uint64_t cycle) {
  if (cycle < s->from || (s->to != 0 && cycle > s->to)) {
    return;
  }
  if (!s->begun) {
    put_header(s);
  }
  fprintf(s->file, "#%" PRIu64 "\n", cycle * WavesCycle);
  for (uint32_t i = 0; i < s->count; i++) {
    part_t *p = &s->parts[i];
    put_changes(s, p, false, put_changes(s, p, true, p->first));
    memcpy(p->shown_in, p->in, p->unit->info->in_size);
    memcpy(p->shown_out, p->out, p->unit->info->out_size);
  }
  s->begun = true;
  s->last = cycle;
}

// Ends the current cycle; nothing is clocked in those after it and before next.
static void advance(system_waves_t *s, uint64_t next) {
  put_cycle(s, s->cycle);
  for (uint32_t i = 0; i < s->count; i++) {
    part_t *p = &s->parts[i];
    memcpy(p->out, p->next, p->unit->info->out_size);
    memset(p->in, 0, p->unit->info->in_size);
  }
  uint64_t idle = s->cycle + 1 > s->from ? s->cycle + 1 : s->from;
  if (idle < next) {
    put_cycle(s, idle);
  }
  s->cycle = next;
}

static void step(void *self, const instance_t *u, const void *in, const void *before,
                 const void *after) {
  system_waves_t *s = self;
  part_t *p = part_of(s, u);
  if (!p) {
    return;
  }
  if (u->cycle != s->cycle) {
    advance(s, u->cycle);
  }
  memcpy(p->in, in, u->info->in_size);
  memcpy(p->out, before, u->info->out_size);
  memcpy(p->next, after, u->info->out_size);
}

static void reset(void *self, const instance_t *u, const void *out) {
  system_waves_t *s = self;
  (void)out;
  if (!s->begun && !part_of(s, u)) {
    add_part(s, u);
  }
}

static bool write_save_file(const system_waves_t *s, const failure_t *failure) {
  const instance_t **units = calloc(s->count + 1, sizeof *units);
  for (uint32_t i = 0; units && i < s->count; i++) {
    units[i] = s->parts[i].unit;
  }
  bool ok = units && save_file_write(s->path, units, s->count, true, failure, s->from);
  free(units);
  return ok;
}

static bool end(void *self, const failure_t *first, err_t *err) {
  system_waves_t *s = self;
  advance(s, s->cycle + 2);
  if (!s->begun) {
    put_header(s);
  }
  // The file ends where the window does.
  if (s->to > s->last && s->cycle > s->to) {
    fprintf(s->file, "#%" PRIu64 "\n", s->to * WavesCycle);
  }
  bool ok = !ferror(s->file);
  ok = fclose(s->file) == 0 && ok;
  ok = write_save_file(s, first->class ? first : NULL) && ok;
  if (!ok) {
    err_set(err, ErrCheck, "%s: the waves are incomplete: disk full?", s->path);
  }
  for (uint32_t i = 0; i < s->count; i++) {
    free_part(&s->parts[i]);
  }
  free(s->parts);
  free(s);
  return ok;
}

bool system_waves_open(observer_t *observer, const char *path, uint64_t from, uint64_t to,
                       err_t *err) {
  system_waves_t *s = calloc(1, sizeof *s);
  FILE *file = s ? fopen(path, "w") : NULL;
  if (!file) {
    err_set(err, ErrCheck, "%s: the waves cannot be written: %s", path, strerror(errno));
    free(s);
    return false;
  }
  *s = (system_waves_t){.file = file, .path = path, .from = from, .to = to};
  *observer = (observer_t){s, step, reset, end};
  return true;
}
