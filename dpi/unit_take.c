// SPDX-License-Identifier: Apache-2.0
// Describes a unit for other people's flows, from its page:
//   unit_take core PAGE.yaml GROUP VERSION FILE... CORE...   a FuseSoC core file (CAPI=2)
//   unit_take ipxact|list|bender PAGE.yaml GROUP VERSION FILE...   an IP-XACT 2014 component
//                               (IEEE 1685-2014); a file list that simulators take with -f;
//                               Bender.yml
//   unit_take common VERSION FILE...   the core file of what several units share
//   unit_take bus|abstraction VERSION clock|reset|stream     the IP-XACT definition of a bus, of
//   its
//                               ports; the units' interfaces are of these
// GROUP is the library's name (chopin, atfim), FILE the RTL, in any order, CORE a core that the
// unit depends on (vendor:library:name:version). To standard output; the paths stand as they are
// given. Exit status 2 with one line: bad usage, a broken page, a description that cannot be
// written.
#include <inttypes.h>
#include <libxml/xmlwriter.h>
#include <stdio.h>
#include <string.h>

#include "csim/base/text.h"
#include "generate_sides.h"

typedef struct {
  const page_t *page;
  const char *group, *version;
  char **files;  // and cores behind them, which have a colon
  int file_count, core_count;
} take_t;

static bool ends_in(const char *path, const char *end) {
  const size_t n = strlen(path), length = strlen(end);
  return n > length && strcmp(path + n - length, end) == 0;
}

// The modules include headers and packages.
static bool is_include(const char *path) {
  return ends_in(path, ".svh") || ends_in(path, "_pkg.sv");
}

// The folder of a path, "." if it has none.
static void folder_of(const char *path, char *folder, size_t size) {
  const char *end = strrchr(path, '/');
  snprintf(folder, size, "%.*s", end ? (int)(end - path) : 1, end ? path : ".");
}

// A parameter that the tops work out of another one is 0 in the RTL: nothing is asked for.
static int64_t default_of(const page_param_t *p) { return p->is ? 0 : p->initial; }

// Each folder of an include file once.
static void each_include_folder(const take_t *t, const char *form) {
  char seen[16][256];
  int count = 0;
  for (int i = 0; i < t->file_count && count < 16; i++) {
    bool is_new = is_include(t->files[i]);
    folder_of(t->files[i], seen[count], sizeof seen[0]);
    for (int j = 0; j < count; j++) {
      is_new = is_new && strcmp(seen[j], seen[count]) != 0;
    }
    if (is_new) {
      printf(form, seen[count++]);
    }
  }
}

// ---- File list ----

static void put_list(const take_t *t) {
  each_include_folder(t, "+incdir+%s\n");
  for (int i = 0; i < t->file_count; i++) {
    if (!is_include(t->files[i])) {
      printf("%s\n", t->files[i]);
    }
  }
}

// ---- Bender ----

static void put_bender(const take_t *t) {
  printf(
      "package:\n  name: nocturne\n  authors: [\"The Nocturne developers\"]\n"
      "sources:\n  - include_dirs:\n");
  each_include_folder(t, "      - %s\n");
  printf("    files:\n");
  for (int i = 0; i < t->file_count; i++) {
    if (!is_include(t->files[i])) {
      printf("      - %s\n", t->files[i]);
    }
  }
}

// ---- FuseSoC ----

// Without defaults: a parameter that nobody sets is as the RTL has it.
static void put_core_parameters(const page_t *page) {
  printf("parameters:\n");
  for (uint32_t i = 0; i < page->param_count; i++) {
    printf("  %s: {datatype: int, paramtype: vlogparam}\n", page->params[i].rtl);
  }
}

static void put_core_files(const take_t *t) {
  printf("    file_type: systemVerilogSource\n    files:\n");
  for (int i = 0; i < t->file_count; i++) {
    char folder[256];
    folder_of(t->files[i], folder, sizeof folder);
    printf("      - %s", t->files[i]);
    if (is_include(t->files[i])) {
      printf(": {is_include_file: true, include_path: %s}", folder);
    }
    printf("\n");
  }
}

