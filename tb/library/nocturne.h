// SPDX-License-Identifier: Apache-2.0
// libnocturne: the machine of Nocturne from C, as `nocturne run` has it, with the golden
// models of its hardware units, their RTL, both in lockstep, or engines of the user's own
// (docs/reference/library.md).
//
//   nocturne_config_t *config = nocturne_config_create("vectors/config/chopin.yaml", &error);
//   nocturne_frame_t *frame = nocturne_frame_load("gen:cod2", 1, &error);
//   nocturne_run_t *run = nocturne_run_create(config, frame, &error);
//   nocturne_run_render(run, &error);
//
// Errors are values. A function that can fail returns NULL or a status, and fills *error where
// error is not NULL; one that succeeds leaves it as it was. Nothing is printed, and nothing ends
// the process: a NULL where an object, a name or a buffer is needed is bad input, and functions
// without an error return 0, NULL or nothing. Every object is destroyed by its own function, which
// takes NULL; a frame must outlive its runs. Returned texts belong to the object that was asked for
// them. Call from one thread at a time.
#ifndef NOCTURNE_H
#define NOCTURNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// As the command's exit status.
typedef enum {
  NocturneOk = 0,
  NocturneFailed = 1,   // a check failed: the report says which
  NocturneWrong = 2,    // bad input: what, where, and what was expected
  NocturneLacking = 3,  // the machine lacks a tool or memory
} nocturne_status_e;

typedef struct {
  nocturne_status_e status;
  char text[4096];  // one line, or a report of several; cut to size
} nocturne_error_t;

const char *nocturne_version(void);

// ---- Configuration ----

typedef struct nocturne_config nocturne_config_t;

// path: of a YAML file; a bundled one by its name (vectors/config/chopin.yaml); NULL: defaults.
nocturne_config_t *nocturne_config_create(const char *path, nocturne_error_t *error);
void nocturne_config_destroy(nocturne_config_t *config);

// setting: "KEY=VALUE", as --set (docs/reference/configuration.md). Runs already made keep theirs.
nocturne_status_e nocturne_config_set(nocturne_config_t *config, const char *setting,
                                      nocturne_error_t *error);

// ---- Frames ----

typedef struct nocturne_frame nocturne_frame_t;

typedef struct {
  const char *name;
  uint32_t width, height;     // pixels
  uint32_t draws, triangles;  // triangles: those that survive clipping and culling
} nocturne_frame_info_t;

// name: of a frame file, a bundled one by its name (vectors/frames/nexuiz/bench1_ultra.nframe), or
// of a generated frame: gen:NAME (docs/model/workloads.md), which the seed varies.
nocturne_frame_t *nocturne_frame_load(const char *name, uint64_t seed, nocturne_error_t *error);
void nocturne_frame_destroy(nocturne_frame_t *frame);
void nocturne_frame_info(const nocturne_frame_t *frame, nocturne_frame_info_t *info);

// ---- Engines ----

// The user's own, in place of a unit's golden model: what the unit's contract says (docs/units), or
// something else that keeps to its protocol. The structs are those of the unit's header,
// "unit/NAME/NAME.h": NAME_params_t, NAME_in_t, NAME_out_t, NAME_state_t.
typedef struct {
  const char *unit;
  uint64_t page;  // NAME_page of the header it was compiled with: another one is refused
  void *context;
  // An instance, of as many as the machine has; NULL: it cannot be made.
  void *(*create)(void *context, const void *params, uint32_t instance);
  void (*destroy)(void *self);
  // The reset state; out gets its outputs.
  void (*reset)(void *self, void *out);
  // One clock: applies the inputs; out gets the outputs after it. `quiescent` says that
  // another clock under the same inputs would change nothing; a run ends when it is true and
  // nothing is left.
  void (*step)(void *self, const void *in, void *out);
  // The state that lockstep compares; NULL: never asked for by the machine, so that golden goes
  // without.
  void (*observe)(void *self, void *state);
} nocturne_engine_t;

