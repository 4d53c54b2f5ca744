// SPDX-License-Identifier: Apache-2.0
#include "aiger.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"

enum { MostProducts = 4095, MutantBits = 16 };

static uint32_t read_line(FILE *f, const char *path) {
  unsigned n = 0;
  if (fscanf(f, "%u%*[^\n]", &n) != 1 || fgetc(f) != '\n') {
    fault(FaultUsage, "%s: not an AIGER file as Yosys writes it", path);
  }
  return n;
}

static uint32_t read_delta(FILE *f, const char *path) {
  uint32_t value = 0, shift = 0;
  for (int c = fgetc(f);; c = fgetc(f), shift += 7) {
    if (c == EOF || shift > 28) {
      fault(FaultUsage, "%s: cut short", path);
    }
    value |= (uint32_t)(c & 0x7f) << shift;
    if (!(c & 0x80)) {
      return value;
    }
  }
}

static void read_graph(aiger_t *a, FILE *f, const char *path) {
  unsigned most;
  if (fscanf(f, "aig %u %u %u %u %u", &most, &a->inputs, &a->latches, &a->outputs, &a->ands) != 5 ||
      fgetc(f) != '\n' || most != a->inputs + a->latches + a->ands) {
    fault(FaultUsage, "%s: not an AIGER file as Yosys writes it", path);
  }
  a->next = fault_calloc(a->latches, sizeof *a->next);
  a->output = fault_calloc(a->outputs, sizeof *a->output);
  a->operands = fault_calloc(a->ands, sizeof *a->operands);
  for (uint32_t i = 0; i < a->latches; i++) {
    a->next[i] = read_line(f, path);
  }
  for (uint32_t i = 0; i < a->outputs; i++) {
    a->output[i] = read_line(f, path);
  }
  for (uint32_t i = 0; i < a->ands; i++) {
    const uint32_t number = 2 * (a->inputs + a->latches + i + 1);
    a->operands[i][0] = number - read_delta(f, path);
    a->operands[i][1] = a->operands[i][0] - read_delta(f, path);
  }
}

// "in_i" or "in_i[N]", and the same of out_o.
static bool is_bit_of(const char *name, const char *port, uint32_t *bit) {
  const size_t length = strlen(port);
  unsigned n = 0;
  if (strncmp(name, port, length) != 0 ||
      (name[length] && sscanf(name + length, "[%u]", &n) != 1)) {
    return false;
  }
  *bit = n;
  return true;
}

// "product_N.y[BIT]", and its words a and b, which are outputs.
static bool name_product(aiger_t *a, uint32_t number, const char *name) {
  unsigned product, bit;
  char word;
  if (sscanf(name, "product_%u.%c[%u]", &product, &word, &bit) != 3 || bit >= ProductMostBits ||
      product > MostProducts || !strchr("aby", word)) {
    return false;
  }
  if (product >= a->product_count) {
    a->products = fault_realloc(a->products, product + 1, sizeof *a->products);
    memset(a->products + a->product_count, 0,
           (product + 1 - a->product_count) * sizeof *a->products);
    a->product_count = product + 1;
  }
  aiger_product_t *p = &a->products[product];
  p->is_open = true;
  *(word == 'a' ? &p->a[bit] : word == 'b' ? &p->b[bit] : &p->y[bit]) = number;
  return true;
}

static aiger_memory_t *find_memory(const aiger_t *a, const char *name) {
  for (uint32_t i = 0; i < a->memory_count; i++) {
    if (strcmp(a->memories[i].name, name) == 0) {
      return &a->memories[i];
    }
  }
  return NULL;
}

const aiger_memory_t *aiger_memory(const aiger_t *a, const char *name) {
  return find_memory(a, name);
}

