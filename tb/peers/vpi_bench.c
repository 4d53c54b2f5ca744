// SPDX-License-Identifier: Apache-2.0
// A test bench in C over VPI that plays recorded vectors (tb/harness/vectors.h) on a unit's own
// ports, the way cocotb drives a unit, for `nocturne bench --peers`: a timer toggles the clock, a
// value-change callback sees each edge, after a falling one the inputs are put by handle in the
// read-write phase, after a rising one every output and the observed state are got by handle in the
// read-only phase and compared in all four states. In its favour: values go as words, not as text,
// and an input that stays as it is is not put again.
//
// +vectors=FILE, +ports=FILE (the top's name, then one a line: `in NAME` or `out NAME`, in the
// order of the vectors), +passes=N (1: how often all is played). The last line is
// "PEER: N lines, M mismatches".
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vpi_user.h>

enum { MaxPorts = 256, HalfPeriod = 5, ResetEdges = 2, MaxShown = 5 };

typedef struct {
  vpiHandle handle;
  char name[64];
  bool is_input, is_put;
  uint32_t width, words, at;  // at: the first of its words in a line
  s_vpi_vecval *value;        // what was put last
} port_t;

static port_t ports[MaxPorts];
static uint32_t port_count, line_words;
static uint32_t *lines;  // line_words of each
static uint8_t *is_reset;
static uint64_t line_count, line, pass, passes = 1, mismatches;
static vpiHandle clock_handle, reset_handle;
static uint32_t reset_edges;  // rising edges that a reset under way still has
static bool is_resetting;
static bool is_driven;  // inputs were put; before that, the first value of the clock is no edge

static void fail(const char *what, const char *name) {
  vpi_printf("PEER: %s: %s\n", what, name);
  exit(1);
}

static const char *argument(const char *name) {
  s_vpi_vlog_info info;
  const size_t length = strlen(name);
  vpi_get_vlog_info(&info);
  for (int i = 1; i < info.argc; i++) {
    if (strncmp(info.argv[i], name, length) == 0) {
      return info.argv[i] + length;
    }
  }
  return NULL;
}

static void call_at(PLI_INT32 reason, uint32_t delay, PLI_INT32 (*routine)(p_cb_data)) {
  s_vpi_time time = {.type = vpiSimTime, .low = delay};
  s_cb_data data = {.reason = reason, .cb_rtn = routine, .time = &time};
  vpiHandle callback = vpi_register_cb(&data);
  if (callback) {
    vpi_free_object(callback);
  }
}

static void put_bit(vpiHandle handle, int value) {
  s_vpi_value v = {.format = vpiIntVal, .value.integer = value};
  vpi_put_value(handle, &v, NULL, vpiNoDelay);
}

static void put_inputs(void) {
  const uint32_t *words = lines + line * line_words;
  for (uint32_t i = 0; i < port_count && ports[i].is_input; i++) {
    port_t *p = &ports[i];
    bool same = p->is_put;
    for (uint32_t w = 0; w < p->words; w++) {
      same = same && (uint32_t)p->value[w].aval == words[p->at + w];
      p->value[w].aval = (PLI_INT32)words[p->at + w];
    }
    if (!same) {
      s_vpi_value v = {.format = vpiVectorVal, .value.vector = p->value};
      vpi_put_value(p->handle, &v, NULL, vpiNoDelay);
      p->is_put = true;
    }
  }
}

static void compare_port(const port_t *p, const uint32_t *expected) {
  s_vpi_value v = {.format = vpiVectorVal};
  vpi_get_value(p->handle, &v);
  for (uint32_t w = 0; w < p->words; w++) {
    const uint32_t left = p->width - 32 * w, mask = left < 32 ? (1u << left) - 1 : UINT32_MAX;
    const uint32_t is = (uint32_t)v.value.vector[w].aval & mask;
    const uint32_t unknown = (uint32_t)v.value.vector[w].bval & mask;
    if (is != expected[w] || unknown) {
      if (++mismatches <= MaxShown) {
        vpi_printf("PEER: MISMATCH line %lu: %s word %u: expected %x, actual %x unknown %x\n",
                   (unsigned long)line + 2, p->name, w, expected[w], is, unknown);
      }
      return;
    }
  }
}

static void compare(void) {
  const uint32_t *words = lines + line * line_words;
  for (uint32_t i = 0; i < port_count; i++) {
    if (!ports[i].is_input) {
      compare_port(&ports[i], words + ports[i].at);
    }
  }
  if (++line == line_count) {
    line = 0;
    pass++;
  }
}

static PLI_INT32 drive(p_cb_data data);
static PLI_INT32 before_drive(p_cb_data data) {
  (void)data;
  call_at(cbReadWriteSynch, 0, drive);
  return 0;
}

// After the reset was taken away, still before the next rising edge.
static PLI_INT32 end_reset(p_cb_data data) {
  (void)data;
  is_resetting = false;
  compare();
  call_at(cbAfterDelay, 1, before_drive);
  return 0;
}

