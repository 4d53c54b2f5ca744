// SPDX-License-Identifier: Apache-2.0
// The meaning of a GLSL program in terms of the frame's two texture stages. DarkPlaces'
// shader (Nexuiz) is known by its MODE_ definitions; of other programs the samplers
// and outputs are taken by their names and order. docs/how-to/capture.md has the table.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"

// Draws of more triangles are lit corner by corner, smaller ones by a falloff texture.
enum { FineTriangles = 64 };

// Returns the offset of a program's output in a vertex, -1 if it has none of that name.
static int output_of(const capture_program_t *program, const char *name) {
  for (int i = 0; i < program->count; i++) {
    if (strcmp(program->outputs[i].name, name) == 0) {
      return program->outputs[i].offset;
    }
  }
  return -1;
}

static bool defined(const capture_program_t *p, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = p->defines; at && (at = strstr(at, name)); at += length) {
    if (at[-1] == ' ' &&
        (at[length] == '\n' || at[length] == ' ' || at[length] == '\r' || at[length] == 0)) {
      return true;
    }
  }
  return false;
}

static bool uniform(GLuint name, const char *what, float value[16]) {
  const GLint location = gl.GetUniformLocation(name, what);
  if (location < 0) {
    return false;
  }
  gl.GetUniformfv(name, location, value);
  return true;
}

static int sampler_unit(GLuint name, const char *what) {
  const GLint location = gl.GetUniformLocation(name, what);
  GLint unit = -1;
  if (location >= 0) {
    gl.GetUniformiv(name, location, &unit);
  }
  return unit;
}

static const char *sampled[FrameMaxTextures];  // by the stages of the draw that is read

static bool stage(GLuint name, const char *sampler, frame_state_t *s, int index, uint8_t coord) {
  const int unit = sampler_unit(name, sampler);
  frame_stage_t *t = &s->stages[index];
  if (unit < 0 || !capture_texture_stage((uint32_t)unit, t)) {
    return false;
  }
  t->coord = coord;
  t->combine = FrameCombineModulate;
  sampled[index] = sampler;
  return true;
}

// From the combined matrix: the lengths of its rows are the projection's, if the
// model matrix is a rotation, a translation and one scale.
static void projection_of(const float m[16], float projection[16]) {
  const float w2 = m[3] * m[3] + m[7] * m[7] + m[11] * m[11];
  if (w2 <= 0 || !isfinite(w2)) {
    return;
  }
  const float aside[2] = {-(m[0] * m[3] + m[4] * m[7] + m[8] * m[11]) / w2,
                          -(m[1] * m[3] + m[5] * m[7] + m[9] * m[11]) / w2};
  for (int row = 0; row < 2; row++) {
    const float square = (m[row] * m[row] + m[4 + row] * m[4 + row] + m[8 + row] * m[8 + row]) / w2;
    projection[5 * row] = sqrtf(fmaxf(square - aside[row] * aside[row], 0));
    projection[8 + row] = aside[row];
  }
  projection[10] = -(m[2] * m[3] + m[6] * m[7] + m[10] * m[11]) / w2;
  projection[11] = -1;
  projection[14] = m[14] + projection[10] * m[15];
}

static void read_projection(GLuint name, frame_state_t *s) {
  static const char *const combined[] = {"ModelViewProjectionMatrix", "u_ModelViewProjectionMatrix",
                                         "mvp", "MVP"};
  static const char *const plain[] = {"ProjectionMatrix", "u_ProjectionMatrix", "projection"};
  float m[16] = {0};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
    if (uniform(name, plain[i], s->projection)) {
      return;
    }
  }
  for (size_t i = 0; i < sizeof combined / sizeof *combined; i++) {
    if (uniform(name, combined[i], m)) {
      projection_of(m, s->projection);
      return;
    }
  }
}

static uint32_t pack(const float color[4]) {
  uint32_t rgba = 0;
  for (int k = 0; k < 4; k++) {
    const float c = color[k] < 0 ? 0 : color[k] > 1 ? 1 : color[k];
    rgba |= (uint32_t)lrintf(c * 255) << 8 * k;
  }
  return rgba;
}

