// DPI-C imports of the A-TFIM top's test bench. C side: dpi/atfim_dpi.c, which also defines
// the order of the flags.
package atfim_pkg;
  import "DPI-C" function chandle atfim_dpi_context();
  // Flags of the inputs, and the epoch.
  import "DPI-C" function void atfim_dpi_get(
    input chandle context_h, output byte unsigned flags, output byte unsigned epoch);
  import "DPI-C" function void atfim_dpi_get_descriptor(
    input chandle context_h, output shortint unsigned index, output int unsigned base,
    output shortint unsigned width, output shortint unsigned height,
    output byte unsigned wrap_x, output byte unsigned wrap_y);
  import "DPI-C" function void atfim_dpi_get_package(
    input chandle context_h, output bit [319:0] value);
  import "DPI-C" function void atfim_dpi_get_data(
    input chandle context_h, output shortint unsigned tag, output byte unsigned epoch,
    output bit [511:0] data);
  import "DPI-C" function void atfim_dpi_get_peek(
    input chandle context_h, output byte unsigned unit, output byte unsigned select,
    output shortint unsigned index);
  // Outputs: flags and what is small; then the payloads and reports that are valid.
  import "DPI-C" function void atfim_dpi_put(
    input chandle context_h, input shortint unsigned flags, input shortint unsigned error,
    input longint unsigned peek_data);
  import "DPI-C" function void atfim_dpi_put_read(
    input chandle context_h, input shortint unsigned tag, input int unsigned line);
  import "DPI-C" function void atfim_dpi_put_response(
    input chandle context_h, input bit [319:0] response);
  import "DPI-C" function void atfim_dpi_put_insert(
    input chandle context_h, input byte unsigned index, input byte unsigned parent_entry,
    input byte unsigned first, input byte unsigned count, input byte unsigned slot);
  import "DPI-C" function void atfim_dpi_put_close(
    input chandle context_h, input byte unsigned slot);
  import "DPI-C" function void atfim_dpi_put_alloc(
    input chandle context_h, input byte unsigned index, input byte unsigned id,
    input byte unsigned ratio);
  import "DPI-C" function void atfim_dpi_put_update(
    input chandle context_h, input byte unsigned index, input longint unsigned word);
endpackage
