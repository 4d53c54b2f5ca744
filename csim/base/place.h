// SPDX-License-Identifier: Apache-2.0
// Where the program finds what belongs to it, and where it builds.
//
// In the tree both are the working folder, and names are as they stand there (vectors/config/
// chopin.yaml, build/units). Installed, what belongs to the program is in a data folder, arranged
// as the tree is, and RTL is built in a folder of the user's cache that links to it. The data
// folder is NOCTURNE_DATA of the environment, or the one that was compiled in (PLACE_DATA); with
// neither this is the tree's program. docs/install.md.
#ifndef NOCTURNE_BASE_PLACE_H
#define NOCTURNE_BASE_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

enum { PlaceErrorSize = 256, PlaceSize = PATH_MAX };

// The data folder, absolute; NULL: in the tree.
const char *place_data(void);

// Where a file or folder of this name is read: the name itself where it is there, absolute or in
// the tree; or else in the data folder. What is in neither keeps its name.
const char *place_find(const char *name, char path[PlaceSize]);
FILE *place_open(const char *name);  // it, to read; NULL and errno as fopen

// The folder in which RTL is built and the scripts of rtl/ and tb/ run: made when first asked for.
// "." in the tree. NULL with one line in error: it cannot be made.
const char *place_work(char error[PlaceErrorSize]);

// What begins a command: "build/nocturne" in the tree, or else the program's path.
const char *place_program(void);

// What a message tells who lacks packages of Debian: "run `make setup`", or which to install.
const char *place_remedy(const char *packages, char text[PlaceErrorSize]);

#endif
