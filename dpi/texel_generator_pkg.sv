// DPI-C imports of the texel generator's test bench. C side: dpi/texel_generator_dpi.c,
// which also defines the order of the flags.
package texel_generator_pkg;
  import "DPI-C" function chandle texel_generator_dpi_context();
  // Flags of the inputs, and the epoch.
  import "DPI-C" function void texel_generator_dpi_get(
    input chandle context_h, output byte unsigned flags, output byte unsigned epoch);
  import "DPI-C" function void texel_generator_dpi_get_descriptor(
    input chandle context_h, output shortint unsigned index, output int unsigned base,
    output shortint unsigned width, output shortint unsigned height,
    output byte unsigned wrap_x, output byte unsigned wrap_y);
  import "DPI-C" function void texel_generator_dpi_get_package(
    input chandle context_h, output bit [319:0] value);
  import "DPI-C" function void texel_generator_dpi_get_peek(
    input chandle context_h, output byte unsigned select, output shortint unsigned index);
  // Outputs: flags and what is small; then the payloads that are valid.
  import "DPI-C" function void texel_generator_dpi_put(
    input chandle context_h, input byte unsigned flags, input byte unsigned error,
    input longint unsigned peek_data);
  import "DPI-C" function void texel_generator_dpi_put_request(
    input chandle context_h, input shortint unsigned id, input byte unsigned epoch,
    input byte unsigned mask, input byte unsigned ratio, input byte unsigned refused);
  import "DPI-C" function void texel_generator_dpi_put_alloc(
    input chandle context_h, input byte unsigned index, input byte unsigned id,
    input byte unsigned ratio);
  // Lines of 32 bits a child.
  import "DPI-C" function void texel_generator_dpi_put_beat(
    input chandle context_h, input byte unsigned parent_entry, input byte unsigned ratio,
    input bit [511:0] line, input bit [63:0] texel);
endpackage
