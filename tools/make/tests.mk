# SPDX-License-Identifier: MIT
# Tests and measurements. Included by the Makefile.

# The instructor's part and the book are tested where what they need is: no learner does.
ifneq ($(filter $(check_goals),$(MAKECMDGOALS)),)
with_batch := $(if $(shell tools/setup --has grade && echo yes),$(B)/bin/batch $(B)/bin/exports $(B)/bin/pack $(patsubst %.c,$(B)/%,$(needs_more)))
with_book := $(if $(shell tools/setup --has book && echo yes),book)
endif
# A name of its own, so that `make -n check` does not run it.
make_apart := $(MAKE)
.PHONY: check-ready
check-ready: all $(numbers:%=$(B)/bin/grade-%) $(tests) $$(with_batch)
check: check-ready
	@$(if $(with_book),SITE='$(make_apart) -j2 site' BOOK='$(make_apart) -j2 $(with_book)') tests/run

# Needs gcc, nvcc and a card, and nothing that is built here.
## check-long: run all tests at their longest, planted bugs, mutants, and the verdicts of all lessons with many seeds each (SEEDS=1000): hours
.PHONY: check-long
check-long: check-ready
	@LONG=1 VALGRIND=1 $(if $(with_book),SITE='$(make_apart) -j2 site' BOOK='$(make_apart) -j2 $(with_book)') tests/run
	@tests/planted/run
	@tests/mutants/run
	@tests/mutants/keeps
	@SEEDS=$(or $(SEEDS),1000) tests/lessons/verdicts.sh

## check-gpu: run the rules that the simulator obeys on a real card (NVCC=nvcc, JOBS=n, LIMIT=s)
.PHONY: check-gpu
check-gpu: $$(if $$(wildcard $(B)/bin/grade),$$(foreach l,$(lessons),$$(call gpu_lesson_files,$$(l))))
	@NVCC='$(NVCC)' tests/run-gpu; rules=$$?; [ $$rules != 2 ] && [ -x $(B)/bin/grade ] || exit $$rules; \
	  BACKEND= tests/agree-gpu && exit $$rules
# The second half alone: LESSONS="03 06", RUNS=n, FRESH=1.
.PHONY: check-gpu-lessons
check-gpu-lessons: $$(foreach l,$(lessons),$$(call gpu_lesson_files,$$(l)))
	@tests/agree-gpu

## check-sanitize: run the unit tests under the address and undefined-behaviour sanitizers
.PHONY: check-units units-ready check-sanitize sanitize-ready
sanitize := -fsanitize=address,undefined -fno-sanitize-recover=undefined
# -Og -g1 takes half of the time that -O1 -g takes, and leaves more of what the sanitizers look for. What runs for less time than
# it takes to compile gets -O0, which leaves all of it.
sanitized = B=$(B)/asan CFLAGS='-Og -g1 $(sanitize)' level=-O0
check-sanitize:
	@$(MAKE) $(sanitized) check-units
# What it runs, made beforehand: beside other tests, which leave a processor idle now and then.
sanitize-ready:
	@$(MAKE) $(sanitized) units-ready
ifneq ($(level),)
$(sim_objects) $(simcc_objects) $(rewrite_objects) $(checks_objects) $(grader_objects) $(class_objects) $(batch_objects) $(export_objects): \
	private override CFLAGS += $(level)
endif
units-ready: $(patsubst %.c,$(B)/%,$(units) $(filter-out $(needs_more),$(fuzz))) $$(with_batch)
check-units: units-ready
	@B=$(B) tests/run test_ tests/fuzz

## fuzz: feed random bytes to everything that reads untrusted files (SECONDS=600 each, FUZZ="log archive"): needs clang
.PHONY: fuzz fuzzers
fuzz: with := -O1 -g $(sanitize) -fsanitize=fuzzer-no-link -DFUZZING
fuzz:
	@$(MAKE) B=$(B)/fuzz CC='$(CLANG)' CFLAGS='$(with)' LDFLAGS=-fsanitize=fuzzer fuzzers
	@tests/fuzz/run $(B)/fuzz $(or $(SECONDS),600) $(or $(FUZZ),$(basename $(notdir $(fuzz))))
fuzzers: $(patsubst %.c,$(B)/%,$(fuzz))
CLANG ?= clang

## bench: measure engine, kernels and simcc: a table, and plots in build/bench (some minutes; KEEP=1 keeps them)
bench: $(addprefix $(B)/bench/,engine plot loops kernels calls)
	@KEEP=$(KEEP) tools/bench/run
.PHONY: bench bench-class

## bench-class: measure how fast a class is graded (STUDENTS=200 LESSONS="03 06")
bench-class: all $(B)/bin/batch
	@tools/bench/class $(or $(STUDENTS),200) $(LESSONS)

$(B)/bench/engine: $(addprefix $(B)/obj/tools/bench/,engine.o programs.o) $(B)/lib/libmodel.a $(B)/lib/libtrace.a
$(B)/bench/plot: $(B)/obj/tools/bench/plot.o
$(B)/bench/engine $(B)/bench/plot:
	$(prepare)
	$(call quiet,LINK,$@) $(link) -o $@ $^ -lm $(LDLIBS)
$(B)/bench/loops: tools/bench/loops.cc $(wildcard tools/bench/*.h) | $(setup)
	$(prepare)
	$(call quiet,CXX,$<) $(compile_cxx) -O2 -o $@ $<
$(B)/bench/kernels $(B)/bench/calls: $(B)/bench/%: tools/bench/%.cu $(wildcard tools/bench/*.h) $(toolchain)
	$(prepare)
	$(call quiet,SIMCC,$<) $(B)/bin/simcc -Itools/bench -o $@ $<

room_libraries = $(if $(filter batch export fuzz,$(1)),$(B)/lib/libclass.a) $(if $(filter batch export fuzz grader lessons,$(1)),$(B)/lib/liblessons.a $(B)/lib/libgrader.a) \
	$(if $(filter figure,$(1)),$(B)/lib/libfigure.a) $(if $(filter simcc fuzz,$(1)),$(B)/lib/librewrite.a) \
	$(if $(filter sim,$(1)),$(B)/lib/libparts.a) \
	$(B)/lib/libmodel.a $(B)/lib/libtrace.a

define test_rules
$(B)/$(basename $(1)): $(call object,$(1)) $(call room_libraries,$(word 2,$(subst /, ,$(1))))
	$$(prepare)
	$$(call quiet,LINK,$$@) $$(link) -o $$@.$$$$$$$$ $$(call in_group,$$^) -lcmocka -ljansson -lm $$(libraries) $$(LDLIBS) && $$(place)
endef
$(B)/tests/fuzz/archive $(B)/tests/batch/people: $(call object,$(intake))
$(B)/tests/fuzz/archive $(B)/tests/batch/people: libraries := -larchive -lmd
$(B)/tests/batch/filter: $(call object,grader/batch/jobs/filter.c)
$(B)/tests/batch/filter: libraries := -lseccomp
$(B)/tests/export/test_platforms: $(call object,grader/export/grades.c)
$(B)/tests/sim/race/family: $(call object,$(family))
$(foreach t,$(units) $(helpers),$(eval $(call test_rules,$(t))))
$(call object,$(units) $(helpers) $(family)): | $(if $(bundled),,$(B)/state/setup-check)
