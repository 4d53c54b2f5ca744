// SPDX-License-Identifier: Apache-2.0
#include "picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "save_file.h"

enum {
  MostSteps = 20,
  MostElements = 4,
  LabelWidth = 210,
  Column = 50,
  Row = 20,
  High = 14,
  Head = 24,
  MostText = 32
};

#define Ink "#222"
#define Wave "#2a6fb0"
#define Wrong "#c01822"

// Columns 0 to steps - 1 are steps of the log, oldest first; the last one is what followed.
typedef struct {
  FILE *file;
  const instance_t *unit;
  uint64_t first;
  uint32_t steps;
  const void *expected, *actual;
  int y;
} picture_t;

typedef struct {
  const unit_field_t *field;
  uint32_t index;
  bool is_input;
} signal_t;

// False where the value is not known.
static bool value_at(const picture_t *p, signal_t s, const void *after, uint32_t column,
                     uint64_t *value) {
  const void *base = after;
  if (column < p->steps) {
    uint64_t step = p->first + column;
    base = s.is_input ? step_log_in(&p->unit->log, step) : step_log_out(&p->unit->log, step - 1);
  } else if (s.is_input) {
    return false;
  }
  *value = base ? unit_element(base, s.field, s.index) : 0;
  return base != NULL;
}

static void name_of(const picture_t *p, signal_t s, char *name, size_t size) {
  snprintf(name, size, "%s", s.field->port);
  if (instance_dim(p->unit, s.field->elements) > 1) {
    size_t used = strlen(name);
    snprintf(name + used, size - used, "[%u]", s.index);
  }
}

static uint32_t bits_of(const picture_t *p, signal_t s) {
  uint32_t bits = instance_dim(p->unit, s.field->bits);
  return bits ? bits : s.field->size * 8;
}

static void put_level(const picture_t *p, int x, uint64_t value, bool joined, const char *color,
                      uint64_t before) {
  int top = p->y + Row - 3 - High, low = p->y + Row - 3, level = value ? top : low;
  fprintf(p->file, "<path d=\"M%d %d", x, joined && before != value ? (before ? top : low) : level);
  fprintf(p->file, "V%dH%d\" stroke=\"%s\"/>\n", level, x + Column, color);
}

static void put_box(const picture_t *p, const signal_t *s, int x, uint32_t columns, uint64_t value,
                    const char *color) {
  char text[MostText + 4];
  int width = (int)columns * Column, room = (width - 8) / 6;
  unit_value_text(p->unit->dims, s->field, value, text, MostText);
  if ((int)strlen(text) > room) {
    text[room > 1 ? room - 1 : 0] = '\0';
    strcat(text, "…");
  }
  fprintf(p->file,
          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\" stroke=\"%s\"/>"
          "<text x=\"%d\" y=\"%d\" fill=\"" Ink "\">%s</text>\n",
          x + 1, p->y + Row - 3 - High, width - 2, High, color, x + 5, p->y + Row - 7, text);
}

static void put_label(const picture_t *p, const char *label, const char *color) {
  fprintf(p->file, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"%s\">%s</text>\n",
          LabelWidth - 8, p->y + Row - 7, color, label);
}

static void put_row(picture_t *p, signal_t s, const void *after, const char *label,
                    const char *color) {
  uint32_t bits = bits_of(p, s);
  uint64_t value, before = 0;
  bool joined = false;
  put_label(p, label, color);
  for (uint32_t c = 0; c <= p->steps;) {
    if (!value_at(p, s, after, c, &value)) {
      joined = false;
      c++;
      continue;
    }
    int x = LabelWidth + (int)c * Column;
    const char *here = c == p->steps && strcmp(color, Wrong) == 0 ? Wrong : Wave;
    uint32_t columns = 1;
    if (bits == 1) {
      put_level(p, x, value, joined, here, before);
    } else {
      uint64_t next;
      while (c + columns < p->steps && value_at(p, s, after, c + columns, &next) && next == value) {
        columns++;
      }
      put_box(p, &s, x, columns, value, here);
    }
    before = value;
    joined = true;
    c += columns;
  }
  p->y += Row;
}

static void put_signal(picture_t *p, signal_t s) {
  char name[128];
  name_of(p, s, name, sizeof name);
  put_row(p, s, p->actual ? p->actual : p->expected, name, Ink);
}

static void put_heading(picture_t *p, const char *text) {
  fprintf(p->file, "<text x=\"8\" y=\"%d\" fill=\"" Ink "\" font-weight=\"bold\">%s</text>\n",
          p->y + Row - 5, text);
  p->y += Row;
}

static bool changes(const picture_t *p, signal_t s) {
  uint64_t first, value;
  bool known = value_at(p, s, NULL, 0, &first);
  for (uint32_t c = 1; known && c < p->steps; c++) {
    if (value_at(p, s, NULL, c, &value) && value != first) {
      return true;
    }
  }
  return false;
}

// A field: itself, or those of its elements that change, the first few.
static void put_field(picture_t *p, const unit_field_t *f, bool is_input) {
  uint32_t elements = instance_dim(p->unit, f->elements), shown = 0;
  if (elements == 1) {
    put_signal(p, (signal_t){f, 0, is_input});
    return;
  }
  for (uint32_t i = 0; i < elements && shown < MostElements; i++) {
    signal_t s = {f, i, is_input};
    if (changes(p, s)) {
      put_signal(p, s);
      shown++;
    }
  }
}

