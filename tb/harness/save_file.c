// SPDX-License-Identifier: Apache-2.0
// Save files for GTKWave: written beside every file of waves, from the units' tables.
//
// A group for each interface, one for the table, names for the values that have them, a comment
// and a marker at the failure, and the signal that failed on top. Signals are those of the unit's
// ports (FILE.fst), or of all units (system waves, all of whose arrays are separate elements).
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "csim/base/text.h"

#include "save_file.h"

enum {
  FlagHex = 0x22,
  FlagDecimal = 0x24,
  FlagBinary = 0x28,
  FlagNamed = 0x2022,
  FlagComment = 0x200,
  FlagOpen = 0x800200,
  FlagOpenClosed = 0xc00200,
  FlagEnd = 0x1000200,
  FlagEndClosed = 0x1401200,
  Red = 1,
  MostElements = 16,
  MostOpen = 8
};

typedef struct {
  FILE *file;
  const instance_t *unit;
  bool is_system;
  const char *folder;  // of this file, absolute
} writer_t;

static void begin_group(writer_t *w, const char *name, bool closed) {
  fprintf(w->file, "@%x\n-%s\n", closed ? FlagOpenClosed : FlagOpen, name);
}

static void end_group(writer_t *w, const char *name, bool closed) {
  fprintf(w->file, "@%x\n-%s\n", closed ? FlagEndClosed : FlagEnd, name);
}

// The translation of a field's values: FOLDER/enums/UNIT.FIELD.txt, "VALUE NAME" in hexadecimal.
static bool write_names(writer_t *w, const unit_field_t *field, uint32_t bits) {
  const char *const *names = field->values;
  if (!names) {
    return false;
  }
  text_t path = {0};
  text_format(&path, "%s/enums", w->folder);
  mkdir(text_string(&path), 0777);
  text_format(&path, "/%s.%s.txt", w->unit->info->name, field->name);
  FILE *file = fopen(text_string(&path), "w");
  if (!file) {
    text_free(&path);
    return false;
  }
  for (uint32_t v = 0; names[v]; v++) {
    fprintf(file, "%0*x %s\n", (int)(bits + 3) / 4, v, names[v]);
  }
  fclose(file);
  fprintf(w->file, "@%x\n^1 %s\n", FlagNamed, text_string(&path));
  text_free(&path);
  return true;
}

static void put_format(writer_t *w, const unit_field_t *field, uint32_t bits) {
  if (bits > 1 && write_names(w, field, bits)) {
    return;
  }
  fprintf(w->file, "@%x\n",
          bits == 1                     ? FlagBinary
          : bits > 32 || field->is_mask ? FlagHex
                                        : FlagDecimal);
}

// One element of a port. A port is one vector, the first element lowest; GTKWave numbers its bits
// from the highest.
static void put_element(writer_t *w, const char *scope, const char *port, uint32_t bits,
                        uint32_t elements, uint32_t index) {
  uint32_t width = bits * elements;
  if (elements == 1) {
    fprintf(w->file, width > 1 ? "%s.%s[%u:0]\n" : "%s.%s\n", scope, port, width - 1);
  } else if (w->is_system) {
    fprintf(w->file, bits > 1 ? "%s.%s[%u][%u:0]\n" : "%s.%s[%u]\n", scope, port, index, bits - 1);
  } else {
    fprintf(w->file, "#{%s[%u]}", port, index);
    for (uint32_t b = bits; b-- > 0;) {
      fprintf(w->file, " (%u)%s.%s[%u:0]", width - 1 - (index * bits + b), scope, port, width - 1);
    }
    putc('\n', w->file);
  }
}

static void scope_of(const writer_t *w, char *scope, size_t size) {
  const unit_info_t *info = w->unit->info;
  if (w->is_system) {
    snprintf(scope, size, "machine.%s_%u", info->name, w->unit->number);
  } else {
    snprintf(scope, size, "top.tb_%s.u_dut", info->name);
  }
}

