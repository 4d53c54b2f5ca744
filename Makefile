# SPDX-License-Identifier: Apache-2.0
# Nocturne. `make help` lists the targets. Build products go to build/ only.

B ?= build
SAN ?=
ifneq ($(SAN),)
B := $(B)/san
# SAN=thread: the thread sanitizer; else those of addresses and of what is undefined, which traps: its
# handlers would take half of the compiler's time, and with handle_sigill=1 in ASAN_OPTIONS a trap is
# reported with file and line. They hide from gcc what two warnings need to know.
SANFLAGS := -O1 -g1 -fno-omit-frame-pointer -Wno-maybe-uninitialized -Wno-array-bounds \
  $(if $(filter thread,$(SAN)),-fsanitize=thread,-fsanitize=address,undefined -fsanitize-undefined-trap-on-error)
endif

ifneq ($(COVERAGE),)
B := build/cover/c
SANFLAGS := --coverage -Wno-maybe-uninitialized
endif

# PGO=1: guided by the profile of small frames, optimised across files (docs/how-to/sweep.md). PGO=train is what
# makes the profile; it lies beside the objects.
PGO ?=
ifneq ($(PGO),)
B := build/pgo
SANFLAGS := -march=native $(if $(filter train,$(PGO)),-fprofile-generate -fprofile-update=atomic,-fprofile-use -Wno-missing-profile -Wno-maybe-uninitialized -flto=auto)
endif

# For libFuzzer (docs/how-to/fuzz.md): what runs tells what it reached.
FUZZ ?=
ifneq ($(FUZZ),)
B := build/fuzzing
CC := clang-14
SANFLAGS := -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
endif

# As many at a time as there are processors, unless make was told.
PARALLEL = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

# A user's CC, CPPFLAGS, CFLAGS and LDFLAGS count, of the environment or of the command line. Ours
# are beside them in FLAGS; with a user's CFLAGS a warning does not end the build.
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CFLAGS),undefined)
CFLAGS := -O2 -g1
ERRORS := -Werror
HOT := -O3
endif
LIBS := yaml-0.1 jansson libpng libzstd zlib nettle
FLAGS := -std=c11 -D_GNU_SOURCE -I. -I$(B) $(CPPFLAGS) $(CFLAGS) -Wall -Wextra $(ERRORS) -ffp-contract=off -fno-math-errno -fPIC -fno-semantic-interposition \
  -fno-trapping-math -pthread $(SANFLAGS) $(shell pkg-config --cflags $(LIBS) 2>/dev/null)
LDLIBS = $(LDFLAGS) $(shell pkg-config --libs $(LIBS)) -ldl -lm -pthread $(SANFLAGS)

