// SPDX-License-Identifier: Apache-2.0
// Configuration: named, typed, checked parameters from YAML files and --set.
//
// Every module owns a struct of parameters and describes it by a table of keys.
// The table is the only place that knows a parameter's name, range, unit and source;
// reading, checking, printing, hashing and the reference document come from it.
//
//   static const config_key_t Keys[] = {
//     CONFIG_UINT(link_params_t, latency, "latency", 200, 0, 100000, "cycles",
//                 "CHOPIN, Table II", "one way, from the last byte sent"),
//   };
//   config_add(config, "link", Keys, 1, &params);   // the key is link.latency
//
// A table has constants, too: parameters of a model that no user has a reason to change.
// Numbers that belong together (a DRAM's timing) are the entries of a named set: one key
// names a YAML file that has them all, and no entry can be set alone. A name that was a key
// once is refused with what stands in its place.
//
// Call order: config_create, config_add and config_add_set for every table, then files and
// --set in the order in which they shall override each other, then anything that reads.
// A load or set that fails leaves the values before it in place and those it had
// already taken over.
#ifndef NOCTURNE_BASE_CONFIG_H
#define NOCTURNE_BASE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "err.h"
#include "sha256.h"

// Where the bundled sets of the key KEY are, as KEY/NAME.yaml.
#define CONFIG_SETS "vectors/sets"

typedef enum {
  ConfigUint,    // unsigned, of 1, 2, 4 or 8 bytes
  ConfigBool,    // bool
  ConfigEnum,    // unsigned, of 1, 2, 4 or 8 bytes; one of names
  ConfigDouble,  // double
  ConfigString,  // char array
} config_kind_e;

// A number that is written as a word, such as an angle of "none".
typedef struct {
  const char *name;
  double value;  // finite or infinite, outside the key's range
} config_word_t;

// Whose a key is. The number of core keys is limited (tests/scripts/current.test.sh).
typedef enum {
  ConfigCore,       // of the papers' machines
  ConfigExtension,  // of what goes beyond the papers
  ConfigReading,    // another reading of the papers, or of the authors' simulator
} config_group_e;

typedef struct {
  const char *name;  // dotted; the prefix is put in front
  config_kind_e kind;
  size_t offset, size;         // of the field, in the struct at base
  const char *initial;         // default as text; NULL: what the field holds when added
  uint64_t min, max;           // ConfigUint
  double low, high;            // ConfigDouble
  const char *const *names;    // ConfigEnum: the values 0, 1, ...; ends with NULL
  const config_word_t *words;  // ConfigDouble: ends with a NULL name; may be NULL
  const char *unit;            // "" if it has none
  const char *source;          // where the default comes from
  config_group_e group;
  const char *meaning;  // one line
  bool unhashed;        // no part of the machine: left out of the hash (engine)
  bool hashed_if_set;   // left out of the hash while it has its default
  bool constant;        // has its initial value, and cannot be set
  const char *instead;  // not NULL: a name that was a key, and what is in its place
} config_key_t;

#define CONFIG_FIELD(type, field) \
  .offset = offsetof(type, field), .size = sizeof(((type *)0)->field)

// A key of another group than the core says so at the end: CONFIG_BOOL(..., "meaning",
// .group = ConfigExtension).
#define CONFIG_UINT(type, field, key, value, lowest, highest, in_unit, from, what, ...)           \
  {                                                                                               \
    .name = key, .kind = ConfigUint, CONFIG_FIELD(type, field), .initial = #value, .min = lowest, \
    .max = highest, .unit = in_unit, .source = from, .meaning = what, __VA_ARGS__                 \
  }
#define CONFIG_BOOL(type, field, key, value, from, what, ...)                                 \
  {                                                                                           \
    .name = key, .kind = ConfigBool, CONFIG_FIELD(type, field), .initial = value, .unit = "", \
    .source = from, .meaning = what, __VA_ARGS__                                              \
  }
#define CONFIG_ENUM(type, field, key, value, all_names, from, what, ...)          \
  {                                                                               \
    .name = key, .kind = ConfigEnum, CONFIG_FIELD(type, field), .initial = value, \
    .names = all_names, .unit = "", .source = from, .meaning = what, __VA_ARGS__  \
  }
#define CONFIG_DOUBLE(type, field, key, value, lowest, highest, in_unit, from, what, ...)         \
  {                                                                                               \
    .name = key, .kind = ConfigDouble, CONFIG_FIELD(type, field), .initial = #value,              \
    .low = lowest, .high = highest, .unit = in_unit, .source = from, .meaning = what, __VA_ARGS__ \
  }
