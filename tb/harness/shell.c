// SPDX-License-Identifier: Apache-2.0
#include "shell.h"

#include <stdio.h>
#include <string.h>

static size_t add(char *text, size_t size, size_t used, const char *part, size_t length) {
  size_t room = used + 1 < size ? size - 1 - used : 0;
  length = length < room ? length : room;
  memcpy(text + used, part, length);
  text[used + length] = '\0';
  return used + length;
}

size_t shell_add(char *text, size_t size, size_t used, const char *argument) {
  if (used) {
    used = add(text, size, used, " ", 1);
  }
  if (*argument && strcspn(argument, " \t\n'\"`$&*?;<>|()[]{}#~!\\") == strlen(argument)) {
    return add(text, size, used, argument, strlen(argument));
  }
  used = add(text, size, used, "'", 1);
  for (const char *c = argument; *c; c++) {
    used = *c == '\'' ? add(text, size, used, "'\\''", 4) : add(text, size, used, c, 1);
  }
  return add(text, size, used, "'", 1);
}
