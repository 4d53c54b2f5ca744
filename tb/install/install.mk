# SPDX-License-Identifier: Apache-2.0
# make install: the program, its data, the library (docs/start/install.md). Included by the Makefile.
#   PREFIX (/usr/local), BINDIR, LIBDIR, LIBEXECDIR, INCLUDEDIR, DATADIR (PREFIX/share), MANDIR, DOCDIR: where it
#   will be; DESTDIR: in front of all of these
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
LIBEXECDIR ?= $(PREFIX)/libexec
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
DOCDIR ?= $(DATADIR)/doc/nocturne
DESTDIR ?=
empty :=
blank := $(empty) $(empty)
DATA := $(DATADIR)/nocturne
VERSION := $(shell sed -n 's/^.define NOCTURNE_VERSION "\(.*\)"/\1/p' tb/harness/origin.h)

# What the program reads and what builds RTL, as it stands in the tree.
INSTALLED = $(wildcard rtl/*/* tb/units/*/cover.* tb/harness/*.sv tb/harness/*.vlt vectors/*.yaml vectors/*/*.yaml vectors/*/*/*) $(PAGES) \
  $(wildcard tb/area/liberty*.[ch] tb/area/tools/*) $(foreach f,err strings text,csim/base/$f.c csim/base/$f.h) tb/unit.mk tb/cover_unit.sh $(addprefix tb/harness/,verilated.cpp model_print.h precompiled.h) \
  $(wildcard docs/examples/policies/*/* csim/units/draw_scheduler/golden.*) csim/driver/nocturne_driver.h csim/base/rng.h \
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
	@$(CC) $(FLAGS) -DPLACE_DATA='"$(DATA)"' -c $< -o $@

$(B)/install/nocturne: $(CLI_O) $(TB_O) $(B)/install/place.o $(B)/libcsim.a
	@echo '  link $@'
	@$(CC) $(FLAGS) $^ $(LDLIBS) -o $@

# The library links the objects of the test bench that it needs, and none of the command.
$(B)/install/parts.a: $(TB_O)
	@mkdir -p $(@D)
	@rm -f $@
	@ar rcs $@ $^

$(B)/install/$(LIBRARY).$(VERSION): $(LIBRARY_O) $(B)/install/place.o $(B)/install/parts.a $(B)/libcsim.a tb/library/library.map
	@echo '  link $@'
	@$(CC) $(FLAGS) -shared -Wl,-soname,$(LIBRARY).$(ABI) -Wl,--version-script,tb/library/library.map -Wl,-z,defs \
	  $(filter-out %.map,$^) $(LDLIBS) -o $@

$(B)/tests/test_library: private TB_O += $(LIBRARY_O)
$(B)/tests/test_library: $(LIBRARY_O)
$(LIBRARY_O): | $(B)/unit/made
-include $(LIBRARY_O:.o=.d)

install-library: $(B)/install/$(LIBRARY).$(VERSION)
	@install -d "$(DESTDIR)$(LIBDIR)/pkgconfig" "$(DESTDIR)$(INCLUDEDIR)"
	@$(PUT) $< "$(DESTDIR)$(LIBDIR)/$(LIBRARY).$(VERSION)"
	@ln -sf $(LIBRARY).$(VERSION) "$(DESTDIR)$(LIBDIR)/$(LIBRARY).$(ABI)"
	@ln -sf $(LIBRARY).$(ABI) "$(DESTDIR)$(LIBDIR)/$(LIBRARY)"
	@$(PUT) tb/library/nocturne.h csim/driver/nocturne_driver.h "$(DESTDIR)$(INCLUDEDIR)"
	@sed 's|@PREFIX@|$(subst $(blank),\\ ,$(PREFIX))|; s|@LIBDIR@|$(subst $(blank),\\ ,$(LIBDIR))|; s|@INCLUDEDIR@|$(subst $(blank),\\ ,$(INCLUDEDIR))|; s|@DATA@|$(subst $(blank),\\ ,$(DATA))|; s|@VERSION@|$(VERSION)|' \
	  tb/install/nocturne.pc.in >"$(DESTDIR)$(LIBDIR)/pkgconfig/nocturne.pc"

install-program: $(B)/install/nocturne $(B)/unit_generator
	@install -d "$(DESTDIR)$(BINDIR)" "$(DESTDIR)$(LIBEXECDIR)/nocturne"
	@$(PUT_PROGRAM) $(B)/install/nocturne "$(DESTDIR)$(BINDIR)/nocturne"
	@$(PUT_PROGRAM) $(B)/unit_generator "$(DESTDIR)$(LIBEXECDIR)/nocturne/unit_generator"

