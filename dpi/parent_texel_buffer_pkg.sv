// DPI-C imports of the parent texel buffer's test bench. C side:
// dpi/parent_texel_buffer_dpi.c, which also defines the order of the flags.
package parent_texel_buffer_pkg;
  import "DPI-C" function chandle parent_texel_buffer_dpi_context();
  // Inputs of the cycle.
  import "DPI-C" function void parent_texel_buffer_dpi_get(
    input chandle context_h, output byte unsigned flags, output byte unsigned alloc_index,
    output byte unsigned alloc_id, output byte unsigned alloc_ratio,
    output byte unsigned update_index, output byte unsigned update_count,
    output longint unsigned update_sum, output byte unsigned peek_index);
  // Outputs after the clock.
  import "DPI-C" function void parent_texel_buffer_dpi_put(
    input chandle context_h, input byte unsigned flags, input byte unsigned error,
    input byte unsigned parent_id, input longint unsigned parent_value,
    input byte unsigned alloc_index, input byte unsigned alloc_id,
    input byte unsigned alloc_ratio,
    input byte unsigned update_index, input longint unsigned update_word,
    input longint unsigned peek_data);
endpackage
