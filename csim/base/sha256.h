// SPDX-License-Identifier: Apache-2.0
// SHA-256 of configurations and pictures, by the nettle library.
#ifndef NOCTURNE_BASE_SHA256_H
#define NOCTURNE_BASE_SHA256_H

#include <nettle/sha2.h>
#include <stddef.h>

enum { BaseSha256Text = 65 };  // 64 hexadecimal digits and the terminator

typedef struct {
  struct sha256_ctx context;
} base_sha256_t;

// Begin, then any number of add, then end, which writes the digest in lower case.
void base_sha256_begin(base_sha256_t *sha);
void base_sha256_add(base_sha256_t *sha, const void *data, size_t size);
void base_sha256_end(base_sha256_t *sha, char text[BaseSha256Text]);

// All of it at once.
void base_sha256_hex(const void *data, size_t size, char text[BaseSha256Text]);

#endif
