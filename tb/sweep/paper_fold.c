// SPDX-License-Identifier: Apache-2.0
// Prose of a page in lines of at most 120 columns.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "paper.h"

enum { Columns = 120 };

// A word that would begin a list, a heading or a table if a line began with it.
static bool begins_something(const char *word, size_t length) {
  size_t digits = 0;
  while (digits < length && isdigit((unsigned char)word[digits])) {
    digits++;
  }
  return *word == '#' || *word == '|' || *word == '>' || (length == 1 && strchr("-+*", *word)) ||
         (digits && digits + 1 == length && (word[digits] == '.' || word[digits] == ')'));
}

// Where the first line of a text ends: before a space, or at the text's end if there is none.
static size_t line_end(const char *text, size_t length, size_t room) {
  size_t best = 0;
  for (size_t i = 1; i < length && (i <= room || !best); i++) {
    if (text[i] != ' ') {
      continue;
    }
    size_t word = i + 1;
    while (word < length && text[word] != ' ') {
      word++;
    }
    if (word > i + 1 && !begins_something(text + i + 1, word - i - 1)) {
      best = i;
    }
  }
  return best ? best : length;
}

static void fold_line(FILE *to, const char *line, size_t length) {
  bool item = length > 2 && strncmp(line, "- ", 2) == 0;
  size_t indent = 0;
  while (indent + length > Columns) {
    // Not behind the mark of an item.
    size_t skip = item && indent == 0 ? 2 : 0;
    size_t end = skip + line_end(line + skip, length - skip, Columns - indent - skip);
    fprintf(to, "%*s%.*s\n", (int)indent, "", (int)end, line);
    if (end == length) {
      return;
    }
    line += end + 1;
    length -= end + 1;
    indent = item ? 2 : 0;
  }
  fprintf(to, "%*s%.*s\n", (int)indent, "", (int)length, line);
}

void paper_fold(FILE *to, const char *text) {
  bool code = false;
  while (*text) {
    size_t length = strcspn(text, "\n");
    code ^= strncmp(text, "```", 3) == 0;
    if (code || *text == '|' || *text == '!') {
      fprintf(to, "%.*s\n", (int)length, text);
    } else {
      fold_line(to, text, length);
    }
    text += length + (text[length] == '\n');
  }
}
