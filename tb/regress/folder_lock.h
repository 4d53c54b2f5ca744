// SPDX-License-Identifier: Apache-2.0
// One regression at a time in a folder.
#ifndef NOCTURNE_REGRESS_FOLDER_LOCK_H
#define NOCTURNE_REGRESS_FOLDER_LOCK_H

#include "csim/base/err.h"

// Returns a descriptor that holds the lock until folder_unlock or the end of the process, or -1.
// The error is ErrInput, and says who holds the lock, if another process does.
int folder_lock(const char *folder, err_t *err);
void folder_unlock(int lock);

#endif