static void put_field(writer_t *w, const unit_field_t *field, bool is_state) {
  const instance_t *u = w->unit;
  uint32_t bits = instance_dim(u, field->bits), elements = instance_dim(u, field->elements);
  char scope[128];
  if (bits == 0 || elements == 0) {
    return;
  }
  const char *port = field->port;
  scope_of(w, scope, sizeof scope);
  if (elements == 1) {
    put_format(w, field, bits);
    put_element(w, scope, port, bits, 1, 0);
    return;
  }
  // The whole vector where its elements are folded away.
  bool closed = w->is_system || elements > MostOpen || (is_state ? bits <= 8 : bits > 16);
  if (!w->is_system && closed) {
    fprintf(w->file, "@%x\n%s.%s[%u:0]\n", FlagHex, scope, port, bits * elements - 1);
  }
  if (elements <= MostElements || w->is_system) {
    char name[128];
    snprintf(name, sizeof name, "%s, each", port);
    begin_group(w, name, closed);
    put_format(w, field, bits);
    for (uint32_t i = 0; i < elements; i++) {
      put_element(w, scope, port, bits, elements, i);
    }
    end_group(w, name, closed);
  }
}

static const unit_field_t *handshake(const unit_info_t *info, const char *name, bool is_input) {
  return name ? unit_find_field(is_input ? info->in : info->out, name) : NULL;
}

// The fields of a stream, valid and ready first; NULL: those of none.
static void put_stream(writer_t *w, const unit_stream_t *s) {
  const unit_info_t *info = w->unit->info;
  const unit_field_t *valid = s ? handshake(info, s->valid, !s->is_output) : NULL;
  const unit_field_t *ready = s ? handshake(info, s->ready, s->is_output) : NULL;
  if (valid) {
    put_field(w, valid, false);
  }
  if (ready) {
    put_field(w, ready, false);
  }
  for (uint32_t side = 0; side < 2; side++) {
    for (const unit_field_t *f = side == 0 ? info->in : info->out; f->name; f++) {
      if (f != valid && f != ready && unit_stream_of(info, f->name) == s) {
        put_field(w, f, false);
      }
    }
  }
}

// Returns true if valid is all that a stream has.
static bool is_single(const unit_info_t *info, const unit_stream_t *s) {
  uint32_t fields = 0;
  for (const unit_field_t *f = info->in; f->name; f++) {
    fields += unit_stream_of(info, f->name) == s;
  }
  for (const unit_field_t *f = info->out; f->name; f++) {
    fields += unit_stream_of(info, f->name) == s;
  }
  return fields == 1;
}

static void put_unit(writer_t *w, const instance_t *u, bool closed) {
  char name[128];
  w->unit = u;
  snprintf(name, sizeof name, "%s %u", u->info->name, u->number);
  if (w->is_system) {
    begin_group(w, name, closed);
  }
  for (const unit_stream_t *s = u->info->streams; s && s->name; s++) {
    if (is_single(u->info, s)) {
      put_stream(w, s);
      continue;
    }
    begin_group(w, s->name, closed);
    put_stream(w, s);
    end_group(w, s->name, closed);
  }
  begin_group(w, "other", closed);
  put_stream(w, NULL);
  end_group(w, "other", closed);
  if (!w->is_system && u->info->state && u->info->state->name) {
    begin_group(w, "table", closed);
    for (const unit_field_t *f = u->info->state; f->name; f++) {
      put_field(w, f, true);
    }
    end_group(w, "table", closed);
  }
  if (w->is_system) {
    end_group(w, name, closed);
  }
}

