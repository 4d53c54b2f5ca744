// SPDX-License-Identifier: Apache-2.0
#include "camera_angle.h"

#include <math.h>

static double cofactor(const double m[9], uint32_t r, uint32_t c) {
  uint32_t r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
  return m[3 * r1 + c1] * m[3 * r2 + c2] - m[3 * r1 + c2] * m[3 * r2 + c1];
}

static bool invert(const double m[9], double out[9]) {
  double d = 0;
  for (uint32_t c = 0; c < 3; c++) {
    d += m[c] * cofactor(m, 0, c);
  }
  if (!(fabs(d) > 1e-12)) {
    return false;
  }
  for (uint32_t i = 0; i < 9; i++) {
    out[i] = cofactor(m, i % 3, i / 3) / d;
  }
  return true;
}

static void to_eye(const camera_plane_t *p, double x, double y, double w, double eye[3]) {
  double clip[3] = {
      ((x - p->center_x) * p->scale_x) * w - p->shift[0],
      ((y - p->center_y) * p->scale_y) * w - p->shift[1],
      w - p->shift[2],
  };
  for (uint32_t r = 0; r < 3; r++) {
    eye[r] = p->inverse[3 * r] * clip[0] + p->inverse[3 * r + 1] * clip[1] +
             p->inverse[3 * r + 2] * clip[2];
  }
}

void camera_plane_make(camera_plane_t *p, const frame_state_t *s,
                       const frame_vertex_t *const vertex[3]) {
  static const uint8_t Rows[3] = {0, 1, 3};  // clip x, y, w
  double width = s->viewport.x1 - s->viewport.x0, height = s->viewport.y1 - s->viewport.y0;
  double m[9];
  bool any = false;
  *p = (camera_plane_t){0};
  if (!(width > 0 && height > 0)) {
    return;
  }
  for (uint32_t i = 0; i < 16; i++) {
    any |= s->projection[i] != 0;
  }
  for (uint32_t r = 0; r < 3; r++) {
    for (uint32_t c = 0; c < 3; c++) {
      m[3 * r + c] = (double)s->projection[4 * c + Rows[r]];
    }
    p->shift[r] = (double)s->projection[12 + Rows[r]];
  }
  if (!any) {
    // Unknown: 90 degrees across, square pixels, the eye in the middle.
    double guess[9] = {1, 0, 0, 0, width / height, 0, 0, 0, -1};
    for (uint32_t i = 0; i < 9; i++) {
      m[i] = guess[i];
    }
  }
  if (!invert(m, p->inverse)) {
    return;  // parallel: clip w does not depend on the place
  }
  p->scale_x = 2 / width;
  p->scale_y = -2 / height;  // y points down on the screen, up in clip space
  p->center_x = (s->viewport.x0 + s->viewport.x1) / 2.0;
  p->center_y = (s->viewport.y0 + s->viewport.y1) / 2.0;
  double e[3][3];
  for (uint32_t i = 0; i < 3; i++) {
    const frame_vertex_t *v = vertex[i];
    to_eye(p, (double)v->x / FrameSubpixel, (double)v->y / FrameSubpixel, 1 / (double)v->inv_w,
           e[i]);
  }
  double a[3], b[3], length = 0;
  for (uint32_t i = 0; i < 3; i++) {
    a[i] = e[1][i] - e[0][i];
    b[i] = e[2][i] - e[0][i];
  }
  for (uint32_t i = 0; i < 3; i++) {
    p->normal[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    length += p->normal[i] * p->normal[i];
  }
  if (!(length > 0) || !isfinite(length)) {
    return;
  }
  for (uint32_t i = 0; i < 3; i++) {
    p->normal[i] /= sqrt(length);
  }
  p->known = true;
}

uint8_t camera_angle_of(double degrees) {
  double code = floor(degrees * 128 / 180);
  return code > 0 ? (uint8_t)fmin(code, 127) : 0;
}

uint8_t camera_angle_code(const camera_plane_t *p, double x, double y, double inv_w) {
  if (!p->known) {
    return CameraAngleFlat;
  }
  double ray[3], dot = 0, length = 0;
  to_eye(p, x, y, 1 / inv_w, ray);
  for (uint32_t i = 0; i < 3; i++) {
    dot += ray[i] * p->normal[i];
    length += ray[i] * ray[i];
  }
  double cosine = dot / sqrt(length);
  if (!isfinite(cosine)) {
    return CameraAngleFlat;
  }
  return camera_angle_of(acos(fmin(fmax(cosine, -1), 1)) * (180 / 3.14159265358979323846));
}
