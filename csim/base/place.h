// SPDX-License-Identifier: Apache-2.0
// Where the program finds what belongs to it, and where it builds.
//
// In the tree both are the working folder, and names are as they stand there (vectors/config/
// chopin.yaml, build/units). Installed, what belongs to the program is in a data folder, arranged
// as the tree is, and RTL is built in a folder of the user's cache that links to it. The data
// folder is NOCTURNE_DATA of the environment, or the one that was compiled in (PLACE_DATA); with
// neither this is the tree's program, and in another working folder its tree is the data folder.
// docs/start/install.md.
#ifndef NOCTURNE_BASE_PLACE_H
#define NOCTURNE_BASE_PLACE_H

#include <stdbool.h>
#include <stdio.h>

#include "err.h"

// Returns the data folder, absolute; NULL in the tree.
const char *place_data(void);

// Returns where a file or folder of this name is read: the name itself if it is there, absolute, or
// in the tree, or else its path in the data folder. A name that is in neither is returned as it is.
// The caller frees it; NULL if memory runs out.
char *place_find(const char *name);

// Opens such a file to read; NULL and errno as fopen.
FILE *place_open(const char *name);

// Returns the folder in which RTL is built and the scripts of rtl/ and tb/ run; it is made at the
// first call. "." in the tree; NULL after err_set.
const char *place_work(err_t *err);

// Makes a folder and those above it. False and errno when it cannot.
bool place_make_folder(const char *path);

// Returns what begins a command: "build/nocturne" in the tree, or else the program's path.
const char *place_program(void);

// Returns what to do about missing packages of Debian: "run `make setup`", or which to install. The
// caller frees it; NULL if memory runs out.
char *place_remedy(const char *packages);

#endif
