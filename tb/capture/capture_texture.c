// SPDX-License-Identifier: Apache-2.0
// Textures of the frame: read once for each content, reduced to the cap, found
// again by content. A texture that is rendered to or written inside the frame is
// read anew at its next use.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"

enum { Names = 1 << 16, FalloffSize = 64 };

static uint16_t of_name[Names];  // index + 1 of the texture last read under that name
static bool falloff_made;
static uint16_t falloff;
static uint32_t falloff_key;

void capture_texture_begin(void) {
  memset(of_name, 0, sizeof of_name);
  falloff_made = false;
}

void capture_texture_changed(uint32_t texture) {
  if (texture < Names) {
    of_name[texture] = 0;
  }
}

void capture_texture_bound_changed(GLenum target) {
  if (target == GL_TEXTURE_2D) {
    capture_texture_changed((uint32_t)capture_int(GL_TEXTURE_BINDING_2D));
  }
}

static bool same(const frame_texture_t *a, const frame_texture_t *b) {
  return a->width == b->width && a->height == b->height &&
         memcmp(a->level[0], b->level[0], (size_t)a->width * a->height * 4) == 0;
}

// Keeps the upper bits of each channel, so that black and white stay what they are.
static void coarsen(frame_texture_t *t) {
  const uint32_t bits = capture_options.texture_bits, drop = 8 - bits;
  uint8_t to[256];
  if (drop == 0) {
    return;
  }
  for (uint32_t v = 0; v < 256; v++) {
    const uint32_t most = (1u << bits) - 1, kept = (v * most + 127) / 255;
    to[v] = (uint8_t)(kept << drop | kept >> (bits - drop));
  }
  for (size_t i = 0; i < (size_t)t->width * t->height; i++) {
    uint32_t texel = 0;
    for (int shift = 0; shift < 32; shift += 8) {
      texel |= (uint32_t)to[t->level[0][i] >> shift & 255] << shift;
    }
    t->level[0][i] = texel;
  }
}

// Keeps the texture or, if the frame has it already, frees it.
static uint16_t keep(frame_texture_t *texture) {
  frame_t *f = capture_build_frame();
  coarsen(texture);
  for (uint32_t i = 0; i < f->texture_count; i++) {
    if (same(&f->textures[i], texture)) {
      free(texture->level[0]);
      return (uint16_t)i;
    }
  }
  frame_texture_t *grown = realloc(f->textures, (f->texture_count + 1) * sizeof *grown);
  if (!grown || f->texture_count + 1 >= FrameNone) {
    exit(3);
  }
  frame_texture_make_levels(texture);
  f->textures = grown;
  grown[f->texture_count] = *texture;
  return (uint16_t)f->texture_count++;
}

// Halves the texture until it fits the cap.
static void reduce(frame_texture_t *t) {
  uint32_t level = 0;
  while ((t->width >> level > capture_options.texture_cap ||
          t->height >> level > capture_options.texture_cap)) {
    level++;
  }
  if (level == 0) {
    return;
  }
  frame_texture_make_levels(t);
  const uint32_t w = t->width >> level, h = t->height >> level;
  uint32_t *kept = t->level[level];
  t->level[level] = NULL;
  for (uint32_t n = 0; n < FrameMaxLevels; n++) {
    free(t->level[n]);
  }
  memset(t, 0, sizeof *t);
  t->width = w ? w : 1;
  t->height = h ? h : 1;
  t->levels = 1;
  t->level[0] = kept;
}

static void read_pixels(frame_texture_t *t) {
  const GLint alignment = capture_int(GL_PACK_ALIGNMENT), length = capture_int(GL_PACK_ROW_LENGTH);
  const GLint buffer = capture_int(GL_PIXEL_PACK_BUFFER_BINDING);
  gl.PixelStorei(GL_PACK_ALIGNMENT, 4);
  gl.PixelStorei(GL_PACK_ROW_LENGTH, 0);
  if (buffer) {
    gl.BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
  }
  gl.GetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, t->level[0]);
  if (buffer) {
    gl.BindBuffer(GL_PIXEL_PACK_BUFFER, (GLuint)buffer);
  }
  gl.PixelStorei(GL_PACK_ALIGNMENT, alignment);
  gl.PixelStorei(GL_PACK_ROW_LENGTH, length);
}

static GLint level_int(GLenum what) {
  GLint value = 0;
  gl.GetTexLevelParameteriv(GL_TEXTURE_2D, 0, what, &value);
  return value;
}