static aiger_memory_t *memory_of(aiger_t *a, const char *name) {
  aiger_memory_t *found = find_memory(a, name);
  if (!found) {
    a->memories = fault_realloc(a->memories, a->memory_count + 1, sizeof *a->memories);
    found = &a->memories[a->memory_count++];
    *found = (aiger_memory_t){.name = name};
  }
  return found;
}

// "u_dut.NAME.symbolic_PORT[BIT]"; the name is cut.
static bool name_memory(aiger_t *a, uint32_t number, char *name) {
  static const char Prefix[] = "u_dut.", Middle[] = ".symbolic_";
  char *port = strstr(name, Middle);
  unsigned bit;
  char kind[3];
  if (!port || strncmp(name, Prefix, sizeof Prefix - 1) != 0 ||
      sscanf(port + sizeof Middle - 1, "%2[a-z][%u]", kind, &bit) != 2) {
    return false;
  }
  *port = '\0';
  aiger_memory_t *m = memory_of(a, name + sizeof Prefix - 1);
  aiger_port_t *p = strcmp(kind, "we") == 0   ? &m->enable
                    : strcmp(kind, "wa") == 0 ? &m->place
                    : strcmp(kind, "wd") == 0 ? &m->data
                    : strcmp(kind, "ra") == 0 ? &m->ask
                                              : &m->answer;
  if (bit >= p->count) {
    p->at = fault_realloc(p->at, bit + 1, sizeof *p->at);
    p->count = bit + 1;
  }
  p->at[bit] = number;
  return true;
}

// Each load has a place and an answer.
static bool has_ports(const aiger_memory_t *m) {
  const uint32_t bits = m->place.count, loads = bits ? m->ask.count / bits : 0;
  return bits > 0 && bits < 32 && m->data.count > 0 && m->enable.count == m->data.count &&
         m->ask.count == loads * bits && m->answer.count == loads * m->data.count;
}

void aiger_open(aiger_t *a, arrays_t *arrays, const aiger_t *like) {
  a->arrays = arrays;
  for (uint32_t i = 0; i < a->memory_count; i++) {
    aiger_memory_t *m = &a->memories[i];
    if (!has_ports(m)) {
      fault(FaultUsage, "not an AIGER file as Yosys writes it: ports of memory %s", m->name);
    }
    const uint32_t words = UINT32_C(1) << m->place.count, width = m->data.count;
    const aiger_memory_t *other = like ? aiger_memory(like, m->name) : NULL;
    if (like && (!other || other->place.count != m->place.count || other->data.count != width ||
                 other->ask.count != m->ask.count)) {
      fault(FaultUsage, "%s: one Yosys reads it as another memory than the other", m->name);
    }
    m->array = other ? other->array : arrays_add(arrays, m->name, words, width, NULL);
  }
}

static void name_input(aiger_t *a, uint32_t number, char *name, const char *path) {
  uint32_t bit;
  if (name_product(a, number, name)) {
    a->input_bit[number] = AigerProduct;
  } else if (name_memory(a, number, name)) {
    a->input_bit[number] = AigerMemory;
  } else if (strcmp(name, "rst_ni") == 0) {
    a->input_bit[number] = AigerReset;
  } else if (strcmp(name, "clk_i") == 0) {
    a->input_bit[number] = AigerClock;
  } else if (is_bit_of(name, "u_dut.mutant", &bit) && bit < MutantBits) {
    a->input_bit[number] = AigerMutant + bit;
  } else if (!is_bit_of(name, "in_i", &a->input_bit[number])) {
    fault(FaultUsage, "%s: an input %s, expected those of the packed top", path, name);
  }
}

static void name_latch(aiger_t *a, uint32_t number, char *names) {
  static const char Prefix[] = "u_dut.";
  a->latch_name[number] = names;
  for (char *n = strtok(names, " "); n; n = strtok(NULL, " ")) {
    if (strncmp(n, Prefix, sizeof Prefix - 1) == 0) {
      a->names = fault_realloc(a->names, a->name_count + 1, sizeof *a->names);
      a->names[a->name_count++] = (aiger_name_t){n + sizeof Prefix - 1, number};
      a->latch_name[number] = n + sizeof Prefix - 1;
    }
  }
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const aiger_name_t *)a)->name, ((const aiger_name_t *)b)->name);
}

