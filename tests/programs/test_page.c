// SPDX-License-Identifier: Apache-2.0
// The reader of units' pages: what it makes of the units' own, and what it says of broken ones;
// the tables written from pages leave out no byte.
#include <glob.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "csim/unit/page.h"
#include "tb/harness/units.h"
#include "tb/stimulus/stimulus.h"
#include "tests/programs/test.h"

static char folder[] = "/tmp/nocturne-page-XXXXXX";
static err_t err;

static page_t *read_text(const char *text) {
  char path[200];
  snprintf(path, sizeof path, "%s/unit.yaml", folder);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
  err_free(&err);
  page_t *page = page_read(path, &err);
  unlink(path);
  return page;
}

static const page_field_t *field(const page_field_t *fields, uint32_t count, const char *path) {
  for (uint32_t i = 0; i < count; i++) {
    if (strcmp(fields[i].path, path) == 0) {
      return &fields[i];
    }
  }
  fail_msg("no field %s", path);
  return NULL;
}

TEST(test_pixel_distributor) {
  page_t *page = page_read("csim/units/pixel_distributor/page.yaml", &err);
  if (!page) {
    fail_msg("%s", err_text(&err));
  }
  int64_t params[PageMaxParams];
  page_defaults(page, params);
  const page_field_t *piece = field(page->in, page->in_count, "beat_in.pieces.piece");
  assert_string_equal(piece->port, "beat_in_piece_i");
  assert_int_equal(page_value(page, piece->bits, params), 10);
  assert_int_equal(page_value(page, piece->count, params), 2);
  assert_int_equal(piece->count_max, 8);
  assert_int_equal(piece->c_bytes, 2);
  params[3] = 16;  // beat_bytes
  assert_int_equal(page_value(page, piece->bits, params), 11);
  assert_int_equal(page_value(page, piece->count, params), 1);
  const page_field_t *address = field(page->out, page->out_count, "send_read_address");
  assert_int_equal(page_value(page, address->bits, params), 22);
  const page_field_t *data = field(page->in, page->in_count, "send_data");
  assert_string_equal(data->port, "send_data_i");
  assert_int_equal(data->c_bytes, 8);
  const page_field_t *clear = field(page->in, page->in_count, "clear");
  assert_int_equal(clear->role, PageValid);
  assert_true(clear->is_bool);
  const page_field_t *kind = field(page->out, page->out_count, "beat_out.kind");
  assert_string_equal(kind->values->values[2], "End");
  page_free(page);
}

TEST(test_lanes) {
  page_t *page = page_read("csim/units/offload_unit/page.yaml", &err);
  if (!page) {
    fail_msg("%s", err_text(&err));
  }
  int64_t params[PageMaxParams];
  page_defaults(page, params);
  const page_field_t *request = field(page->in, page->in_count, "request");
  assert_true(request->each_lane);
  assert_int_equal(request->per_lane, 3);
  assert_int_equal(request->count_max, 64 * 3);
  assert_int_equal(page_value(page, request->count, params), 16 * 3);
  const page_field_t *slot = field(page->out, page->out_count, "request_slot");
  assert_int_equal(slot->role, PageBack);
  assert_string_equal(slot->port, "request_slot_o");
  const page_field_t *valid = field(page->out, page->out_count, "answer_valid");
  assert_int_equal(page_value(page, valid->bits, params), 16);
  page_free(page);
}

#define HEAD "unit: it\n"
#define TAIL "error: [None]\n"

