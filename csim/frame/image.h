// SPDX-License-Identifier: Apache-2.0
// Pictures: PNG files, comparison, hash.
#ifndef NOCTURNE_FRAME_IMAGE_H
#define NOCTURNE_FRAME_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/sha256.h"
#include "csim/base/err.h"

// PSNR of two identical pictures, and the most that is ever reported (A-TFIM, VII-D).
#define IMAGE_IDENTICAL_DB 99.0

typedef struct {
  uint32_t width, height;
  uint32_t *pixels;  // RGBA8, red lowest, row-major; alpha counts for nothing
} image_t;

// Black. NULL: out of memory.
image_t *image_create(uint32_t width, uint32_t height);

void image_free(image_t *image);

// Writes RGB, 8 bits a channel, through a temporary beside the path; the same picture
// gives the same bytes. False on failure with one line in error; what was at the path
// before is untouched then, and no temporary remains.
// A device or a pipe is written as it is.
bool image_write_png(const image_t *image, const char *path, err_t *err);

typedef struct {
  double psnr_db;          // over red, green and blue of the pixels compared
  uint32_t max_abs_error;  // largest difference of a channel
  uint64_t pixels;         // compared
  uint64_t pixels_different;
} image_difference_t;

// Compares two pictures of one size. left_out: one byte a pixel, row-major; those that
// are not 0 do not count. May be NULL.
image_difference_t image_compare(const image_t *a, const image_t *b, const uint8_t *left_out);

// |a - b| of each channel times gain, saturating; pixels left out are dark blue.
// NULL: out of memory.
image_t *image_difference(const image_t *a, const image_t *b, const uint8_t *left_out,
                          uint32_t gain);

// Hash over width and height (4 bytes each, lowest first), then red, green, blue of
// every pixel in rows.
void image_sha256(const image_t *image, char text[BaseSha256Text]);

#endif