static void put_core_filesets(const take_t *t) {
  const char *const name = t->page->name;
  printf("filesets:\n  rtl:\n    depend:\n");
  for (int i = 0; i < t->core_count; i++) {
    printf("      - \"%s\"\n", t->files[t->file_count + i]);
  }
  put_core_files(t);
  printf(
      "  waivers:\n    file_type: vlt\n    files:\n      - %s.vlt\n"
      "  bench:\n    file_type: systemVerilogSource\n    files:\n      - tb/vectors_%s.sv\n"
      "      - tb/replay_%s.sv\n      - tb/%s.hex: {file_type: user, copyto: tb/%s.hex}\n",
      name, name, name, name, name);
}

// Only the target lint has parameters: those of `default` would become parameters of the design
// that depends on the core.
static void put_core(const take_t *t) {
  const page_t *const page = t->page;
  printf("CAPI=2:\nname: nocturne:%s:%s:%s\ndescription: cycle contract in %s.md\n", t->group,
         page->name, t->version, page->name);
  put_core_filesets(t);
  printf(
      "targets:\n"
      "  default:\n    filesets: [rtl]\n    toplevel: %s\n"
      "  lint:\n    filesets: [rtl, waivers]\n    toplevel: %s\n    parameters: [",
      page->name, page->name);
  for (uint32_t i = 0; i < page->param_count; i++) {
    printf("%s%s", i ? ", " : "", page->params[i].rtl);
  }
  printf(
      "]\n    flow: lint\n"
      "    flow_options: {tool: verilator, verilator_options: [-Wall]}\n"
      "  sim:\n    filesets: [rtl, bench]\n    toplevel: replay\n    flow: sim\n"
      "    flow_options: {tool: icarus, iverilog_options: [-g2012]}\n");
  put_core_parameters(page);
}

static void put_common_core(const take_t *t) {
  printf(
      "CAPI=2:\nname: nocturne:common:rtl:%s\n"
      "description: modules and headers that several units share\n"
      "filesets:\n  rtl:\n",
      t->version);
  put_core_files(t);
  printf("targets:\n  default:\n    filesets: [rtl]\n");
}

// ---- IP-XACT ----

static const char *const Namespace = "http://www.accellera.org/XMLSchema/IPXACT/1685-2014";

static void open_element(xmlTextWriterPtr w, const char *name) {
  xmlTextWriterStartElementNS(w, BAD_CAST "ipxact", BAD_CAST name, NULL);
}

static void put_element(xmlTextWriterPtr w, const char *name, const char *text) {
  xmlTextWriterWriteElementNS(w, BAD_CAST "ipxact", BAD_CAST name, NULL, BAD_CAST text);
}

static void close_elements(xmlTextWriterPtr w, int count) {
  while (count-- > 0) {
    xmlTextWriterEndElement(w);
  }
}

// A port of a bus: its name, the qualifier and who drives it.
typedef struct {
  const char *bus, *name, *qualifier;
  bool is_required, is_back;  // back: from slave to master
} bus_port_t;

static const bus_port_t BusPorts[] = {
    {"clock", "CLK", "isClock", true, false},      {"reset", "RESET_N", "isReset", true, false},
    {"stream", "VALID", NULL, true, false},        {"stream", "READY", NULL, false, true},
    {"stream", "PAYLOAD", "isData", false, false}, {"stream", "BACK", "isData", false, true},
};
enum { BusPortCount = sizeof BusPorts / sizeof *BusPorts };

static bool is_bus(const char *name) {
  bool found = false;
  for (int i = 0; i < BusPortCount; i++) {
    found = found || strcmp(BusPorts[i].bus, name) == 0;
  }
  return found;
}

static void put_bus_reference(xmlTextWriterPtr w, const char *element, const take_t *t,
                              const char *bus, const char *suffix) {
  open_element(w, element);
  xmlTextWriterWriteAttribute(w, BAD_CAST "vendor", BAD_CAST "nocturne");
  xmlTextWriterWriteAttribute(w, BAD_CAST "library", BAD_CAST "common");
  xmlTextWriterWriteFormatAttribute(w, BAD_CAST "name", "%s%s", bus, suffix);
  xmlTextWriterWriteAttribute(w, BAD_CAST "version", BAD_CAST t->version);
  close_elements(w, 1);
}

static void put_bus(xmlTextWriterPtr w) {
  put_element(w, "directConnection", "true");
  put_element(w, "isAddressable", "false");
}