// Colours above 1 are divided by 2 or 4, and a stage multiplies by as much.
static float overbright(float *color, frame_state_t *s, int index) {
  const float most = fmaxf(color[0], fmaxf(color[1], color[2]));
  float scale = most > 2 ? 4 : most > 1.004F ? 2 : 1;
  if (s->stages[index].texture == FrameNone || s->stages[index].combine != FrameCombineModulate) {
    scale = 1;
  }
  if (scale > 1) {
    s->stages[index].combine = scale > 2 ? FrameCombineModulate4x : FrameCombineModulate2x;
    for (int k = 0; k < 4; k++) {
      color[k] /= scale;
    }
  }
  return scale;
}

static bool same_size(const frame_t *f, uint16_t a, uint16_t b) {
  return f->targets[a].width == f->targets[b].width && f->targets[a].height == f->targets[b].height;
}

// A draw that copies a whole target of this frame onto the window.
static bool copies_target(const frame_state_t *s, uint32_t triangles, int unit) {
  if (!capture_options.merge_copy || s->color_target != 0 || unit < 0 || triangles > 2 ||
      s->depth_test || s->blend) {
    return false;
  }
  const uint16_t from = capture_state_target_of(capture_texture_bound((uint32_t)unit));
  if (from == FrameNone || from == 0 || !same_size(capture_build_frame(), from, 0)) {
    return false;
  }
  capture_state_merge(from);
  return true;
}

static void set_color(frame_state_t *s, float color[4], int index) {
  overbright(color, s, index);
  s->color = pack(color);
}

// ---- DarkPlaces

static void surface_coords(const capture_program_t *p, capture_recipe_t *r) {
  const int both = output_of(p, "TexCoordSurfaceLightmap");
  if (both >= 0) {
    r->uv[0] = both;
    r->uv[1] = both + 2;
  } else {
    r->uv[0] = output_of(p, "TexCoord");
  }
}

// The base texture, with the two parts of a player that have a colour of their own.
static void base_stage(GLuint name, const capture_program_t *p, frame_state_t *s,
                       capture_recipe_t *r) {
  float tints[2][16] = {{0}};
  surface_coords(p, r);
  if (!stage(name, "Texture_Color", s, 0, 0)) {
    return;
  }
  if (!uniform(name, "Color_Pants", tints[0]) || !uniform(name, "Color_Shirt", tints[1])) {
    return;
  }
  const int units[3] = {sampler_unit(name, "Texture_Color"), sampler_unit(name, "Texture_Pants"),
                        sampler_unit(name, "Texture_Shirt")};
  const float pair[2][3] = {{tints[0][0], tints[0][1], tints[0][2]},
                            {tints[1][0], tints[1][1], tints[1][2]}};
  if (units[1] < 0 || units[2] < 0) {
    return;
  }
  const uint16_t tinted = capture_texture_tinted(units, pair);
  if (tinted != FrameNone) {
    s->stages[0].texture = tinted;
  }
}

static void glow(GLuint name, frame_state_t *s) {
  float color[16] = {0};
  if (uniform(name, "Color_Glow", color) && color[0] + color[1] + color[2] > 0 &&
      stage(name, "Texture_Glow", s, 1, 0)) {
    s->stages[1].combine = FrameCombineAdd;
  }
}

static void postprocess(GLuint name, const capture_program_t *p, uint32_t triangles,
                        frame_state_t *s, capture_recipe_t *r) {
  const int first = output_of(p, "TexCoord1");
  const int second = output_of(p, "TexCoord2");
  const bool bloom = defined(p, "USEBLOOM");
  if (!copies_target(s, triangles, sampler_unit(name, "Texture_First"))) {
    r->uv[0] = first;
    r->uv[1] = second;
    stage(name, "Texture_First", s, 0, 0);
    if (bloom && stage(name, "Texture_Second", s, 1, 1)) {
      s->stages[1].combine = FrameCombineAdd;
    }
    return;
  }
  // The picture is there already; what the pass adds is added to it.
  r->uv[0] = second;
  r->drop = !bloom || !stage(name, "Texture_Second", s, 0, 0);
  s->blend = 1;
  s->src_rgb = s->dst_rgb = s->src_alpha = s->dst_alpha = FrameFactorOne;
}

