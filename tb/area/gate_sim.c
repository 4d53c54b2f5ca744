// SPDX-License-Identifier: Apache-2.0
#include "gate_sim.h"

#include <stdlib.h>
#include <string.h>

#include "yosys.h"

// Nets of a port's pins lie one after the other: word w of RD_DATA begins at w * width.
struct gate_memory {
  uint32_t width, words, address_bits, offset;
  uint32_t reads, writes;
  uint32_t *read_address, *read_data, *read_enable, *read_reset;
  uint32_t *write_address, *write_data, *write_enable;  // enable: of each bit
  uint8_t *is_clocked, *is_transparent;  // of a read port; of a read and a write port
  uint8_t *enable_guards_reset;          // of a read port: a reset needs the enable
  uint8_t *reset_word;                   // of read ports' bits
  uint8_t *content, *pending;            // of bits; a clocked port's next word
  uint8_t *is_pending;
  uint32_t *last_address;  // of an unclocked port, of the last cycle
  uint32_t first_node;
};

static bool fail(err_t *err, const char *what, const char *name) {
  return err_set(err, ErrCheck, "%s: %s", what, name);
}

static uint32_t *nets_of(json_t *cell, const char *pin) {
  json_t *bits = yosys_pin(cell, pin), *bit;
  size_t i;
  uint32_t *nets = calloc(json_array_size(bits) + 1, sizeof *nets);
  json_array_foreach(bits, i, bit) {
    if (nets) {
      nets[i] = yosys_net(bit);
    }
  }
  return nets;
}

// ---- building -------------------------------------------------------------------------

static bool add_gate(gate_sim_t *s, const liberty_cell_t *cell, json_t *pins, const char *name,
                     err_t *err) {
  gate_t *g = &s->gates[s->gate_count];
  *g = (gate_t){.cell = cell};
  if (cell->is_other) {
    return fail(err, "a cell with a state that is not a plain flip-flop's", name);
  }
  for (uint32_t p = 0; p < cell->pin_count; p++) {
    const liberty_pin_t *pin = &cell->pins[p];
    json_t *bits = json_object_get(pins, pin->name);
    uint32_t net = yosys_net(json_array_get(bits, 0));
    if (cell->is_register && (p == cell->clock || pin->is_tied)) {
      continue;
    }
    if (pin->is_output) {
      if (g->out_count == GateSimOutputs || (!cell->is_register && !pin->has_table)) {
        return fail(err, "a cell whose function is not known", name);
      }
      g->table[g->out_count] =
          cell->is_register ? (cell->data_inverts != pin->inverts ? 1 : 2) : pin->table;
      g->out[g->out_count++] = json_array_size(bits) ? net : 0;
    } else {
      if (g->in_count == GateSimInputs) {
        return fail(err, "a cell with too many inputs", name);
      }
      g->in[g->in_count++] = net;
    }
  }
  if (cell->is_register) {
    s->registers[s->register_count++] = s->gate_count;
  }
  s->gate_count++;
  return true;
}

// Connects the pins and reserves the state of a memory. False without memory.
static bool make_memory(gate_memory_t *m, json_t *cell) {
  yosys_memory_t shape = yosys_memory(cell);
  *m = (gate_memory_t){.width = shape.width,
                       .words = shape.words,
                       .address_bits = shape.address_bits,
                       .offset = (uint32_t)yosys_number(cell, "OFFSET"),
                       .reads = shape.reads,
                       .writes = shape.writes};
  m->read_address = nets_of(cell, "RD_ADDR");
  m->read_data = nets_of(cell, "RD_DATA");
  m->read_enable = nets_of(cell, "RD_EN");
  m->write_address = nets_of(cell, "WR_ADDR");
  m->write_data = nets_of(cell, "WR_DATA");
  m->write_enable = nets_of(cell, "WR_EN");
  m->read_reset = nets_of(cell, "RD_SRST");
  m->is_clocked = calloc(m->reads + 1, 1);
  m->enable_guards_reset = calloc(m->reads + 1, 1);
  m->reset_word = calloc((size_t)m->reads * m->width + 1, 1);
  m->is_transparent = calloc((size_t)m->reads * m->writes + 1, 1);
  m->content = calloc((size_t)m->width * m->words + 1, 1);
  m->pending = calloc((size_t)m->reads * m->width + 1, 1);
  m->is_pending = calloc(m->reads + 1, 1);
  m->last_address = calloc(m->reads + 1, sizeof *m->last_address);
  return m->read_address && m->read_data && m->read_enable && m->write_address && m->write_data &&
         m->write_enable && m->read_reset && m->is_clocked && m->enable_guards_reset &&
         m->reset_word && m->is_transparent && m->content && m->pending && m->is_pending &&
         m->last_address;
}