// The table of names, "l12 NAME NAME", up to the comment.
static void read_names(aiger_t *a, FILE *f, const char *path) {
  const long from = ftell(f);
  fseek(f, 0, SEEK_END);
  const size_t size = (size_t)(ftell(f) - from);
  a->text = fault_calloc(size + 1, 1);
  fseek(f, from, SEEK_SET);
  if (fread(a->text, 1, size, f) != size) {
    fault(FaultUsage, "%s: %s", path, strerror(errno));
  }
  a->input_bit = fault_calloc(a->inputs, sizeof *a->input_bit);
  a->output_of = fault_calloc(a->outputs, sizeof *a->output_of);
  a->latch_name = fault_calloc(a->latches, sizeof *a->latch_name);
  uint32_t named = 0;
  for (char *line = a->text, *end; *line && *line != 'c'; line = end + 1) {
    char kind = *line, *name;
    end = strchr(line, '\n');
    if (!end) {
      break;
    }
    *end = '\0';
    const uint32_t number = (uint32_t)strtoul(line + 1, &name, 10);
    uint32_t bit;
    name += *name == ' ';
    if (kind == 'i' && number < a->inputs) {
      name_input(a, number, name, path);
      named++;
    } else if (kind == 'l' && number < a->latches) {
      name_latch(a, number, name);
      named++;
    } else if (kind == 'o' && number < a->outputs && is_bit_of(name, "out_o", &bit) &&
               bit < a->outputs) {
      a->output_of[bit] = number;
      a->out_bits++;
      named++;
    } else if (kind == 'o' && number < a->outputs &&
               (name_product(a, number, name) || name_memory(a, number, name))) {
      named++;
    }
  }
  if (named != a->inputs + a->latches + a->outputs) {
    fault(FaultUsage, "%s: inputs, registers or outputs without a name", path);
  }
  if (a->name_count) {
    qsort(a->names, a->name_count, sizeof *a->names, by_name);
  }
}

void aiger_read(aiger_t *a, const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) {
    fault(FaultUsage, "%s: %s", path, strerror(errno));
  }
  *a = (aiger_t){0};
  read_graph(a, f, path);
  read_names(a, f, path);
  fclose(f);
}

void aiger_free(aiger_t *a) {
  free(a->next);
  free(a->output);
  free(a->operands);
  free(a->input_bit);
  free(a->output_of);
  free(a->latch_name);
  free(a->names);
  free(a->products);
  for (uint32_t i = 0; i < a->memory_count; i++) {
    aiger_memory_t *m = &a->memories[i];
    free(m->enable.at);
    free(m->place.at);
    free(m->data.at);
    free(m->ask.at);
    free(m->answer.at);
  }
  free(a->memories);
  free(a->text);
}

static int64_t find(const aiger_t *a, const char *name) {
  const aiger_name_t key = {name, 0};
  const aiger_name_t *found =
      a->name_count ? bsearch(&key, a->names, a->name_count, sizeof key, by_name) : NULL;
  return found ? (int64_t)found->latch : -1;
}