// Sampling does not always give what glGetTexImage gives: luminance has only a
// red there, and alpha alone is white under modulation.
static void apply_format(frame_texture_t *t) {
  static const GLenum swizzles[4] = {GL_TEXTURE_SWIZZLE_R, GL_TEXTURE_SWIZZLE_G,
                                     GL_TEXTURE_SWIZZLE_B, GL_TEXTURE_SWIZZLE_A};
  const bool luminance = level_int(GL_TEXTURE_LUMINANCE_SIZE) > 0;
  const bool intensity = level_int(GL_TEXTURE_INTENSITY_SIZE) > 0;
  const bool color = level_int(GL_TEXTURE_RED_SIZE) > 0 || luminance || intensity;
  bool plain = true;
  int from[4];
  for (int k = 0; k < 4; k++) {
    GLint value = GL_RED + k;
    gl.GetTexParameteriv(GL_TEXTURE_2D, swizzles[k], &value);
    from[k] = value == GL_ZERO ? 4 : value == GL_ONE ? 5 : value - GL_RED;
    if (from[k] < 0 || from[k] > 5) {
      from[k] = k;
    }
    plain &= from[k] == k;
  }
  if (color && !luminance && !intensity && plain) {
    return;
  }
  for (size_t i = 0; i < (size_t)t->width * t->height; i++) {
    uint8_t in[6] = {0, 0, 0, 0, 0, 255};
    uint32_t texel = t->level[0][i], out = 0;
    for (int k = 0; k < 4; k++) {
      in[k] = (uint8_t)(texel >> 8 * k);
    }
    if (!color) {
      in[0] = in[1] = in[2] = 255;
    }
    if (luminance || intensity) {
      in[1] = in[2] = in[0];
    }
    if (intensity) {
      in[3] = in[0];
    }
    for (int k = 0; k < 4; k++) {
      out |= (uint32_t)in[from[k]] << 8 * k;
    }
    t->level[0][i] = out;
  }
}

static uint16_t read_bound(uint32_t name) {
  if (name < Names && of_name[name]) {
    return (uint16_t)(of_name[name] - 1);
  }
  const GLint width = level_int(GL_TEXTURE_WIDTH), height = level_int(GL_TEXTURE_HEIGHT);
  if (width < 1 || height < 1 || width > FrameMaxSize || height > FrameMaxSize) {
    return FrameNone;
  }
  frame_texture_t t = {.width = (uint32_t)width, .height = (uint32_t)height, .levels = 1};
  t.level[0] = calloc((size_t)width * (size_t)height, 4);
  if (!t.level[0]) {
    exit(3);
  }
  read_pixels(&t);
  apply_format(&t);
  reduce(&t);
  const uint16_t index = keep(&t);
  if (name < Names) {
    of_name[name] = (uint16_t)(index + 1);
  }
  return index;
}

static uint8_t wrap_of(GLint wrap) {
  switch (wrap) {
    case GL_REPEAT: return FrameWrapRepeat;
    case GL_MIRRORED_REPEAT: return FrameWrapMirror;
    default: return FrameWrapClamp;
  }
}

static void read_sampler(GLuint sampler, frame_stage_t *stage) {
  static const GLenum names[4] = {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_MIN_FILTER,
                                  GL_TEXTURE_MAG_FILTER};
  GLint values[4] = {GL_REPEAT, GL_REPEAT, GL_LINEAR, GL_LINEAR};
  GLfloat anisotropy = 1, bias = 0;
  for (int i = 0; i < 4; i++) {
    if (sampler) {
      gl.GetSamplerParameteriv(sampler, names[i], &values[i]);
    } else {
      gl.GetTexParameteriv(GL_TEXTURE_2D, names[i], &values[i]);
    }
  }
  if (sampler) {
    gl.GetSamplerParameterfv(sampler, GL_TEXTURE_MAX_ANISOTROPY_EXT, &anisotropy);
    gl.GetSamplerParameterfv(sampler, GL_TEXTURE_LOD_BIAS, &bias);
  } else {
    gl.GetTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY_EXT, &anisotropy);
    gl.GetTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_LOD_BIAS, &bias);
  }
  stage->wrap_s = wrap_of(values[0]);
  stage->wrap_t = wrap_of(values[1]);
  const GLint filter = values[2];
  stage->min_filter = filter == GL_NEAREST || filter == GL_NEAREST_MIPMAP_NEAREST ||
                              filter == GL_NEAREST_MIPMAP_LINEAR
                          ? FrameFilterNearest
                          : FrameFilterLinear;
  stage->mip = filter == GL_NEAREST || filter == GL_LINEAR ? FrameMipNone
               : filter == GL_NEAREST_MIPMAP_NEAREST || filter == GL_LINEAR_MIPMAP_NEAREST
                   ? FrameMipNearest
                   : FrameMipLinear;
  stage->mag_filter = values[3] == GL_NEAREST ? FrameFilterNearest : FrameFilterLinear;
  stage->max_anisotropy = (uint8_t)(anisotropy < 1 ? 1 : anisotropy > 16 ? 16 : anisotropy);
  stage->lod_bias = isfinite(bias) ? bias : 0;
}

uint32_t capture_texture_bound(uint32_t unit) {
  const GLint active = capture_int(GL_ACTIVE_TEXTURE);
  gl.ActiveTexture(GL_TEXTURE0 + unit);
  const uint32_t name = (uint32_t)capture_int(GL_TEXTURE_BINDING_2D);
  gl.ActiveTexture((GLenum)active);
  return name;
}

