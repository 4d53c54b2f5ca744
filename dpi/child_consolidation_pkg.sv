// DPI-C imports of the child consolidation's test bench. C side:
// dpi/child_consolidation_dpi.c, which also defines the order of the flags.
package child_consolidation_pkg;
  import "DPI-C" function chandle child_consolidation_dpi_context();
  // Flags of the inputs, and what is small.
  import "DPI-C" function void child_consolidation_dpi_get(
    input chandle context_h, output byte unsigned flags, output shortint unsigned take_tag,
    output byte unsigned peek_select, output byte unsigned peek_index);
  // Lines of 32 bits a child.
  import "DPI-C" function void child_consolidation_dpi_get_beat(
    input chandle context_h, output byte unsigned parent_entry, output byte unsigned ratio,
    output bit [511:0] line, output bit [63:0] texel);
  // Outputs: flags and what is small; then the payloads that are valid.
  import "DPI-C" function void child_consolidation_dpi_put(
    input chandle context_h, input byte unsigned flags, input byte unsigned error,
    input longint unsigned peek_data);
  import "DPI-C" function void child_consolidation_dpi_put_read(
    input chandle context_h, input shortint unsigned tag, input int unsigned line);
  import "DPI-C" function void child_consolidation_dpi_put_run(
    input chandle context_h, input byte unsigned is_void, input byte unsigned is_last,
    input byte unsigned parent_entry, input byte unsigned first_child,
    input byte unsigned count, input byte unsigned ratio, input bit [63:0] texel);
  import "DPI-C" function void child_consolidation_dpi_put_insert(
    input chandle context_h, input byte unsigned index, input byte unsigned parent_entry,
    input byte unsigned first_child, input byte unsigned count, input byte unsigned slot,
    input byte unsigned is_new);
  import "DPI-C" function void child_consolidation_dpi_put_close(
    input chandle context_h, input byte unsigned slot);
endpackage