# What is written from the units' pages, in $(B)/unit/NAME, before anything else is compiled.
PAGES := $(wildcard csim/units/*/page.yaml)
UNITS := $(PAGES:csim/units/%/page.yaml=%)
UNIT_HEADERS := $(foreach u,$(UNITS),$(B)/unit/$u/$u.h)
UNIT_TABLES := $(foreach u,$(UNITS),$(B)/unit/$u/$u_table.c)
GENERATOR := $(wildcard csim/unit/page*.c csim/unit/generate*.c dpi/generate*.c) \
  dpi/unit_generator.c csim/base/yaml_file.c csim/base/place.c csim/base/sha256.c \
  csim/base/err.c csim/base/text.c

CSIM := $(wildcard csim/*/*.c csim/units/*/*.c)
CSIM_O := $(CSIM:%.c=$(B)/obj/%.o) $(UNITS:%=$(B)/obj/unit/%_table.o)
TB := $(wildcard tb/harness/*.c tb/prove/driver/*.c tb/mutate/*.c tb/result/*.c tb/stimulus/*.c tb/units/*/*.c tb/regress/*.c tb/area/*.c tb/sweep/*.c tb/peers/peers.c dpi/generate*.c)
TB_O := $(TB:%.c=$(B)/obj/%.o) $(B)/obj/unit/units.o
CLI := $(wildcard tb/cli/*.c)
CLI_O := $(CLI:%.c=$(B)/obj/%.o)
UNIT_TESTS := $(patsubst tests/programs/%.c,$(B)/tests/%,$(wildcard tests/programs/test_*.c)) $(UNITS:%=$(B)/tests/test_%)
MUTATED := $(patsubst tests/programs/%.c,$(B)/tests/%,$(wildcard tests/programs/mutated_*.c))

.DELETE_ON_ERROR:
.PHONY: FORCE all tools setup setup-run run test paper regress waves area area-check area-sweep area-tables gates bench docs site capture format lint take prove mutate fuzz unit-tests warnings cover check clean distclean help

all: $(B)/nocturne $(B)/page_lint installed

help:
	@echo 'make setup    install what Debian 12 lacks, or name it'
	@echo 'make run      render the bundled real frame on 8 GPUs, every cycle checked'
	@echo 'make test     all tests; the last line is "N passed, N failed"'
	@echo 'make unit-tests  builds the C tests: build/tests/test_*'
	@echo 'make paper    the papers'"'"' figures beside ours: build/results; FULL=1: all, docs/results; ENGINE=lockstep'
	@echo 'make regress  the standard test list: random tests of all units and the machine; LIST=full: all'
	@echo 'make waves TEST=ID   a failed test in GTKWave; WINDOW=200:20, SYSTEM=1: all units'
	@echo 'make cover    what the standard list covers of RTL and C; fails under the thresholds'
	@echo 'make area     what the units cost beside the papers; UNIT=draw_scheduler GPUS=2,4,8'
	@echo 'make area-sweep  schedulers with 2 to 64 GPUs, units of other widths: build/area-sweep'
	@echo 'make area-tables the tables of docs/hardware/area.md; TABLES=units UNIT="atfim offload_unit"'
	@echo 'make area-check  the same against the budgets of tests/units/NAME/unit.yaml'
	@echo 'make gates    the netlist of every unit in lockstep with golden; UNIT=draw_scheduler: of one'
	@echo 'make take UNIT="draw_scheduler ..." [DIR=]  a folder to take units away: RTL, FuseSoC, IP-XACT, bench'
	@echo 'make lint     the RTL through Verilator, Icarus and Yosys; SARIF=FILE: findings for a code host'
	@echo 'make PGO=1   build/pgo/nocturne, faster by a profile of small frames: for those who sweep'
	@echo 'make format   C and C++ laid out as .clang-format has it'
	@echo 'make prove    golden model and RTL are equal, by induction; UNIT=draw_scheduler: of one; LIST=full, CERTIFY=1: a second opinion'
	@echo 'make mutate   wrong lines drawn by the tool: killed by tests, or settled by the proof; UNIT=draw_scheduler: of one'
	@echo 'make fuzz [UNIT=draw_scheduler] [TIME=60]  units in lockstep under libFuzzer, seconds of CPU'
	@echo 'make fuzz PARSER=all [TIME=60]  readers of files under libFuzzer and the sanitizers; PARSER=frame: of one'
	@echo 'make bench    speed of the units against the bare RTL, and of the frame, beside the kept ratios; KEEP=1 keeps new ones'
	@echo 'make docs     render the timing diagrams, save files and pictures of waves'
	@echo 'make site     README.md and docs/ as a site with search: build/site/html'
	@echo 'make capture  the library that captures frames of OpenGL programs'
	@echo 'make install  the program, its data, the library: PREFIX=/usr/local, DESTDIR= in front of it'
	@echo 'make uninstall  removes what install put there: PREFIX=, DESTDIR= as for install'
	@echo 'make deb      Debian packages of it, source and binary: build/deb'
	@echo 'make check    make test; make clean, distclean: remove build/'

setup:
	@tb/setup.sh

setup-run:
	@tb/setup.sh run

$(B)/libcsim.a: $(CSIM_O)
	@mkdir -p $(@D)
	@rm -f $@
	@$(if $(PGO),gcc-)ar qcs $@ $^

# Names the remedy once, before anything is compiled.
tools:
	@command -v $(firstword $(CC)) >/dev/null && command -v pkg-config >/dev/null && pkg-config --exists $(LIBS) || { \
	  echo "make: $(CC), pkg-config, or headers of $(LIBS) are missing; run: make setup" >&2; exit 3; }

$(B)/unit_generator $(B)/page_lint $(B)/unit_take: | tools
$(B)/unit_generator: $(GENERATOR) $(wildcard csim/unit/*.h dpi/*.h csim/base/*.h)
	@mkdir -p $(@D)
	@echo '  link $@'
	@flock $@.lock $(CC) $(FLAGS) $(GENERATOR) $(LDLIBS) -o $@

$(B)/page_lint: dpi/page_lint.c $(filter-out %unit_generator.c,$(GENERATOR)) $(wildcard csim/unit/*.h dpi/*.h csim/base/*.h)
	@mkdir -p $(@D)
	@echo '  link $@'
	@$(CC) $(FLAGS) $(filter %.c,$^) $(LDLIBS) -o $@

# What others need to take a unit away; it alone needs libxml2.
$(B)/unit_take: dpi/unit_take.c $(filter-out %unit_generator.c,$(GENERATOR)) $(wildcard csim/unit/*.h dpi/*.h csim/base/*.h)
	@mkdir -p $(@D)
	@echo '  link $@'
	@$(CC) $(FLAGS) $$(pkg-config --cflags libxml-2.0) $(filter %.c,$^) $(LDLIBS) $$(pkg-config --libs libxml-2.0) -o $@

# Files that stay the same keep their time.
$(B)/unit/made: $(PAGES) $(B)/unit_generator
	@flock $(B)/unit_generator.lock $(B)/unit_generator $(B)/unit --list $(PAGES)
	@touch $@

# The units' shared objects (tb/unit.mk) are made from build/unit, whatever runs them.
ifneq ($(B),build)
$(B)/nocturne: | build/unit/made
build/unit/made: $(PAGES)
	@$(MAKE) --no-print-directory $(PARALLEL) B=build SAN= COVERAGE= $@
endif

$(UNIT_HEADERS) $(UNIT_TABLES) $(B)/unit/units.c: $(B)/unit/made
	@:

$(CSIM_O) $(TB_O) $(CLI_O) $(UNIT_TESTS): | $(B)/unit/made

$(B)/obj/unit/units.o: $(B)/unit/units.c $(B)/flags
	@mkdir -p $(@D)
	@echo '  cc $<'
	@$(CC) $(FLAGS) -MMD -MP -c $< -o $@

define unit_table
$(B)/obj/unit/$1_table.o: $(B)/unit/$1/$1_table.c $(B)/flags
	@mkdir -p $$(@D)
	@echo '  cc $$<'
	@$$(CC) $$(FLAGS) -MMD -MP -c $$< -o $$@
endef
$(foreach u,$(UNITS),$(eval $(call unit_table,$u)))

# What runs in each cycle of the machine.
ifeq ($(SAN)$(COVERAGE)$(FUZZ),)
$(foreach d,frame gpu link machine memory texture units,$(B)/obj/csim/$d/%.o): private FLAGS += $(HOT)
endif

# What runs seldom is compiled quickly: its runs under the sanitizers are short.
ifneq ($(SAN),)
$(foreach d,$(filter-out tb/harness,$(wildcard tb/*)) dpi unit $(addprefix csim/,unit units base driver link machine),$(B)/obj/$d/%.o): private FLAGS += -O0
$(B)/tests/%: private FLAGS += -O0
endif

ifeq ($(PGO),1)
$(CSIM_O) $(TB_O) $(CLI_O): $(B)/trained
$(B)/flags: | $(B)/trained
$(B)/trained: $(CSIM) $(TB) $(CLI) $(wildcard csim/*/*.h csim/units/*/*.h tb/*/*.h) $(PAGES)
	@rm -rf $(B)/obj
	@$(MAKE) --no-print-directory $(PARALLEL) PGO=train $(B)/nocturne
	@tb/train.sh $(B)/nocturne
	@touch $@
