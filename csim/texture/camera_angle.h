// SPDX-License-Identifier: Apache-2.0
// The camera angle of A-TFIM (V-C): between the eye's ray to a pixel and the triangle's
// plane, 0 to 180 degrees, coded in 7 bits (VII-E). docs/model/texture.md has the definition.
#ifndef NOCTURNE_TEXTURE_CAMERA_ANGLE_H
#define NOCTURNE_TEXTURE_CAMERA_ANGLE_H

#include <stdbool.h>
#include <stdint.h>

#include "../frame/frame.h"

enum { CameraAngleFlat = 127 };

// A triangle as seen by the eye.
typedef struct {
  bool known;         // false: parallel projection or no plane; every code is CameraAngleFlat
  double normal[3];   // of the plane, eye space, length 1
  double inverse[9];  // clip x, y, w to eye space, row-major
  double shift[3];    // of clip x, y, w
  double scale_x, scale_y, center_x, center_y;  // pixels to normalized coordinates
} camera_plane_t;

void camera_plane_make(camera_plane_t *plane, const frame_state_t *state,
                       const frame_vertex_t *const vertex[3]);

// floor(angle * 128 / 180) at pixel position (x, y), where 1 / clip w is inv_w; 0 to 127.
uint8_t camera_angle_code(const camera_plane_t *plane, double x, double y, double inv_w);

// floor(degrees * 128 / 180), at most 127.
uint8_t camera_angle_of(double degrees);

#endif