// Returns true when all ports are clocked at the rising edge and none has an asynchronous reset.
static bool is_plain(const gate_memory_t *m, json_t *cell) {
  uint32_t *asynchronous = nets_of(cell, "RD_ARST");
  bool plain = asynchronous != NULL;
  for (uint32_t r = 0; plain && r < m->reads; r++) {
    plain = asynchronous[r] == 0;
  }
  free(asynchronous);
  for (uint32_t w = 0; w < m->writes; w++) {
    plain =
        plain && yosys_digit(cell, "WR_CLK_ENABLE", w) && yosys_digit(cell, "WR_CLK_POLARITY", w);
  }
  return plain;
}

static bool add_memory(gate_sim_t *s, json_t *cell, const char *name, err_t *err) {
  gate_memory_t *m = &s->memories[s->memory_count++];
  if (!make_memory(m, cell)) {
    return err_memory(err, name);
  }
  for (size_t i = 0; i < (size_t)m->width * m->words; i++) {
    m->content[i] = yosys_digit(cell, "INIT", i);
  }
  for (size_t i = 0; i < (size_t)m->reads * m->width; i++) {
    m->reset_word[i] = yosys_digit(cell, "RD_SRST_VALUE", i);
    s->value[m->read_data[i]] |= m->read_data[i] > 1 && yosys_digit(cell, "RD_INIT_VALUE", i);
  }
  for (uint32_t r = 0; r < m->reads; r++) {
    m->is_clocked[r] = yosys_digit(cell, "RD_CLK_ENABLE", r);
    m->enable_guards_reset[r] = yosys_digit(cell, "RD_CE_OVER_SRST", r);
    for (uint32_t w = 0; w < m->writes; w++) {
      m->is_transparent[r * m->writes + w] =
          yosys_digit(cell, "RD_TRANSPARENCY_MASK", (size_t)r * m->writes + w);
    }
    if (m->is_clocked[r] && !yosys_digit(cell, "RD_CLK_POLARITY", r)) {
      return fail(err, "a memory read at the falling edge", name);
    }
  }
  return is_plain(m, cell) ||
         fail(err, "a memory with an asynchronous reset, or not clocked at the rising edge", name);
}

// Returns the memory and the read port of a node behind the gates.
static const gate_memory_t *memory_of(const gate_sim_t *s, uint32_t node, uint32_t *port) {
  const gate_memory_t *m = s->memories;
  while (node >= m->first_node + m->reads) {
    m++;
  }
  *port = node - m->first_node;
  return m;
}

// The nets that a node reads; of a memory's unclocked read port, its address.
static const uint32_t *node_inputs(const gate_sim_t *s, uint32_t node, uint32_t *count) {
  uint32_t port;
  if (node < s->gate_count) {
    const gate_t *g = &s->gates[node];
    *count = g->cell->is_register ? 0 : g->in_count;
    return g->in;
  }
  const gate_memory_t *m = memory_of(s, node, &port);
  *count = m->is_clocked[port] ? 0 : m->address_bits;
  return m->read_address + (size_t)port * m->address_bits;
}

static const uint32_t *node_outputs(const gate_sim_t *s, uint32_t node, uint32_t *count) {
  uint32_t port;
  if (node < s->gate_count) {
    const gate_t *g = &s->gates[node];
    *count = g->cell->is_register ? 0 : g->out_count;
    return g->out;
  }
  const gate_memory_t *m = memory_of(s, node, &port);
  *count = m->is_clocked[port] ? 0 : m->width;
  return m->read_data + (size_t)port * m->width;
}

// ---- levels ---------------------------------------------------------------------------

typedef struct {
  uint32_t *waits;     // of a node: its inputs whose drivers have no level yet
  uint32_t *ready;     // nodes without such inputs
  uint32_t used;       // of ready
  uint8_t *is_driven;  // of a net
} order_t;