// Line and column are of the text; each text is one fault away from a page.
static const struct broken {
  const char *text, *expected;
} Broken[] = {
    {"", ":1:1: an empty file, expected a page"},
    {"[1, 2]\n", ":1:1: page: expected a mapping"},
    {HEAD "colour: 1\n", ":2:1: page: colour, expected one of: unit contract"},
    {"streams: {a: {dir: in}}\n" TAIL, ":1:1: page: expected unit, its name"},
    {"unit: It\n", ":1:7: unit: It, expected a name of small letters"},
    {HEAD "streams: {a: {dir: in}}\n", ":1:1: page: expected error, the names"},
    {HEAD TAIL, ":1:1: page: expected at least one input"},
    {HEAD TAIL "streams: {a: {dir: up}}\n", ":3:20: dir: up, expected out or in"},
    {HEAD TAIL "streams: {a: {ready: yes}}\n", ":3:14: a: expected dir, in or out"},
    {HEAD TAIL "streams: {a: {dir: in, ready: 1}}\n", ":3:31: ready: 1, expected yes or no"},
    {HEAD TAIL "streams: {a: {dir: in, fields: {b: 65}}}\n",
     ":3:36: a_b: up to 65 bits, expected 1 to 64"},
    {HEAD TAIL "streams: {a: {dir: in, fields: {b: 8 y 2}}}\n",
     ":3:36: 8 y 2: expected an operator"},
    {HEAD TAIL "streams: {a: {dir: in, fields: {b: gpus}}}\n",
     ":3:36: gpus: expected a number, a parameter, a derived name or a type at \"gpus\""},
    {HEAD TAIL "streams: {a: {dir: in, fields: {b: (1 + 2}}}\n", "expected ')' at"},
    {HEAD TAIL "streams: {a: {dir: in, fields: {b: {c: x}}}}\n", ":3:36: b: expected bits"},
    {HEAD TAIL "streams: {a: {dir: in, fields: {b: {bits: 1, show: hex}}}}\n",
     ":3:52: show: expected mask"},
    {HEAD TAIL "streams: {a: {dir: in, type: pair}}\n",
     ":3:30: type: pair, expected a type of this page"},
    {HEAD TAIL "streams: {a: {dir: in, fields: {valid: 1}}}\n",
     "a_valid_i: two fields of this name"},
    {HEAD TAIL "streams: {a: {dir: in, payload: each}}\n", ":3:33: payload: expected lanes too"},
    {HEAD TAIL "params: {n: {rtl: N, range: 4..2, default: 3}}\n",
     ":3:29: range: 4..2, expected LOW..HIGH"},
    {HEAD TAIL "params: {n: {rtl: N, range: 2..4, default: 5}}\n",
     ":3:44: default: 5, expected a number from 2 to 4"},
    {HEAD TAIL "params: {n: {rtl: N, range: 2..8, power_of_two, default: 6}}\n",
     ":3:58: default: N=6, expected a power of two from 2 to 8"},
    {HEAD TAIL "params: {n: {rtl: N, of: [1, 4], default: 2}}\n",
     ":3:43: default: N=2, expected 1 or 4"},
    {HEAD TAIL "params: {n: {range: 2..4, default: 2}}\n", ":3:13: n: expected rtl"},
    {HEAD TAIL "params: {n: {rtl: N, range: 2..4, top: M, default: 2}}\n",
     ":3:13: n: expected both top and is"},
    {HEAD TAIL "params: {n: {rtl: N, range: 2..4, default: 2}}\nsets: {big: {m: 3}}\n",
     ":4:14: big: m, expected a parameter of this unit"},
    {HEAD TAIL "params: {n: {rtl: N, range: 2..4, default: 2}}\nsets: {big: {n: 5}}\n",
     ":4:17: n: 5, expected a number from 2 to 4"},
    {HEAD TAIL "params: {n: {rtl: N, c: none, default: 2}}\nsets: {big: {n: 3}}\n",
     ":4:14: big: n, expected a parameter of this unit"},
    {HEAD TAIL "sets: {big: {}, big: {}}\n", ":3:17: big stands twice, expected once"},
    {HEAD TAIL "sets: {big: {}}\nrandom_sets: [big, small]\n",
     ":4:20: random_sets: small, expected one of the sets"},
    {HEAD TAIL "sets: {big: {}}\nrandom_sets: big\n",
     ":4:14: random_sets: expected a list of sets"},
    {HEAD TAIL "derive: {n: m + 1}\n", ":3:13: m + 1: expected a number"},
    {HEAD TAIL "params: {n: {rtl: N, range: 2..4, default: 3}}\n"
               "derive: {m: {is: n + 1, max: 3}}\n",
     ":4:30: m: 4 at the defaults, expected at most max"},
    {HEAD TAIL "values: {n: [One, one]}\n", ":3:19: n: one, expected a name in UpperCamelCase"},
    {HEAD TAIL "values: {n: [One, One]}\n", ":3:19: n: One stands twice"},
    {HEAD TAIL "import: [nothing.here]\n", ":3:10: import: no nothing.yaml beside this page"},
    {HEAD TAIL "import: [draw_scheduler.here]\n", ":3:10: import: draw_scheduler has no type here"},
    {HEAD TAIL "streams: {a: {dir: in}, a: {dir: in}}\n", ":3:25: a stands twice, expected once"},
    {HEAD TAIL "streams: {a: {dir: in}}\npeek: {index: 8}\n",
     ":4:7: peek: expected index and data"},
    {HEAD TAIL "streams: {a: {dir: in}}\npins: {p: {dir: in, bits: 1, log: b}}\n",
     ":4:35: log: b, expected a stream of the pin's direction"},
    {HEAD "error: [None, Bad, Worse]\nerror_bits: 1\nstreams: {a: {dir: in}}\n",
     ":3:13: error_bits: 1, expected a number from 2 to 64"},
    {HEAD TAIL "streams: {a: {dir: in, lanes: n}}\n", ":3:31: n: expected a number"},
    {HEAD TAIL "params: {n: {rtl: N, range: 1..4, default: 2}}\n"
               "streams: {a: {dir: in, lanes: n, payload: each, fields: {b: 8 x n}}}\n",
     ":4:61: a_b: the elements of a lane depend on a parameter"},
    {HEAD TAIL "streams: {a: {dir: in, fields: {b: 4}}}\ndoc: {a_valid_i: offers}\n",
     ":4:6: doc: a_b_i is missing, expected the meaning of each port"},
    {HEAD TAIL "streams: {a: {dir: in}}\nparams: {n: {rtl: N, range: 2..4, default: 2}}\n"
               "doc: {a_valid_i: offers}\n",
     ":5:6: doc: N is missing, expected the meaning of each parameter"},
    {HEAD TAIL "streams: {a: {dir: in}}\ndoc: {a_valid_i: offers, a_ready_o: takes}\n",
     ":4:26: doc: a_ready_o, expected a port, a parameter"},
    {HEAD TAIL "streams: {a: {dir: in}}\ndoc: {a_valid_i: a | b}\n",
     ":4:7: doc: a_valid_i: expected a text without |"},
    {HEAD TAIL "doc: {a_valid_i: offers}\nstreams: {a: {dir: in}}\n",
     ":3:6: doc: expected as the last key"},
    {HEAD TAIL "params: {n: {rtl: N, range: 2..4, default: 2}}\nderive: {m: n / (n - n)}\n",
     ":4:13: n / (n - n): a divisor of -2 to 2, expected at least 1 at all parameters"},
    {HEAD TAIL "derive: {m: 4 / 0}\n", ":3:13: 4 / 0: a divisor of 0 to 0, expected at least 1"},
    {"unit: module\n" TAIL, ":1:7: module: a word of SystemVerilog, expected another name"},
    {HEAD TAIL "params: {int: {rtl: N, range: 2..4, default: 2}}\n", ":3:10: int: a word of C"},
    {HEAD TAIL "pins: {for: {dir: in, bits: 1}}\n", ":3:13: for: a word of C"},
    {HEAD TAIL "types: {t: {while: 4}}\n", ":3:20: while: a word of C"},
    {HEAD TAIL "streams: {clk: {dir: in, valid: clk}}\n",
     ":3:1: clk_i: the name of the clock, expected another"},
    {HEAD TAIL "params: {n: {rtl: N, top: M, is: $system(1), range: 2..4, default: 2}}\n",
     ":3:34: $system(1): '$' in an expression of SystemVerilog"},
    {HEAD TAIL "params: {n: {rtl: N, range: 2..4, default: 2}, m: {rtl: N, range: 2..4, default: "
               "2}}\n",
     ":3:57: m: n has this name in the RTL, expected another one"},
    {HEAD TAIL "params: {n: {rtl: M, range: 2..4, default: 2}}\nderive: {m: 4}\n",
     ":4:10: derive: m is a parameter, expected another name"},
    {"unit: \"it\\0x\"\n" TAIL, ":1:7: it: followed by a zero byte"},
};

