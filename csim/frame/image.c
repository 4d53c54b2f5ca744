// SPDX-License-Identifier: Apache-2.0
#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

image_t *image_create(uint32_t width, uint32_t height) {
  image_t *image = calloc(1, sizeof *image);
  if (image) {
    image->width = width;
    image->height = height;
    size_t count = (size_t)width * height;
    image->pixels = calloc(count ? count : 1, sizeof *image->pixels);
    if (!image->pixels) {
      free(image);
      return NULL;
    }
  }
  return image;
}

void image_free(image_t *image) {
  if (image) {
    free(image->pixels);
    free(image);
  }
}

static void pack_rgb(uint8_t *to, const uint32_t *from, size_t count) {
  for (size_t i = 0; i < count; i++) {
    *to++ = (uint8_t)from[i];
    *to++ = (uint8_t)(from[i] >> 8);
    *to++ = (uint8_t)(from[i] >> 16);
  }
}

static bool write_file(FILE *file, const image_t *image, const char **why) {
  size_t count = (size_t)image->width * image->height;
  uint8_t *rgb = malloc(3 * count);
  if (!rgb) {
    *why = "out of memory";
    return false;
  }
  pack_rgb(rgb, image->pixels, count);
  png_image png = {.version = PNG_IMAGE_VERSION,
                   .width = image->width,
                   .height = image->height,
                   .format = PNG_FORMAT_RGB};
  errno = 0;
  bool good = png_image_write_to_stdio(&png, file, 0, rgb, 0, NULL) && fflush(file) == 0;
  if (!good) {
    *why = errno ? strerror(errno) : "the PNG library refused the picture";
  }
  png_image_free(&png);
  free(rgb);
  return good;
}

bool image_write_png(const image_t *image, const char *path, err_t *err) {
  const char *why = NULL;
  size_t length = strlen(path);
  char *temporary = malloc(length + 8);
  FILE *file = NULL;
  if (!temporary) {
    why = "out of memory";
  } else if (image->width == 0 || image->height == 0) {
    why = "the picture is empty";
  } else {
    // A device or pipe is written as it is, not replaced.
    struct stat old;
    bool special = stat(path, &old) == 0 && !S_ISREG(old.st_mode);
    snprintf(temporary, length + 8, special ? "%s" : "%s.XXXXXX", path);
    int fd = special ? open(path, O_WRONLY) : mkstemp(temporary);
    file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (file) {
      // mkstemp gives the owner alone access; a picture is as readable as any file.
      mode_t mask = umask(0);
      umask(mask);
      bool good = special || fchmod(fd, 0666 & ~mask) == 0;
      if (!good) {
        why = strerror(errno);
      }
      good = good && write_file(file, image, &why);
      if (fclose(file) != 0 && good) {
        good = false;
        why = strerror(errno);
      }
      if (good && !special && rename(temporary, path) != 0) {
        good = false;
        why = strerror(errno);
      }
      if (!good && !special) {
        unlink(temporary);
      }
    } else {
      why = strerror(errno);
      if (fd >= 0) {
        close(fd);
        if (!special) {
          unlink(temporary);
        }
      }
    }
  }
  free(temporary);
  if (why) {
    // The end of a long path tells more than its start.
    const char *end = length > 120 ? path + length - 120 : path;
    err_set(err, ErrCheck, "%s: picture not written: %s", end, why);
  }
  return !why;
}

static uint32_t channel_error(uint32_t a, uint32_t b, int shift) {
  int d = (int)(a >> shift & 255) - (int)(b >> shift & 255);
  return (uint32_t)(d < 0 ? -d : d);
}

image_difference_t image_compare(const image_t *a, const image_t *b, const uint8_t *left_out) {
  image_difference_t result = {.psnr_db = IMAGE_IDENTICAL_DB};
  uint64_t squares = 0;
  size_t count = (size_t)a->width * a->height;
  for (size_t i = 0; i < count; i++) {
    if (left_out && left_out[i]) {
      continue;
    }
    result.pixels++;
    if ((a->pixels[i] & 0xffffff) == (b->pixels[i] & 0xffffff)) {
      continue;
    }
    result.pixels_different++;
    for (int shift = 0; shift < 24; shift += 8) {
      uint32_t d = channel_error(a->pixels[i], b->pixels[i], shift);
      squares += d * d;
      if (d > result.max_abs_error) {
        result.max_abs_error = d;
      }
    }
  }
  if (squares > 0) {
    double mean = (double)squares / (3 * (double)result.pixels);
    double psnr = 10 * log10(255.0 * 255.0 / mean);
    if (psnr < result.psnr_db) {
      result.psnr_db = psnr;
    }
  }
  return result;
}

image_t *image_difference(const image_t *a, const image_t *b, const uint8_t *left_out,
                          uint32_t gain) {
  enum { DarkBlue = 0x400000 };
  image_t *image = image_create(a->width, a->height);
  size_t count = (size_t)a->width * a->height;
  for (size_t i = 0; image && i < count; i++) {
    uint32_t pixel = 0xff000000;
    for (int shift = 0; shift < 24; shift += 8) {
      uint64_t d = (uint64_t)channel_error(a->pixels[i], b->pixels[i], shift) * gain;
      pixel |= (uint32_t)(d > 255 ? 255 : d) << shift;
    }
    image->pixels[i] = left_out && left_out[i] ? 0xff000000 | DarkBlue : pixel;
  }
  return image;
}

void image_sha256(const image_t *image, char text[BaseSha256Text]) {
  base_sha256_t sha;
  uint8_t bytes[3 * 1024];
  const uint32_t sides[2] = {image->width, image->height};
  for (int i = 0; i < 8; i++) {
    bytes[i] = (uint8_t)(sides[i / 4] >> 8 * (i % 4));
  }
  base_sha256_begin(&sha);
  base_sha256_add(&sha, bytes, 8);
  size_t count = (size_t)image->width * image->height;
  for (size_t at = 0; at < count; at += 1024) {
    size_t part = count - at < 1024 ? count - at : 1024;
    pack_rgb(bytes, image->pixels + at, part);
    base_sha256_add(&sha, bytes, 3 * part);
  }
  base_sha256_end(&sha, text);
}