// Lists the nodes that read each net, and those that wait for none.
static bool find_fanout(gate_sim_t *s, order_t *o) {
  uint32_t count;
  for (uint32_t n = 0; n < s->node_count; n++) {
    const uint32_t *nets = node_inputs(s, n, &count);
    for (uint32_t i = 0; i < count; i++) {
      s->fanout_start[nets[i] + 2]++;
    }
    nets = node_outputs(s, n, &count);
    for (uint32_t i = 0; i < count; i++) {
      o->is_driven[nets[i]] = nets[i] > 1;
    }
  }
  for (size_t n = 1; n < s->nets + 2; n++) {
    s->fanout_start[n] += s->fanout_start[n - 1];
  }
  s->fanout = calloc(s->fanout_start[s->nets + 1] + 1, sizeof *s->fanout);
  for (uint32_t n = 0; s->fanout && n < s->node_count; n++) {
    const uint32_t *nets = node_inputs(s, n, &count);
    for (uint32_t i = 0; i < count; i++) {
      s->fanout[s->fanout_start[nets[i] + 1]++] = n;
      o->waits[n] += o->is_driven[nets[i]];
    }
    if (!o->waits[n]) {
      o->ready[o->used++] = n;
    }
  }
  return s->fanout != NULL;
}

// A node's level is one more than the highest of those that drive it.
static void find_levels(gate_sim_t *s, order_t *o) {
  for (uint32_t done = 0, count; done < o->used; done++) {
    uint32_t n = o->ready[done];
    const uint32_t *nets = node_outputs(s, n, &count);
    if (s->level[n] + 1 > s->level_count) {
      s->level_count = s->level[n] + 1;
    }
    for (uint32_t i = 0; i < count; i++) {
      uint32_t end = nets[i] > 1 ? s->fanout_start[nets[i] + 1] : 0;
      for (uint32_t f = s->fanout_start[nets[i]]; f < end; f++) {
        uint32_t to = s->fanout[f];
        if (s->level[to] <= s->level[n]) {
          s->level[to] = s->level[n] + 1;
        }
        if (--o->waits[to] == 0) {
          o->ready[o->used++] = to;
        }
      }
    }
  }
}

static bool order(gate_sim_t *s, err_t *err) {
  s->fanout_start = calloc(s->nets + 2, sizeof *s->fanout_start);
  s->level = calloc(s->node_count + 1, sizeof *s->level);
  order_t o = {.waits = calloc(s->node_count + 1, sizeof *o.waits),
               .ready = calloc(s->node_count + 1, sizeof *o.ready),
               .is_driven = calloc(s->nets + 1, 1)};
  bool ok = s->fanout_start && s->level && o.waits && o.ready && o.is_driven && find_fanout(s, &o);
  if (ok) {
    find_levels(s, &o);
  }
  free(o.waits);
  free(o.ready);
  free(o.is_driven);
  return ok ? o.used == s->node_count || fail(err, "the netlist", "a combinational loop")
            : err_memory(err, "the netlist");
}

static bool make_queues(gate_sim_t *s, err_t *err) {
  s->queue = calloc(s->node_count + 1, sizeof *s->queue);
  s->queue_start = calloc(s->level_count + 2, sizeof *s->queue_start);
  s->queue_used = calloc(s->level_count + 1, sizeof *s->queue_used);
  s->queued = calloc(s->node_count + 1, 1);
  s->touched = calloc(s->nets, sizeof *s->touched);
  s->is_touched = calloc(s->nets, 1);
  s->base = calloc(s->nets, 1);
  s->next = calloc(s->register_count + 1, 1);
  if (!s->queue || !s->queue_start || !s->queue_used || !s->queued || !s->touched ||
      !s->is_touched || !s->base || !s->next) {
    return err_memory(err, "the netlist");
  }
  for (uint32_t n = 0; n < s->node_count; n++) {
    s->queue_start[s->level[n] + 1]++;
  }
  for (uint32_t l = 0; l < s->level_count; l++) {
    s->queue_start[l + 1] += s->queue_start[l];
  }
  // All once: constants have no driver.
  for (uint32_t n = 0; n < s->node_count; n++) {
    s->queue[s->queue_start[s->level[n]] + s->queue_used[s->level[n]]++] = n;
    s->queued[n] = 1;
  }
  return true;
}

static bool add_cells(gate_sim_t *s, const liberty_t *liberty, json_t *module, err_t *err) {
  YosysEach(yosys_cells(module), name, cell) {
    const liberty_cell_t *known = liberty_cell(liberty, yosys_type(cell));
    bool ok = known ? add_gate(s, known, yosys_pins(cell), name, err)
              : yosys_is_memory(cell)
                  ? add_memory(s, cell, name, err)
                  : fail(err, "a cell that the library has not", yosys_type(cell));
    if (!ok) {
      return false;
    }
  }
  s->node_count = s->gate_count;
  for (uint32_t m = 0; m < s->memory_count; m++) {
    s->memories[m].first_node = s->node_count;
    s->node_count += s->memories[m].reads;
  }
  return true;
}