#define CONFIG_STRING(type, field, key, value, from, what)                                      \
  {                                                                                             \
    .name = key, .kind = ConfigString, CONFIG_FIELD(type, field), .initial = value, .unit = "", \
    .source = from, .meaning = what                                                             \
  }
#define CONFIG_CONSTANT(type, field, key, value, in_unit, from, what)                            \
  {                                                                                              \
    .name = key, .kind = ConfigUint, CONFIG_FIELD(type, field), .initial = #value, .min = value, \
    .max = value, .unit = in_unit, .source = from, .meaning = what, .constant = true             \
  }
#define CONFIG_GONE(key, what) \
  { .name = key, .instead = what }

// Entries of a set: their values are in its files, so there is no default.
#define CONFIG_ENTRY(type, field, key, lowest, highest, in_unit, what)                         \
  {                                                                                            \
    .name = key, .kind = ConfigUint, CONFIG_FIELD(type, field), .min = lowest, .max = highest, \
    .unit = in_unit, .meaning = what                                                           \
  }
#define CONFIG_ENTRY_BOOL(type, field, key, what) \
  { .name = key, .kind = ConfigBool, CONFIG_FIELD(type, field), .meaning = what }
#define CONFIG_ENTRY_DOUBLE(type, field, key, lowest, highest, in_unit, what)                     \
  {                                                                                               \
    .name = key, .kind = ConfigDouble, CONFIG_FIELD(type, field), .low = lowest, .high = highest, \
    .unit = in_unit, .meaning = what                                                              \
  }

// A set. The key takes the NAME of a bundled one, or the path of a file that ends in .yaml.
// A file has every entry, and `source:`, where its numbers come from.
typedef struct {
  const char *key;               // full
  const char *prefix;            // of the entries' names, in results and in the hash
  const char *initial;           // the bundled set that is the default
  const char *source, *meaning;  // of the key
  const config_key_t *entries;
  size_t count;
} config_set_t;

typedef struct config config_t;

// NULL: out of memory.
config_t *config_create(void);
void config_destroy(config_t *config);

// Registers keys and gives their fields the defaults. Keys are copied, one by one, so
// that a table of another shape can be adapted in a loop; their strings, names and
// words are borrowed. prefix: "" or the first part of the names, without the dot.
// base must outlive the configuration. False: out of memory, or a table that is wrong
// in itself (a name twice, a bad default), with the reason in error.
bool config_add(config_t *config, const char *prefix, const config_key_t *keys, size_t count,
                void *base, err_t *err);

// Registers a set, and reads the default's file. False, too, if that file is not as it must be.
bool config_add_set(config_t *config, const config_set_t *set, void *base, err_t *err);

// The defaults alone: what `add` registers, and `assignment` (NULL: none) as with config_set.
bool config_defaults(bool (*add)(config_t *config, void *params, err_t *err), void *params,
                     const char *assignment, err_t *err);

// Reads a YAML file. On failure one line `file:line:column: what, expected ...` (or
// `file: ...` if it cannot be opened) is in error.
bool config_load_file(config_t *config, const char *path, err_t *err);

// Takes over one "key=value". On failure one line `--set key=value: ...`, or one about the
// file of a set.
bool config_set(config_t *config, const char *assignment, err_t *err);

typedef struct {
  const config_key_t *key;
  const char *name;  // full
  const char *set;   // of an entry: the key that names its set; NULL: a key
  const char *text;  // canonical value, valid until the next call of the library
  const char *initial;
  const char *origin;  // "default", "--set" or file:line:column
} config_value_t;

// Calls visit for every key and every entry of a set, in the order of their names.
void config_visit(const config_t *config, void (*visit)(void *self, const config_value_t *value),
                  void *self);

// Looks up one key or entry. False if there is none.
bool config_get(const config_t *config, const char *name, config_value_t *value);

// Where the value of a key came from, for complaints about values that are each in
// range but impossible together. "default" if there is no such key.
const char *config_origin(const config_t *config, const char *name);

// Hash over the lines name=value of all keys and entries but the unhashed ones, by name. A set
// counts by its entries, not by its name.
void config_sha256(const config_t *config, char text[BaseSha256Text]);

// Writes the reference: the keys and the bundled sets as Markdown, or the entries of the sets and
// the constants as CSV. False, with a line in error: a bundled set cannot be read, or no memory.
bool config_document(config_t *config, bool csv, FILE *file, err_t *err);

#endif
