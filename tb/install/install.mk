# SPDX-License-Identifier: Apache-2.0
# make install: the program, its data, the library (docs/install.md). Included by the Makefile.
#   PREFIX (/usr/local), LIBDIR (PREFIX/lib): where it will be; DESTDIR: in front of all of these
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
DESTDIR ?=
DATA := $(PREFIX)/share/nocturne
VERSION := $(shell sed -n 's/^.define NOCTURNE_VERSION "\(.*\)"/\1/p' tb/harness/origin.h)

# What the program reads and what builds RTL, as it stands in the tree.
INSTALLED = $(wildcard rtl/*/* tb/units/*/cover.* tb/harness/*.sv tb/harness/*.vlt vectors/*.yaml vectors/*/*.yaml vectors/*/*/*) $(PAGES) \
  $(wildcard tb/area/liberty*.[ch] tb/area/tools/*) $(foreach f,err strings text,csim/base/$f.c csim/base/$f.h) tb/unit.mk $(addprefix tb/harness/,verilated.cpp model_print.h precompiled.h) \
  $(addprefix csim/unit/,unit.h table.h) dpi/dpi_bits.h dpi/dpi_context.h
PUT := install -m 644
PUT_PROGRAM := install -m 755

# The library, and the headers of the units, which are those that RTL is built with.
ABI := 0
LIBRARY := libnocturne.so
LIBRARY_O := $(patsubst %.c,$(B)/obj/%.o,$(wildcard tb/library/*.c))

# The program knows its data's folder; it is linked anew for another one.
$(B)/install/data: FORCE
	@mkdir -p $(@D)
	@echo '$(DATA)' | cmp -s - $@ || echo '$(DATA)' >$@

$(B)/install/place.o: csim/base/place.c csim/base/place.h $(B)/install/data
	@echo '  cc $<, $(DATA)'
	@$(CC) $(CFLAGS) -DPLACE_DATA='"$(DATA)"' -c $< -o $@

$(B)/install/nocturne: $(CLI_O) $(TB_O) $(B)/install/place.o $(B)/libcsim.a
	@echo '  link $@'
	@$(CC) $(CFLAGS) $^ $(LDLIBS) -o $@

# The library links the objects of the test bench that it needs, and none of the command.
$(B)/install/parts.a: $(TB_O)
	@mkdir -p $(@D)
	@rm -f $@
	@ar rcs $@ $^

$(B)/install/$(LIBRARY).$(VERSION): $(LIBRARY_O) $(B)/install/place.o $(B)/install/parts.a $(B)/libcsim.a tb/library/library.map
	@echo '  link $@'
	@$(CC) $(CFLAGS) -shared -Wl,-soname,$(LIBRARY).$(ABI) -Wl,--version-script,tb/library/library.map -Wl,-z,defs \
	  $(filter-out %.map,$^) $(LDLIBS) -o $@

$(B)/tests/test_library: private TB_O += $(LIBRARY_O)
$(B)/tests/test_library: $(LIBRARY_O)
$(LIBRARY_O): | $(B)/unit/made
-include $(LIBRARY_O:.o=.d)

install-library: $(B)/install/$(LIBRARY).$(VERSION)
	@install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PREFIX)/include
	@$(PUT) $< $(DESTDIR)$(LIBDIR)/$(LIBRARY).$(VERSION)
	@ln -sf $(LIBRARY).$(VERSION) $(DESTDIR)$(LIBDIR)/$(LIBRARY).$(ABI)
	@ln -sf $(LIBRARY).$(ABI) $(DESTDIR)$(LIBDIR)/$(LIBRARY)
	@$(PUT) tb/library/nocturne.h $(DESTDIR)$(PREFIX)/include/nocturne.h
	@sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|' \
	  tb/install/nocturne.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/nocturne.pc

install-program: $(B)/install/nocturne $(B)/unit_generator
	@install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/libexec/nocturne
	@$(PUT_PROGRAM) $(B)/install/nocturne $(DESTDIR)$(PREFIX)/bin/nocturne
	@$(PUT_PROGRAM) $(B)/unit_generator $(DESTDIR)$(PREFIX)/libexec/nocturne/unit_generator

# The stamp tells what was built of one state of these files from what was built of another.
install-data: $(B)/unit/made $(B)/revision
	@rm -rf $(DESTDIR)$(DATA)
	@install -d $(DESTDIR)$(DATA)
	@find $(INSTALLED) $(foreach u,$(UNITS),$(addprefix $(B)/unit/$u/,$u.h $u_table.c $u_dpi.c $u_ports.md tb_$u.sv \
	  vectors_$u.sv bare_$u.sv bare_$u.h)) -maxdepth 0 -type f | LC_ALL=C sort >$(B)/install/files
	@tar -c -T $(B)/install/files --transform 's|^$(B)/unit|build/unit|' --owner=0 --group=0 --mode=u+rw,go+r-w | \
	  tar -x -C $(DESTDIR)$(DATA)
	@xargs sha256sum <$(B)/install/files | sha256sum | cut -c 1-32 >$(DESTDIR)$(DATA)/stamp
	@[ ! -f $(B)/revision ] || $(PUT) $(B)/revision $(DESTDIR)$(DATA)/revision

DOC := $(PREFIX)/share/doc/nocturne
install-docs:
	@install -d $(DESTDIR)$(DOC)
	@find docs -type f -name '*.md' -o -type f -name '*.svg' -o -type f -name '*.png' -o -type f -name '*.c' | LC_ALL=C sort | \
	  tar -c -T - --transform 's|^docs/||' --owner=0 --group=0 --mode=u+rw,go+r-w | tar -x -C $(DESTDIR)$(DOC)
	@$(PUT) CHANGELOG.md LICENSE $(DESTDIR)$(DOC)

# Manual pages and completion, of the program's own help; help2man writes the pages.
$(B)/install/manual/nocturne: $(B)/nocturne tb/install/manual.sh
	@SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null) tb/install/manual.sh $(B)/nocturne $(@D)

SHARE := $(PREFIX)/share
ifneq ($(shell command -v help2man),)
install-manual: $(B)/install/manual/nocturne
	@install -d $(DESTDIR)$(SHARE)/man/man1 $(DESTDIR)$(SHARE)/bash-completion/completions
	@$(PUT) $(B)/install/manual/man1/* $(DESTDIR)$(SHARE)/man/man1
	@$(PUT) $(B)/install/manual/nocturne $(DESTDIR)$(SHARE)/bash-completion/completions
else
install-manual:
	@echo 'install: without manual pages and completion: help2man is missing; make setup installs it'
endif
