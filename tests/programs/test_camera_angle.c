// SPDX-License-Identifier: Apache-2.0
// The camera angle of known planes under known projections.
#include <math.h>

#include "csim/texture/camera_angle.h"
#include "tests/programs/test.h"

// OpenGL's perspective: focal = cot(half the vertical field of view).
static frame_state_t state_of(double focal, int32_t width, int32_t height) {
  frame_state_t s;
  memset(&s, 0, sizeof s);
  s.viewport = (frame_rect_t){10, 20, 10 + width, 20 + height};
  s.projection[0] = (float)(focal * height / width);
  s.projection[5] = (float)focal;
  s.projection[10] = -1.002f;
  s.projection[11] = -1;
  s.projection[14] = -0.2f;
  return s;
}

// Eye space (looking along -z, y up) to the screen.
static frame_vertex_t project(const frame_state_t *s, const double e[3]) {
  double width = s->viewport.x1 - s->viewport.x0, height = s->viewport.y1 - s->viewport.y0;
  double w = -e[2];
  double x = (double)s->projection[0] * e[0] / w, y = (double)s->projection[5] * e[1] / w;
  return (frame_vertex_t){
      .x = (int32_t)lround((s->viewport.x0 + (x + 1) * width / 2) * FrameSubpixel),
      .y = (int32_t)lround((s->viewport.y0 + (1 - y) * height / 2) * FrameSubpixel),
      .inv_w = (float)(1 / w),
  };
}

// The code at the screen's place of an eye-space point on the plane of three others.
static uint8_t code_at(const frame_state_t *s, double plane[3][3], const double point[3]) {
  frame_vertex_t a = project(s, plane[0]), b = project(s, plane[1]), c = project(s, plane[2]);
  const frame_vertex_t *const v[3] = {&a, &b, &c};
  frame_vertex_t at = project(s, point);
  camera_plane_t p;
  camera_plane_make(&p, s, v);
  assert_true(p.known);
  return camera_angle_code(&p, (double)at.x / FrameSubpixel, (double)at.y / FrameSubpixel,
                           (double)at.inv_w);
}

// Vertices are rounded to 1/256 pixel: the angle may be off by a little.
static void expect(uint8_t code, double degrees) {
  double lowest = floor((degrees - 0.1) * 128 / 180), highest = floor((degrees + 0.1) * 128 / 180);
  if (!(code >= fmax(lowest, 0) && code <= fmin(highest, 127))) {
    fail_msg("code %u, %f degrees", code, degrees);
  }
}

TEST(test_codes) {
  assert_int_equal(camera_angle_of(0), 0);
  assert_int_equal(camera_angle_of(1.40), 0);
  assert_int_equal(camera_angle_of(1.41), 1);
  assert_int_equal(camera_angle_of(90), 64);
  assert_int_equal(camera_angle_of(89.99), 63);
  assert_int_equal(camera_angle_of(179.9), 127);
  assert_int_equal(camera_angle_of(180), 127);
  assert_int_equal(camera_angle_of(-3), 0);
}

// A wall straight ahead: 0 or 180 degrees in the middle, by its winding.
TEST(test_facing) {
  frame_state_t s = state_of(1, 640, 480);
  double wall[3][3] = {{-4, -3, -5}, {4, -3, -5}, {0, 4, -5}};
  double turned[3][3] = {{4, -3, -5}, {-4, -3, -5}, {0, 4, -5}};
  double middle[3] = {0, 0, -5};
  assert_int_equal(code_at(&s, wall, middle), 127);
  assert_int_equal(code_at(&s, turned, middle), 0);
  // Away from the middle by atan(x / 5).
  for (double x = -4; x <= 4; x += 0.5) {
    double point[3] = {x, 0, -5};
    expect(code_at(&s, wall, point), 180 - atan(fabs(x) / 5) * 57.29577951);
    expect(code_at(&s, turned, point), atan(fabs(x) / 5) * 57.29577951);
  }
}

// A floor one below the eye: the ray meets it at atan(1 / distance).
TEST(test_floor) {
  frame_state_t s = state_of(2, 800, 600);
  double floor_plane[3][3] = {{-3, -1, -2}, {3, -1, -2}, {0, -1, -200}};
  for (double z = 2; z < 150; z *= 1.1) {
    double point[3] = {0, -1, -z};
    expect(code_at(&s, floor_plane, point), 90 + atan(1 / z) * 57.29577951);
  }
  // Far away it is seen from its edge: 90 degrees.
  double far[3] = {0, -1, -1e5};
  expect(code_at(&s, floor_plane, far), 90);
}

// A slope turned in all three axes, against the dot product.
TEST(test_slope) {
  frame_state_t s = state_of(1.3, 1280, 1024);
  double slope[3][3] = {{-2, -1, -4}, {2.5, -0.5, -6}, {0.3, 2, -9}};
  double a[3], b[3], n[3];
  for (int i = 0; i < 3; i++) {
    a[i] = slope[1][i] - slope[0][i];
    b[i] = slope[2][i] - slope[0][i];
  }
  for (int i = 0; i < 3; i++) {
    n[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  }
  for (double i = 0; i <= 1; i += 0.05) {
    for (double j = 0; i + j <= 1; j += 0.05) {
      double point[3], dot = 0, nn = 0, pp = 0;
      for (int k = 0; k < 3; k++) {
        point[k] = slope[0][k] + i * a[k] + j * b[k];
        dot += point[k] * n[k];
        nn += n[k] * n[k];
        pp += point[k] * point[k];
      }
      expect(code_at(&s, slope, point), acos(dot / sqrt(nn * pp)) * 57.29577951);
    }
  }
}

TEST(test_unknown) {
  frame_state_t s = state_of(1, 640, 480);
  double wall[3][3] = {{-4, -3, -5}, {4, -3, -5}, {0, 4, -5}};
  camera_plane_t p;
  frame_vertex_t a = project(&s, wall[0]), b = project(&s, wall[1]), c = project(&s, wall[2]);
  const frame_vertex_t *const v[3] = {&a, &b, &c};
  const frame_vertex_t *const line[3] = {&a, &b, &a};
  camera_plane_make(&p, &s, line);  // no area, no plane
  assert_false(p.known);
  assert_int_equal(camera_angle_code(&p, 330, 260, 0.2), CameraAngleFlat);
  // Parallel: the same clip w everywhere.
  s.projection[11] = 0;
  s.projection[15] = 1;
  camera_plane_make(&p, &s, v);
  assert_false(p.known);
  // Unknown: as if 90 degrees across.
  frame_state_t none = state_of(1, 640, 480), wide = state_of(640.0 / 480, 640, 480);
  memset(none.projection, 0, sizeof none.projection);
  for (double x = -2; x <= 2; x += 0.25) {
    double point[3] = {x, 0.5, -5};
    frame_vertex_t at = project(&wide, point);
    camera_plane_t q;
    frame_vertex_t a2 = project(&wide, wall[0]), b2 = project(&wide, wall[1]),
                   c2 = project(&wide, wall[2]);
    const frame_vertex_t *const v2[3] = {&a2, &b2, &c2};
    camera_plane_make(&p, &none, v2);
    camera_plane_make(&q, &wide, v2);
    double px = (double)at.x / FrameSubpixel, py = (double)at.y / FrameSubpixel;
    assert_int_equal(camera_angle_code(&p, px, py, 0.2), camera_angle_code(&q, px, py, 0.2));
  }
  none.viewport.x1 = none.viewport.x0;
  camera_plane_make(&p, &none, v);
  assert_false(p.known);
}

int main(void) { return run_all_tests(NULL, NULL); }