static void blur(GLuint name, const capture_program_t *p, frame_state_t *s, capture_recipe_t *r) {
  float parameters[16] = {0}, color[4] = {1, 1, 1, 1};
  const char *samples = p->defines ? strstr(p->defines, "SAMPLES ") : NULL;
  const int count = samples ? atoi(samples + 8) : 1;
  r->uv[0] = output_of(p, "TexCoord");
  stage(name, "Texture_First", s, 0, 0);
  if (uniform(name, "BloomBlur_Parameters", parameters)) {
    for (int k = 0; k < 3; k++) {
      color[k] = parameters[2] * (float)(count > 0 ? count : 1);
    }
  }
  set_color(s, color, 0);
}

static void light_source(GLuint name, const capture_program_t *p, uint32_t triangles,
                         const float ambient[3], const float diffuse[3], frame_state_t *s,
                         capture_recipe_t *r) {
  base_stage(name, p, s, r);
  r->shade = CaptureShadeSource;
  r->light = output_of(p, "LightVector");
  r->cube = output_of(p, "CubeVector");
  float color[4];
  for (int k = 0; k < 3; k++) {
    color[k] = ambient[k] + diffuse[k];
  }
  color[3] = 1;
  const float scale = overbright(color, s, 0);
  for (int k = 0; k < 3; k++) {
    r->ambient[k] = ambient[k] / scale;
    r->diffuse[k] = diffuse[k] / scale;
  }
  r->alpha = 1 / scale;
  const int unit = sampler_unit(name, "Texture_Attenuation");
  if (unit < 0 || !capture_texture_row((uint32_t)unit, r->row, &r->row_count)) {
    r->row_count = 0;
  }
  if (triangles > FineTriangles || r->row_count == 0 || r->light < 0) {
    return;
  }
  r->falloff = true;
  sampled[1] = "Texture_Attenuation";
  s->stages[1] = (frame_stage_t){.texture = capture_texture_falloff(r->row, r->row_count),
                                 .coord = 1,
                                 .combine = FrameCombineModulate,
                                 .mag_filter = FrameFilterLinear,
                                 .min_filter = FrameFilterLinear,
                                 .mip = FrameMipNone,
                                 .wrap_s = FrameWrapClamp,
                                 .wrap_t = FrameWrapClamp,
                                 .max_anisotropy = 1};
}

// A program whose surfaces are unlit pictures, such as those of menus and particles.
static void generic(GLuint name, const capture_program_t *p, const float color[4], frame_state_t *s,
                    capture_recipe_t *r) {
  r->shade = CaptureShadeOutput;
  r->color = output_of(p, "VertexColor");
  r->uv[0] = output_of(p, "TexCoord1");
  r->uv[1] = output_of(p, "TexCoord2");
  if (defined(p, "USEDIFFUSE")) {
    stage(name, "Texture_First", s, 0, 0);
  }
  if (defined(p, "USESPECULAR") && stage(name, "Texture_Second", s, 1, 1) &&
      defined(p, "USEGLOW")) {
    s->stages[1].combine = FrameCombineAdd;
  }
  s->color = pack(color);
}

static void lit_by_direction(const capture_program_t *p, const float ambient[3],
                             const float diffuse[3], float color[4], frame_state_t *s,
                             capture_recipe_t *r) {
  r->light = output_of(p, "LightVector");
  r->shade = CaptureShadeDirection;
  for (int k = 0; k < 3; k++) {
    color[k] = ambient[k] + diffuse[k];
  }
  const float alpha = color[3], scale = overbright(color, s, 0);
  for (int k = 0; k < 3; k++) {
    r->ambient[k] = ambient[k] / scale;
    r->diffuse[k] = diffuse[k] / scale;
  }
  r->alpha = alpha / scale;
}