static PLI_INT32 drive(p_cb_data data) {
  (void)data;
  if (pass == passes) {
    vpi_printf("PEER: %lu lines, %lu mismatches\n", (unsigned long)(passes * line_count),
               (unsigned long)mismatches);
    fflush(stdout);
    vpi_control(vpiFinish, 0);
  } else if (!is_resetting) {
    put_inputs();
    is_driven = true;
    if (is_reset[line]) {
      put_bit(reset_handle, 0);
      is_resetting = true;
      reset_edges = ResetEdges;
    }
  } else if (reset_edges == 0) {
    put_bit(reset_handle, 1);
    call_at(cbReadOnlySynch, 0, end_reset);
  }
  return 0;
}

static PLI_INT32 sample(p_cb_data data) {
  (void)data;
  if (is_resetting) {
    reset_edges--;
  } else if (is_driven) {
    compare();
  }
  return 0;
}

static PLI_INT32 on_edge(p_cb_data data) {
  if (data->value->value.integer) {
    call_at(cbReadOnlySynch, 0, sample);
  } else {
    call_at(cbReadWriteSynch, 0, drive);
  }
  return 0;
}

static PLI_INT32 toggle(p_cb_data data) {
  static int level = 1;
  (void)data;
  level = !level;
  put_bit(clock_handle, level);
  call_at(cbAfterDelay, HalfPeriod, toggle);
  return 0;
}

static vpiHandle find(const char *top, const char *name) {
  char path[160];
  snprintf(path, sizeof path, "%s.%s", top, name);
  vpiHandle handle = vpi_handle_by_name(path, NULL);
  if (!handle) {
    fail("no such port", path);
  }
  return handle;
}

static void read_ports(const char *path) {
  char top[64], way[8], name[64];
  FILE *file = path ? fopen(path, "r") : NULL;
  if (!file || fscanf(file, "%63s", top) != 1) {
    fail("+ports cannot be read", path ? path : "missing");
  }
  clock_handle = find(top, "clk_i");
  reset_handle = find(top, "rst_ni");
  while (port_count < MaxPorts && fscanf(file, "%7s %63s", way, name) == 2) {
    port_t *p = &ports[port_count++];
    snprintf(p->name, sizeof p->name, "%s", name);
    p->handle = find(top, name);
    p->is_input = strcmp(way, "in") == 0;
    p->width = (uint32_t)vpi_get(vpiSize, p->handle);
    p->words = (p->width + 31) / 32;
    p->at = line_words;
    p->value = calloc(p->words, sizeof *p->value);
    line_words += p->words;
  }
  fclose(file);
}

// The fields of a number in hexadecimal, `nibbles` digits, the first field lowest.
static void unpack(const char *text, size_t nibbles, bool inputs, uint32_t *words) {
  size_t bit = 0;
  for (uint32_t i = 0; i < port_count; i++) {
    const port_t *p = &ports[i];
    for (uint32_t b = 0; p->is_input == inputs && b < p->width; b++, bit++) {
      const char c = text[nibbles - 1 - bit / 4];
      const uint32_t nibble = (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
      words[p->at + b / 32] |= (nibble >> bit % 4 & 1) << b % 32;
    }
  }
}

static void read_vectors(const char *path) {
  static char text[65536];
  unsigned in_bits, out_bits;
  FILE *file = path ? fopen(path, "r") : NULL;
  if (!file || !fgets(text, sizeof text, file) ||
      sscanf(text, "%*s %u %u", &in_bits, &out_bits) != 2) {
    fail("+vectors cannot be read", path ? path : "missing");
  }
  const size_t in = (in_bits + 3) / 4, out = (out_bits + 3) / 4;
  for (uint64_t room = 0; fgets(text, sizeof text, file); line_count++) {
    if (line_count == room) {
      room = 2 * room + 1024;
      lines = realloc(lines, room * line_words * sizeof *lines);
      is_reset = realloc(is_reset, room);
    }
    uint32_t *words = lines + line_count * line_words;
    memset(words, 0, line_words * sizeof *words);
    if (strcspn(text, "\n") != 1 + in + out) {
      fail("a line of another width", text);
    }
    is_reset[line_count] = text[0] != '0';
    unpack(text + 1, out, false, words);
    unpack(text + 1 + out, in, true, words);
  }
  fclose(file);
}

static PLI_INT32 start(p_cb_data data) {
  static s_vpi_value value = {.format = vpiIntVal};
  static s_vpi_time time = {.type = vpiSuppressTime};
  const char *count = argument("+passes=");
  (void)data;
  passes = count ? strtoull(count, NULL, 10) : 1;
  read_ports(argument("+ports="));
  read_vectors(argument("+vectors="));
  s_cb_data edge = {.reason = cbValueChange,
                    .cb_rtn = on_edge,
                    .obj = clock_handle,
                    .time = &time,
                    .value = &value};
  vpi_register_cb(&edge);
  put_bit(reset_handle, 1);
  put_bit(clock_handle, 1);
  call_at(cbAfterDelay, HalfPeriod, toggle);
  return 0;
}

static void at_start(void) {
  s_cb_data data = {.reason = cbStartOfSimulation, .cb_rtn = start};
  vpi_register_cb(&data);
}

void (*vlog_startup_routines[])(void) = {at_start, NULL};