TEST(test_broken) {
  for (size_t i = 0; i < sizeof Broken / sizeof *Broken; i++) {
    page_t *page = read_text(Broken[i].text);
    if (page || !strstr(err_text(&err), Broken[i].expected)) {
      fail_msg("case %zu: \"%s\", expected \"%s\"", i, page ? "a page" : err_text(&err),
               Broken[i].expected);
    }
  }
}

// A hundred thousand brackets are refused before they take time, and ten thousand keys take none.
TEST(test_large) {
  enum { Brackets = 100000, Keys = 20000 };
  char *text = malloc(Brackets + 1);
  assert_non_null(text);
  memset(text, '[', Brackets);
  text[Brackets] = '\0';
  const clock_t start = clock();
  assert_null(read_text(text));
  assert_non_null(strstr(err_text(&err), ":1:65: lists and mappings more than 64 deep"));
  free(text);
  text_t keys = {0};
  for (int i = 0; i < Keys; i++) {
    text_format(&keys, "k%d: 1\n", i);
  }
  text_put(&keys, "k7: 2\n");
  assert_null(read_text(text_string(&keys)));
  assert_non_null(strstr(err_text(&err), ":20001:1: k7 stands twice"));
  text_free(&keys);
  assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 2);
}

// Sets hold the defaults but for what they name; a name in the list may repeat.
TEST(test_sets) {
  page_t *page =
      read_text(HEAD TAIL
                "streams: {a: {dir: in}}\n"
                "params: {n: {rtl: N, range: 2..4, default: 2}, m: {rtl: M, values: [Up, Down], "
                "default: Up}}\n"
                "sets: {usual: {}, big: {n: 4, m: Down}}\nrandom_sets: [big, usual, big]\n");
  if (!page) {
    fail_msg("%s", err_text(&err));
  }
  assert_int_equal(page->set_count, 2);
  assert_string_equal(page->sets[1].name, "big");
  assert_int_equal(page->sets[0].values[0], 2);
  assert_int_equal(page->sets[0].values[1], 0);
  assert_int_equal(page->sets[1].values[0], 4);
  assert_int_equal(page->sets[1].values[1], 1);
  assert_int_equal(page->random_count, 3);
  assert_int_equal(page->random_sets[1], 0);
  assert_int_equal(page->random_sets[2], 1);
  page_free(page);
}

