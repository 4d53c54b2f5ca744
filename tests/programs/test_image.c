// SPDX-License-Identifier: Apache-2.0
// Pictures: surface order, PNG files, comparison, hash.
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <png.h>

#include "../../csim/base/rng.h"
#include "../../csim/frame/image.h"
#include "tests/programs/test.h"

static image_t *noise(uint32_t width, uint32_t height, uint64_t seed) {
  rng_t rng;
  rng_seed(&rng, seed);
  image_t *image = image_create(width, height);
  assert_non_null(image);
  for (size_t i = 0; i < (size_t)width * height; i++) {
    image->pixels[i] = (uint32_t)rng_u64(&rng);
  }
  return image;
}

static long file_size(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 ? (long)s.st_size : -1;
}

TEST(png_round_trip) {
  char directory[] = "/tmp/nocturne_image_XXXXXX", one[64], two[64];
  err_auto_t err = {0};
  assert_non_null(mkdtemp(directory));
  snprintf(one, sizeof one, "%s/one.png", directory);
  snprintf(two, sizeof two, "%s/two.png", directory);
  image_t *image = noise(37, 19, 1);
  assert_true(image_write_png(image, one, &err));
  png_image png = {.version = PNG_IMAGE_VERSION};
  assert_true(png_image_begin_read_from_file(&png, one));
  assert_int_equal(png.width, 37);
  assert_int_equal(png.height, 19);
  png.format = PNG_FORMAT_RGB;
  uint8_t rgb[37 * 19 * 3];
  assert_true(png_image_finish_read(&png, NULL, rgb, 0, NULL));
  for (size_t i = 0; i < 37 * 19; i++) {
    assert_int_equal(rgb[3 * i] | rgb[3 * i + 1] << 8 | rgb[3 * i + 2] << 16,
                     image->pixels[i] & 0xffffff);
    // Alpha is no part of the file.
    image->pixels[i] ^= 0xff000000;
  }
  assert_true(image_write_png(image, two, &err));
  FILE *a = fopen(one, "rb"), *b = fopen(two, "rb");
  for (int c = 0; c != EOF;) {
    c = fgetc(a);
    assert_int_equal(c, fgetc(b));
  }
  fclose(a);
  fclose(b);
  image_free(image);
  unlink(one);
  unlink(two);
  // No temporary is left: the directory is empty.
  assert_int_equal(rmdir(directory), 0);
}

TEST(png_refused) {
  char directory[] = "/tmp/nocturne_image_XXXXXX", path[64], line[160];
  err_auto_t err = {0};
  assert_non_null(mkdtemp(directory));
  image_t *image = noise(200, 200, 2);
  snprintf(path, sizeof path, "%s/none/a.png", directory);
  assert_false(image_write_png(image, path, &err));
  snprintf(line, sizeof line, "%s: picture not written: No such file or directory", path);
  assert_string_equal(err_text(&err), line);

  // A disk that fills up, as a limit on the size of files; the old file stays.
  snprintf(path, sizeof path, "%s/a.png", directory);
  FILE *file = fopen(path, "w");
  fputs("old", file);
  fclose(file);
  struct rlimit old, small;
  getrlimit(RLIMIT_FSIZE, &old);
  small = old;
  small.rlim_cur = 8192;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  bool good = image_write_png(image, path, &err);
  setrlimit(RLIMIT_FSIZE, &old);
  assert_false(good);
  snprintf(line, sizeof line, "%s: picture not written: File too large", path);
  assert_string_equal(err_text(&err), line);
  assert_int_equal(file_size(path), 3);
  unlink(path);
  assert_int_equal(rmdir(directory), 0);
  image_free(image);
}

TEST(comparison) {
  image_t *a = noise(16, 16, 3), *b = noise(16, 16, 3);
  uint8_t left_out[256] = {0};
  b->pixels[0] ^= 0xff000000;
  image_difference_t d = image_compare(a, b, NULL);
  assert_true(d.psnr_db == IMAGE_IDENTICAL_DB);
  assert_int_equal(d.max_abs_error, 0);
  assert_int_equal(d.pixels, 256);
  assert_int_equal(d.pixels_different, 0);

  a->pixels[7] = 0x0010ff20;
  b->pixels[7] = 0x0010ee10;
  a->pixels[9] = 0x00000000;
  b->pixels[9] = 0x00050000;
  d = image_compare(a, b, NULL);
  assert_int_equal(d.max_abs_error, 17);
  assert_int_equal(d.pixels_different, 2);
  double mean = (17.0 * 17 + 16 * 16 + 25) / (3 * 256);
  assert_true(fabs(d.psnr_db - 10 * log10(65025 / mean)) < 1e-9);

  image_t *picture = image_difference(a, b, NULL, 20);
  assert_int_equal(picture->pixels[7], 0xff00ffff);
  assert_int_equal(picture->pixels[9], 0xff640000);
  assert_int_equal(picture->pixels[8], 0xff000000);
  image_free(picture);

  left_out[7] = 1;
  d = image_compare(a, b, left_out);
  assert_int_equal(d.max_abs_error, 5);
  assert_int_equal(d.pixels, 255);
  assert_int_equal(d.pixels_different, 1);
  picture = image_difference(a, b, left_out, 20);
  assert_int_equal(picture->pixels[7], 0xff400000);
  image_free(picture);
  image_free(a);
  image_free(b);
}

TEST(hash) {
  char text[65], other[65];
  image_t *image = image_create(2, 1);
  image->pixels[0] = 0xaa030201;
  image->pixels[1] = 0xbb060504;
  image_sha256(image, text);
  base_sha256_hex("\x02\0\0\0\x01\0\0\0\x01\x02\x03\x04\x05\x06", 14, other);
  assert_string_equal(text, other);
  image_free(image);

  // More pixels than one piece, and not a multiple of it.
  image = noise(1000, 7, 4);
  uint8_t *all = malloc(8 + 3 * 7000);
  memcpy(all, "\xe8\x03\0\0\x07\0\0\0", 8);
  for (size_t i = 0; i < 7000; i++) {
    for (int c = 0; c < 3; c++) {
      all[8 + 3 * i + (size_t)c] = (uint8_t)(image->pixels[i] >> 8 * c);
    }
  }
  image_sha256(image, text);
  base_sha256_hex(all, 8 + 3 * 7000, other);
  assert_string_equal(text, other);
  free(all);
  image_free(image);
}

int main(void) { return run_all_tests(NULL, NULL); }