// ---- Runs ----

typedef struct nocturne_run nocturne_run_t;

// Refuses a frame that the machine does not take. The configuration is taken as it is now.
nocturne_run_t *nocturne_run_create(const nocturne_config_t *config, const nocturne_frame_t *frame,
                                    nocturne_error_t *error);
void nocturne_run_destroy(nocturne_run_t *run);

// name: golden (the default), rtl, lockstep or gates. All but golden build the units' hardware
// in the user's cache folder when first needed (docs/start/install.md).
nocturne_status_e nocturne_run_engine(nocturne_run_t *run, const char *name,
                                      nocturne_error_t *error);
void nocturne_run_seed(nocturne_run_t *run, uint64_t seed);  // of register values and checks: 1

// In place of the golden model of engine->unit; *engine is copied. With lockstep the unit's RTL is
// compared with it, with rtl it is not used.
nocturne_status_e nocturne_run_replace(nocturne_run_t *run, const nocturne_engine_t *engine,
                                       nocturne_error_t *error);

// Renders the frame, once. NocturneFailed: a mismatch, a hang, a protocol error, or a picture that
// is not that of a single GPU; the report is in error. After the last of these the results are
// there.
nocturne_status_e nocturne_run_render(nocturne_run_t *run, nocturne_error_t *error);

// Results of a run that has rendered; 0 or NULL before.
uint64_t nocturne_run_cycles(const nocturne_run_t *run);
// RGBA8, row-major, row 0 at the top, as wide and high as the frame.
const uint32_t *nocturne_run_picture(const nocturne_run_t *run);
// All of the result, as `nocturne run --json` has it (docs/reference/json.md). NULL also: out of
// memory.
const char *nocturne_run_json(nocturne_run_t *run);

// ---- Units alone ----

typedef struct nocturne_unit nocturne_unit_t;
typedef struct nocturne_field nocturne_field_t;

typedef enum { NocturneIn, NocturneOut, NocturneState } nocturne_side_e;

// The units' names, one after the other; NULL after the last.
const char *nocturne_unit_name(uint32_t index);

// One instance. params: "NumGpus=4 Credits=8", as the RTL has them; what is not named has its
// default. engine: as of a run. own: in place of the golden model, or NULL.
nocturne_unit_t *nocturne_unit_create(const char *name, const char *params, const char *engine,
                                      uint64_t seed, const nocturne_engine_t *own,
                                      nocturne_error_t *error);
void nocturne_unit_destroy(nocturne_unit_t *unit);

// Bytes of NAME_in_t, NAME_out_t or NAME_state_t.
size_t nocturne_unit_size(const nocturne_unit_t *unit, nocturne_side_e side);

// The reset state; out gets its outputs. Once before the first step.
void nocturne_unit_reset(nocturne_unit_t *unit, void *out);
// One clock. NocturneFailed: golden and RTL differ, or an assertion failed; the report is in error.
nocturne_status_e nocturne_unit_step(nocturne_unit_t *unit, const void *in, void *out,
                                     nocturne_error_t *error);
void nocturne_unit_observe(const nocturne_unit_t *unit, void *state);

// A member of a struct by its name ("cmd_valid"), for who has no header at hand. NULL: none.
const nocturne_field_t *nocturne_unit_field(const nocturne_unit_t *unit, nocturne_side_e side,
                                            const char *name);
// Bits of an element, and elements, that the instance has.
uint32_t nocturne_field_bits(const nocturne_unit_t *unit, const nocturne_field_t *field);
uint32_t nocturne_field_elements(const nocturne_unit_t *unit, const nocturne_field_t *field);
uint64_t nocturne_field_get(const nocturne_field_t *field, const void *values, uint32_t element);
void nocturne_field_set(const nocturne_field_t *field, void *values, uint32_t element,
                        uint64_t value);

#ifdef __cplusplus
}
#endif

#endif
