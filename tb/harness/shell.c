// SPDX-License-Identifier: Apache-2.0
#include "shell.h"

#include <string.h>

void shell_add(text_t *text, const char *argument) {
  if (text->length) text_char(text, ' ');
  if (*argument && strcspn(argument, " \t\n'\"`$&*?;<>|()[]{}#~!\\") == strlen(argument)) {
    text_put(text, argument);
    return;
  }
  text_char(text, '\'');
  for (const char *c = argument; *c; c++) {
    if (*c == '\'') {
      text_put(text, "'\\''");
    } else {
      text_char(text, *c);
    }
  }
  text_char(text, '\'');
}
