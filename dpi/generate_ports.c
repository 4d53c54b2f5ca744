// SPDX-License-Identifier: Apache-2.0
// Writes the tables of a unit's parameters and ports for its contract.
#include <inttypes.h>
#include <string.h>

#include "generate_sides.h"

static void put_allowed(FILE *file, const page_param_t *p) {
  if (p->values) {
    for (uint32_t i = 0; i < p->values->count; i++) {
      fprintf(file, "%s%" PRIu32 " %s", i ? ", " : "", i, p->values->values[i]);
    }
  } else if (p->of) {
    for (uint32_t i = 0; i < p->of_count; i++) {
      fprintf(file, "%s%" PRId64, i ? ", " : "", p->of[i]);
    }
  } else if (!p->in_c) {
    fprintf(file, "only in the RTL");
  } else {
    fprintf(file, "%" PRId64 " to %" PRId64 "%s", p->low, p->high,
            p->power_of_two ? ", powers of two" : "");
  }
}

static void put_port(FILE *file, const page_t *page, const page_field_t *f) {
  char bits[WidthSize], count[PageTextSize];
  page_expr_text(page, f->bits, PageTextRtl, bits);
  page_expr_text(page, f->count, PageTextRtl, count);
  fprintf(file, "| `%s` | %s | %s%s%s | ", f->port, f->is_output ? "out" : "in", bits,
          f->is_array ? " x " : "", f->is_array ? count : "");
  for (uint32_t i = 0; f->values && i < f->values->count; i++) {
    fprintf(file, "%s%" PRIu32 " %s", i ? ", " : "", i, f->values->values[i]);
  }
  for (uint32_t i = 0; f->role == PageError && i < page->part_count; i++) {
    fprintf(file, "%s%" PRIu32 ":%" PRIu32 " %s", i ? ", " : "", 4 * i + 3, 4 * i, page->parts[i]);
  }
  if (f->constant) {
    fprintf(file, "constant from one reset to the next");
  }
  fprintf(file, " | %s |\n", f->doc ? f->doc : "");
}

static void put_stream(FILE *file, const page_t *page, uint32_t stream) {
  for (uint32_t pass = 0; pass < 2; pass++) {
    const page_field_t *fields = pass == 0 ? page->in : page->out;
    const uint32_t count = pass == 0 ? page->in_count : page->out_count;
    for (uint32_t i = 0; i < count; i++) {
      if (fields[i].stream == (int32_t)stream) {
        put_port(file, page, &fields[i]);
      }
    }
  }
}

void generate_ports(FILE *file, const page_t *page) {
  fprintf(file, "| parameter | default | values | meaning |\n|---|---|---|---|\n");
  for (uint32_t i = 0; i < page->param_count; i++) {
    const page_param_t *p = &page->params[i];
    if (p->is) {
      fprintf(file,
              "| `%s` | | `%s` of the tops, %" PRId64 " to %" PRId64 ", default %" PRId64
              " | %s |\n",
              p->rtl, p->top, p->low, p->high, p->initial, p->doc ? p->doc : "");
      continue;
    }
    fprintf(file, "| `%s` | %" PRId64 " | ", p->rtl, p->initial);
    put_allowed(file, p);
    fprintf(file, " | %s |\n", p->doc ? p->doc : "");
  }
  fprintf(file, "\n");
  for (uint32_t i = 0; i < page->derive_count; i++) {
    char name[PageTextSize], text[PageTextSize];
    page_camel(page->derives[i].name, name, sizeof name);
    page_expr_text(page, page->derives[i].is, PageTextRtl, text);
    fprintf(file, "- `%s` is `%s`\n", name, text);
  }
  fprintf(file, "%s| port | | bits | values | meaning |\n|---|---|---|---|---|\n",
          page->derive_count ? "\n" : "");
  for (uint32_t i = 0; i < page->in_count; i++) {
    if (page->in[i].role == PagePin) {
      put_port(file, page, &page->in[i]);
    }
  }
  for (uint32_t s = 0; s < page->stream_count; s++) {
    put_stream(file, page, s);
  }
  for (uint32_t i = 0; i < page->in_count + page->out_count; i++) {
    const page_field_t *f = i < page->in_count ? &page->in[i] : &page->out[i - page->in_count];
    if (f->stream < 0 && !(f->role == PagePin && !f->is_output)) {
      put_port(file, page, f);
    }
  }
  for (uint32_t i = 0; i < page->state_count; i++) {
    put_port(file, page, &page->state[i]);
  }
}