// The failure in words, and the signal in red.
static void put_failure(writer_t *w, const failure_t *f) {
  if (!f) {
    return;
  }
  const difference_t *d = &f->difference;
  fprintf(w->file, "@%x\n-%s: %s %u, cycle %" PRIu64 "\n", FlagComment, f->class,
          f->unit->info->name, f->unit->number, f->cycle);
  if (!d->field) {
    return;
  }
  char scope[128];
  w->unit = f->unit;
  const char *port = d->field->port;
  uint32_t bits = instance_dim(f->unit, d->field->bits);
  uint32_t elements = instance_dim(f->unit, d->field->elements);
  if (elements > 1) {
    fprintf(w->file, "-%s[%u]: expected 0x%" PRIx64 ", actual 0x%" PRIx64 "\n", port, d->index,
            d->expected, d->actual);
  } else {
    fprintf(w->file, "-%s: expected 0x%" PRIx64 ", actual 0x%" PRIx64 "\n", port, d->expected,
            d->actual);
  }
  scope_of(w, scope, sizeof scope);
  if (bits && elements && !(w->is_system && d->is_state)) {
    put_format(w, d->field, bits);
    fprintf(w->file, "[color] %d\n", Red);
    put_element(w, scope, port, bits, elements, d->index);
  }
}

static bool is_one_of_many(const instance_t *const *units, uint32_t count, const instance_t *unit) {
  for (uint32_t i = 0; i < count; i++) {
    if (units[i] != unit && units[i]->info == unit->info) {
      return true;
    }
  }
  return false;
}

bool save_file_write(const char *waves, const instance_t *const *units, uint32_t count,
                     bool is_system, const failure_t *failure, uint64_t from) {
  const char *dot = strrchr(waves, '.'), *slash = strrchr(waves, '/');
  int stem = dot && (!slash || dot > slash) ? (int)(dot - waves) : (int)strlen(waves);
  writer_t w = {.is_system = is_system};
  char *folder = text_make("%.*s", slash ? (int)(slash - waves) : 1, slash ? waves : ".");
  char *real = folder ? realpath(folder, NULL) : NULL;
  char *path = text_make("%.*s.gtkw", stem, waves);
  w.folder = real ? real : folder;
  w.file = folder && path ? fopen(path, "w") : NULL;
  free(path);
  if (!w.file) {
    free(real);
    free(folder);
    return false;
  }
  // After the failing clock, which all units together do not show.
  uint64_t clocked = is_system ? WavesCycle : WavesCycle / 2;
  uint64_t at = failure ? failure->cycle * WavesCycle + clocked : from * WavesCycle;
  uint64_t lead = 14 * WavesCycle, start = failure && at > lead ? at - lead : from * WavesCycle;
  fprintf(w.file, "[dumpfile] \"%s/%s\"\n[timestart] %" PRIu64 "\n[size] 1500 950\n[pos] -1 -1\n",
          w.folder, slash ? slash + 1 : waves, start);
  // Zoom, marker, then the named markers A to Z.
  fprintf(w.file, "*-12.0 %" PRIu64, at);
  for (uint32_t i = 0; i < 26; i++) {
    fprintf(w.file, i == 0 && failure ? " %" PRIu64 : " -1", at);
  }
  fprintf(w.file, "\n[sst_width] 220\n[signals_width] 400\n[sst_expanded] 0\n");
  put_failure(&w, failure);
  if (!is_system) {
    w.unit = units[0];
    fprintf(w.file, "@%x\ntop.tb_%s.u_dut.clk_i\ntop.tb_%s.u_dut.rst_ni\n", FlagBinary,
            units[0]->info->name, units[0]->info->name);
  }
  // With all units together, those with many instances come last and folded, except for the one
  // that failed.
  for (uint32_t pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < count; i++) {
      bool is_folded = is_system && is_one_of_many(units, count, units[i]) &&
                       !(failure && units[i] == failure->unit);
      if (is_folded == (pass == 1)) {
        put_unit(&w, units[i], is_folded);
      }
    }
  }
  free(real);
  free(folder);
  bool ok = !ferror(w.file);
  return fclose(w.file) == 0 && ok;
}
