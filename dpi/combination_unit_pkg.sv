// DPI-C imports of the combination unit's test bench. C side: dpi/combination_unit_dpi.c,
// which also defines the order of the flags.
package combination_unit_pkg;
  import "DPI-C" function chandle combination_unit_dpi_context();
  // Flags of the inputs, and the epoch.
  import "DPI-C" function void combination_unit_dpi_get(
    input chandle context_h, output shortint unsigned flags, output byte unsigned epoch);
  import "DPI-C" function void combination_unit_dpi_get_data(
    input chandle context_h, output shortint unsigned tag, output byte unsigned epoch,
    output bit [511:0] data);
  import "DPI-C" function void combination_unit_dpi_get_run(
    input chandle context_h, output byte unsigned parent_entry, output byte unsigned first,
    output byte unsigned count, output byte unsigned ratio, output bit [63:0] texel);
  import "DPI-C" function void combination_unit_dpi_get_request(
    input chandle context_h, output shortint unsigned id, output byte unsigned epoch,
    output byte unsigned mask, output byte unsigned ratio);
  import "DPI-C" function void combination_unit_dpi_get_parent(
    input chandle context_h, output byte unsigned id, output longint unsigned value);
  import "DPI-C" function byte unsigned combination_unit_dpi_get_peek(input chandle context_h);
  // Outputs: flags and what is small; then the response if it is valid.
  import "DPI-C" function void combination_unit_dpi_put(
    input chandle context_h, input shortint unsigned flags, input byte unsigned error,
    input shortint unsigned take_tag, input byte unsigned update_index,
    input byte unsigned update_count, input longint unsigned update_sum,
    input longint unsigned peek_data);
  import "DPI-C" function void combination_unit_dpi_put_response(
    input chandle context_h, input bit [319:0] response);
endpackage
