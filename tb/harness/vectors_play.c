// SPDX-License-Identifier: Apache-2.0
#include "vectors_play.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lockstep.h"
#include "units.h"
#include "vectors.h"

// The first field whose hardware bits differ, or NULL.
static const char *differs(const instance_t *u, const unit_field_t *fields, const void *a,
                           const void *b) {
  for (const unit_field_t *f = fields; f->name; f++) {
    if (memcmp((const uint8_t *)a + f->offset, (const uint8_t *)b + f->offset,
               (size_t)f->size * instance_dim(u, f->elements)) != 0) {
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

static bool open_vectors(reader_t *r, harness_t *h, lockstep_t **unit, err_t *err) {
  char name[64] = "";
  unsigned in_bits = 0, out_bits = 0;
  int used = 0;
  unit_params_t params;
  uint32_t count = 0;
  r->file = fopen(r->path, "r");
  if (!r->file) {
    err_set(err, ErrInput, "%s: %s", r->path, strerror(errno));
    return false;
  }
  const unit_model_t *model = NULL;
  if (getline(&r->line, &r->room, r->file) > 0 &&
      sscanf(r->line, "%63[a-z_] %u %u%n", name, &in_bits, &out_bits, &used) == 3) {
    model = unit_find(name);
  }
  if (ferror(r->file)) {
    err_set(err, ErrInput, "%s: %s", r->path, strerror(errno));
    return false;
  }
  if (!model) {
    err_set(err, ErrInput,
            "%s:1:1: expected a unit, the bits of its inputs and "
            "outputs, and its parameters",
            r->path);
    return false;
  }
  while (harness_unit(h, count)) {
    count++;
  }
  r->line[strcspn(r->line, "\n")] = '\0';
  if (!unit_params_read(model->info, r->line + used, &params, err)) {
    return err_before(err, "%s:1:%d: ", r->path, used + 1);
  }
  if (!harness_unit_create(h, model->info, &params, 0, NULL, err)) {
    return false;
  }
  *unit = harness_unit(h, count);
  const instance_t *u = &(*unit)->unit;
  const uint32_t in = vectors_in_bits(u), out = vectors_out_bits(u);
  if (in != in_bits || out != out_bits) {
    err_set(err, ErrInput,
            "%s:1:1: %u and %u bits, expected %u and %u; the unit has "
            "changed",
            r->path, in_bits, out_bits, in, out);
    return false;
  }
  r->in_nibbles = (in_bits + 3) / 4;
  r->out_nibbles = (out_bits + 3) / 4;
  r->number = 1;
  return true;
}

// False at the end, or with error set.
static bool next_vector(reader_t *r, err_t *err) {
  ssize_t n = getline(&r->line, &r->room, r->file);
  size_t wanted = 1 + r->out_nibbles + r->in_nibbles;
  r->number++;
  if (n <= 0) {
    return false;
  }
  size_t length = strcspn(r->line, "\n");
  if (length != wanted || strspn(r->line, "0123456789abcdef") != wanted) {
    err_set(err, ErrInput, "%s:%" PRIu64 ":%zu: expected %zu hexadecimal digits", r->path,
            r->number, strspn(r->line, "0123456789abcdef") + 1, wanted);
    return false;
  }
  return true;
}

typedef struct {
  uint8_t *in, *out, *expected, *state, *expected_state;
} buffers_t;

static void play_line(const reader_t *r, lockstep_t *l, const buffers_t *b, bool is_first,
                      uint64_t *clock, uint64_t *differing, text_t *text) {
  const instance_t *u = &l->unit;
  const uint32_t clocks = vectors_reset(r->line);
  vectors_unpack_in(u, r->line + 1 + r->out_nibbles, (uint32_t)r->in_nibbles, b->in);
  vectors_unpack_out(u, r->line + 1, (uint32_t)r->out_nibbles, b->expected, b->expected_state);
  if (clocks > 0 || is_first) {
    lockstep_reset_for(l, clocks > 0 ? clocks : 1, b->out);
  }
  if (clocks == 0) {
    lockstep_step(l, b->in, b->out);
    ++*clock;
  }
  const char *name = differs(u, u->info->out, b->out, b->expected);
  if (!name && u->info->observe) {
    instance_observe(u, b->state);
    name = differs(u, u->info->state, b->state, b->expected_state);
  }
  if (name && ++*differing == 1) {
    text_format(text, "  signal %s: not as recorded in line %" PRIu64 "\n", name, r->number);
  }
}

bool vectors_play(harness_t *h, const char *path, uint64_t *clock, uint64_t *differing,
                  text_t *text, err_t *err) {
  reader_t r = {.path = path};
  lockstep_t *l = NULL;
  buffers_t b = {0};
  bool ok = open_vectors(&r, h, &l, err);
  text_cut(text, 0);
  *differing = 0;
  if (ok) {
    const unit_info_t *info = l->unit.info;
    b = (buffers_t){calloc(1, info->in_size), calloc(1, info->out_size), calloc(1, info->out_size),
                    calloc(1, info->state_size + 1), calloc(1, info->state_size + 1)};
    ok = b.in && b.out && b.expected && b.state && b.expected_state;
    ok = ok || err_memory(err, path);
    for (bool is_first = true; ok && !harness_failure(h) && next_vector(&r, err);
         is_first = false) {
      play_line(&r, l, &b, is_first, clock, differing, text);
    }
    if (ok && r.number == 2 && !err_is_set(err) && !harness_failure(h)) {
      err_set(err, ErrInput, "%s:2:1: expected a vector", path);
    }
    ok = ok && !err_is_set(err);
  }
  free(b.in);
  free(b.out);
  free(b.expected);
  free(b.state);
  free(b.expected_state);
  free(r.line);
  if (r.file) {
    fclose(r.file);
  }
  return ok;
}
