// SPDX-License-Identifier: Apache-2.0
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *terminal_color(FILE *to, color_e color) {
  static const char *const Starts[] = {"\033[0m", "\033[32m", "\033[1;31m", "\033[2m"};
  const char *off = getenv("NO_COLOR"), *kind = getenv("TERM");
  bool takes = (!off || !*off) && kind && strcmp(kind, "dumb") != 0 && isatty(fileno(to));
  return takes ? Starts[color] : "";
}

const char *terminal_time(double seconds, char text[32]) {
  unsigned long whole = seconds > 0 ? (unsigned long)(seconds + 0.5) : 0;
  if (whole < 100) {
    snprintf(text, 32, "%lu s", whole);
  } else if (whole < 3600) {
    snprintf(text, 32, "%lu min %02lu s", whole / 60, whole % 60);
  } else {
    snprintf(text, 32, "%lu h %02lu min", whole / 3600, whole / 60 % 60);
  }
  return text;
}