// A surface of the scene: lit by a light map, by its vertices, by a direction, or flat.
static void surface(GLuint name, const capture_program_t *p, const float ambient[3],
                    const float diffuse[3], float color[4], frame_state_t *s, capture_recipe_t *r) {
  base_stage(name, p, s, r);
  const bool lit = diffuse[0] + diffuse[1] + diffuse[2] > 0;
  const bool lightmap = defined(p, "MODE_LIGHTMAP") ||
                        defined(p, "MODE_LIGHTDIRECTIONMAP_MODELSPACE") ||
                        defined(p, "MODE_LIGHTDIRECTIONMAP_TANGENTSPACE") ||
                        defined(p, "MODE_LIGHTDIRECTIONMAP_FORCED_LIGHTMAP");
  const bool vertex =
      defined(p, "MODE_VERTEXCOLOR") || defined(p, "MODE_LIGHTDIRECTIONMAP_FORCED_VERTEXCOLOR");
  if (defined(p, "USEALPHAGENVERTEX") || vertex) {
    r->color = output_of(p, "VertexColor");
    if (r->color >= 0) {
      r->shade = CaptureShadeOutput;
    }
  }
  if (lightmap && lit && stage(name, "Texture_Lightmap", s, 1, 1)) {
    memcpy(color, diffuse, 3 * sizeof *color);
    set_color(s, color, 1);
    return;
  }
  if (!vertex && lit && defined(p, "MODE_LIGHTDIRECTION")) {
    lit_by_direction(p, ambient, diffuse, color, s, r);
  } else {
    // A light map without light leaves the ambient share, as flat colour does.
    memcpy(color, vertex && lit ? diffuse : ambient, 3 * sizeof *color);
    set_color(s, color, 0);
  }
  glow(name, s);
}

// Returns true if it is one of DarkPlaces' programs.
static bool darkplaces(GLuint name, const capture_program_t *p, uint32_t triangles,
                       frame_state_t *s, capture_recipe_t *r) {
  float ambient[16] = {0}, diffuse[16] = {0}, alpha[16] = {1};
  if (!p->defines || !strstr(p->defines, "MODE_")) {
    return false;
  }
  uniform(name, "Color_Ambient", ambient);
  uniform(name, "Color_Diffuse", diffuse);
  uniform(name, "Alpha", alpha);
  float color[4] = {1, 1, 1, alpha[0]};
  if (defined(p, "MODE_DEPTH_OR_SHADOW")) {
    return true;
  }
  if (defined(p, "MODE_POSTPROCESS")) {
    postprocess(name, p, triangles, s, r);
  } else if (defined(p, "MODE_BLOOMBLUR")) {
    blur(name, p, s, r);
  } else if (defined(p, "MODE_GENERIC")) {
    generic(name, p, color, s, r);
  } else if (defined(p, "MODE_LIGHTSOURCE")) {
    light_source(name, p, triangles, ambient, diffuse, s, r);
  } else {
    surface(name, p, ambient, diffuse, color, s, r);
  }
  return true;
}

// ---- any program

static const char *first_of(GLuint name, const char *const *names) {
  for (; *names; names++) {
    if (gl.GetUniformLocation(name, *names) >= 0) {
      return *names;
    }
  }
  return NULL;
}

