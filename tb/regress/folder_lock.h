// SPDX-License-Identifier: Apache-2.0
// One regression at a time in a folder.
#ifndef NOCTURNE_REGRESS_FOLDER_LOCK_H
#define NOCTURNE_REGRESS_FOLDER_LOCK_H

#include "test_list.h"

// A descriptor to hold until the end (it ends with the process too, however that ends), or -1 with
// one line in error: *is_held, and who holds it, or the lock's file cannot be written.
int folder_lock(const char *folder, bool *is_held, char error[TestErrorSize]);

void folder_unlock(int lock);

#endif
