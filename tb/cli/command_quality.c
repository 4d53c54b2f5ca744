// SPDX-License-Identifier: Apache-2.0
// nocturne quality: compares pictures of a frame by each way to filter textures, without time, with
// anisotropic filtering whose children lie at fractional places.
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "csim/frame/generate_frame.h"
#include "csim/frame/image.h"
#include "csim/machine/check.h"
#include "csim/machine/machine_config.h"
#include "csim/texture/virtual_texture.h"

enum { KeyThreshold = 256, KeyAnisotropy, KeyImages, MaxFrames = 16 };

static const struct argp_option Options[] = {
    {"threshold", KeyThreshold, "T", 0, "virtual textures: two children from T texels on (1.74)",
     0},
    {"anisotropy", KeyAnisotropy, "N", 0,
     "most samples along the axis, 1 to 16, of all mip-mapped textures; 0: as the frame says (16)",
     0},
    {"images", KeyImages, "PREFIX", 0, "write the pictures of one frame to PREFIXNAME.png", 0},
    {0}};

typedef struct {
  const char *frames[MaxFrames], *images;
  uint32_t count, anisotropy;
  double threshold;
} options_t;

// The rows of the table; the others are compared with the first.
static const struct {
  const char *name;
  shade_filter_e filter;
  bool anisotropic;
} Ways[] = {
    {"fractional", ShadeFractional, true},   {"whole", ShadeWhole, true},
    {"parents", ShadeParents, true},         {"lattice", ShadeLattice, true},
    {"isotropic", ShadeIsotropicGrid, true}, {"off", ShadeFractional, false},
};
enum { WayCount = sizeof Ways / sizeof *Ways };

static double threshold_of(struct argp_state *state, const char *text) {
  char *end;
  errno = 0;
  double value = strtod(text, &end);
  if (errno || end == text || *end || !(value >= 0.5 && value <= 16)) {
    argp_error(state, "--threshold %s: expected texels, 0.5 to 16", text);
  }
  return value;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  switch (key) {
    case KeyThreshold: o->threshold = threshold_of(state, arg); return 0;
    case KeyAnisotropy:
      o->anisotropy = (uint32_t)cli_number(state, "--anisotropy", arg, 0, FootprintMaxRatio);
      return 0;
    case KeyImages: o->images = arg; return 0;
    case ARGP_KEY_ARG:
      if (o->count == MaxFrames) {
        argp_error(state, "more than %d frames", MaxFrames);
      }
      o->frames[o->count++] = arg;
      return 0;
    case ARGP_KEY_END:
      if (!o->count) {
        argp_error(state, "expected a frame, such as gen:doom3-320x240");
      }
      if (o->images && o->count > 1) {
        argp_error(state, "--images: of one frame only");
      }
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static int write_image(const options_t *o, uint32_t way, image_t *picture) {
  char path[1024];
  err_auto_t err = {0};
  if (!o->images) {
    return ExitPassed;
  }
  snprintf(path, sizeof path, "%s%s.png", o->images, Ways[way].name);
  return image_write_png(picture, path, &err) ? ExitPassed : cli_fail(&err);
}

static int show(const options_t *o, const frame_t *f) {
  image_t judge = {f->width, f->height, NULL};
  int status = ExitPassed;
  printf("%s, T %g\n  %-13s %8s %10s\n", f->name, o->threshold, "filtering", "PSNR dB",
         "max error");
  for (uint32_t way = 0; status == ExitPassed && way < WayCount; way++) {
    const shade_sampling_t sampling = {.filter = (uint8_t)Ways[way].filter,
                                       .anisotropic = Ways[way].anisotropic,
                                       .max_anisotropy = (uint8_t)o->anisotropy,
                                       .threshold = o->threshold};
    image_t picture = {f->width, f->height, check_picture(f, sampling)};
    if (!picture.pixels) {
      status = cli_refuse(ExitLacking, "out of memory");
      break;
    }
    status = write_image(o, way, &picture);
    if (!way) {
      judge = picture;
      continue;
    }
    image_difference_t d = image_compare(&picture, &judge, NULL);
    printf("  %-13s %8.2f %10u\n", Ways[way].name, d.psnr_db, d.max_abs_error);
    fflush(stdout);
    free(picture.pixels);
  }
  free(judge.pixels);
  return status;
}

// Refuses a frame beyond the default machine's limits.
static int check_limits(const frame_t *f) {
  err_auto_t err = {0};
  err_set(&err, ErrMachine, "out of memory");
  machine_params_t params = {0};
  config_t *config = config_create();
  bool ok =
      config && machine_config_add(config, &params, &err) && machine_check_frame(&params, f, &err);
  config_destroy(config);
  return ok ? ExitPassed : cli_fail(&err);
}

int cli_quality(int argc, char **argv) {
  static const struct argp Parser = {
      Options,
      parse,
      "FRAME...",
      "Renders a frame by each way to filter textures, without time, and compares the pictures "
      "with anisotropic filtering at fractional places.",
      NULL,
      NULL,
      NULL};
  options_t o = {.threshold = VIRTUAL_THRESHOLD, .anisotropy = FootprintMaxRatio};
  int status = ExitPassed;
  cli_parse(&Parser, argc, argv, &o);
  for (uint32_t i = 0; i < o.count && status == ExitPassed; i++) {
    err_auto_t err = {0};
    frame_t *f = frame_load(o.frames[i], 1, &err);
    status = f ? check_limits(f) : cli_fail(&err);
    if (status == ExitPassed) {
      status = show(&o, f);
    }
    frame_free(f);
  }
  return status;
}