bool capture_texture_stage(uint32_t unit, frame_stage_t *stage) {
  const GLint active = capture_int(GL_ACTIVE_TEXTURE);
  gl.ActiveTexture(GL_TEXTURE0 + unit);
  const uint32_t name = (uint32_t)capture_int(GL_TEXTURE_BINDING_2D);
  stage->texture = name ? read_bound(name) : FrameNone;
  if (stage->texture != FrameNone) {
    read_sampler((GLuint)capture_int(GL_SAMPLER_BINDING), stage);
  }
  gl.ActiveTexture((GLenum)active);
  return stage->texture != FrameNone;
}

bool capture_texture_row(uint32_t unit, uint8_t row[256], uint32_t *count) {
  const GLint active = capture_int(GL_ACTIVE_TEXTURE);
  gl.ActiveTexture(GL_TEXTURE0 + unit);
  const GLint width = level_int(GL_TEXTURE_WIDTH), height = level_int(GL_TEXTURE_HEIGHT);
  bool good = width >= 1 && width <= 256 && height >= 1 && height <= FrameMaxSize;
  frame_texture_t t = {.width = (uint32_t)width, .height = (uint32_t)height};
  if (good) {
    t.level[0] = calloc((size_t)width * (size_t)height, 4);
  }
  good = good && t.level[0];
  if (good) {
    read_pixels(&t);
    apply_format(&t);
    for (GLint i = 0; i < width; i++) {
      row[i] = (uint8_t)t.level[0][i];
    }
    *count = (uint32_t)width;
  }
  free(t.level[0]);
  gl.ActiveTexture((GLenum)active);
  return good;
}

uint16_t capture_texture_falloff(const uint8_t *row, uint32_t count) {
  uint32_t key = count;
  for (uint32_t i = 0; i < count; i++) {
    key = key * 31 + row[i];
  }
  if (falloff_made && key == falloff_key) {
    return falloff;
  }
  frame_texture_t t = {.width = FalloffSize, .height = FalloffSize, .levels = 1};
  t.level[0] = malloc(sizeof(uint32_t) * FalloffSize * FalloffSize);
  if (!t.level[0]) {
    exit(3);
  }
  for (int y = 0; y < FalloffSize; y++) {
    for (int x = 0; x < FalloffSize; x++) {
      const float u = (x + 0.5F) * 2 / FalloffSize - 1, v = (y + 0.5F) * 2 / FalloffSize - 1;
      const float d = sqrtf(u * u + v * v);
      const uint32_t i = d < 1 ? (uint32_t)(d * (float)count) : count - 1;
      t.level[0][y * FalloffSize + x] = row[i < count ? i : count - 1] * 0x10101u | 0xff000000u;
    }
  }
  falloff = keep(&t);
  falloff_key = key;
  falloff_made = true;
  return falloff;
}

uint16_t capture_texture_tinted(const int units[3], const float tints[2][3]) {
  frame_texture_t parts[3] = {{0}};
  const GLint active = capture_int(GL_ACTIVE_TEXTURE);
  bool good = true;
  for (int i = 0; i < 3 && good; i++) {
    gl.ActiveTexture(GL_TEXTURE0 + (GLenum)units[i]);
    const GLint width = level_int(GL_TEXTURE_WIDTH), height = level_int(GL_TEXTURE_HEIGHT);
    good = width >= 1 && height >= 1 && width <= FrameMaxSize && height <= FrameMaxSize;
    if (!good) {
      break;
    }
    parts[i] = (frame_texture_t){.width = (uint32_t)width, .height = (uint32_t)height, .levels = 1};
    parts[i].level[0] = calloc((size_t)width * (size_t)height, 4);
    if (!parts[i].level[0]) {
      exit(3);
    }
    read_pixels(&parts[i]);
    apply_format(&parts[i]);
    reduce(&parts[i]);
    good = parts[i].width == parts[0].width && parts[i].height == parts[0].height;
  }
  gl.ActiveTexture((GLenum)active);
  uint32_t *sum = parts[0].level[0];
  for (size_t i = 0; good && i < (size_t)parts[0].width * parts[0].height; i++) {
    uint32_t texel = sum[i] & 0xff000000u;
    for (int k = 0; k < 3; k++) {
      float c = (float)(sum[i] >> 8 * k & 255);
      for (int p = 0; p < 2; p++) {
        c += (float)(parts[p + 1].level[0][i] >> 8 * k & 255) * tints[p][k];
      }
      texel |= (uint32_t)(c > 255 ? 255 : c + 0.5F) << 8 * k;
    }
    sum[i] = texel;
  }
  free(parts[1].level[0]);
  free(parts[2].level[0]);
  if (good) {
    return keep(&parts[0]);
  }
  free(parts[0].level[0]);
  return FrameNone;
}

void capture_texture_uploaded(GLenum target) {
  if (capture_build_active()) {
    capture_texture_bound_changed(target);
  }
}
