// DPI-C imports of the pixel distributor's test bench. C side:
// dpi/pixel_distributor_dpi.c, which also defines the order of the flags.
//
// Payloads cross only while they are valid, 64 bits a call, so that the cost follows the
// traffic and not the width of a beat.
package pixel_distributor_pkg;
  // Payload streams of get_word and put_word.
  localparam int StreamSendData = 0;
  localparam int StreamBeatIn = 1;
  localparam int StreamReceiveData = 2;
  localparam int StreamBeatOut = 3;
  localparam int StreamWrite = 4;

  import "DPI-C" function chandle pixel_distributor_dpi_context();
  // Flags of the inputs, and the unit's number.
  import "DPI-C" function void pixel_distributor_dpi_get(
    input chandle context_h, output int unsigned flags, output byte unsigned gpu);
  import "DPI-C" function void pixel_distributor_dpi_get_config(
    input chandle context_h, output shortint unsigned width, output shortint unsigned height,
    output byte unsigned map, output byte unsigned work_tile);
  import "DPI-C" function void pixel_distributor_dpi_get_touch(
    input chandle context_h, output shortint unsigned x, output shortint unsigned y,
    output shortint unsigned stamps);
  import "DPI-C" function void pixel_distributor_dpi_get_begin(
    input chandle context_h, output byte unsigned flags, output byte unsigned op,
    output byte unsigned depth_func, output byte unsigned color_mask);
  import "DPI-C" function void pixel_distributor_dpi_get_peek(
    input chandle context_h, output byte unsigned select, output int unsigned index);
  import "DPI-C" function byte unsigned pixel_distributor_dpi_get_start(input chandle context_h);
  import "DPI-C" function int unsigned pixel_distributor_dpi_get_mask(
    input chandle context_h, input int unsigned stream);
  import "DPI-C" function byte unsigned pixel_distributor_dpi_get_kind(input chandle context_h);
  import "DPI-C" function shortint unsigned pixel_distributor_dpi_get_piece(
    input chandle context_h, input int unsigned slot);
  import "DPI-C" function longint unsigned pixel_distributor_dpi_get_word(
    input chandle context_h, input int unsigned stream, input int unsigned word);
  // Outputs: flags and what is small; then the payloads that are valid.
  import "DPI-C" function void pixel_distributor_dpi_put(
    input chandle context_h, input int unsigned flags, input byte unsigned error,
    input longint unsigned peek_data);
  import "DPI-C" function void pixel_distributor_dpi_put_owner(
    input chandle context_h, input int unsigned tile, input byte unsigned owner);
  import "DPI-C" function void pixel_distributor_dpi_put_map(
    input chandle context_h, input int unsigned tile, input byte unsigned block,
    input longint unsigned blocks, input shortint unsigned stamps);
  import "DPI-C" function void pixel_distributor_dpi_put_address(
    input chandle context_h, input int unsigned address);
  // A payload's head: kind (beat out) or tile (receive read, write), and mask.
  import "DPI-C" function void pixel_distributor_dpi_put_head(
    input chandle context_h, input int unsigned stream, input int unsigned value,
    input int unsigned mask);
  import "DPI-C" function void pixel_distributor_dpi_put_piece(
    input chandle context_h, input int unsigned stream, input int unsigned slot,
    input shortint unsigned piece);
  import "DPI-C" function void pixel_distributor_dpi_put_word(
    input chandle context_h, input int unsigned stream, input int unsigned word,
    input longint unsigned value);
endpackage