endif

# Other flags make other objects.
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(FLAGS) $(HOT)' | cmp -s - $@ || echo '$(CC) $(FLAGS) $(HOT)' >$@

$(B)/obj/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	@echo '  cc $<'
	@$(CC) $(FLAGS) -MMD -MP -c $< -o $@

# For `nocturne --version`; what is kept by the program's bytes outlives a commit. A tree of another
# user, which git does not describe, keeps what it has; REVISION= is for one without git.
$(B)/revision: FORCE
	@mkdir -p $(@D)
	@if [ -n '$(REVISION)' ]; then echo '$(REVISION)' >$@; elif [ ! -e .git ]; then rm -f $@; \
	  elif git describe --always --dirty --abbrev=12 >$@.new 2>/dev/null; then mv $@.new $@; else rm -f $@.new; fi
FORCE:

$(B)/nocturne: $(CLI_O) $(TB_O) $(B)/libcsim.a | $(B)/revision
	@echo '  link $@'
	@$(CC) $(FLAGS) $^ $(LDLIBS) -o $@

# Further files of a unit's directed tests, directed_*.c, are parts of its program.
DIRECTED_O := $(patsubst %.c,$(B)/obj/%.o,$(wildcard tests/units/*/directed_*.c))
$(DIRECTED_O): | $(B)/unit/made
$(foreach o,$(DIRECTED_O),$(eval $(B)/tests/test_$(notdir $(patsubst %/,%,$(dir $o))): $o))
$(B)/tests/test_%: tests/units/%/directed.c $(TB_O) $(B)/libcsim.a
	@mkdir -p $(@D)
	@echo "  cc $<"
	@$(CC) $(FLAGS) -MMD -MP $< $(filter $(DIRECTED_O),$^) $(TB_O) $(B)/libcsim.a $(LDLIBS) -lcmocka -o $@

# Parts of the prover, without its solver.
ARRAYS_O := $(addprefix $(B)/obj/tb/prove/,aig.o arrays.o bits.o fault.o)
CROWD_O := $(addprefix $(B)/obj/tb/prove/,aig.o crowd.o fault.o)
MODELS_O := $(addprefix $(B)/obj/tb/prove/,aig.o bits.o fault.o models.o product.o)
$(B)/tests/test_arrays: $(ARRAYS_O)
$(B)/tests/test_crowd: $(CROWD_O)
$(B)/tests/test_models: $(MODELS_O)
$(B)/tests/%: tests/programs/%.c $(TB_O) $(B)/libcsim.a
	@mkdir -p $(@D)
	@echo '  cc $<'
	@$(CC) $(FLAGS) -MMD -MP $< $(filter $(ARRAYS_O) $(CROWD_O) $(MODELS_O),$^) $(TB_O) $(B)/libcsim.a $(LDLIBS) -lcmocka -o $@

# Readers as targets of a fuzzer; with FUZZ=1 libFuzzer drives them, else they run what they are given.
LIBFUZZER = -Wl,-u,LLVMFuzzerRunDriver $(shell clang-14 -print-file-name=libclang_rt.fuzzer_no_main-x86_64.a) -lstdc++
PARSERS := $(wildcard tests/fuzz/fuzz_*.c)
$(B)/fuzz_parsers: $(PARSERS) tests/fuzz/fuzz.h tests/programs/mutate.h $(TB_O) $(B)/libcsim.a
	@echo '  link $@'
	@$(CC) $(FLAGS) $(PARSERS) $(TB_O) $(B)/libcsim.a -rdynamic $(if $(FUZZ),$(LIBFUZZER)) $(LDLIBS) -o $@

# Units under libFuzzer, in lockstep: the golden models are compiled so that they tell what they reached.
# $(B)/replay_unit runs inputs only, and needs no clang.
FUZZED := $(wildcard tb/fuzz/*.c)
FUZZED_O := $(FUZZED:%.c=$(B)/obj/%.o)
SENSING := $(filter-out %/package.c,$(wildcard csim/units/*/*.c))
SENSING_O := $(SENSING:%.c=$(B)/obj/sensing/%.o)
$(FUZZED_O) $(SENSING_O): | $(B)/unit/made
$(B)/obj/sensing/%.o: %.c
	@mkdir -p $(@D)
	@echo '  cc $<'
	@clang-14 $(FLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c $< -o $@
$(B)/replay_unit: $(FUZZED_O) $(TB_O) $(B)/libcsim.a
	@echo '  link $@'
	@$(CC) $(FLAGS) $^ -rdynamic $(LDLIBS) -o $@
$(B)/fuzz_unit: $(FUZZED_O) $(SENSING_O) $(TB_O) $(B)/libcsim.a
	@echo '  link $@'
	@$(CC) $(FLAGS) $^ -rdynamic $(LIBFUZZER) $(LDLIBS) -o $@

# The warnings of another compiler, without its programs: make warnings CC=clang
warnings: $(B)/unit/made
	@printf "%s\n" $(CSIM) $(TB) $(CLI) $(wildcard tb/library/*.c) $(UNIT_TABLES) $(B)/unit/units.c $(wildcard tests/programs/*.c tests/units/*/directed*.c) | \
	  xargs -P "$$(nproc)" -n 8 $(CC) $(FLAGS) -fsyntax-only

unit-tests: $(UNIT_TESTS) $(B)/page_lint $(B)/unit_take $(B)/prove $(B)/prove_other $(B)/tests/prove_instructions $(B)/tests/prove_seen $(B)/tests/prove_lying $(B)/tests/yaml_json

run: setup-run
	@$(MAKE) --no-print-directory $(PARALLEL) $(B)/nocturne
	@tb/run.sh $(B)/nocturne

# One test more than processors: some wait now and then.
test: setup
	@$(MAKE) --no-print-directory $(PARALLEL) $(B)/nocturne unit-tests
	@unset MAKEFLAGS MFLAGS MAKELEVEL; exec $(B)/nocturne regress tests/lists/test.yaml --seeds 2 \
	  --no-cache --folder $(B)/test -j $$(($$(nproc) + 1)) $(REGRESS)

# The pages say what is missed; no speedup makes it fail.
paper: setup
	@$(MAKE) --no-print-directory $(PARALLEL) $(B)/nocturne
	@$(B)/nocturne paper $(if $(FULL),--full) $(if $(ENGINE),--engine $(ENGINE))

regress: setup
	@$(MAKE) --no-print-directory $(PARALLEL) $(B)/nocturne unit-tests
	@$(B)/nocturne regress tests/lists/$(or $(LIST),standard).yaml $(REGRESS)

waves: setup
	@$(MAKE) --no-print-directory $(PARALLEL) $(B)/nocturne
	@tb/waves.sh show '$(TEST)' '$(WINDOW)' $(if $(SYSTEM),system)

cover: setup
	@$(MAKE) --no-print-directory $(PARALLEL) $(B)/nocturne
	@$(MAKE) --no-print-directory $(PARALLEL) COVERAGE=1 build/cover/c/nocturne unit-tests
	@tb/cover.sh $(REGRESS)
	@$(if $(KEEP),tb/status.sh record cover)

area: setup
	@$(MAKE) --no-print-directory $(PARALLEL) $(B)/nocturne
	@$(B)/nocturne area $(UNIT) $(if $(GPUS),--gpus $(GPUS)) --json $(B)/area.json

area-sweep: setup
	@$(MAKE) --no-print-directory $(PARALLEL) $(B)/nocturne
	@tb/area/area_sweep.sh $(B)/nocturne $(B)/area-sweep $(GPUS)

area-tables: setup
	@$(MAKE) --no-print-directory $(PARALLEL) $(B)/nocturne
	@UNITS='$(UNIT)' tb/area/area_tables.sh $(B)/nocturne $(B)/area-tables $(TABLES)

area-check: setup
	@$(MAKE) --no-print-directory $(PARALLEL) $(B)/nocturne
	@$(B)/nocturne area $(or $(UNIT),$(UNITS)) --check tests/units

gates: setup
	@$(MAKE) --no-print-directory $(PARALLEL) $(B)/nocturne unit-tests
	@$(B)/nocturne regress tests/lists/gates.yaml --folder $(B)/gates $(if $(UNIT),--filter '$(UNIT)*') $(REGRESS)
	@$(if $(KEEP),tb/status.sh record gates)

take: setup
	@$(MAKE) --no-print-directory $(PARALLEL) $(B)/nocturne $(B)/unit_take $(B)/prove
	@tb/take.sh $(UNIT) -b $(B) $(if $(DIR),-o $(DIR)) $(if $(CHECK),-k '$(CHECK)')

lint: $(B)/page_lint $(B)/nocturne
	@tests/scripts/lint.test.sh $(B) $(if $(SARIF),>$(SARIF).log; s=$$?; cat $(SARIF).log; jq -Rn -f tb/lint_sarif.jq $(SARIF).log >$(SARIF); exit $$s)

# C and C++ as .clang-format has it.
format: setup
	@git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format-14 -i

bench: setup
	@$(MAKE) --no-print-directory $(PARALLEL) $(B)/nocturne
	@start=$$(date +%s); $(B)/nocturne bench --json $(B)/bench.json && echo "measured in $$(($$(date +%s) - start)) s"
	@tb/bench.sh $(B)/bench.json tests/speed.json $(if $(KEEP),keep)

docs: $(B)/nocturne
	@tb/docs.sh
	@tb/plots.sh
	@tb/docs_ports.sh $(B)
	@$(B)/nocturne run --list-keys=csv >docs/reference/json.csv
	@$(B)/nocturne config --markdown >docs/reference/configuration.md
	@$(B)/nocturne config --csv >docs/reference/sets.csv
	@tb/waves.sh save
	@tb/waves.sh pictures

site:
	@tb/setup.sh site
	@tb/site/site.sh $(B)/site

# For tests that read the YAML of other programs with jq.
$(B)/tests/yaml_json: tests/programs/yaml_json.c
	@mkdir -p $(@D)
	@echo '  cc $<'
	@$(CC) $(FLAGS) $< $(LDLIBS) -o $@

# The prover alone needs LLVM and CaDiCaL.
PROVER := $(filter-out %/other_solver.c,$(wildcard tb/prove/*.c))
PROVER_O := $(PROVER:%.c=$(B)/obj/%.o) $(B)/obj/tb/prove/solver.o
LLVM := /usr/lib/llvm-14
$(PROVER:%.c=$(B)/obj/%.o): private FLAGS += -I$(LLVM)/include
$(PROVER_O): | $(B)/unit/made
$(B)/obj/tb/prove/solver.o: tb/prove/solver.cpp tb/prove/solver.h $(B)/flags
	@mkdir -p $(@D)
	@echo '  cxx $<'
	@$(CXX) -iquote . -O2 -g -Wall -Wextra -Werror $(if $(SAN),$(SANFLAGS)) -c $< -o $@
$(B)/prove: $(PROVER_O) $(B)/obj/unit/units.o $(B)/libcsim.a | $(B)/confirm
	@echo '  link $@'
	@$(CC) $(FLAGS) $^ -L$(LLVM)/lib -lLLVM-14 -lcadical -lstdc++ $(LDLIBS) -o $@

# With another solver.
$(B)/prove_other: $(filter-out %/solver.o,$(PROVER_O)) $(B)/obj/tb/prove/other_solver.o $(B)/obj/unit/units.o $(B)/libcsim.a
	@echo '  link $@'
	@$(CC) $(FLAGS) $^ -L$(LLVM)/lib -lLLVM-14 -lcryptominisat5 -lstdc++ $(LDLIBS) -o $@

# Reads the solver's proofs; shares nothing with the prover.
$(B)/confirm: tb/prove/confirm/confirm.c $(B)/flags
	@mkdir -p $(@D)
	@echo '  cc $<'
	@$(CC) $(FLAGS) $< -o $@

# What it makes of each instruction, against clang; conditions of flaws, in a graph by hand.
$(B)/tests/prove_instructions $(B)/tests/prove_seen: $(B)/tests/prove_%: tests/programs/prove_%.c \
  $(filter-out %/main.o,$(PROVER_O)) $(B)/obj/unit/units.o $(B)/libcsim.a
	@mkdir -p $(@D)
	@echo '  cc $<'
	@$(CC) $(FLAGS) $^ -L$(LLVM)/lib -lLLVM-14 -lcadical -lstdc++ $(LDLIBS) -lcmocka -o $@

# Its solver says of everything that it is impossible.
$(B)/tests/prove_lying: tests/programs/lying_solver.c $(PROVER_O) $(B)/obj/unit/units.o $(B)/libcsim.a
	@mkdir -p $(@D)
	@echo '  cc $<'
	@$(CC) $(FLAGS) $^ -Wl,--wrap=solver_ask -L$(LLVM)/lib -lLLVM-14 -lcadical -lstdc++ $(LDLIBS) -o $@

prove: setup
	@$(if $(CERTIFY),tb/setup.sh reader)
	@$(MAKE) --no-print-directory $(PARALLEL) $(B)/nocturne $(B)/prove $(B)/prove_other
	@$(B)/nocturne prove $(if $(CERTIFY),--certify) $(if $(filter full,$(LIST)),--full) $(UNIT)
	@$(if $(KEEP),tb/status.sh record prove)

mutate: setup
	@$(MAKE) --no-print-directory $(PARALLEL) $(B)/nocturne $(B)/prove
	@$(B)/nocturne mutate $(MUTATE) $(UNIT)
	@$(if $(KEEP),tb/status.sh record $(if $(findstring --flaws,$(MUTATE)),flaws,mutate))

fuzz: setup
	@tb/setup.sh fuzz
	@$(MAKE) --no-print-directory $(PARALLEL) $(B)/nocturne $(if $(PARSER),,$(B)/fuzz_unit)
	@$(if $(PARSER),$(MAKE) --no-print-directory FUZZ=1 build/fuzzing/fuzz_parsers)
	@$(if $(PARSER),tests/fuzz/fuzz_parsers.sh -t $(or $(TIME),60) $(filter-out all,$(PARSER)), \
	  tb/fuzz/fuzz.sh -b $(B) -t $(or $(TIME),60) $(UNIT))
	@$(if $(KEEP),tb/status.sh record fuzz)

# Only the functions that it replaces may stand before libGL's.
CAPTURE := $(wildcard tb/capture/*.c csim/frame/frame*.c csim/frame/program*.c) csim/base/place.c csim/base/err.c csim/base/text.c
capture: $(B)/libnocturne_capture.so
$(B)/libnocturne_capture.so: $(CAPTURE) $(wildcard tb/capture/*.h csim/frame/frame*.h csim/frame/program*.h)
	@mkdir -p $(@D)
	@[ -f /usr/include/GL/glx.h ] || { echo 'capture: GL/glx.h is missing; install it with: apt-get install libgl-dev' >&2; exit 3; }
	@echo '  link $@'
	@$(CC) $(FLAGS) -fvisibility=hidden -shared $(CAPTURE) $(LDLIBS) -o $@

clean distclean:
	rm -rf build

check: test

include tb/install/install.mk
.PHONY: install installed uninstall install-program install-library install-data install-docs install-manual
install: install-program install-library install-data install-docs install-manual
.PHONY: deb
deb:
	@tb/install/deb.sh $(B)

-include $(FUZZED_O:.o=.d) $(SENSING_O:.o=.d)
-include $(CSIM_O:.o=.d) $(PROVER_O:.o=.d) $(TB_O:.o=.d) $(CLI_O:.o=.d) $(UNIT_TESTS:=.d) $(MUTATED:=.d) $(DIRECTED_O:.o=.d)
