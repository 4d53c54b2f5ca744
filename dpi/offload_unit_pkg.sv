// DPI-C imports of the offloading unit's test bench. C side: dpi/offload_unit_dpi.c, which
// also defines the order of the flags.
package offload_unit_pkg;
  import "DPI-C" function chandle offload_unit_dpi_context();
  // Flags of the inputs, masks of texture units, and what is small.
  import "DPI-C" function void offload_unit_dpi_get(
    input chandle context_h, output byte unsigned flags, output longint unsigned request_valid,
    output longint unsigned answer_ready, output byte unsigned reissue_epoch,
    output byte unsigned peek_index);
  import "DPI-C" function void offload_unit_dpi_get_request(
    input chandle context_h, input int unsigned texture_unit, output bit [287:0] value);
  import "DPI-C" function void offload_unit_dpi_get_response(
    input chandle context_h, output bit [319:0] value);
  // Outputs: flags, masks and what is small; then the payloads that are valid.
  import "DPI-C" function void offload_unit_dpi_put(
    input chandle context_h, input byte unsigned flags, input byte unsigned error,
    input longint unsigned request_ready, input longint unsigned answer_valid,
    input byte unsigned epoch, input longint unsigned peek_data);
  import "DPI-C" function void offload_unit_dpi_put_package(
    input chandle context_h, input bit [319:0] value);
  import "DPI-C" function void offload_unit_dpi_put_answer(
    input chandle context_h, input byte unsigned slot, input byte unsigned mask,
    input byte unsigned failed, input byte unsigned refused, input bit [255:0] texel);
  // A texture unit whose slots changed.
  import "DPI-C" function void offload_unit_dpi_put_unit(
    input chandle context_h, input int unsigned texture_unit, input int unsigned free,
    input int unsigned pending, input int unsigned waiting, input byte unsigned request_slot);
endpackage