static bool is_active(const picture_t *p, const unit_stream_t *s) {
  const unit_info_t *info = p->unit->info;
  signal_t valid = {unit_find_field(s->is_output ? info->out : info->in, s->valid), 0,
                    !s->is_output};
  uint64_t value;
  for (uint32_t c = 0; valid.field && c <= p->steps; c++) {
    if (value_at(p, valid, p->actual ? p->actual : p->expected, c, &value) && value) {
      return true;
    }
  }
  return false;
}

static void put_stream(picture_t *p, const unit_stream_t *s) {
  const unit_info_t *info = p->unit->info;
  const unit_field_t *valid = unit_find_field(s->is_output ? info->out : info->in, s->valid);
  const unit_field_t *ready =
      s->ready ? unit_find_field(s->is_output ? info->in : info->out, s->ready) : NULL;
  put_heading(p, s->name);
  if (valid) {
    put_field(p, valid, !s->is_output);
  }
  if (ready) {
    put_field(p, ready, s->is_output);
  }
  for (uint32_t side = 0; side < 2; side++) {
    for (const unit_field_t *f = side == 0 ? info->in : info->out; f->name; f++) {
      if (f != valid && f != ready && unit_stream_of(info, f->name) == s) {
        put_field(p, f, side == 0);
      }
    }
  }
}

// The failing signal twice. What a table held before is not kept: its last column only.
static void put_failure(picture_t *p, const difference_t *d) {
  if (!d->field) {
    return;
  }
  signal_t s = {d->field, d->index, false};
  char name[128], label[160];
  const char *hardware = instance_has_netlist(p->unit) ? "netlist" : "RTL";
  name_of(p, s, name, sizeof name);
  for (uint32_t i = 0; i < 2; i++) {
    const char *color = i == 0 ? Ink : Wrong;
    snprintf(label, sizeof label, "%s, %s", name, i == 0 ? "golden" : hardware);
    if (!d->is_state) {
      put_row(p, s, i == 0 ? p->expected : p->actual, label, color);
      continue;
    }
    put_label(p, label, color);
    put_box(p, &s, LabelWidth + (int)p->steps * Column, 1, i == 0 ? d->expected : d->actual, color);
    p->y += Row;
  }
}

// The cycles, the failing one marked; gaps where the unit was not clocked.
static void put_head(picture_t *p, uint32_t height) {
  const step_log_t *log = &p->unit->log;
  int failing = LabelWidth + (int)p->steps * Column;
  fprintf(p->file, "<rect x=\"%d\" y=\"0\" width=\"%d\" height=\"%u\" fill=\"#fbe9e7\"/>\n",
          failing, Column, height);
  for (uint32_t c = 0; c <= p->steps; c++) {
    int x = LabelWidth + (int)c * Column;
    uint64_t cycle = c < p->steps ? step_log_cycle(log, p->first + c) : p->unit->cycle + 1;
    bool gap = c > 0 && c < p->steps && cycle != step_log_cycle(log, p->first + c - 1) + 1;
    fprintf(p->file,
            "<path d=\"M%d %dV%u\" stroke=\"%s\"%s/><text x=\"%d\" y=\"16\" fill=\"" Ink
            "\" font-size=\"9\">%" PRIu64 "</text>\n",
            x, Head - 4, height, gap ? Ink : "#ddd", gap ? " stroke-dasharray=\"3 3\"" : "", x + 3,
            cycle);
  }
}

static void put_body(picture_t *p, const failure_t *failure) {
  const unit_stream_t *blamed = failure->difference.field && !failure->difference.is_state
                                    ? unit_stream_of(p->unit->info, failure->difference.field->name)
                                    : NULL;
  char quiet[256] = "";
  size_t used = 0;
  p->y = Head;
  put_failure(p, &failure->difference);
  for (const unit_stream_t *s = p->unit->info->streams; s && s->name; s++) {
    if (s == blamed || is_active(p, s)) {
      put_stream(p, s);
    } else if (used < sizeof quiet) {
      used +=
          (size_t)snprintf(quiet + used, sizeof quiet - used, "%s%s", used ? ", " : "", s->name);
    }
  }
  if (used) {
    fprintf(p->file, "<text x=\"8\" y=\"%d\" fill=\"" Ink "\">Nothing valid: %s.</text>\n",
            p->y + Row - 5, quiet);
    p->y += Row;
  }
}

bool picture_write(const char *path, const failure_t *failure, const void *expected,
                   const void *actual) {
  const instance_t *u = failure->unit;
  uint64_t steps = u->steps < MostSteps ? u->steps : MostSteps;
  picture_t p = {.unit = u,
                 .first = u->steps - steps,
                 .steps = (uint32_t)steps,
                 .expected = expected,
                 .actual = actual       ? actual
                           : u->has_rtl ? u->rtl_out
                                        : NULL};
  // Once for the height, which stands first.
  p.file = fopen("/dev/null", "w");
  if (!p.file) {
    return false;
  }
  put_body(&p, failure);
  fclose(p.file);
  p.file = fopen(path, "w");
  if (!p.file) {
    return false;
  }
  uint32_t width = LabelWidth + (p.steps + 1) * Column + 4, height = (uint32_t)p.y + 6;
  fprintf(p.file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" width=\"%u\" "
          "height=\"%u\" role=\"img\" fill=\"none\" font-family=\"monospace\" font-size=\"10\">"
          "<title>%s %u before cycle %" PRIu64
          "</title>\n<rect width=\"%u\" height=\"%u\" "
          "fill=\"#fff\"/>\n",
          width, height, width, height, u->info->name, u->number, u->cycle + 1, width, height);
  put_head(&p, height);
  put_body(&p, failure);
  fputs("</svg>\n", p.file);
  bool ok = !ferror(p.file);
  return fclose(p.file) == 0 && ok;
}
