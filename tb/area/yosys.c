// SPDX-License-Identifier: Apache-2.0
#include "yosys.h"

#include <stdlib.h>
#include <string.h>

#include "tb/harness/json_file.h"

bool yosys_open(yosys_t *y, const char *folder, const char *file, const char *module, err_t *err) {
  char *path = text_make("%s/%s", folder, file);
  *y = (yosys_t){.root = path ? json_file_load(path, err) : NULL};
  y->modules = json_object_get(y->root, "modules");
  y->module = json_object_get(y->modules, module);
  if (!path) {
    err_memory(err, file);
  } else if (!y->root) {
    err_set(err, ErrCheck, "%s", err_text(err));
  } else if (!y->module) {
    err_set(err, ErrCheck, "%s: the module %s is missing", path, module);
  }
  free(path);
  return y->module != NULL;
}

void yosys_close(yosys_t *y) {
  json_decref(y->root);
  *y = (yosys_t){0};
}

json_t *yosys_cells(json_t *module) { return json_object_get(module, "cells"); }

json_t *yosys_nets(json_t *module) { return json_object_get(module, "netnames"); }

json_t *yosys_ports(json_t *module) { return json_object_get(module, "ports"); }

json_t *yosys_bits(json_t *net) { return json_object_get(net, "bits"); }

const char *yosys_type(json_t *cell) {
  const char *type = json_string_value(json_object_get(cell, "type"));
  return type ? type : "";
}

json_t *yosys_pins(json_t *cell) { return json_object_get(cell, "connections"); }

json_t *yosys_pin(json_t *cell, const char *pin) { return json_object_get(yosys_pins(cell), pin); }

bool yosys_is(json_t *port, const char *direction) {
  const char *text = json_string_value(json_object_get(port, "direction"));
  return text && strcmp(text, direction) == 0;
}

// Yosys writes numbers as strings of binary digits.
static json_t *parameter(json_t *cell, const char *name) {
  return json_object_get(json_object_get(cell, "parameters"), name);
}

uint64_t yosys_number(json_t *cell, const char *name) {
  json_t *value = parameter(cell, name);
  const char *text = json_string_value(value);
  return text ? strtoull(text, NULL, 2) : (uint64_t)json_integer_value(value);
}

bool yosys_digit(json_t *cell, const char *name, size_t digit) {
  json_t *text = parameter(cell, name);
  size_t length = json_string_length(text);
  return digit < length && json_string_value(text)[length - 1 - digit] == '1';
}

int64_t yosys_bit(json_t *bits, size_t index) {
  json_t *bit = json_array_get(bits, index);
  return json_is_integer(bit) ? json_integer_value(bit) : -1;
}

uint32_t yosys_net(json_t *bit) {
  if (json_is_integer(bit)) {
    return (uint32_t)json_integer_value(bit);
  }
  const char *text = json_string_value(bit);
  return text && text[0] == '1' ? 1 : 0;
}

size_t yosys_net_count(json_t *module) {
  json_int_t last = 1;
  size_t i;
  json_t *bit;
  YosysEach(yosys_nets(module), name, net) {
    (void)name;
    json_array_foreach(yosys_bits(net), i, bit) {
      last = json_integer_value(bit) > last ? json_integer_value(bit) : last;
    }
  }
  return (size_t)last + 1;
}

bool yosys_is_memory(json_t *cell) { return strcmp(yosys_type(cell), "$mem_v2") == 0; }

yosys_memory_t yosys_memory(json_t *cell) {
  return (yosys_memory_t){.width = (uint32_t)yosys_number(cell, "WIDTH"),
                          .words = (uint32_t)yosys_number(cell, "SIZE"),
                          .reads = (uint32_t)yosys_number(cell, "RD_PORTS"),
                          .writes = (uint32_t)yosys_number(cell, "WR_PORTS"),
                          .address_bits = (uint32_t)yosys_number(cell, "ABITS")};
}

char *yosys_plain_name(const char *name) {
  text_t out = {0};
  for (const char *p = name; *p; p++) {
    size_t digits = *p == '[' ? strspn(p + 1, "0123456789") : 0;
    text_char(&out, *p);
    if (digits && p[1 + digits] == ']') {
      text_char(&out, '*');
      p += digits;
    }
  }
  return out.length ? text_take(&out) : strdup("");
}

char *yosys_plain_module(const char *type) {
  const char *name = type;
  if (strncmp(type, "$paramod", 8) == 0 && strchr(type, '\\')) {
    name = strchr(type, '\\') + 1;
  }
  return strndup(name, strcspn(name, "\\"));
}
