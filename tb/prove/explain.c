// SPDX-License-Identifier: Apache-2.0
#include "explain.h"

#include <inttypes.h>

#include "wrapper.h"

enum { MostShown = 12, MostWords = 64 };

static uint64_t number(const lit_t *bits, uint32_t width, const uint8_t *value) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < width && i < 64; i++) {
    n |= (uint64_t)aig_value(value, bits[i]) << i;
  }
  return n;
}

void explain_inputs(FILE *f, const transition_t *t, const lit_t *in, const uint8_t *value) {
  uint32_t at = 0;
  for (const unit_field_t *field = t->info->in; field->name; field++) {
    const uint32_t bits = unit_dim(t->dims, field->bits);
    const uint32_t elements = unit_dim(t->dims, field->elements);
    for (uint32_t i = 0; i < elements; i++, at += bits) {
      char text[64], element[16] = "";
      unit_value_text(t->dims, field, number(in + at, bits, value), text, sizeof text);
      if (elements > 1) {
        snprintf(element, sizeof element, "[%u]", i);
      }
      fprintf(f, " %s%s=%s", field->name, element, text);
    }
  }
  fputc('\n', f);
}

// Words of symbolic memories that the counterexample reads, each once.
static void explain_arrays(FILE *f, const transition_t *t, const uint8_t *value) {
  const arrays_t *arrays = t->base.arrays;
  uint32_t count, shown = 0;
  const lookup_t *asked = arrays_asked(arrays, &count);
  for (uint32_t i = 0; i < count && shown < MostWords; i++) {
    const lookup_t *q = &asked[i];
    const uint32_t bits = arrays_index_bits(arrays, q->array);
    const uint64_t place = number(q->index, bits, value);
    uint32_t k = 0;
    while (k < i && (asked[k].array != q->array || number(asked[k].index, bits, value) != place)) {
      k++;
    }
    if (k == i && place < arrays_words(arrays, q->array)) {
      fprintf(f, "    %s[%" PRIu64 "]: 0x%" PRIx64 "\n", arrays_name(arrays, q->array), place,
              number(q->word, arrays_width(arrays, q->array), value));
      shown++;
    }
  }
}

void explain_state(FILE *f, const proof_t *p, const uint8_t *value) {
  for (uint32_t i = 0; i < p->register_count; i++) {
    const reg_t *r = &p->registers[i];
    fprintf(f, "    %s%s:", r->name, r->side == ProveRtl ? " (RTL)" : "");
    for (uint32_t e = 0; e < r->elements; e++) {
      fprintf(f, " %" PRIu64, number(r->before + e * r->bits, r->bits, value));
    }
    fputc('\n', f);
  }
  explain_arrays(f, p->t, value);
}

void explain_signal(const transition_t *t, uint32_t bit, char *text, size_t size) {
  const unit_field_t *tables[] = {t->info->out, t->info->state};
  uint32_t at = 0;
  for (uint32_t k = 0; k < 2; k++) {
    for (const unit_field_t *f = tables[k]; f->name; f++) {
      const uint32_t bits = unit_dim(t->dims, f->bits), elements = unit_dim(t->dims, f->elements);
      if (bit < at + bits * elements) {
        if (elements > 1) {
          snprintf(text, size, "%s[%u], bit %u", f->name, (bit - at) / bits, (bit - at) % bits);
        } else {
          snprintf(text, size, "%s, bit %u", f->name, bit - at);
        }
        return;
      }
      at += bits * elements;
    }
  }
  snprintf(text, size, "bit %u of out_o", bit);
}

void explain_duty(const transition_t *t, const duty_t *duty, char *text, size_t size) {
  char signal[160];
  if (duty->is_output) {
    explain_signal(t, duty->bit, signal, sizeof signal);
    snprintf(text, size, "signal %s", signal);
  } else if (duty->expected != AigNone) {
    snprintf(text, size, "register %s, bit %u", duty->what, duty->bit);
  } else {
    snprintf(text, size, "broken: %s%s", duty->what, duty->instance);
  }
}

void explain_duties(FILE *f, const proof_t *p, const duties_t *d, const uint8_t *value) {
  uint32_t shown = 0;
  for (uint32_t i = 0; i < d->count; i++) {
    const duty_t *duty = &d->list[i];
    char text[320];
    if (!aig_value(value, duty->broken) || ++shown > MostShown) {
      continue;
    }
    explain_duty(p->t, duty, text, sizeof text);
    fprintf(f, "  %s", text);
    if (duty->expected != AigNone) {
      fprintf(f, ": expected %d, actual %d", aig_value(value, duty->expected),
              aig_value(value, duty->actual));
    }
    fputc('\n', f);
  }
  if (shown > MostShown) {
    fprintf(f, "  and %u more\n", shown - MostShown);
  }
}