bool gate_sim_create(gate_sim_t *s, const liberty_t *liberty, json_t *module, err_t *err) {
  size_t count = json_object_size(yosys_cells(module));
  *s = (gate_sim_t){.nets = yosys_net_count(module)};
  s->gates = calloc(count + 1, sizeof *s->gates);
  s->registers = calloc(count + 1, sizeof *s->registers);
  s->memories = calloc(count + 1, sizeof *s->memories);
  s->value = calloc(s->nets, 1);
  s->toggles = calloc(s->nets, sizeof *s->toggles);
  bool ok = (s->gates && s->registers && s->memories && s->value && s->toggles) ||
            err_memory(err, "the netlist");
  if (ok) {
    s->value[1] = 1;
  }
  ok = ok && add_cells(s, liberty, module, err) && order(s, err) && make_queues(s, err);
  if (ok) {
    memcpy(s->base, s->value, s->nets);
  } else {
    gate_sim_destroy(s);
  }
  return ok;
}

void gate_sim_destroy(gate_sim_t *s) {
  for (uint32_t m = 0; m < s->memory_count; m++) {
    gate_memory_t *x = &s->memories[m];
    free(x->read_address);
    free(x->read_data);
    free(x->read_enable);
    free(x->read_reset);
    free(x->enable_guards_reset);
    free(x->reset_word);
    free(x->write_address);
    free(x->write_data);
    free(x->write_enable);
    free(x->is_clocked);
    free(x->is_transparent);
    free(x->content);
    free(x->pending);
    free(x->is_pending);
    free(x->last_address);
  }
  free(s->gates);
  free(s->memories);
  free(s->value);
  free(s->toggles);
  free(s->registers);
  free(s->level);
  free(s->fanout);
  free(s->fanout_start);
  free(s->queue);
  free(s->queue_start);
  free(s->queue_used);
  free(s->queued);
  free(s->touched);
  free(s->is_touched);
  free(s->base);
  free(s->next);
  memset(s, 0, sizeof *s);
}

// ---- running --------------------------------------------------------------------------

static void enqueue(gate_sim_t *s, uint32_t node) {
  if (!s->queued[node]) {
    s->queued[node] = 1;
    s->queue[s->queue_start[s->level[node]] + s->queue_used[s->level[node]]++] = node;
  }
}

void gate_sim_set(gate_sim_t *s, uint32_t net, bool value) {
  if (net <= 1 || s->value[net] == value) {
    return;
  }
  s->value[net] = value;
  if (!s->is_touched[net]) {
    s->is_touched[net] = 1;
    s->touched[s->touched_count++] = net;
  }
  for (uint32_t f = s->fanout_start[net]; f < s->fanout_start[net + 1]; f++) {
    enqueue(s, s->fanout[f]);
  }
}

static uint32_t word_at(const gate_sim_t *s, const uint32_t *nets, uint32_t count) {
  uint32_t value = 0;
  for (uint32_t i = 0; i < count; i++) {
    value |= (uint32_t)s->value[nets[i]] << i;
  }
  return value;
}

static uint8_t *memory_word(const gate_memory_t *m, uint32_t address) {
  uint32_t word = address - m->offset;
  return word < m->words ? m->content + (size_t)word * m->width : NULL;
}

static void read_unclocked(gate_sim_t *s, const gate_memory_t *m, uint32_t port) {
  const uint8_t *word =
      memory_word(m, word_at(s, m->read_address + (size_t)port * m->address_bits, m->address_bits));
  for (uint32_t i = 0; i < m->width; i++) {
    gate_sim_set(s, m->read_data[(size_t)port * m->width + i], word && word[i]);
  }
}

static void evaluate(gate_sim_t *s, uint32_t node) {
  if (node >= s->gate_count) {
    uint32_t port;
    const gate_memory_t *m = memory_of(s, node, &port);
    if (!m->is_clocked[port]) {
      read_unclocked(s, m, port);
    }
    return;
  }
  const gate_t *g = &s->gates[node];
  if (g->cell->is_register) {
    return;
  }
  uint32_t at = 0;
  for (uint32_t i = 0; i < g->in_count; i++) {
    at |= (uint32_t)s->value[g->in[i]] << i;
  }
  for (uint32_t o = 0; o < g->out_count; o++) {
    gate_sim_set(s, g->out[o], g->table[o] >> at & 1);
  }
}

