// DPI-C imports of the composition scheduler's test bench. C side:
// dpi/composition_scheduler_dpi.c.
package composition_scheduler_pkg;
  import "DPI-C" function chandle composition_scheduler_dpi_context();
  import "DPI-C" function void composition_scheduler_dpi_get(
    input chandle context_h, output longint unsigned message_valid,
    output byte unsigned start_ready, output longint unsigned release_ready);
  import "DPI-C" function byte unsigned composition_scheduler_dpi_message(
    input chandle context_h, input int unsigned gpu);
  import "DPI-C" function void composition_scheduler_dpi_put(
    input chandle context_h, input byte unsigned quiescent, input byte unsigned error,
    input byte unsigned start_valid, input byte unsigned start_front,
    input byte unsigned start_source, input byte unsigned start_destination,
    input byte unsigned start_cgid, input longint unsigned release_valid);
  // The table's masks, and one row when it has changed.
  import "DPI-C" function void composition_scheduler_dpi_put_flags(
    input chandle context_h, input longint unsigned ready, input longint unsigned receiving,
    input longint unsigned sending);
  import "DPI-C" function void composition_scheduler_dpi_put_row(
    input chandle context_h, input int unsigned gpu, input byte unsigned cgid,
    input longint unsigned sent, input longint unsigned received);
endpackage
