// SPDX-License-Identifier: Apache-2.0
// Colours and progress on a terminal; none of it in a pipe or a file, nor colours with NO_COLOR.
#ifndef NOCTURNE_REGRESS_TERMINAL_H
#define NOCTURNE_REGRESS_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

typedef enum { ColorNone, ColorGood, ColorBad, ColorDim } color_e;

// What starts a colour on this stream, "" where it takes none; ColorNone ends one.
const char *terminal_color(FILE *to, color_e color);

// Wall time in words: "12 s", "3 min 05 s", "1 h 20 min". Returns text.
const char *terminal_time(double seconds, char text[32]);

#endif