void gate_sim_settle(gate_sim_t *s) {
  for (uint32_t l = 0; l < s->level_count; l++) {
    // A node's outputs only reach higher levels.
    for (uint32_t i = 0; i < s->queue_used[l]; i++) {
      uint32_t node = s->queue[s->queue_start[l] + i];
      s->queued[node] = 0;
      evaluate(s, node);
    }
    s->queue_used[l] = 0;
  }
}

// Reads memories at this edge, before any of them is written, and counts the accesses.
static void read_clocked(gate_sim_t *s, gate_memory_t *m, bool counted) {
  for (uint32_t r = 0; r < m->reads; r++) {
    uint32_t address = word_at(s, m->read_address + (size_t)r * m->address_bits, m->address_bits);
    bool enabled = s->value[m->read_enable[r]];
    bool reset = s->value[m->read_reset[r]] && (enabled || !m->enable_guards_reset[r]);
    if (m->is_clocked[r] ? enabled : address != m->last_address[r]) {
      s->read_bits += counted ? m->width : 0;
    }
    m->is_pending[r] = m->is_clocked[r] && (enabled || reset);
    m->last_address[r] = address;
    if (!m->is_pending[r]) {
      continue;
    }
    const uint8_t *word = memory_word(m, address);
    uint8_t *to = m->pending + (size_t)r * m->width;
    if (reset) {
      memcpy(to, m->reset_word + (size_t)r * m->width, m->width);
      continue;
    }
    for (uint32_t i = 0; i < m->width; i++) {
      to[i] = word && word[i];
    }
    for (uint32_t w = 0; w < m->writes; w++) {
      if (m->is_transparent[r * m->writes + w] &&
          word_at(s, m->write_address + (size_t)w * m->address_bits, m->address_bits) == address) {
        for (uint32_t i = 0; i < m->width; i++) {
          size_t bit = (size_t)w * m->width + i;
          to[i] = s->value[m->write_enable[bit]] ? s->value[m->write_data[bit]] : to[i];
        }
      }
    }
  }
}

static void write_memory(gate_sim_t *s, gate_memory_t *m, bool counted) {
  bool changed = false;
  for (uint32_t w = 0; w < m->writes; w++) {
    uint8_t *word =
        memory_word(m, word_at(s, m->write_address + (size_t)w * m->address_bits, m->address_bits));
    for (uint32_t i = 0; i < m->width; i++) {
      size_t bit = (size_t)w * m->width + i;
      if (s->value[m->write_enable[bit]]) {
        s->written_bits += counted;
        if (word && word[i] != s->value[m->write_data[bit]]) {
          word[i] = s->value[m->write_data[bit]];
          changed = true;
        }
      }
    }
  }
  for (uint32_t r = 0; changed && r < m->reads; r++) {
    if (!m->is_clocked[r]) {
      enqueue(s, m->first_node + r);
    }
  }
}

void gate_sim_clock(gate_sim_t *s, bool counted) {
  for (uint32_t t = 0; t < s->touched_count; t++) {
    uint32_t net = s->touched[t];
    s->is_touched[net] = 0;
    s->toggles[net] += counted && s->value[net] != s->base[net];
    s->base[net] = s->value[net];
  }
  s->touched_count = 0;
  s->cycles += counted;
  for (uint32_t r = 0; r < s->register_count; r++) {
    s->next[r] = s->value[s->gates[s->registers[r]].in[0]];
  }
  for (uint32_t m = 0; m < s->memory_count; m++) {
    read_clocked(s, &s->memories[m], counted);
  }
  // All has been read: now the new values.
  for (uint32_t m = 0; m < s->memory_count; m++) {
    write_memory(s, &s->memories[m], counted);
  }
  for (uint32_t r = 0; r < s->register_count; r++) {
    const gate_t *g = &s->gates[s->registers[r]];
    for (uint32_t o = 0; o < g->out_count; o++) {
      gate_sim_set(s, g->out[o], g->table[o] >> s->next[r] & 1);
    }
  }
  for (uint32_t m = 0; m < s->memory_count; m++) {
    const gate_memory_t *x = &s->memories[m];
    for (uint32_t r = 0; r < x->reads; r++) {
      for (uint32_t i = 0; x->is_pending[r] && i < x->width; i++) {
        gate_sim_set(s, x->read_data[(size_t)r * x->width + i],
                     x->pending[(size_t)r * x->width + i]);
      }
    }
  }
}
