// DPI-C imports of the draw scheduler's test bench. C side: dpi/draw_scheduler_dpi.c.
package draw_scheduler_pkg;
  // The context that the harness set for the model being built.
  import "DPI-C" function chandle draw_scheduler_dpi_context();
  // Inputs of the cycle. Masks: bit g for GPU g.
  import "DPI-C" function void draw_scheduler_dpi_get(
    input chandle context_h, output byte unsigned cmd_valid, output byte unsigned cmd_op,
    output byte unsigned cmd_kind, output byte unsigned policy, output int unsigned cmd_id,
    output int unsigned cmd_first, output int unsigned cmd_count,
    output longint unsigned piece_ready, output longint unsigned credit,
    output longint unsigned progress_valid);
  import "DPI-C" function shortint unsigned draw_scheduler_dpi_progress(
    input chandle context_h, input int unsigned gpu);
  // Outputs after the clock.
  import "DPI-C" function void draw_scheduler_dpi_put(
    input chandle context_h, input byte unsigned cmd_ready, input byte unsigned quiescent,
    input byte unsigned error, input byte unsigned compose, input byte unsigned kind,
    input int unsigned id, input int unsigned first, input int unsigned count,
    input longint unsigned piece_valid);
  // One entry of the table, when it has changed.
  import "DPI-C" function void draw_scheduler_dpi_put_entry(
    input chandle context_h, input int unsigned gpu, input longint unsigned scheduled,
    input longint unsigned processed);
endpackage
