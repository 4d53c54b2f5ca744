// Answers the DPI-C imports of dpi/draw_scheduler_pkg.sv. The prototypes are those that
// Verilator generates, so an import that differs fails the build.
#include "Vtb_draw_scheduler__Dpi.h"
#include "csim/unit/draw_scheduler.h"
#include "dpi/dpi_context.h"

void *draw_scheduler_dpi_context(void) { return dpi_context_current; }

void draw_scheduler_dpi_get(void *context_h, unsigned char *cmd_valid, unsigned char *cmd_op,
                            unsigned char *cmd_kind, unsigned char *policy, unsigned int *cmd_id,
                            unsigned int *cmd_first, unsigned int *cmd_count,
                            unsigned long long *piece_ready, unsigned long long *credit,
                            unsigned long long *progress_valid) {
  const draw_scheduler_in_t *in = ((const dpi_context_t *)context_h)->in;
  *cmd_valid = in->cmd_valid;
  *cmd_op = in->cmd_op;
  *cmd_kind = in->cmd_kind;
  *policy = in->policy;
  *cmd_id = in->cmd_id;
  *cmd_first = in->cmd_first;
  *cmd_count = in->cmd_count;
  *piece_ready = in->piece_ready;
  *credit = in->credit;
  *progress_valid = in->progress_valid;
}

unsigned short draw_scheduler_dpi_progress(void *context_h, unsigned int gpu) {
  const draw_scheduler_in_t *in = ((const dpi_context_t *)context_h)->in;
  return in->progress[gpu];
}

void draw_scheduler_dpi_put(void *context_h, unsigned char cmd_ready, unsigned char quiescent,
                            unsigned char error, unsigned char compose, unsigned char kind,
                            unsigned int id, unsigned int first, unsigned int count,
                            unsigned long long piece_valid) {
  draw_scheduler_out_t *out = ((const dpi_context_t *)context_h)->out;
  out->cmd_ready = cmd_ready;
  out->quiescent = quiescent;
  out->error = error;
  out->piece_compose = compose;
  out->piece_kind = kind;
  out->piece_id = id;
  out->piece_first = first;
  out->piece_count = count;
  out->piece_valid = piece_valid;
}

void draw_scheduler_dpi_put_entry(void *context_h, unsigned int gpu, unsigned long long scheduled,
                                  unsigned long long processed) {
  draw_scheduler_state_t *state = ((const dpi_context_t *)context_h)->state;
  state->scheduled[gpu] = scheduled;
  state->processed[gpu] = processed;
}
