// SPDX-License-Identifier: Apache-2.0
#ifndef NOCTURNE_REGRESS_REMOVE_TREE_H
#define NOCTURNE_REGRESS_REMOVE_TREE_H

#include <stdbool.h>

// A file, or a folder with all in it. False with errno set; what is not there is removed.
bool remove_tree(const char *path);

#endif
