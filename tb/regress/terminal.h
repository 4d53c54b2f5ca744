// SPDX-License-Identifier: Apache-2.0
// Colours for a terminal. A pipe or a file gets none, nor does a terminal if NO_COLOR is set.
#ifndef NOCTURNE_REGRESS_TERMINAL_H
#define NOCTURNE_REGRESS_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

typedef enum { ColorNone, ColorGood, ColorBad, ColorDim } color_e;

// Returns the text that starts a colour on this stream, "" if it takes none; ColorNone ends one.
const char *terminal_color(FILE *to, color_e color);

// Writes a wall time in words, "12 s", "3 min 05 s", "1 h 20 min", and returns the text.
const char *terminal_time(double seconds, char text[32]);

#endif