static void put_abstraction(xmlTextWriterPtr w, const take_t *t, const char *bus) {
  put_bus_reference(w, "busType", t, bus, "");
  open_element(w, "ports");
  for (const bus_port_t *p = BusPorts; p < BusPorts + BusPortCount; p++) {
    if (strcmp(p->bus, bus) != 0) {
      continue;
    }
    open_element(w, "port");
    put_element(w, "logicalName", p->name);
    open_element(w, "wire");
    if (p->qualifier) {
      open_element(w, "qualifier");
      put_element(w, p->qualifier, "true");
      close_elements(w, 1);
    }
    for (int slave = 0; slave < 2; slave++) {
      open_element(w, slave ? "onSlave" : "onMaster");
      put_element(w, "presence", p->is_required ? "required" : "optional");
      put_element(w, "direction", (slave != 0) == p->is_back ? "out" : "in");
      close_elements(w, 1);
    }
    close_elements(w, 2);
  }
  close_elements(w, 1);
}

// Writes the index of a field's leftmost bit.
static void left_text(const page_t *page, const page_field_t *field, char left[WidthSize]) {
  char range[WidthSize];
  range_text(page, field, range);
  const char *colon = strrchr(range, ':');
  snprintf(left, WidthSize, "%.*s", colon ? (int)(colon - range - 1) : 1, colon ? range + 1 : "0");
}

static void put_port_map(xmlTextWriterPtr w, const char *logical, const char *left,
                         const char *right, const char *physical) {
  open_element(w, "portMap");
  open_element(w, "logicalPort");
  put_element(w, "name", logical);
  if (left) {
    open_element(w, "range");
    put_element(w, "left", left);
    put_element(w, "right", right);
    close_elements(w, 1);
  }
  close_elements(w, 1);
  open_element(w, "physicalPort");
  put_element(w, "name", physical);
  close_elements(w, 2);
}

// Maps fields to one port of the bus, the first lowest.
static void put_field_maps(xmlTextWriterPtr w, const page_t *page, const char *logical,
                           const page_field_t *fields, uint32_t count) {
  text_t left = {0}, right = {0};
  char last[WidthSize];
  text_put(&right, "0");
  for (uint32_t i = 0; i < count; i++) {
    left_text(page, &fields[i], last);
    text_set(&left, i ? "%s+%s" : "%.0s%s", text_string(&right), last);
    put_port_map(w, logical, count > 1 ? text_string(&left) : NULL, text_string(&right),
                 fields[i].port);
    text_set(&right, "%s+1", text_string(&left));
  }
  text_free(&left);
  text_free(&right);
}

static void open_interface(xmlTextWriterPtr w, const take_t *t, const char *name, const char *bus) {
  open_element(w, "busInterface");
  put_element(w, "name", name);
  put_bus_reference(w, "busType", t, bus, "");
  open_element(w, "abstractionTypes");
  open_element(w, "abstractionType");
  put_bus_reference(w, "abstractionRef", t, bus, "_rtl");
  open_element(w, "portMaps");
}

static void close_interface(xmlTextWriterPtr w, bool is_master) {
  close_elements(w, 3);
  open_element(w, is_master ? "master" : "slave");
  close_elements(w, 2);
}

static void put_ipxact_interfaces(xmlTextWriterPtr w, const take_t *t) {
  const page_t *const page = t->page;
  open_element(w, "busInterfaces");
  open_interface(w, t, "clk", "clock");
  put_port_map(w, "CLK", NULL, NULL, "clk_i");
  close_interface(w, false);
  open_interface(w, t, "rst", "reset");
  put_port_map(w, "RESET_N", NULL, NULL, "rst_ni");
  close_interface(w, false);
  for (uint32_t i = 0; i < page->stream_count; i++) {
    const page_stream_t *s = &page->streams[i];
    const page_field_t *forth = s->is_output ? page->out : page->in;
    const page_field_t *back = s->is_output ? page->in : page->out;
    if (s->valid < 0 || forth[s->valid].role != PageValid) {
      continue;  // the log's view of the peek port
    }
    open_interface(w, t, s->name, "stream");
    put_port_map(w, "VALID", NULL, NULL, forth[s->valid].port);
    if (s->ready >= 0) {
      put_port_map(w, "READY", NULL, NULL, back[s->ready].port);
    }
    put_field_maps(w, page, "PAYLOAD", forth + s->first, s->count);
    put_field_maps(w, page, "BACK", back + s->back_first, s->back_count);
    close_interface(w, s->is_output);
  }
  close_elements(w, 1);
}