# The stamp tells what was built of one state of these files from what was built of another.
install-data: $(B)/unit/made $(B)/revision
	@rm -rf "$(DESTDIR)$(DATA)"
	@install -d "$(DESTDIR)$(DATA)"
	@find $(INSTALLED) $(foreach u,$(UNITS),$(addprefix $(B)/unit/$u/,$u.h $u_table.c $u_dpi.c $u_ports.md tb_$u.sv \
	  vectors_$u.sv bare_$u.sv bare_$u.h)) -maxdepth 0 -type f | LC_ALL=C sort >$(B)/install/files
	@tar -c -T $(B)/install/files --transform 's|^$(B)/unit|build/unit|' --owner=0 --group=0 --mode=u+rw,go+r-w | \
	  tar -x -C "$(DESTDIR)$(DATA)"
	@ln -srf "$(DESTDIR)$(LIBEXECDIR)/nocturne/unit_generator" "$(DESTDIR)$(DATA)/build/unit_generator"
	@xargs sha256sum <$(B)/install/files | sha256sum | cut -c 1-32 >"$(DESTDIR)$(DATA)/stamp"
	@[ ! -f $(B)/revision ] || $(PUT) $(B)/revision "$(DESTDIR)$(DATA)/revision"

# The pages keep their places to each other, README.md above them; what they name of the source is
# no link there.
PAGES_OF_TOP := README.md CHANGELOG.md CONTRIBUTING.md CITATION.cff LICENSE tests/README.md
install-docs:
	@rm -rf "$(DESTDIR)$(DOCDIR)"
	@install -d "$(DESTDIR)$(DOCDIR)"
	@find docs $(PAGES_OF_TOP) -type f -name '*.md' -o -type f -name '*.svg' -o -type f -name '*.png' -o -type f -name '*.c' \
	  -o -type f -name '*.csv' -o -type f -path 'docs/*.yaml' -o -type f -name '*.cff' -o -type f -name LICENSE -o -type f -name Containerfile | LC_ALL=C sort | \
	  tar -c -T - --owner=0 --group=0 --mode=u+rw,go+r-w | tar -x -C "$(DESTDIR)$(DOCDIR)"
	@find "$(DESTDIR)$(DOCDIR)" -name '*.md' -exec sed -i -E -f tb/install/links.sed {} +

# Manual pages and completion, of the program's own help; help2man writes the pages.
$(B)/install/manual/nocturne: $(B)/nocturne tb/install/manual.sh
	@SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null)} tb/install/manual.sh $(B)/nocturne $(@D)

COMPLETIONS := bash-completion/completions/nocturne zsh/site-functions/_nocturne fish/vendor_completions.d/nocturne.fish
ifneq ($(shell command -v help2man),)
install-manual: $(B)/install/manual/nocturne
	@install -d "$(DESTDIR)$(MANDIR)/man1"
	@$(PUT) $(B)/install/manual/man1/* "$(DESTDIR)$(MANDIR)/man1"
	@for f in $(COMPLETIONS); do install -d "$(DESTDIR)$(DATADIR)/$${f%/*}" && \
	  $(PUT) $(B)/install/manual/$${f##*/} "$(DESTDIR)$(DATADIR)/$$f" || exit; done
else
install-manual:
	@echo 'install: without manual pages and completion: help2man is missing; make setup installs it'
endif

# What install compiles, so that who installs need not be who compiles.
installed: $(B)/install/nocturne $(B)/install/$(LIBRARY).$(VERSION)

uninstall:
	@rm -f "$(DESTDIR)$(BINDIR)/nocturne" "$(DESTDIR)$(INCLUDEDIR)/nocturne.h" "$(DESTDIR)$(INCLUDEDIR)/nocturne_driver.h" "$(DESTDIR)$(LIBDIR)/pkgconfig/nocturne.pc" \
	  "$(DESTDIR)$(LIBDIR)/$(LIBRARY).$(VERSION)" "$(DESTDIR)$(LIBDIR)/$(LIBRARY).$(ABI)" "$(DESTDIR)$(LIBDIR)/$(LIBRARY)" \
	  "$(DESTDIR)$(MANDIR)/man1/nocturne.1" "$(DESTDIR)$(MANDIR)"/man1/nocturne-*.1 \
	  $(foreach f,$(COMPLETIONS),"$(DESTDIR)$(DATADIR)/$f")
	@rm -rf "$(DESTDIR)$(DATA)" "$(DESTDIR)$(DOCDIR)" "$(DESTDIR)$(LIBEXECDIR)/nocturne"
