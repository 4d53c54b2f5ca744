# SPDX-License-Identifier: Apache-2.0
# One shared object for each unit, parameter set and build kind, made on demand:
#   make -f tb/unit.mk UNIT=draw_scheduler PARAMS="NumGpus=8 Credits=64" KIND=plain
# KIND: plain, quick (the same, optimised little: for runs shorter than its building), trace (with FST
# waves), glance (the same, optimised little), cover (line and user coverage), toggle (these and toggle
# coverage), fuzz (the same, optimised, its counts readable while it runs), bare (packed vectors instead of
# DPI, no assertions: the limit of speed), gates (the netlist that rtl/synth makes of the unit instead of its
# RTL, its cells put in by their functions), mutants (docs/how-to/mutation.md).
# OUT and RTL: of a unit from outside the tree, where things are made and the folder of its RTL.
# The last line printed is the object's path.
UNIT ?= draw_scheduler
PARAMS ?=
KIND ?= plain
OUT ?= build
empty :=
space := $(empty) $(empty)
# Netlists of a library of the user's stand beside those of the usual one.
CELLS := $(if $(filter gates,$(KIND)),$(if $(NOCTURNE_LIBERTY),-$(shell sha256sum <"$$NOCTURNE_LIBERTY" | cut -c 1-12)))
DIR := $(OUT)/units/$(UNIT)/$(if $(PARAMS),$(subst $(space),-,$(strip $(PARAMS))),default)/$(KIND)$(CELLS)
# A unit in place of the tree's has the modules of the tree's that it does not bring.
TREE := $(patsubst %/$(UNIT).sv,%,$(wildcard rtl/*/$(UNIT).sv))
RTL ?= $(TREE)
ifeq ($(filter plain quick trace glance cover toggle fuzz bare gates mutants,$(KIND)),)
$(error KIND=$(KIND): expected plain, quick, trace, glance, cover, toggle, fuzz, bare, gates or mutants)
endif
ifeq ($(wildcard $(RTL)/$(UNIT).sv),)
$(error UNIT=$(UNIT): no such unit: $(or $(RTL),rtl/*)/$(UNIT).sv is missing)
endif
# What the generator made of the unit description.
MADE := $(OUT)/unit/$(UNIT)
# The cover points: a unit from outside may have them beside its RTL, or none.
COVER_POINTS := $(firstword $(wildcard tb/units/$(UNIT)/cover.svh $(RTL)/cover_$(UNIT).svh) $(MADE)/cover.svh)

# ---- The kinds: a block of variables each. Unset is empty.
# Verilator's options; -O of the C++; its macros; 1 if registers start at 0 instead of at random, so
# that only what the unit does counts, and the cover points are built in; the netlist in place of RTL.
#
# Plain builds by measurement: -O3 instead of -O1 makes lockstep 1.7 times as fast (draw scheduler), the
# texel generator and atfim around it no faster, and costs a second or two in a build, of atfim five. Waves
# and coverage cost more than that gains. clang without optimisation compiles in a third to two thirds of the
# time of g++ -Og and makes the unit several times as slow: under a million cycles that is the quicker way.
# Where there is no clang, -Og is. A netlist is large and seldom run for long.
O_plain := $(if $(filter texel_generator atfim,$(UNIT)),-O1,-O3)

CLANG := $(shell command -v clang++-14)
O_quick := $(if $(CLANG),-O0,-Og)
COMPILER_quick := $(CLANG)

O_trace := -O1
VERILATOR_trace := --trace-fst --trace-structs
CXX_trace := -DTRACE

O_glance := $(if $(CLANG),-O0,-O1)
COMPILER_glance := $(CLANG)
VERILATOR_glance := $(VERILATOR_trace)
CXX_glance := $(CXX_trace)

COUNTED := --coverage-line --coverage-user -fno-table '+define+COVER="$(COVER_POINTS)"' \
  tb/harness/cover.vlt $(wildcard tb/units/$(UNIT)/cover.vlt) --output-split 5000 --output-split-cfuncs 2000

O_cover := -O1
VERILATOR_cover := $(COUNTED)
CXX_cover := -DCOVER
COVERS_cover := 1

O_toggle := -O0
VERILATOR_toggle := $(COUNTED) --coverage-toggle --coverage-max-width 1024
CXX_toggle := -DCOVER
COVERS_toggle := 1

O_fuzz := -O1
VERILATOR_fuzz := $(COUNTED) --coverage-toggle --coverage-max-width 64
CXX_fuzz = -DCOVER -DCOUNTERS='"V$(TOP)__Syms.h"'
COVERS_fuzz := 1

O_bare := -O3
CXX_bare := -DBARE -DBARE_ACCESS='"bare_$(UNIT).h"'

O_gates := -O0
VERILATOR_gates := -Wno-lint -Wno-style
NETLIST_gates = $(DIR)/synth/functions.v

O_mutants := -Og
VERILATOR_mutants := -Wno-lint -Wno-style
NETLIST_mutants = $(DIR)/mutants/mutants.v
MUTANTS := 240

# ---- Of the kind that is made
OPT := $(O_$(KIND))
CXXKIND = $(CXX_$(KIND))
COVER := $(if $(COVERS_$(KIND)),$(KIND))
NETLIST = $(NETLIST_$(KIND))
GATES := $(filter gates mutants,$(KIND))
COMPILER := $(or $(COMPILER_$(KIND)),g++)
TRACED := $(filter trace glance,$(KIND))
TOP := $(if $(filter bare,$(KIND)),bare_,tb_)$(UNIT)
# A port that is not in the description, or of another width, ends the build.
# Without -fno-const-bit-op-tree -fno-dfg Verilator 5.006 computes some logic wrongly.
VFLAGS := --cc --top-module $(TOP) --prefix V$(TOP) $(if $(filter bare,$(KIND)),,--assert) -O3 -fno-const-bit-op-tree -fno-dfg \
  --x-initial $(if $(COVER),0,unique) --x-assign unique -Wno-fatal --no-timing \
  $(if $(GATES)$(COVER),,-Werror-PINMISSING -Werror-WIDTH) $(if $(GATES),,-I$(RTL) -Irtl/common) \
  -I$(MADE) $(if $(GATES),,$(addprefix -I,$(filter-out $(RTL),$(TREE)))) $(addprefix -G,$(PARAMS)) $(VERILATOR_$(KIND))
# "NumGpus=8 Credits=64" as Yosys takes it.
CHPARAM := $(foreach p,$(PARAMS),-set $(subst =, ,$(p)))
SLOW := __Slow\.cpp|__ConstPool_|__Syms\.cpp
LIBZ := $(if $(TRACED),-lz)

SOURCES := $(or $(NETLIST),$(wildcard $(RTL)/*.sv $(RTL)/*.svh rtl/common/*.sv rtl/common/*.svh)) \
  $(MADE)/$(TOP).sv \
  $(if $(COVER),$(wildcard $(COVER_POINTS)))
# Not the script around it: its start takes a tenth of a small build.
VERILATOR := $(or $(shell command -v verilator_bin),verilator)
VROOT := $(shell $(VERILATOR) --getenv VERILATOR_ROOT)
INC = -iquote . -iquote $(OUT) -iquote build -I$(MADE) -I$(DIR)/v -I$(VROOT)/include -I$(VROOT)/include/vltstd
CXX = $(COMPILER) $(CXX_FLAGS)
CXX_FLAGS = -fPIC $(INC) $(CXXKIND) -DVM_SC=0 -DVM_TRACE=$(if $(TRACED),1,0) -DVM_TRACE_FST=$(if $(TRACED),1,0) -DVM_COVERAGE=$(if $(COVER),1,0) -faligned-new -fcf-protection=none
# Verilator's library is compiled once for each set of its flags, by g++: what clang makes of it wants a
# library more.
LIBRARY := build/units/library-$(if $(TRACED),trace,$(if $(COVER),cover,plain))
GLOBALS := $(addprefix $(LIBRARY)/,verilated.o verilated_dpi.o verilated_threads.o \
  $(if $(TRACED),verilated_fst_c.o) $(if $(COVER),verilated_cov.o))
# Most of the time of a small unit would go into Verilator's headers.
HEADER := $(LIBRARY)/precompiled-$(notdir $(COMPILER))$(OPT).h
# clang takes its own by name; its warnings would be of what Verilator writes.
PRECOMPILED := $(if $(filter g++,$(COMPILER)),-include $(HEADER),-w -include-pch $(HEADER).gch)

.DELETE_ON_ERROR:
.PHONY: unit
unit: $(DIR)/unit.so
	$(file >$(DIR)/needs,$(NEEDS))
	@echo $(DIR)/unit.so

$(DIR)/synth/gates.v: rtl/synth/synth.sh tb/area/tools/models.c tb/area/tools/buffer_nets.c tb/area/liberty.c $(MADE)/vectors_$(UNIT).sv $(if $(GATES),$(shell NOCTURNE_RTL='$(RTL)' rtl/synth/files.sh $(UNIT)))
	@NOCTURNE_MADE=$(OUT)/unit NOCTURNE_RTL='$(RTL)' rtl/synth/synth.sh $(UNIT) "$(CHPARAM)" $(DIR)/synth gates || (grep ERROR $(DIR)/synth/warnings.log; false)

$(DIR)/synth/functions.v: $(DIR)/synth/gates.v rtl/synth/inline_cells.awk
	@awk -f rtl/synth/inline_cells.awk $(DIR)/synth/cells.v $(DIR)/synth/gates.v >$@

$(DIR)/mutants/mutants.v: tb/mutate/mutants.sh $(MADE)/vectors_$(UNIT).sv $(if $(GATES),$(shell NOCTURNE_RTL='$(RTL)' rtl/synth/files.sh $(UNIT)))
	@NOCTURNE_MADE=$(OUT)/unit NOCTURNE_RTL='$(RTL)' tb/mutate/mutants.sh $(UNIT) "$(CHPARAM)" $(DIR)/mutants $(MUTANTS)

# Its messages go where the harness reads them, and so do its fatal errors.
PRINT := -include tb/harness/model_print.h -DVL_PRINTF=model_print -DVL_USER_FATAL
$(LIBRARY)/%.o: tb/unit.mk tb/harness/model_print.h
	@mkdir -p $(@D)
	@flock $@.lock sh -c '[ $@ -nt tb/unit.mk ] || { g++ $(CXX_FLAGS) $(PRINT) -O1 -c $(VROOT)/include/$*.cpp -o $@.tmp && mv $@.tmp $@; }'

$(HEADER).gch: tb/harness/precompiled.h tb/unit.mk
	@mkdir -p $(@D)
	@flock $@.lock sh -c '[ $@ -nt tb/unit.mk ] && [ $@ -nt $< ] || { cp $< $(HEADER) && $(CXX) $(OPT) -x c++-header "$$(realpath $(HEADER))" -o $@.tmp && mv $@.tmp $@; }'

# What gives the same object is compiled once, in whatever folder or copy of the tree: objects are kept
# by the hash of the C++ that Verilator wrote, of the C beside it and of what compiles them.
# (Those for coverage know where they stand.)
STORE := build/units/store
DPI := $(if $(filter bare,$(KIND)),,$(MADE)/$(UNIT)_dpi.c)
# The parameters that the C beside the model needs: P_NumGpus.
GIVEN := $(addprefix -DP_,$(PARAMS))
CC_DPI = gcc -std=c11 -O2 -Wall -Wextra -Werror -fPIC $(INC) $(GIVEN)
KEY = { echo '$(OPT) $(CXXKIND) $(TOP)'; $(COMPILER) --version; cat $(DIR)/v/*.cpp $(DIR)/v/*.h $(DIR)/v/unit.inc \
  tb/harness/verilated.cpp tb/harness/model_print.h tb/harness/precompiled.h tb/unit.mk; \
  $(if $(filter bare,$(KIND)),echo '$(GIVEN)'; cat $(MADE)/bare_$(UNIT).h $(MADE)/$(UNIT).h) $(if $(DPI),$(CC_DPI) -E -P $(DPI)); }
COMPILE = $(CXX) $(OPT) -Wno-attributes $(GIVEN) -DMODEL=V$(TOP) -DMODEL_HEADER='"V$(TOP).h"' $(PRECOMPILED) \
  -include tb/harness/verilated.cpp -x c++ -c $(DIR)/v/unit.inc -o $(DIR)/unit.o && \
  $(if $(DPI),$(CC_DPI) $(if $(filter-out fuzz,$(COVER)),--coverage) -c $(DPI) -o $(DIR)/dpi.o &&) \
  g++ -shared $(if $(filter-out fuzz,$(COVER)),--coverage) -o $(DIR)/unit.so.tmp $(DIR)/unit.o $(if $(DPI),$(DIR)/dpi.o) $(GLOBALS) $(LIBZ) -lpthread

# One file for all, what runs only at the start after what runs in each cycle. Verilator's warnings stay
# beside the object: they tell where a loop is (tb/harness/rtl_model.c).
FROM := $(SOURCES) $(wildcard $(MADE)/*.c $(MADE)/*.h dpi/dpi_*.h) tb/harness/verilated.cpp tb/unit.mk $(wildcard csim/unit/*.h) $(GLOBALS) $(HEADER).gch
# While no file of these is newer than the object and no folder newer than the list itself, in which no file
# has come or gone, make has nothing to do and is not called (tb/harness/rtl_model.c).
NEEDS = $(FROM) tb/harness/model_print.h tb/harness/precompiled.h $(RTL) rtl/common $(MADE) dpi csim/unit
$(DIR)/unit.so: $(FROM)
	@echo 'building $(UNIT) $(PARAMS) ($(KIND))'
	@mkdir -p $(DIR) $(STORE)
	@rm -rf $(DIR)/v
	@$(if $(COVER),[ -e $(COVER_POINTS) ] || : >$(COVER_POINTS))
	@$(VERILATOR) $(VFLAGS) --Mdir $(DIR)/v $(NETLIST) $(MADE)/$(TOP).sv >$(DIR)/verilator.log 2>&1 || { cat $(DIR)/verilator.log; false; }
	@cd $(DIR)/v && { ls *.cpp | grep -vE '$(SLOW)'; echo '#pragma GCC optimize ("O0")'; ls *.cpp | grep -E '$(SLOW)'; } | sed '/^#/! s/.*/#include "&"/' >unit.inc
ifneq ($(COVER),)
	@$(COMPILE)
else
	@key=$$($(KEY) | sha256sum | cut -d ' ' -f 1) kept=$(STORE)/$$key.so; \
	  if cp "$$kept" $@.tmp 2>/dev/null; then touch "$$kept"; else \
	    { $(COMPILE); } && cp $@.tmp "$$kept.$$$$" && mv "$$kept.$$$$" "$$kept"; \
	    find $(STORE)/ -name '*.so*' -mtime +30 -delete; test -f "$$kept"; fi
endif
	@mv $@.tmp $@