int64_t aiger_latch(const aiger_t *a, const char *name, uint32_t element, uint32_t bits,
                    uint32_t elements, uint32_t bit) {
  char text[256];
  // An unpacked array's element, a bit of a packed vector, a register of one bit; "[%u]" in a name
  // stands for the element.
  const char *mark = strstr(name, "[%u]");
  if (mark) {
    const int head = (int)(mark - name);
    snprintf(text, sizeof text, "%.*s[%u]%s[%u]", head, name, element, mark + 4, bit);
    int64_t latch = find(a, text);
    snprintf(text, sizeof text, "%.*s[%u]%s", head, name, element, mark + 4);
    return latch >= 0 || bits > 1 ? latch : find(a, text);
  }
  snprintf(text, sizeof text, "%s[%u][%u]", name, element, bit);
  int64_t latch = elements > 1 ? find(a, text) : -1;
  if (latch < 0 && (bits > 1 || elements > 1)) {
    snprintf(text, sizeof text, "%s[%u]", name, element * bits + bit);
    latch = find(a, text);
  }
  if (latch < 0 && bits == 1 && elements == 1) {
    latch = find(a, name);
    snprintf(text, sizeof text, "%s[0]", name);
    latch = latch < 0 ? find(a, text) : latch;
  }
  return latch;
}

// Returns the value of a place, with the flaws that lie there.
static lit_t at(const aiger_t *a, uint32_t place, lit_t value) {
  const crowd_t *c = a->crowd;
  uint32_t i = c ? c->at[place] : 0;
  for (; i && i <= c->count && c->flaws[i - 1].place == place; i++) {
    const lit_t under = c->under[i - 1];
    switch (c->flaws[i - 1].kind) {
      case FlawStuck0: value = aig_and(c->aig, value, aig_not(under)); break;
      case FlawStuck1: value = aig_or(c->aig, value, under); break;
      default: value = aig_xor(c->aig, value, under);
    }
  }
  return value;
}

static bool is_flawed(const aiger_t *a, uint32_t conjunction) {
  const uint32_t *at = a->crowd ? a->crowd->at : NULL;
  return at && (at[1 + a->inputs + a->latches + conjunction] ||
                at[aiger_operand(a, conjunction, 0)] || at[aiger_operand(a, conjunction, 1)]);
}

// A bit of the number that chooses a mutant.
static lit_t mutant_bit(const aiger_t *a, uint32_t bit) {
  const crowd_t *c = a->crowd;
  lit_t any = AigFalse;
  for (uint32_t i = 0; c && i < c->count; i++) {
    any = c->flaws[i].mutant >> bit & 1 ? aig_or(c->aig, any, c->under[i]) : any;
  }
  return any;
}

static lit_t of(const lit_t *node, uint32_t l) { return node[l / 2] ^ (l & 1); }

// As many nodes as are known now; those behind a product that isn't known yet stay AigNone.
static void run_ands(const aiger_t *a, aig_t *aig, lit_t *node, const lit_t *like) {
  const uint32_t first = 1 + a->inputs + a->latches;
  for (uint32_t i = 0; i < a->ands; i++) {
    const lit_t x = a->operands[i][0], y = a->operands[i][1];
    if (node[first + i] != AigNone || node[x / 2] == AigNone || node[y / 2] == AigNone) {
      continue;
    }
    if (like && node[x / 2] == like[x / 2] && node[y / 2] == like[y / 2] && !is_flawed(a, i)) {
      node[first + i] = like[first + i];
    } else {
      const lit_t l = at(a, aiger_operand(a, i, 0), of(node, x));
      const lit_t r = at(a, aiger_operand(a, i, 1), of(node, y));
      node[first + i] = at(a, first + i, aig_and(aig, l, r));
    }
  }
}

// Returns true if a word of a product is known.
static bool gather(const aiger_t *a, const lit_t *node, const uint32_t *outputs, lit_t *word) {
  bool known = true;
  for (uint32_t i = 0; i < ProductMostBits; i++) {
    const uint32_t l = a->output[outputs[i]];
    known &= node[l / 2] != AigNone;
    word[i] = at(a, aiger_operand(a, a->ands, a->latches + outputs[i]), of(node, l));
  }
  return known;
}

static bool is_like(const aiger_t *a, const lit_t *like, const uint32_t *outputs,
                    const lit_t *word) {
  bool is = like != NULL;
  for (uint32_t i = 0; i < ProductMostBits && is; i++) {
    is = word[i] == of(like, a->output[outputs[i]]);
  }
  return is;
}

