// SPDX-License-Identifier: Apache-2.0
// The PSNR of two pictures of one size, in dB, for capture.test.sh: capture_compare A.png
// B.png
#include <math.h>
#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint8_t *read_picture(const char *path, png_image *image) {
  *image = (png_image){.version = PNG_IMAGE_VERSION};
  if (!png_image_begin_read_from_file(image, path)) {
    return NULL;
  }
  image->format = PNG_FORMAT_RGB;
  uint8_t *pixels = malloc(PNG_IMAGE_SIZE(*image));
  if (!pixels || !png_image_finish_read(image, NULL, pixels, 0, NULL)) {
    free(pixels);
    return NULL;
  }
  return pixels;
}

int main(int argc, char **argv) {
  png_image images[2];
  if (argc != 3) {
    return 2;
  }
  uint8_t *a = read_picture(argv[1], &images[0]), *b = read_picture(argv[2], &images[1]);
  if (!a || !b || images[0].width != images[1].width || images[0].height != images[1].height) {
    fprintf(stderr, "capture_compare: expected two pictures of one size\n");
    return 2;
  }
  const size_t size = PNG_IMAGE_SIZE(images[0]);
  double sum = 0;
  for (size_t i = 0; i < size; i++) {
    const double difference = (double)a[i] - b[i];
    sum += difference * difference;
  }
  printf("%.1f\n", sum > 0 ? 10 * log10(255.0 * 255 * (double)size / sum) : 99.0);
  free(a);
  free(b);
  return 0;
}