static bool names_coords(const char *name) {
  char low[CaptureNameSize] = "";
  for (size_t i = 0; name[i] && i + 1 < sizeof low; i++) {
    low[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
  }
  return strstr(low, "texcoord") || strstr(low, "uv") || strstr(low, "_tex");
}

static void any_program(GLuint name, const capture_program_t *p, uint32_t triangles,
                        frame_state_t *s, capture_recipe_t *r) {
  static const char *const bases[] = {"u_DiffuseMap", "diffuse", "diffuseMap", "baseTexture",
                                      "colorMap",     "tex",     "texture0",   "tex0",
                                      "u_Texture0",   NULL};
  static const char *const lights[] = {"u_LightMap", "lightmap", "lightMap",
                                       "texture1",   "tex1",     NULL};
  static const char *const colors[] = {"u_Color",      "color",           "Color",
                                       "diffuseColor", "MaterialDiffuse", NULL};
  int sets = 0;
  for (int i = 1; i < p->count; i++) {
    const capture_output_t *o = &p->outputs[i];
    if (o->size >= 2 && sets < 2 && names_coords(o->name)) {
      r->uv[sets++] = o->offset;
    } else if (o->size == 4 && r->color < 0 &&
               (strstr(o->name, "olor") || strstr(o->name, "OLOR"))) {
      r->color = o->offset;
    }
  }
  if (r->color >= 0) {
    r->shade = CaptureShadeOutput;
  }
  const char *base = first_of(name, bases), *light = first_of(name, lights);
  const char *tint = first_of(name, colors);
  if (base && copies_target(s, triangles, sampler_unit(name, base))) {
    r->drop = true;
    return;
  }
  if (base) {
    stage(name, base, s, 0, 0);
  }
  if (light) {
    stage(name, light, s, 1, sets > 1);
  }
  float color[16] = {1, 1, 1, 1};
  if (tint && uniform(name, tint, color)) {
    set_color(s, color, 0);
  }
}

void capture_recipe_read(GLuint name, const capture_program_t *p, uint32_t triangles,
                         frame_state_t *s, capture_recipe_t *r) {
  memset(r, 0, sizeof *r);
  r->position = output_of(p, "gl_Position");
  r->color = r->uv[0] = r->uv[1] = r->light = r->cube = -1;
  memset(sampled, 0, sizeof sampled);
  read_projection(name, s);
  if (!darkplaces(name, p, triangles, s, r)) {
    any_program(name, p, triangles, s, r);
  }
  memcpy(r->samplers, sampled, sizeof r->samplers);
  while (gl.GetError() != GL_NO_ERROR) {
  }
}

static float attenuation(const capture_recipe_t *r, float d) {
  if (r->row_count == 0) {
    return d < 1 ? (1 - d) * (1 - d) : 0;
  }
  if (d >= 1) {
    return 0;
  }
  const float at = d * (float)r->row_count - 0.5F;
  const int i = at < 0 ? 0 : (int)at, last = (int)r->row_count - 1;
  const float share = at < 0 ? 0 : at - (float)i;
  return ((1 - share) * r->row[i] + share * r->row[i < last ? i + 1 : last]) / 255;
}

static float length3(const float *v) { return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

// Light of a point source at a corner. The light's vector is in the surface's own
// space: z is the height above it, so that on a flat surface all but the sideways
// distance is constant, and that goes into the falloff texture.
static void light_corner(const capture_recipe_t *r, const float *v, capture_corner_t *c) {
  float share = 1;
  if (r->light >= 0) {
    const float *light = v + r->light;
    const float far = length3(light);
    const float d = r->cube >= 0 ? length3(v + r->cube) : 0;
    const float facing = far > 0 && light[2] > 0 ? light[2] / far : 0;
    share = facing * attenuation(r, d);
    if (r->falloff) {
      const float scale = far > 0 ? d / far : 0;
      const float height = fabsf(light[2] * scale), full = attenuation(r, 0);
      // The facing at half the reach stands for that of the whole surface.
      const float reach2 = height < 1 ? (1 - height * height) / 4 : 0;
      const float whole = light[2] > 0 && height > 0 ? height / sqrtf(height * height + reach2) : 0;
      share = full > 0 ? whole * attenuation(r, height) / full : 0;
      c->uv[1][0] = light[0] * scale / 2 + 0.5F;
      c->uv[1][1] = light[1] * scale / 2 + 0.5F;
    }
  }
  for (int k = 0; k < 3; k++) {
    c->color[k] = r->ambient[k] + share * r->diffuse[k];
  }
  c->color[3] = r->alpha;
}

void capture_recipe_corner(const capture_recipe_t *r, const float *v, capture_corner_t *c) {
  memset(c, 0, sizeof *c);
  memcpy(c->at, v + r->position, sizeof c->at);
  for (int set = 0; set < 2; set++) {
    if (r->uv[set] >= 0) {
      memcpy(c->uv[set], v + r->uv[set], sizeof c->uv[set]);
    }
  }
  for (int k = 0; k < 4; k++) {
    c->color[k] = 1;
  }
  switch (r->shade) {
    case CaptureShadeWhite: break;
    case CaptureShadeOutput:
      if (r->color >= 0) {
        memcpy(c->color, v + r->color, sizeof c->color);
      }
      break;
    case CaptureShadeDirection: {
      float facing = 1;
      if (r->light >= 0) {
        const float *light = v + r->light, length = length3(light);
        facing = length > 0 && light[2] > 0 ? light[2] / length : 0;
      }
      for (int k = 0; k < 3; k++) {
        c->color[k] = r->ambient[k] + facing * r->diffuse[k];
      }
      c->color[3] = r->alpha;
      break;
    }
    case CaptureShadeSource: light_corner(r, v, c); break;
  }
}