// Works out the products whose words are known; returns how many are left.
static uint32_t run_products(const aiger_t *a, products_t *products, lit_t *node,
                             const lit_t *like) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < a->product_count; i++) {
    const aiger_product_t *p = &a->products[i];
    lit_t x[ProductMostBits], y[ProductMostBits], result[ProductMostBits];
    if (!p->is_open || node[1 + p->y[0]] != AigNone) {
      continue;
    }
    if (!gather(a, node, p->a, x) || !gather(a, node, p->b, y)) {
      left++;
      continue;
    }
    const bool same = is_like(a, like, p->a, x) && is_like(a, like, p->b, y);
    if (!same) {
      products_multiply(products, ProductMostBits, x, y, result);
    }
    for (uint32_t b = 0; b < ProductMostBits; b++) {
      node[1 + p->y[b]] = at(a, 1 + p->y[b], same ? like[1 + p->y[b]] : result[b]);
    }
  }
  return left;
}

// The literals of a memory's port from a bit on; false: one is not known yet.
static bool port(const aiger_t *a, const lit_t *node, const aiger_port_t *p, uint32_t first,
                 uint32_t count, lit_t *word) {
  bool known = true;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t l = a->output[p->at[first + i]];
    known &= node[l / 2] != AigNone;
    word[i] = of(node, l);
  }
  return known;
}

// Answers the loads whose places are known; returns how many are left. is_before: the memories are
// as before the clock; else nothing is known of them.
static uint32_t run_loads(const aiger_t *a, aig_t *aig, lit_t *node, bool is_before) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < a->memory_count; i++) {
    const aiger_memory_t *m = &a->memories[i];
    const uint32_t width = m->data.count, bits = m->place.count;
    lit_t *word = fault_calloc(width, sizeof *word), *place = fault_calloc(bits, sizeof *place);
    for (uint32_t k = 0; k < m->ask.count / bits; k++) {
      const uint32_t *answer = m->answer.at + k * width;
      if (node[1 + answer[0]] != AigNone) {
        continue;
      }
      if (!port(a, node, &m->ask, k * bits, bits, place)) {
        left++;
        continue;
      }
      if (is_before) {
        arrays_load(a->arrays, m->array, NULL, place, word);
      }
      for (uint32_t b = 0; b < width; b++) {
        node[1 + answer[b]] = is_before ? word[b] : aig_variable(aig);
      }
    }
    free(word);
    free(place);
  }
  return left;
}

// Nodes behind products and loads.
static void run_open(const aiger_t *a, aig_t *aig, products_t *products, lit_t *node,
                     const lit_t *like, bool is_before) {
  uint32_t left = UINT32_MAX, was;
  if (a->memory_count && !a->arrays) {
    fault(FaultUsage, "not known to the prover here: an open memory");
  }
  do {
    was = left;
    left = run_products(a, products, node, like) + run_loads(a, aig, node, is_before);
    run_ands(a, aig, node, like);
  } while (left && left < was);
  if (left) {
    fault(FaultUsage, "not known to the prover: products or memories in a ring");
  }
}

// The store of a clock in each open memory.
static void store_all(const aiger_t *a, const lit_t *node) {
  for (uint32_t i = 0; i < a->memory_count; i++) {
    aiger_memory_t *m = &a->memories[i];
    const uint32_t width = m->data.count, bits = m->place.count;
    lit_t *enable = arrays_room(a->arrays, width);
    lit_t *word = arrays_room(a->arrays, width), *place = arrays_room(a->arrays, bits);
    port(a, node, &m->enable, 0, width, enable);
    port(a, node, &m->data, 0, width, word);
    port(a, node, &m->place, 0, bits, place);
    for (uint32_t b = 1; b < width; b++) {
      if (enable[b] != enable[0]) {
        fault(FaultUsage, "not known to the prover: %s, of which only some bits are written",
              m->name);
      }
    }
    const store_t s = {NULL, enable[0], place, 0, 0, word};
    m->after = arrays_store(a->arrays, NULL, &s);
  }
}