static void put_ipxact_port(xmlTextWriterPtr w, const char *name, bool is_output,
                            const char *left) {
  open_element(w, "port");
  put_element(w, "name", name);
  open_element(w, "wire");
  put_element(w, "direction", is_output ? "out" : "in");
  if (left) {
    open_element(w, "vectors");
    open_element(w, "vector");
    put_element(w, "left", left);
    put_element(w, "right", "0");
    close_elements(w, 2);
  }
  close_elements(w, 2);
}

static void put_ipxact_fields(xmlTextWriterPtr w, const page_t *page, const page_field_t *fields,
                              uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    char left[WidthSize], range[WidthSize];
    left_text(page, &fields[i], left);
    range_text(page, &fields[i], range);
    put_ipxact_port(w, fields[i].port, fields[i].is_output, range[0] ? left : NULL);
  }
}

static void put_ipxact_parameters(xmlTextWriterPtr w, const page_t *page, const char *element) {
  const bool is_module = strcmp(element, "moduleParameter") == 0;
  char value[PageTextSize];
  for (uint32_t i = 0; i < page->param_count; i++) {
    const page_param_t *p = &page->params[i];
    open_element(w, element);
    if (!is_module) {
      xmlTextWriterWriteAttribute(w, BAD_CAST "parameterId", BAD_CAST p->rtl);
      xmlTextWriterWriteAttribute(w, BAD_CAST "resolve", BAD_CAST "user");
      xmlTextWriterWriteAttribute(w, BAD_CAST "type", BAD_CAST "int");
      if (p->in_c && !p->of && !p->values && !p->is && p->high > p->low) {
        xmlTextWriterWriteFormatAttribute(w, BAD_CAST "minimum", "%" PRId64, p->low);
        xmlTextWriterWriteFormatAttribute(w, BAD_CAST "maximum", "%" PRId64, p->high);
      }
    }
    put_element(w, "name", p->rtl);
    if (!is_module && p->doc) {
      put_element(w, "description", p->doc);
    }
    snprintf(value, sizeof value, "%" PRId64, default_of(p));
    put_element(w, "value", is_module ? p->rtl : value);
    close_elements(w, 1);
  }
  // Widths may also be expressions of the parameters.
  for (uint32_t i = 0; !is_module && i < page->derive_count; i++) {
    char name[PageTextSize];
    page_camel(page->derives[i].name, name, sizeof name);
    page_expr_text(page, page->derives[i].is, PageTextRtl, value);
    open_element(w, element);
    xmlTextWriterWriteAttribute(w, BAD_CAST "parameterId", BAD_CAST name);
    xmlTextWriterWriteAttribute(w, BAD_CAST "type", BAD_CAST "int");
    put_element(w, "name", name);
    put_element(w, "value", value);
    close_elements(w, 1);
  }
}

static void put_ipxact_model(xmlTextWriterPtr w, const page_t *page) {
  open_element(w, "model");
  open_element(w, "views");
  open_element(w, "view");
  put_element(w, "name", "rtl");
  put_element(w, "componentInstantiationRef", "rtl");
  close_elements(w, 2);
  open_element(w, "instantiations");
  open_element(w, "componentInstantiation");
  put_element(w, "name", "rtl");
  put_element(w, "language", "systemVerilog");
  put_element(w, "moduleName", page->name);
  open_element(w, "moduleParameters");
  put_ipxact_parameters(w, page, "moduleParameter");
  close_elements(w, 1);
  open_element(w, "fileSetRef");
  put_element(w, "localName", "rtl");
  close_elements(w, 3);
  open_element(w, "ports");
  put_ipxact_port(w, "clk_i", false, NULL);
  put_ipxact_port(w, "rst_ni", false, NULL);
  put_ipxact_fields(w, page, page->in, page->in_count);
  put_ipxact_fields(w, page, page->out, page->out_count);
  put_ipxact_fields(w, page, page->state, page->state_count);
  close_elements(w, 2);
}

static void put_ipxact_files(xmlTextWriterPtr w, const take_t *t) {
  open_element(w, "fileSets");
  open_element(w, "fileSet");
  put_element(w, "name", "rtl");
  for (int i = 0; i < t->file_count; i++) {
    open_element(w, "file");
    put_element(w, "name", t->files[i]);
    put_element(w, "fileType", "systemVerilogSource");
    if (is_include(t->files[i])) {
      put_element(w, "isIncludeFile", "true");
    }
    close_elements(w, 1);
  }
  close_elements(w, 2);
}