TEST(test_smallest) {
  page_t *page = read_text(HEAD TAIL "streams: {a: {dir: in}}\n");
  if (!page) {
    fail_msg("%s", err_text(&err));
  }
  assert_int_equal(page->in_count, 1);
  assert_string_equal(page->in[0].port, "a_valid_i");
  assert_int_equal(page->out_count, 2);
  page_free(page);
}

// Another width is another page, also of what imports it.
TEST(test_hash) {
  page_t *a = read_text(HEAD TAIL "streams: {a: {dir: in, fields: {b: 4}}}\n");
  page_t *b = read_text(HEAD TAIL "streams: {a: {dir: in, fields: {b: 5}}}\n");
  assert_non_null(a);
  assert_non_null(b);
  assert_true(a->hash != b->hash);
  page_free(a);
  page_free(b);
}

static const char *meaning(const char *unit, const char *port) {
  char *path = text_make("csim/units/%s/page.yaml", unit);
  page_t *page = page_read(path, &err);
  static char text[256];
  free(path);
  if (!page) {
    fail_msg("%s", err_text(&err));
  }
  for (uint32_t i = 0; i < page->in_count + page->out_count; i++) {
    const page_field_t *f = i < page->in_count ? &page->in[i] : &page->out[i - page->in_count];
    if (strcmp(f->port, port) == 0) {
      snprintf(text, sizeof text, "%s", f->doc ? f->doc : "none");
    }
  }
  page_free(page);
  return text;
}

// A meaning is the port's own, else that of its type's field, else the usual one.
TEST(test_meanings) {
  assert_string_equal(meaning("child_consolidation", "beat_slot_i"), "the package");
  assert_string_equal(meaning("child_consolidation", "beat_last_i"), "not used");
  assert_string_equal(meaning("child_consolidation", "beat_ready_o"),
                      "takes what `beat_valid_i` offers");
  assert_string_equal(meaning("pixel_distributor", "beat_out_mask_o"),
                      "side-band: mask of the pixels");
  assert_string_equal(meaning("pixel_distributor", "write_mask_o"), "which");
  // Another meaning is the same unit.
  page_t *a = read_text(HEAD TAIL "streams: {a: {dir: in}}\n");
  page_t *b = read_text(HEAD TAIL "streams: {a: {dir: in}}\ndoc: {a_valid_i: offers}\n");
  assert_non_null(a);
  assert_non_null(b);
  assert_null(a->in[0].doc);
  assert_string_equal(b->in[0].doc, "offers");
  assert_true(a->hash == b->hash);
  page_free(a);
  page_free(b);
}

extern const unit_model_t UnitModels[];

TEST(test_covered) {
  uint32_t units = 0;
  for (const unit_model_t *m = UnitModels; m->info; m++, units++) {
    if (!unit_is_covered(m->info, &err)) {
      fail_msg("%s", err_text(&err));
    }
  }
  glob_t pages;
  assert_int_equal(glob("csim/units/*/page.yaml", 0, NULL, &pages), 0);
  assert_int_equal(units, pages.gl_pathc);
  for (size_t i = 0; i < pages.gl_pathc; i++) {
    page_t *page = page_read(pages.gl_pathv[i], &err);
    if (!page || !page->in[0].doc) {
      fail_msg("%s: %s", pages.gl_pathv[i], page ? "expected doc, the meanings" : err_text(&err));
    }
    page_free(page);
  }
  globfree(&pages);
}

