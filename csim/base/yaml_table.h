// SPDX-License-Identifier: Apache-2.0
// Reads YAML mappings into structs as tables say. One row per key holds its name, its kind, and
// where its value goes.
//
//   typedef struct { const char *name; uint32_t words; bool is_clocked; } macro_t;
//   static const yaml_row_t Rows[] = {
//     YamlRow("name", YamlWord, macro_t, name, .required = true),
//     YamlRow("words", YamlNumber, macro_t, words, .required = true, .least = 1, .most = 4096),
//     YamlRow("clocked", YamlFlag, macro_t, is_clocked),
//     {0}};
//   static const yaml_table_t Macro = {.shape = "a macro: {name: ..., words: ...}", .rows = Rows};
//
// Keys may stand in any order in the file; the values are read in the order of the rows, so that
// what a row needs of another comes first in the table. What the file does not give keeps the value
// that the caller has put there. A complaint names file, line, column, what is wrong, and what was
// expected: all keys, or the one of the nearest spelling.
#ifndef NOCTURNE_BASE_YAML_TABLE_H
#define NOCTURNE_BASE_YAML_TABLE_H

#include <stddef.h>

#include "yaml_file.h"

typedef enum {
  YamlWord,      // const char *, valid until yaml_file_free
  YamlCopy,      // char *, owned by the entry; what was there is freed
  YamlWords,     // const char *[YamlMaxWords]: a word or a list of words, NULL behind the last
  YamlFlag,      // bool: true or false, or words[1] or words[0]
  YamlChoice,    // an enum (int): the index of one of `words`
  YamlNumber,    // uint32_t from least to most
  YamlNumber64,  // uint64_t from least to most
  YamlReal,      // double from `from` (DBL_MIN: above 0) to `to`; both 0: any finite number
  YamlNode,      // const yaml_node_t *: kept for the caller
  YamlMap,       // a struct at the offset, read by `table`
  YamlList,      // a list, see yaml_list_t
  YamlCall,      // what `read` does
} yaml_kind_e;

// A place in a file, given to callbacks.
typedef struct {
  const yaml_file_t *file;
  void *context;            // as given to yaml_table_read
  const char *what;         // the key, or that of the list
  const yaml_node_t *key;   // NULL for an item of a list and for a whole file
  const yaml_node_t *node;  // the value
} yaml_at_t;

typedef struct yaml_table yaml_table_t;

// Reads the value at a place into the field; false after a complaint (yaml_at_fail).
typedef bool yaml_read_f(const yaml_at_t *at, void *field);

// The items of a list, read by `table` or by `read`, and the place where they go.
//   size 0: the field itself is given to `read` for each item; it keeps them.
//   grows: the field is a pointer, at first NULL, to items allocated here; the caller frees it.
//   else: the field is an array of `most` items.
typedef struct {
  const yaml_table_t *table;
  yaml_read_f *read;
  size_t size;           // bytes per item
  size_t count_offset;   // of the items read so far, a uint32_t in the same struct; not with size 0
  uint32_t least, most;  // items; a `most` of 0: any number
  bool grows;
  bool or_one;        // an item may stand alone, without a list
  const void *start;  // what an item holds before it is read; NULL: zeros
} yaml_list_t;

typedef struct {
  const char *key;  // NULL ends the table; "*" takes any other key, with kind YamlCall only
  yaml_kind_e kind;
  size_t offset;
  bool required;
  uint64_t least, most;
  double from, to;
  const char *const *words;  // NULL behind the last
  const yaml_table_t *table;
  const yaml_list_t *list;
  yaml_read_f *read;
} yaml_row_t;

// A row whose value goes to a member of a struct; other fields follow as .required = true, ...
#define YamlRow(row_key, row_kind, type, member, ...) \
  { .key = row_key, .kind = row_kind, .offset = offsetof(type, member), __VA_ARGS__ }

struct yaml_table {
  const char *shape;  // what was expected, in words, where no mapping is
  const yaml_row_t *rows;
  // Called when all rows are read, for what no row can say; NULL: nothing. `given` has bit i when
  // the file gives the key of row i.
  bool (*check)(const yaml_at_t *at, void *entry, uint64_t given);
  size_t at_offset;  // with keeps_at: where the entry keeps its const yaml_node_t *
  bool keeps_at;
};

// Reads a mapping; false after a complaint.
bool yaml_table_read(const yaml_at_t *at, const yaml_table_t *table, void *entry);

// Loads a file and reads its document. The caller frees the file in any case, when it no longer
// needs the words.
bool yaml_table_load(yaml_file_t *file, const char *path, const yaml_table_t *table, void *context,
                     void *entry, err_t *err);

// Reads the items of a list into the field of an entry.
bool yaml_list_read(const yaml_at_t *at, const yaml_list_t *list, void *entry, size_t offset);

// Complains at the value of a place. Returns false.
bool yaml_at_fail(const yaml_at_t *at, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Each reads one scalar at a place; false after a complaint.
bool yaml_at_word(const yaml_at_t *at, const char **word);
bool yaml_at_choice(const yaml_at_t *at, const char *const *words, int *index);
bool yaml_at_flag(const yaml_at_t *at, const char *const *words, bool *flag);
bool yaml_at_real(const yaml_at_t *at, double from, double to, double *value);

// Adds words as "a, b or c".
void yaml_words_text(text_t *text, const char *const *words);

#endif
