# SPDX-License-Identifier: MIT
#
# One file, one graph, no recursion; all that is made goes to build/.
# Sources, lessons and tests are found by wildcard: a new one needs no line here.
# Yours to set: CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LDLIBS AR OBJCOPY NVCC prefix DESTDIR;
# V=1 shows the commands, YES=1 lets the setup install what is missing.
# CC may be clang; CXX is a GNU g++: simcc calls it.
# BACKEND=sim|cuda|both: where to judge; RECORDER, GPU_FOLDER: where what belongs to a GPU is (build/lib/librecorder.so, build/gpu).

# BSD's make takes the next line for a rule and stops at the one after it; GNU's passes both by.
ifdef NOT_GNU_MAKE:
.error The workbook needs Linux and GNU make 4.3 or newer (gmake): README.md, "Where it runs"
endif
system := $(shell uname -s)
ifneq ($(filter-out Linux,$(system))$(filter 3.% 4.0% 4.1 4.1.% 4.2 4.2.%,$(MAKE_VERSION)),)
$(error The workbook needs Linux and GNU make 4.3 or newer, and this is $(system) with $(MAKE_VERSION): README.md, "Where it runs")
endif

MAKEFLAGS += -rR
# As many jobs as there are processors, where nobody has said how many (make -j1); several goals are made in turn.
ifeq ($(MAKELEVEL)$(word 2,$(MAKECMDGOALS))$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += $(shell case "$$MAKEFLAGS" in (*j*) ;; (*) echo -j$$(nproc 2> /dev/null || echo 1) ;; esac)
endif
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
.DEFAULT_GOAL := help

ifneq ($(filter default undefined,$(origin CC)),)
CC := gcc
endif
ifneq ($(filter default undefined,$(origin CXX)),)
CXX := g++
endif
ifneq ($(filter default undefined,$(origin AR)),)
AR := ar
endif
OBJCOPY ?= objcopy
# -g1: functions and lines, for a seventh less of the time. To look at variables, too: make CFLAGS='-O0 -g'.
CFLAGS ?= -O2 -g1
CXXFLAGS ?= -O2 -g
NVCC ?= nvcc
prefix ?= /usr/local

version := $(file < VERSION)
B := build
book := $(B)/book

# As root in a folder of another user's (sudo make): recipes run as that user, and what they make is that user's.
# As root run those that install, and the grading of a class, which may need root's rights for its sandbox.
owner := $(shell [ "$$(id -u)" != 0 ] || [ -O . ] || stat -c '--reuid=%u --regid=%g' .)
ifneq ($(owner),)
owner += $(shell setpriv $(owner) --init-groups true 2> /dev/null && echo --init-groups || echo --clear-groups)
ifneq ($(shell setpriv $(owner) test -w '$(subst ','\'',$(CURDIR))' && echo yes),)
SHELL := $(shell command -v setpriv)
.SHELLFLAGS := $(owner) /bin/sh -c
install uninstall grade appeal $(B)/state/setup-%: private SHELL := /bin/sh
install uninstall grade appeal $(B)/state/setup-%: private .SHELLFLAGS := -c
else
$(warning You are root in another user's folder, and cannot become that user: what is made here is root's.)
endif
endif

flags := -D_GNU_SOURCE -DWORKBOOK_VERSION='"$(version)"' -Wall -Wextra -Icommon -I. $(CPPFLAGS)
cc  = $(CC) -std=c11 $(flags) $(CFLAGS)

# Recipes call compilers by these alone: what compiles waits for the setup, and what links is made of what was compiled.
compile_c   = $(after_setup)$(cc)
compile_cxx = $(after_setup)$(CXX) -std=c++17 $(flags) $(CXXFLAGS)
join = $(if $(filter %.o %.a,$^),,$(error $@ links what is no object))$(CC) $(CFLAGS)
link = $(join) $(LDFLAGS)
after_setup = $(if $(filter-out $|,$(setup)),$(error $@ does not wait for the setup: give it | $$(setup)))

# $(call quiet,WORD,FILE): a line for people instead of the command; while all is
# built for the first time, it says how far that is. In a shell of its own: a reader that left (head) stops no build.
quiet = $(if $(V),,@(printf '$(if $(steps),[%3d/$(steps)])  %-8s%s\n' $(count_step) '$(1)' '$(2)');)
count_step = $(if $(steps),$(eval stepped += x)$(words $(stepped)))

# A reader that has gone away (head, a pager that was left) is no trouble.
or_reader_left := || [ $$? = 141 ]

# First line of a recipe that writes somewhere in build/.
prepare = @[ -w $(@D) ] || mkdir -p $(@D) 2> /dev/null && [ -w $(@D) ] || { $(unwritable); }
unwritable = echo 'Cannot write in $(subst ','\'',$(CURDIR))/$(B): make it yours, or work in a copy elsewhere.' >&2; exit 2

# What is made takes its place when it is whole, so that two make at once (a
# learner's two terminals) do not see half of each other's files.
place  = mv -f $@.$$$$ $@ || { rm -f $@.$$$$; false; }
depend = -MMD -MP -MF $@.d.$$$$ -MT $@
place_depend = mv -f $@.d.$$$$ $(@:.o=.d) && $(place)

parts := $(addprefix tools/make/,sources.mk build.mk class.mk tests.mk gpu.mk book.mk install.mk)
include $(firstword $(parts))

# ---- for people -------------------------------------------------------------

.PHONY: help help-all list all check simcc clean install uninstall dist distcheck FORCE
## help: show this list
## help-all: show all targets: classes, tests, GPUs, the book
help help-all:
	@awk -F ': *' -v wide=$(if $(filter help-all,$(MAKECMDGOALS)),24,11) 'BEGIN { print "The CUDA Streams Workbook $(version). In a shell:" } \
	    /^## / { target = substr($$1, 4); sub(/^[^:]*: */, ""); printf "  make %-" wide "s %s\n", target, $$0 } \
	    END { print "Options, as in `make lesson06 SEED=7`: SEED=n SIM_PROFILE=card,\n" \
	      "JSON=file TRACE=file SVG=file (the verdict, the timeline as files),\n" \
	      "BACKEND=sim|cuda|both (where to judge), YES=1 (install what is missing)." \
	    }' Makefile $(if $(filter help-all,$(MAKECMDGOALS)),$(parts)) $(or_reader_left)

## list: list the lessons
list:
	@awk '/^# / && !(FILENAME in told) { told[FILENAME]; sub(/^# */, ""); printf "  make lesson%s  %s\n", substr(FILENAME, 9, 2), $$0 }' \
	  $(lessons:%=lessons/%/chapter.md) $(or_reader_left)

# What can be done with a lesson. Your copy is made once and never written again but by reset and merge.
verbs := lesson run watch hint solution reset merge
$(foreach v,$(verbs),$(eval $(v)_targets := $(numbers:%=$(v)%)))
lesson_targets_all := $(foreach v,$(verbs),$($(v)_targets))
.PHONY: $(lesson_targets_all) progress submit
.SECONDEXPANSION:

# SEED and SIM_PROFILE reach the grader as they are. One that cannot go on
# (status 2) may lack a tool: look for them again next time.
wishes = $(if $(JSON),--json '$(JSON)') $(if $(TRACE),--trace '$(TRACE)') $(if $(SVG),--svg '$(SVG)')
grade = $(if $(V),,@)$(2) $(call grader_of,$(lastword $(1))) --start $(wishes) $(1) || { s=$$?; [ $$s != 2 ] || rm -f $(B)/state/setup-*; exit $$s; }
study = $(if $(V),,@)$(B)/bin/study $(1)
grader_of = $(B)/bin/grade$(if $(bundled),,-$(1))
# With precompiled headers that are not there (a bundle has none) make is content as long as a driver needs not be made; learners are not.
graded = $(call grader_of,$(1)) $(call lesson_files,$(call folder,$(1))) $(call lesson_prelude,$(call folder,$(1))) $(call gpu_lesson_files,$(call folder,$(1)))

## lesson06: grade work/06-….cu, your copy of the exercise
# A lesson with a part in Python judges that first (torch/grade.py); where it cannot, one line says so
torch = $(wildcard lessons/$(call folder,$(1))/torch/grade.py)
# (python3-minimal has not all of Python's library).
judge_torch = if python3 -c 'import shutil, tempfile' 2> /dev/null; then python3 -B $(1); else \
	  echo 'Only the C part is judged here: the Python part needs a complete python3.'; fi; torch=$$?;
$(lesson_targets): lesson%: $$(call graded,$$*) $$(if $$(call torch,$$*),$(B)/bin/nodes)
	$(call grade,--html $(B)/report/$*.html $*,$(if $(call torch,$*),$(call judge_torch,$(call torch,$*))))$(if $(call torch,$*),; exit $$torch)

## watch06: grade it again each time you save it
$(watch_targets): watch%: $(B)/bin/study $$(call graded,$$*)
	$(call study,watch $*)

## hint06: show a hint for the check that fails; again: the next
$(hint_targets): hint%: $$(call graded,$$*)
	$(call grade,--hint $*)

## run06: run it without grading
$(run_targets): run%: $$(call graded,$$*)
	$(call grade,--run $*)

## demo06: run the four-stream demo on each simulated card
.PHONY: demo06
demo06: $(B)/demo/four_streams
	@for card in $(if $(SIM_PROFILE),"$$SIM_PROFILE",h200 rtx3090 rtx2070s k20c c2050 c1060); do SIM_PROFILE="$$card" $< || exit; done
$(B)/demo/four_streams: lessons/06-overlap/demos/four_streams.cu $(toolchain) $(call prelude,O2+g)
	$(prepare)
	$(call quiet,SIMCC,$<) $(B)/bin/simcc -Icommon -o $@ $<

## solution06: compare with our solution, once you have passed
$(solution_targets): solution%: $(B)/bin/study
	$(call study,solution $*)

## reset06: start the exercise anew; yours goes to work/kept/
$(reset_targets): reset%: $(B)/bin/study
	$(call study,reset $*)

## merge06: bring into your copy what has changed in the exercise
$(merge_targets): merge%: $(B)/bin/study
	$(call study,merge $*)

unknown := $(filter-out $(lesson_targets_all),$(filter $(addsuffix %,$(verbs)),$(MAKECMDGOALS)))
$(unknown):
	@echo 'There is no $@: `make list` shows the lessons.' >&2; exit 2

## progress: show what is done, your points, and what is next
progress: $(B)/bin/study
	$(call study,progress)

# WSL has a NAME of its own in the environment.
## submit: pack your work into one file to hand in (NAME=you)
submit: | $(B)/state
	$(if $(V),,@)NAME='$(if $(filter command,$(origin NAME)),$(subst ','\'',$(NAME)))' tools/submit $(B)/submit $(version) $(lessons) $(or_reader_left)

## simcc: build the compiler for machines with no GPU, build/bin/simcc
simcc: $(installed:%=$(B)/bin/%) $(toolchain) $(B)/toolkit/made $(foreach p,$(program_preludes),$(call prelude,$(p)))
## all: build everything but the tests
all: $(programs) $(toolchain) $(B)/toolkit/made $(foreach p,$(preludes),$(call prelude,$(p))) $$(foreach l,$(lessons),$$(call lesson_files,$$(l)))

# What needs more than lessons do.
check_goals := check check-ready check-units units-ready check-long
book_goals  := book
grade_goals := grade grade-ready appeal similar exports leaderboard autograder bench-class

## book: make a site, an EPUB and a PDF, in build/book
## check: run the tests (LONG=1: all of them)
## grade: grade a class (SUBMISSIONS=folder-or-archive)

## clean: remove what was made (your files in work/ stay)
clean:
	$(if $(bundled),@(echo 'Nothing to clean: what is in $(B) cannot be made again here.') $(or_reader_left),rm -rf $(B))

include $(wordlist 2,9,$(parts))

-include $(patsubst %.o,%.d,$(compiled))