// Each field of each unit, left out of its table.
TEST(test_left_out) {
#if !defined(__has_builtin) || !__has_builtin(__builtin_clear_padding)
  skip();  // the compiler can't tell padding from members
#endif
  for (const unit_model_t *m = UnitModels; m->info; m++) {
    const unit_field_t *const tables[] = {m->info->in, m->info->out, m->info->state};
    for (int t = 0; t < 3; t++) {
      uint32_t count = 0;
      while (tables[t][count].name) {
        count++;
      }
      for (uint32_t out = 0; out < count; out++) {
        unit_field_t fields[256];
        memcpy(fields, tables[t], out * sizeof *fields);
        memcpy(fields + out, tables[t] + out + 1, (count - out) * sizeof *fields);
        unit_info_t info = *m->info;
        *(t == 0 ? &info.in : t == 1 ? &info.out : &info.state) = fields;
        assert_false(unit_is_covered(&info, &err));
        char expected[200];
        snprintf(expected, sizeof expected, "%s: byte %u of %s, after ", info.name,
                 tables[t][out].offset,
                 t == 0   ? "in"
                 : t == 1 ? "out"
                          : "state");
        if (strncmp(err_text(&err), expected, strlen(expected)) != 0) {
          fail_msg("%s: \"%s\", expected \"%s\"", tables[t][out].name, err_text(&err), expected);
        }
      }
    }
  }
}

TEST(test_params) {
  const unit_info_t *info = unit_find("child_consolidation")->info;
  child_consolidation_params_t p;
  char text[UnitParamsText];
  assert_true(unit_params_read(info, "Merge=0 Entries=32", &p, &err));
  assert_int_equal(p.entries, 32);
  assert_false(p.merge);
  assert_true(p.observe);
  unit_params_text(info, &p, text);
  assert_string_equal(text, "Entries=32 SetBits=6 Ways=4 Merge=0 CountWidth=48 Observe=1");
  assert_false(unit_params_read(info, "Entries=33", &p, &err));
  assert_string_equal(err_text(&err), "Entries=33, expected a power of two from 16 to 256");
  assert_false(unit_params_read(info, "Colour=3", &p, &err));
  assert_string_equal(err_text(&err), "Colour: no such parameter of child_consolidation");
}

// True if a random set of the unit has this value.
static bool is_drawn(const unit_info_t *info, const unit_param_t *p, int64_t value) {
  for (uint32_t i = 0; i < info->random_count; i++) {
    int64_t has = 0;
    memcpy(&has, (const uint8_t *)info->sets[info->random_sets[i]].params + p->offset, p->size);
    if (has == value) {
      return true;
    }
  }
  return false;
}

// True if a random set has an odd number between the ends, or there is none to want.
static bool is_middle_drawn(const unit_info_t *info, const unit_param_t *p) {
  bool found = p->power_of_two || p->high - p->low < 4;
  for (int64_t value = p->low + 1; value < p->high && !found; value++) {
    found = value % 2 && is_drawn(info, p, value);
  }
  return found;
}

// The random sets of each unit have both ends of each parameter and an odd number between them, or
// each value of a list. The number of GPUs is the test's.
TEST(test_random_sets) {
  for (const unit_model_t *m = UnitModels; m->info; m++) {
    for (const unit_param_t *p = m->info->params; p->name; p++) {
      bool ok = strcmp(p->name, "gpus") == 0 || p->of_count;
      ok = ok || (is_drawn(m->info, p, p->low) && is_drawn(m->info, p, p->high) &&
                  is_middle_drawn(m->info, p));
      for (uint32_t i = 0; ok && i < p->of_count; i++) {
        ok = is_drawn(m->info, p, p->of[i]);
      }
      if (!ok) {
        fail_msg("%s: no random set has the ends of %s and what is between", m->info->name,
                 p->name);
      }
    }
  }
}

// Seeds 1 and 2, which `make test` takes, draw different sets.
TEST(test_neighbouring_seeds) {
  for (const unit_model_t *m = UnitModels; m->info; m++) {
    unit_params_t params[2] = {0};
    for (uint32_t i = 0; i < 2; i++) {
      const stimulus_t s = {.gpus = 8, .seed = 1 + i};
      rng_t rng;
      stimulus_seed(&s, &rng);
      stimulus_params(&s, m->info, &rng, &params[i]);
    }
    if (m->info->random_count > 1 && memcmp(&params[0], &params[1], m->info->params_size) == 0) {
      fail_msg("%s: seeds 1 and 2 draw the same parameters", m->info->name);
    }
  }
}

int main(void) {
  if (!mkdtemp(folder)) {
    return 1;
  }
  const int failed = run_all_tests(NULL, NULL);
  rmdir(folder);
  return failed;
}
