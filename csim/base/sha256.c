// SPDX-License-Identifier: Apache-2.0
#include "sha256.h"

#include <stdint.h>
#include <stdio.h>

void base_sha256_begin(base_sha256_t *sha) { sha256_init(&sha->context); }

void base_sha256_add(base_sha256_t *sha, const void *data, size_t size) {
  sha256_update(&sha->context, size, data);
}

void base_sha256_end(base_sha256_t *sha, char text[BaseSha256Text]) {
  uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_digest(&sha->context, sizeof digest, digest);
  for (size_t i = 0; i < sizeof digest; i++) {
    snprintf(text + 2 * i, 3, "%02x", digest[i]);
  }
}

void base_sha256_hex(const void *data, size_t size, char text[BaseSha256Text]) {
  base_sha256_t sha;
  base_sha256_begin(&sha);
  base_sha256_add(&sha, data, size);
  base_sha256_end(&sha, text);
}