static lit_t input(const aiger_t *a, uint32_t number, lit_t rst_ni, const lit_t *in) {
  const uint32_t bit = a->input_bit[number];
  switch (bit) {
    case AigerReset: return rst_ni;
    case AigerClock: return AigFalse;
    case AigerProduct:
    case AigerMemory: return AigNone;
    default: return bit >= AigerMutant ? mutant_bit(a, bit - AigerMutant) : in[bit];
  }
}

void aiger_mark_word(const aiger_t *a, uint32_t latch, bool *is_marked) {
  const char *name = a->latch_name[latch], *end = name ? strrchr(name, '[') : NULL;
  const size_t length = end ? (size_t)(end - name) : 0;
  is_marked[latch] = true;
  for (uint32_t r = 0; r < a->latches && length; r++) {
    is_marked[r] |= a->latch_name[r] && strncmp(a->latch_name[r], name, length + 1) == 0;
  }
}

void aiger_words(const aiger_t *a, uint32_t *first) {
  bool *is_of_word = fault_calloc(a->latches + 1, sizeof *is_of_word);
  memset(first, 0xff, a->latches * sizeof *first);
  for (uint32_t r = 0; r < a->latches; r++) {
    if (first[r] == UINT32_MAX) {
      memset(is_of_word, 0, a->latches);
      aiger_mark_word(a, r, is_of_word);
      for (uint32_t k = r; k < a->latches; k++) {
        first[k] = is_of_word[k] ? r : first[k];
      }
    }
  }
  free(is_of_word);
}

static lit_t *make_nodes(const aiger_t *a, aig_t *aig, products_t *products, lit_t rst_ni,
                         const lit_t *in, const lit_t *latches, const lit_t *like, bool is_before) {
  const uint32_t first = 1 + a->inputs + a->latches;
  lit_t *node = fault_calloc(first + a->ands, sizeof *node);
  for (uint32_t i = 0; i < a->inputs; i++) {
    const lit_t value = input(a, i, rst_ni, in);
    node[1 + i] = value == AigNone ? AigNone : at(a, 1 + i, value);
  }
  for (uint32_t i = 0; i < a->latches; i++) {
    node[1 + a->inputs + i] = at(a, 1 + a->inputs + i, latches[i]);
  }
  for (uint32_t i = 0; i < a->ands; i++) {
    node[first + i] = AigNone;
  }
  run_ands(a, aig, node, like);
  run_open(a, aig, products, node, like, is_before);
  return node;
}

lit_t *aiger_nodes(const aiger_t *a, aig_t *aig, products_t *products, lit_t rst_ni,
                   const lit_t *in, const lit_t *latches, const lit_t *like) {
  return make_nodes(a, aig, products, rst_ni, in, latches, like, true);
}

void aiger_ends(const aiger_t *a, const lit_t *node, lit_t *out, lit_t *next) {
  for (uint32_t i = 0; i < a->out_bits && out; i++) {
    const uint32_t o = a->output_of[i];
    out[i] = at(a, aiger_operand(a, a->ands, a->latches + o), of(node, a->output[o]));
  }
  for (uint32_t i = 0; i < a->latches && next; i++) {
    next[i] = at(a, aiger_operand(a, a->ands, i), of(node, a->next[i]));
  }
}

void aiger_apply(const aiger_t *a, aig_t *aig, products_t *products, lit_t rst_ni, const lit_t *in,
                 const lit_t *latches, lit_t *out, lit_t *next) {
  lit_t *node = make_nodes(a, aig, products, rst_ni, in, latches, NULL, next != NULL);
  aiger_ends(a, node, out, next);
  if (next) {
    store_all(a, node);
  }
  free(node);
}
