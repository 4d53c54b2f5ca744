// SPDX-License-Identifier: Apache-2.0
// Reads what Yosys writes as JSON (write_json): modules, their cells, pins, parameters and nets.
//
// A bit is the number of a net, 2 or more, or a constant, which stands there as a string. The
// pointers returned live as long as the file's root.
#ifndef NOCTURNE_AREA_YOSYS_H
#define NOCTURNE_AREA_YOSYS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "csim/base/err.h"

// A file and one of its modules.
typedef struct {
  json_t *root;     // owned
  json_t *modules;  // all of them, by name
  json_t *module;
} yosys_t;

// Opens FOLDER/FILE and finds the module. Call yosys_close in any case.
bool yosys_open(yosys_t *yosys, const char *folder, const char *file, const char *module,
                err_t *err);
void yosys_close(yosys_t *yosys);

// Loops over an object's keys, for which `key` and `value` are declared.
#define YosysEach(object, key, value) \
  const char *key;                    \
  json_t *value;                      \
  json_object_foreach(object, key, value)

json_t *yosys_cells(json_t *module);
json_t *yosys_nets(json_t *module);                // {"bits", "hide_name"} by name
json_t *yosys_ports(json_t *module);               // {"bits", "direction"} by name
json_t *yosys_bits(json_t *net);                   // of a net or port
const char *yosys_type(json_t *cell);              // never NULL
json_t *yosys_pins(json_t *cell);                  // bits by pin
json_t *yosys_pin(json_t *cell, const char *pin);  // NULL: not connected
bool yosys_is(json_t *port, const char *direction);

// Returns a parameter as a number, or one of its binary digits (what is undefined is 0).
uint64_t yosys_number(json_t *cell, const char *parameter);
bool yosys_digit(json_t *cell, const char *parameter, size_t digit);

// Returns the net of a bit: -1 of a constant, or 0 and 1 of the constants as nets.
int64_t yosys_bit(json_t *bits, size_t index);
uint32_t yosys_net(json_t *bit);

// Returns one more than the highest net of a module.
size_t yosys_net_count(json_t *module);

// A memory's cell ($mem_v2).
typedef struct {
  uint32_t width, words, reads, writes, address_bits;
} yosys_memory_t;
bool yosys_is_memory(json_t *cell);
yosys_memory_t yosys_memory(json_t *cell);

// Returns a new string: a name whose indices are [*], so that "gen_way[3].valid_q" and
// "gen_way[0].valid_q" are one; or the module that a type names, "skid_fifo" of
// "$paramod\skid_fifo\Width=..." and "$paramod$HASH\skid_fifo". NULL without memory.
char *yosys_plain_name(const char *name);
char *yosys_plain_module(const char *type);

#endif