static void put_component(xmlTextWriterPtr w, const take_t *t) {
  put_ipxact_interfaces(w, t);
  put_ipxact_model(w, t->page);
  put_ipxact_files(w, t);
  open_element(w, "description");
  xmlTextWriterWriteFormatString(w, "cycle contract in %s.md", t->page->name);
  close_elements(w, 1);
  open_element(w, "parameters");
  put_ipxact_parameters(w, t->page, "parameter");
}

// Writes a document: a component, or the definition of the bus that t->files names.
static bool put_ipxact(const take_t *t, const char *kind) {
  const bool is_abstraction = strcmp(kind, "abstractionDefinition") == 0;
  const char *const bus = t->page ? "" : t->files[0];
  xmlBufferPtr buffer = xmlBufferCreate();
  xmlTextWriterPtr w = buffer ? xmlNewTextWriterMemory(buffer, 0) : NULL;
  if (!w) {
    return false;
  }
  xmlTextWriterSetIndent(w, 1);
  xmlTextWriterSetIndentString(w, BAD_CAST "  ");
  xmlTextWriterStartDocument(w, NULL, "UTF-8", NULL);
  xmlTextWriterStartElementNS(w, BAD_CAST "ipxact", BAD_CAST kind, BAD_CAST Namespace);
  put_element(w, "vendor", "nocturne");
  put_element(w, "library", t->group);
  open_element(w, "name");
  xmlTextWriterWriteFormatString(w, "%s%s", t->page ? t->page->name : bus,
                                 is_abstraction ? "_rtl" : "");
  close_elements(w, 1);
  put_element(w, "version", t->version);
  if (t->page) {
    put_component(w, t);
  } else if (is_abstraction) {
    put_abstraction(w, t, bus);
  } else {
    put_bus(w);
  }
  const bool ok = xmlTextWriterEndDocument(w) >= 0;
  xmlFreeTextWriter(w);
  fputs((const char *)xmlBufferContent(buffer), stdout);
  xmlBufferFree(buffer);
  return ok;
}

// Returns true if the description was written.
static bool put(const char *kind, const take_t *t) {
  if (!t->page) {
    if (strcmp(kind, "common") != 0) {
      return is_bus(t->files[0]) &&
             put_ipxact(t, kind[0] == 'b' ? "busDefinition" : "abstractionDefinition");
    }
    put_common_core(t);
    return true;
  }
  if (strcmp(kind, "core") == 0) {
    put_core(t);
  } else if (strcmp(kind, "ipxact") == 0) {
    return put_ipxact(t, "component");
  } else if (strcmp(kind, "list") == 0) {
    put_list(t);
  } else if (strcmp(kind, "bender") == 0) {
    put_bender(t);
  } else {
    return false;
  }
  return true;
}

int main(int argc, char **argv) {
  err_auto_t err = {0};
  err_set(
      &err, ErrMachine,
      "expected core|ipxact|list|bender PAGE.yaml GROUP VERSION FILE..., common VERSION FILE..., "
      "or bus|abstraction VERSION clock|reset|stream");
  const bool is_common =
      argc > 3 && (strcmp(argv[1], "common") == 0 || strcmp(argv[1], "bus") == 0 ||
                   strcmp(argv[1], "abstraction") == 0);
  const int first = is_common ? 3 : 5;
  page_t *page = !is_common && argc > first ? page_read(argv[2], &err) : NULL;
  bool ok = argc > first && (is_common || page);
  if (ok) {
    take_t t = {.page = page,
                .group = is_common ? "common" : argv[3],
                .version = argv[first - 1],
                .files = argv + first};
    for (int i = first; i < argc; i++) {
      *(strchr(argv[i], ':') ? &t.core_count : &t.file_count) += 1;
    }
    ok = put(argv[1], &t);
  }
  if (fflush(stdout) != 0 || ferror(stdout)) {
    err_set(&err, ErrInput, "standard output: cannot be written");
    ok = false;
  }
  page_free(page);
  if (!ok) {
    fprintf(stderr, "unit_take: %s\n", err_text(&err));
  }
  return ok ? 0 : 2;
}
