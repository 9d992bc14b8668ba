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
prepare = @mkdir -p $(@D) 2> /dev/null && [ -w $(@D) ] || { $(unwritable); }
unwritable = echo 'Cannot write in $(subst ','\'',$(CURDIR))/$(B): make it yours, or work in a copy elsewhere.' >&2; exit 2

# What is made takes its place when it is whole, so that two make at once (a
# learner's two terminals) do not see half of each other's files.
place  = mv -f $@.$$$$ $@ || { rm -f $@.$$$$; false; }
depend = -MMD -MP -MF $@.d.$$$$ -MT $@
place_depend = mv -f $@.d.$$$$ $(@:.o=.d) && $(place)

# ---- what there is ----------------------------------------------------------

source = $(sort $(wildcard $(1)/*.c))
object = $(addprefix $(B)/obj/,$(addsuffix .o,$(basename $(1))))

trace   := $(call source,common/trace)
model   := $(call source,common/model) $(call source,common/model/hosted)
simcc   := $(wildcard common/sim/simcc*.c common/sim/rewrite*.c)
sim     := $(filter-out $(simcc),$(call source,common/sim))
figure  := $(call source,common/figure)
grader  := $(call source,grader)
batch   := $(call source,grader/batch)
export  := $(call source,grader/export)
# Those of them that need no library of their own.
class   := $(addprefix grader/batch/,owner.c rubric.c roster.c csv.c lexeme.c likeness.c) $(addprefix grader/export/,escape.c common_failures.c told.c)
intake  := $(addprefix grader/batch/,intake.c sums.c encoding.c)
tools   := $(call source,tools)
mains   := grader/grade.c grader/timeline.c grader/study.c grader/batch/batch.c grader/export/exports.c grader/export/pack.c
units   := $(sort $(wildcard tests/*/test_*.c))
helpers := $(filter-out $(units) tests/gpu/%,$(sort $(wildcard tests/*/*.c)))
fuzz    := $(sort $(wildcard tests/fuzz/*.c))

lessons := $(patsubst lessons/%/check.c,%,$(sort $(wildcard lessons/[0-9][0-9]-*/check.c)))
checks  := $(sort $(foreach l,$(lessons),$(wildcard lessons/$(l)/*.c)))
numbers := $(foreach l,$(lessons),$(firstword $(subst -, ,$(l))))
folder   = $(filter $(1)-%,$(lessons))

cards := $(wildcard common/model/cards/h200.card) \
	$(filter-out %/h200.card,$(sort $(wildcard common/model/cards/*.card)))

# In a bundle (tools/bundle) the programs are there already.
bundled := $(wildcard BUNDLE)
setup := $(if $(bundled),,$(B)/state/setup-lesson)

sources   := $(trace) $(model) $(sim) $(simcc) $(figure) $(grader) $(batch) $(export) $(checks) $(tools)
programs  := $(B)/bin/simcc $(B)/bin/grade $(B)/bin/study $(B)/bin/timeline $(B)/bin/nodes $(if $(bundled),,$(B)/bin/profile)
# Those that are of use outside of this folder.
installed := simcc timeline
# What the compiled lessons are made with.
# Headers precompiled for the options that lessons and programs from elsewhere are compiled with (common/sim/simcc_prelude.h).
# Lessons: quick to compile, and each line is a line of its own; the grader compiles with the same (grader/build.c).
lesson_options := -Og -g1
options_Og+g1 := $(lesson_options)
options_DCUDA_API_PER_THREAD_DEFAULT_STREAM-1+Og+g1 := $(lesson_options) --default-stream per-thread
options_O2+g := -O2 -g
preludes := $(patsubst options_%,%,$(filter options_%,$(.VARIABLES)))
prelude = $(if $(bundled),,$(B)/lib/prelude/$(1)/calls)

# What build systems link with, by the names of NVIDIA's libraries.
stand_ins := $(addprefix $(B)/lib/,libcudart_static.a libcudart.a libcudadevrt.a)
toolchain := $(B)/bin/simcc $(B)/lib/libsim.a $(stand_ins) \
	$(wildcard common/*.h) $(shell find common/sim/include -type f)
lesson_files = $(addprefix $(B)/lessons/$(1)/,driver.o reference)
lesson_prelude = $(call prelude,$(if $(findstring per-thread,$(call build_line,solutions/$(1).cu)),DCUDA_API_PER_THREAD_DEFAULT_STREAM-1+)Og+g1)
tests := $(patsubst %.c,$(B)/%,$(units) $(filter-out tests/fuzz/archive.c,$(helpers))) $(B)/gpu/compare $(B)/bin/seeds

# The GPU of this machine: found without starting anything. What nvcc cannot make is not there, and the reason beside
# its place (tools/nvcc): the grader says it and goes on without.
nvcc_name := $(firstword $(NVCC))
nvcc_found := $(firstword $(wildcard $(if $(findstring /,$(nvcc_name)),$(nvcc_name),\
	$(addsuffix /$(nvcc_name),$(subst :, ,$(PATH))) $(if $(filter nvcc,$(nvcc_name)),/usr/local/cuda/bin/nvcc))))
gpu := $(if $(filter sim simulator,$(BACKEND)),,$(and $(nvcc_found),$(or $(wildcard /dev/nvidiactl /dev/dxg),$(filter cuda both,$(BACKEND)))))
G := $(or $(GPU_FOLDER),$(B)/gpu)
recorder := $(or $(RECORDER),$(B)/lib/librecorder.so)
gpu_lesson_files = $(if $(gpu),$(recorder) $(G)/card $(G)/streams.o $(G)/driver.o $(G)/$(1)/reference)

# The steps of a first build for a lesson: objects, tables, libraries, programs, driver and solution.
graded_goals := $(filter $(foreach v,lesson run watch hint,$(numbers:%=$(v)%)),$(MAKECMDGOALS))
ifeq ($(words $(graded_goals))$(wildcard $(B)/obj)$(bundled),1)
steps = $(words $(trace_objects) $(model_objects) $(sim_objects) $(simcc_objects) $(rewrite_objects) $(grader_objects) \
	$(checks_objects) grade.o lessons.o cards.c lessons.c trace model parts sim.o sim rewrite grader simcc grade prelude driver reference \
	$(if $(filter watch%,$(graded_goals)),study.o study) \
	$(if $(wildcard $(patsubst lesson%,lessons/%-*/torch/grade.py,$(filter lesson%,$(graded_goals)))),nodes.o nodes))
endif

# ---- for people -------------------------------------------------------------

.PHONY: help list all check simcc clean install uninstall dist distcheck FORCE
## help: show this list
help:
	@awk -F ': *' 'BEGIN { print "The CUDA Streams Workbook $(version)\n" } \
	    /^## / { target = substr($$1, 4); sub(/^[^:]*: */, ""); printf "  make %-24s%s\n", target, $$0 } \
	    END { print "\nYour copies of the exercises are in work/. Options, as in `make lesson06 SEED=7`:\n" \
	      "  SEED=n SIM_PROFILE=card, JSON=file TRACE=file SVG=file (the verdict, the timeline as files),\n" \
	      "  BACKEND=sim|cuda|both (judge on the simulator, the GPU, or both), YES=1 (install what is missing), V=1 (show the commands)." \
	    }' Makefile $(or_reader_left)

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
grade = $(if $(V),,@)$(2) $(B)/bin/grade --start $(wishes) $(1) || { s=$$?; [ $$s != 2 ] || rm -f $(B)/state/setup-*; exit $$s; }
study = $(if $(V),,@)$(B)/bin/study $(1)
graded = $(B)/bin/grade $(call lesson_files,$(call folder,$(1))) $(call gpu_lesson_files,$(call folder,$(1)))

## lesson06: grade work/06-….cu, your copy of the exercise (made if there is none)
# A lesson with a part in Python judges that first (torch/grade.py); where it cannot, one line says so
torch = $(wildcard lessons/$(call folder,$(1))/torch/grade.py)
# (python3-minimal has not all of Python's library).
judge_torch = if python3 -c 'import shutil, tempfile' 2> /dev/null; then python3 -B $(1); else \
	  echo 'The Python part is not judged here, the C part alone: there is no whole python3.'; fi; torch=$$?;
$(lesson_targets): lesson%: $$(call graded,$$*) $$(if $$(call torch,$$*),$(B)/bin/nodes)
	$(call grade,--html $(B)/report/$*.html $*,$(if $(call torch,$*),$(call judge_torch,$(call torch,$*))))$(if $(call torch,$*),; exit $$torch)

## watch06: grade it again each time you save it
$(watch_targets): watch%: $(B)/bin/study $$(call graded,$$*)
	$(call study,watch $*)

## hint06: a hint for the check that fails; again: the next one
$(hint_targets): hint%: $$(call graded,$$*)
	$(call grade,--hint $*)

## run06: run it without grading
$(run_targets): run%: $$(call graded,$$*)
	$(call grade,--run $*)

## solution06: the difference to our solution, when yours has passed (or with FORCE=1)
$(solution_targets): solution%: $(B)/bin/study
	$(call study,solution $*)

## reset06: start the exercise anew; yours is kept in work/kept/
$(reset_targets): reset%: $(B)/bin/study
	$(call study,reset $*)

## merge06: bring into your copy what has changed in the exercise since
$(merge_targets): merge%: $(B)/bin/study
	$(call study,merge $*)

unknown := $(filter-out $(lesson_targets_all),$(filter $(addsuffix %,$(verbs)),$(MAKECMDGOALS)))
$(unknown):
	@echo 'There is no $@: `make list` shows the lessons.' >&2; exit 2

## progress: what is done, half done and untouched, your points, and what is next
progress: $(B)/bin/study
	$(call study,progress)

# WSL has a NAME of its own in the environment.
## submit: pack your work into one file to hand in (NAME=you)
submit: | $(B)/state
	$(if $(V),,@)NAME='$(if $(filter command,$(origin NAME)),$(subst ','\'',$(NAME)))' tools/submit $(B)/submit $(version) $(lessons) $(or_reader_left)

# A class is judged on the simulator unless a GPU is asked for: the simulator needs none, says the same each time, and
# cannot be talked to by what it judges.
class_lessons = $(if $(LESSONS),$(filter $(foreach l,$(subst $(comma), ,$(LESSONS)),$(l) $(l)-% 0$(l)-%),$(lessons)),$(lessons))
comma := ,
## grade: grade a class (SUBMISSIONS=folder-or-archive LESSONS="03 06" OUT=grades RUBRIC= ROSTER= TIMES= ENGINE=slurm NO_SANDBOX=1 TIME_LIMIT=s BACKEND=sim|cuda|both)
.PHONY: grade
grade: all $(B)/bin/batch $(B)/bin/exports $$(if $$(filter cuda both,$$(BACKEND)),$$(foreach l,$$(class_lessons),$$(call gpu_lesson_files,$$(l))))
	$(if $(V),,@)$(if $(SUBMISSIONS),,echo 'grade: whose work? SUBMISSIONS=folder-or-archive' >&2; exit 2;) \
	  $(B)/bin/batch $(call option,lessons,$(LESSONS)) $(call option,out,$(OUT)) $(call option,rubric,$(RUBRIC)) $(call option,times,$(TIMES)) \
	  $(call option,roster,$(ROSTER)) $(call option,seed,$(SEED)) $(call option,engine,$(ENGINE)) $(call option,feedback,$(FEEDBACK)) \
	  $(call option,backend,$(BACKEND)) $(call option,jobs,$(JOBS)) $(call option,time-limit,$(TIME_LIMIT)) \
	  $(if $(NO_SANDBOX),--no-sandbox) -- '$(subst ','\'',$(SUBMISSIONS))'
## appeal: judge a disputed file again and compare the verdicts (OUT=grades STUDENT=anna LESSON=03 KEY=)
.PHONY: appeal
appeal: all $(B)/bin/batch
	$(if $(V),,@)$(if $(and $(STUDENT),$(LESSON)),,echo 'appeal: whose verdict? STUDENT=anna LESSON=03' >&2; exit 2;) \
	  $(B)/bin/batch $(if $(NO_SANDBOX),--no-sandbox) --replay='$(subst ','\'',$(STUDENT)/$(LESSON)$(if $(KEY),/$(KEY)))' -- $(graded_class)
## exports: make what a graded class's results are for others anew: gradebook, Canvas, Moodle, pages … (OUT=grades)
## leaderboard: who is nearest to the reference's pace, as a page (OUT=grades; NAMES=no leaves names out of the file)
.PHONY: exports leaderboard
exports: $(B)/bin/exports
	$(if $(V),,@)$(B)/bin/exports -- $(graded_class) && echo 'Written: $(or $(OUT),grades)/class.html, leaderboard.html, exports/'
leaderboard: $(B)/bin/exports
	$(if $(V),,@)$(B)/bin/exports --leaderboard $(if $(filter no,$(NAMES)),--no-names) -- $(graded_class) > $(B)/leaderboard.$$$$ && \
	  mv $(B)/leaderboard.$$$$ $(graded_class)/leaderboard.html && echo $(graded_class)/leaderboard.html || \
	  { s=$$?; rm -f $(B)/leaderboard.$$$$; exit $$s; }
## autograder: pack what a platform grades with (PLATFORM=gradescope|autolab|classroom|prairielearn LESSONS="03" RUBRIC= SEED= LATE=platform|rubric)
.PHONY: autograder
autograder: $(B)/bin/pack
	$(if $(V),,@)LESSONS='$(LESSONS)' RUBRIC='$(subst ','\'',$(RUBRIC))' SEED='$(SEED)' FEEDBACK='$(FEEDBACK)' IMAGE='$(IMAGE)' REPOSITORY='$(REPOSITORY)' LATE='$(LATE)' \
	  tools/autograder '$(PLATFORM)'
graded_class = '$(subst ','\'',$(or $(OUT),grades))'

## similar: which of a class's files are alike (SUBMISSIONS=folder-or-archive LESSONS="03 06" OUT=grades ROSTER=)
.PHONY: similar
similar: all $(B)/bin/batch
	$(if $(V),,@)$(if $(SUBMISSIONS),,echo 'similar: whose work? SUBMISSIONS=folder-or-archive' >&2; exit 2;) \
	  $(B)/bin/batch --similar $(call option,lessons,$(LESSONS)) $(call option,out,$(OUT)) $(call option,roster,$(ROSTER)) \
	  -- '$(subst ','\'',$(SUBMISSIONS))'
option = $(if $(2),--$(1)='$(subst ','\'',$(2))')

# What needs more than lessons do.
check_goals := check check-units check-long
book_goals  := book
grade_goals := grade appeal similar exports leaderboard autograder bench-class
# The instructor's part and the book are tested where what they need is: no learner does.
ifneq ($(filter check check-units check-long,$(MAKECMDGOALS)),)
with_batch := $(if $(shell tools/setup --has grade && echo yes),$(B)/bin/batch $(B)/bin/exports $(B)/bin/pack $(B)/tests/fuzz/archive)
with_book := $(if $(shell tools/setup --has book && echo yes),book)
endif
# A name of its own, so that `make -n check` does not run it.
make_apart := $(MAKE)
## check: run all tests
check: all $(tests) $$(with_batch)
	@$(if $(with_book),BOOK='$(make_apart) -j2 $(with_book)') tests/run

# Needs gcc, nvcc and a card, and nothing that is built here.
## check-long: tests that take long, planted bugs, mutants, and the verdicts of all lessons with many seeds each (SEEDS=1000): hours
.PHONY: check-long
check-long: all $(tests) $$(with_batch) $$(with_book)
	@LONG=1 tests/run $(if $(with_batch),tests/batch/term.sh) tests/sim/threads.sh tests/sim/fidelity.sh tests/sim/family.sh $(if $(with_book),tests/book/again.sh)
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
.PHONY: check-units check-sanitize
sanitize := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined
check-sanitize:
	@$(MAKE) B=$(B)/asan CFLAGS='$(sanitize)' check-units
check-units: $(patsubst %.c,$(B)/%,$(units) $(filter-out tests/fuzz/archive.c,$(fuzz))) $$(with_batch)
	@B=$(B) tests/run test_ tests/fuzz

## fuzz: feed made-up bytes to all that reads a stranger's (SECONDS=600 each, FUZZ="log archive"): needs clang
.PHONY: fuzz fuzzers
fuzz: with := $(sanitize) -fsanitize=fuzzer-no-link -DFUZZING
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

# Both need gcc, nvcc and a card; the second one the simulator, too.
## facts: measure your card: a table, and what `make profile` takes (FACTS=build/facts.json, NVCC=nvcc): a minute
.PHONY: facts fidelity
facts:
	@NVCC='$(NVCC)' tools/facts/run card '$(if $(filter command,$(origin FACTS)),$(FACTS),$(B)/facts.json)'

## fidelity: time scenarios on your card and on the simulator (NVCC, SIM_PROFILE): build/fidelity.md and .svg
fidelity: $(toolchain) $(B)/gpu/compare
	@NVCC='$(NVCC)' tests/gpu/fidelity/run card > $(B)/fidelity.card && \
	  tests/gpu/fidelity/run simulator > $(B)/fidelity.simulator && \
	  { $(B)/gpu/compare $(B)/fidelity.card $(B)/fidelity.simulator tests/gpu/fidelity/known $(B)/fidelity.svg \
	    > $(B)/fidelity.md; s=$$?; tail -n 1 $(B)/fidelity.md; exit $$s; }

$(B)/gpu/compare: tests/gpu/compare.c | $(setup)
	$(prepare)
	$(call quiet,CC,$<) $(compile_c) $(LDFLAGS) -o $@ $< -lm $(LDLIBS)

# The card goes where CARD says, whole or not at all.
## profile: write the card that measured facts make (FACTS=facts/h200.json, CARD=build/h200.card)
.PHONY: profile
FACTS ?= facts/h200.json
CARD ?= $(B)/$(notdir $(basename $(FACTS))).card
profile: $(B)/bin/profile
	@$(B)/bin/profile '$(FACTS)' > '$(CARD).new' && mv '$(CARD).new' '$(CARD)' && echo "$(CARD): try SIM_PROFILE=$(CARD)" || \
	  { rm -f '$(CARD).new'; exit 2; }

## figures: take pictures, listings and messages in the chapters anew
.PHONY: figures
figures: pictures lessons/06-overlap/published.svg
	@for l in $(lessons); do cmp -s $(book)/pictures/$$l/chapter.md lessons/$$l/chapter.md || \
	  cp $(book)/pictures/$$l/chapter.md lessons/$$l/chapter.md || exit 1; done
lessons/06-overlap/published.svg: $(B)/tests/model/published facts/published.txt
	$(call quiet,DRAW,$@) $< > $@

## new-lesson: make the files of a new lesson, to be filled in (N=15 NAME=graph-memory)
.PHONY: new-lesson
new-lesson:
	@tools/new-lesson '$(subst ','\'',$(N))' '$(if $(filter command,$(origin NAME)),$(subst ','\'',$(NAME)))'

## book: the chapters as a site, an EPUB and a PDF, in build/book
.PHONY: book
book: $(book)/streams-workbook.epub $(book)/streams-workbook.pdf
	@echo 'Read $(book)/site/index.html, $(book)/streams-workbook.epub or $(book)/streams-workbook.pdf.'

## simcc: build the compiler for machines with no GPU, build/bin/simcc, and build/bin/timeline, which draws
simcc: $(installed:%=$(B)/bin/%) $(toolchain) $(call prelude,O2+g)
## all: build everything but the tests
all: $(programs) $(toolchain) $(foreach p,$(preludes),$(call prelude,$(p))) $$(foreach l,$(lessons),$$(call lesson_files,$$(l)))

## compile_commands.json: tell editors (clangd) how files are compiled
compile_commands.json: $(B)/state/sources $(B)/state/flags tools/commands
	$(call quiet,WRITE,$@) tools/commands '$(subst ','\'',$(cc))' $(sources) $(units) $(helpers) $(lessons:%=work/%.cu) \
	  $(sort $(wildcard exercises/*.cu solutions/*.cu lessons/*/*.cu tests/wrong/*/*.cu tests/styles/*/*.cu)) > $@

# simcc finds its headers and libraries by its own place, so that they move together.
home := $(DESTDIR)$(prefix)/lib/streams-workbook
pkgconfig = $(DESTDIR)$(prefix)/lib/pkgconfig
## install: put simcc and timeline into $(prefix)/bin (prefix, DESTDIR are yours to set)
install: simcc
	install -d '$(DESTDIR)$(prefix)/bin'
	@$(foreach f,$(installed:%=$(B)/bin/%),install -D $(f) '$(home)/$(f:$(B)/%=build/%)' &&) \
	  $(foreach f,$(filter-out $(B)/bin/%,$(toolchain)),install -D -m 644 $(f) '$(home)/$(f:$(B)/%=build/%)' &&) \
	  for f in $(B)/lib/prelude/O2+g/*; do [ ! -e $$f ] || install -D -m 644 $$f '$(home)'/build/lib/prelude/O2+g/$${f##*/} || exit 2; done && \
	  install -d '$(pkgconfig)' && tools/pkgconfig '$(prefix)' '$(version)' > '$(pkgconfig)/simcc.pc' && chmod 644 '$(pkgconfig)/simcc.pc' && \
	  $(foreach p,$(installed),ln -sf ../lib/streams-workbook/build/bin/$(p) '$(DESTDIR)$(prefix)/bin/$(p)' &&) \
	  echo 'Installed: $(installed:%=$(DESTDIR)$(prefix)/bin/%)'

## uninstall: take them away again
uninstall:
	rm -rf '$(home)' $(installed:%='$(DESTDIR)$(prefix)/bin/%') '$(pkgconfig)/simcc.pc'

name := streams-workbook-$(version)
## dist: pack what is committed: build/streams-workbook-VERSION.tar.gz
dist: | $(B)/state
	git archive --prefix=$(name)/ -o $(B)/$(name).tar.gz HEAD

## bundle: pack what is built for a machine where nothing can be installed: build/streams-workbook-VERSION-bundle.tar.gz
.PHONY: bundle
bundle: all $(addprefix $(B)/static/,simcc grade study timeline nodes)
	@tools/bundle $(name)-bundle

## distcheck: unpack that elsewhere and run its tests
distcheck: dist
	rm -rf $(B)/distcheck && mkdir $(B)/distcheck && tar -xzf $(B)/$(name).tar.gz -C $(B)/distcheck
	$(MAKE) -C $(B)/distcheck/$(name) check
	rm -rf $(B)/distcheck

## clean: remove what was made (your files in work/ stay)
clean:
	rm -rf $(B)

# ---- state: what is no file but must cause work when it changes -------------

# $(call keep,NAME,TEXT): build/state/NAME is made anew when TEXT has changed. (make 4.3 leaves the newline at the end of some
# files that it reads.)
define keep
$(1)_text := $(2)
ifneq ($$(strip $$(if $$(wildcard $(B)/state/$(1)),$$(file < $(B)/state/$(1)))),$$(strip $$($(1)_text)))
$(B)/state/$(1): FORCE
endif
$(B)/state/$(1): | $(B)/state
	@printf '%s\n' '$$(subst ','\'',$$($(1)_text))' > $$@
endef
# The simulator includes the headers that it offers; what it shows of itself, visible.h says.
simulator_flags := -Icommon/sim/include -include sim/visible.h
inner_flags := -fvisibility=hidden
$(eval $(call keep,flags,$(CC) $(CXX) $(flags) $(simulator_flags) $(inner_flags) $(CFLAGS) $(CXXFLAGS) $(LDFLAGS) $(LDLIBS)))
$(eval $(call keep,sources,$(sources) $(cards)))

# A dozen files of a room are one unit for the compiler, which reads their headers once: build/unity/sim-2.c includes the
# second dozen of the simulator's. That is why a name at file level is unique in its room (tests/model/compilers.sh).
define unit
$(call keep,unity-$(1),$(2))
$(B)/unity/$(1).c: $(B)/state/unity-$(1)
	$$(prepare)
	@printf '#include "%s"\n' $(2) > $$@.$$$$$$$$ && $$(place)
endef
# $(call unity,NAME,FILES): their objects.
unity = $(if $(2),$(eval $(call unit,$(1)-$(words $(3) x),$(wordlist 1,12,$(2))))$(B)/obj/unity/$(1)-$(words $(3) x).o \
	$(call unity,$(1),$(wordlist 13,$(words $(2)),$(2)),$(3) x))
trace_objects   := $(call unity,trace,$(trace))
model_objects   := $(call unity,model,$(model)) $(B)/obj/cards.o
sim_objects     := $(call unity,sim,$(sim))
simcc_objects   := $(call unity,simcc,$(filter common/sim/simcc%,$(simcc)))
rewrite_objects := $(call unity,rewrite,$(filter-out common/sim/simcc%,$(simcc)))
grader_objects  := $(call unity,grader,$(filter-out $(mains),$(grader)))
class_objects   := $(foreach r,batch export,$(call unity,class-$(r),$(filter grader/$(r)/%,$(class))))
batch_objects   := $(call unity,batch,$(filter-out $(class) $(mains),$(batch)))
export_objects  := $(call unity,export,$(filter-out $(class) $(mains),$(export)))
checks_objects  := $(foreach l,$(lessons),$(call unity,$(l),$(filter lessons/$(l)/%,$(checks))))

$(B)/state:
	@mkdir -p $@ 2> /dev/null && [ -w $@ ] || { $(unwritable); }

# The compiler and the libraries: installed, or named; all that this make needs at once, by the first who needs some.
$(B)/state/setup-%: tools/setup $(B)/state/flags
	@CC='$(CC)' CXX='$(CXX)' AR='$(AR)' CPPFLAGS='$(CPPFLAGS)' YES='$(YES)' tools/setup $* $(needed_too) && touch $@ \
	  $(if $(owner),&& chown -h --reference=. $@)
$(B)/state/setup-lesson: private needed_too := $(foreach n,check book grade,$(if $(filter $($(n)_goals),$(MAKECMDGOALS)),$(n)))
$(patsubst %,$(B)/state/setup-%,check book grade): | $(B)/state/setup-lesson

# A compiler that fails may be gone: probe again next time.
or_look_again = || { rm -f $(B)/state/setup-*; exit 1; }

# ---- tables -----------------------------------------------------------------

$(B)/cards.c: $(cards) tools/embed $(B)/state/sources
	$(call quiet,WRITE,$@) tools/embed $(cards) > $@.$$$$ && $(place)

$(B)/lessons.c: $(B)/state/sources
	$(call quiet,WRITE,$@) { echo '#include "grader/lessons.h"'; \
	  for n in $(numbers); do echo "extern const struct lesson lesson_$$n;"; done; \
	  echo 'const struct lesson *const lessons[] = {'; \
	  for n in $(numbers); do echo "    &lesson_$$n,"; done; \
	  echo '};'; echo 'const size_t lesson_count = sizeof lessons / sizeof *lessons;'; } > $@.$$$$ && $(place)

# What pages and schemas are made of, as strings.
embedded := page_style grader/export/page.css page_script grader/export/page.js grades_schema grader/export/grades.schema.json
$(B)/exports.c: $(filter grader/%,$(embedded)) tools/embed-text
	$(prepare)
	$(call quiet,WRITE,$@) tools/embed-text $(embedded) > $@.$$$$ && $(place)

# ---- objects, libraries, programs -------------------------------------------

ifeq ($(bundled),)
alone = $(mains) $(figure) $(tools) $(units) $(helpers) $(wildcard tools/bench/*.c) $(intake)
compiled = $(trace_objects) $(model_objects) $(sim_objects) $(simcc_objects) $(rewrite_objects) $(grader_objects) $(class_objects) \
	$(batch_objects) $(export_objects) $(checks_objects) $(call object,$(alone)) $(B)/obj/lessons.o $(B)/obj/exports.o
$(batch_objects) $(export_objects) $(call object,$(filter-out $(class),$(batch) $(export))): | $(B)/state/setup-grade

$(B)/obj/%.o: %.c $(B)/state/flags | $(setup)
	$(prepare)
	$(call quiet,CC,$<) $(compile_c) $(depend) -c -o $@.$$$$ $< && $(place_depend) $(or_look_again)
$(B)/obj/%.o: $(B)/%.c $(B)/state/flags | $(setup)
	$(prepare)
	$(call quiet,CC,$<) $(compile_c) $(depend) -c -o $@.$$$$ $< && $(place_depend) $(or_look_again)

# simcc calls the compiler that the workbook was set up with.
$(simcc_objects): private flags += -DSIMCC_CXX='$(foreach w,$(CXX),"$(w)",)'
$(sim_objects): private flags += $(simulator_flags)
$(sim_objects) $(model_objects) $(trace_objects): private flags += $(inner_flags)

$(B)/lib/libtrace.a: $(trace_objects)
$(B)/lib/libmodel.a: $(model_objects)
# For programs: one object, its inner names local, without what a debugger knows of it: each would be six times as large.
$(B)/lib/libsim.a: $(B)/obj/sim.o
# Linker scripts: code of the device is linked with the rest.
$(stand_ins):
	$(prepare)
	@echo '$(if $(filter %devrt.a,$@),/* nothing */,INPUT ( libsim.a ))' > $@.$$$$ && $(place)
$(B)/lib/libparts.a: $(sim_objects)
$(B)/obj/sim.o: $(B)/lib/libparts.a $(B)/lib/libmodel.a $(B)/lib/libtrace.a
	$(call quiet,LINK,$@) $(join) -r -nostdlib -o $@.$$$$ -Wl,--whole-archive $< -Wl,--no-whole-archive $(filter-out $<,$^) && \
	  $(OBJCOPY) --localize-hidden --strip-debug $@.$$$$ && $(place)
$(B)/lib/libfigure.a: $(call object,$(figure))
$(B)/lib/librewrite.a: $(rewrite_objects)
$(B)/lib/libgrader.a: $(grader_objects) $(checks_objects) $(B)/obj/lessons.o
$(B)/lib/libclass.a: $(class_objects)
$(B)/lib/libbatch.a: $(batch_objects)
$(B)/lib/libexport.a: $(export_objects) $(B)/obj/exports.o
$(B)/lib/lib%.a: $(B)/state/sources
	$(prepare)
	$(call quiet,AR,$@) $(AR) qcs $@.$$$$ $(filter %.o,$^) && $(place)

$(B)/lib/prelude/%/calls: $(B)/bin/simcc $(wildcard common/sim/include/*.h)
	@rm -rf $(@D)
	$(call quiet,HEADERS,$(@D)) mkdir -p $(@D).$$$$ && $(B)/bin/simcc --prelude $(@D).$$$$ $(options_$*) && mv $(@D).$$$$ $(@D) || { rm -rf $(@D).$$$$; false; }

$(B)/bin/simcc $(B)/static/simcc: $(simcc_objects) $(B)/lib/librewrite.a $(B)/lib/libtrace.a
$(B)/bin/grade $(B)/static/grade: $(B)/obj/grader/grade.o $(B)/lib/libgrader.a $(B)/lib/libmodel.a $(B)/lib/libtrace.a
$(B)/bin/timeline $(B)/static/timeline: $(B)/obj/grader/timeline.o $(B)/lib/libgrader.a $(B)/lib/libmodel.a $(B)/lib/libtrace.a
$(B)/bin/study $(B)/static/study: $(B)/obj/grader/study.o $(B)/lib/libgrader.a $(B)/lib/libmodel.a $(B)/lib/libtrace.a
$(B)/bin/seeds: $(B)/obj/tools/seeds.o $(B)/lib/libgrader.a $(B)/lib/libmodel.a $(B)/lib/libtrace.a
$(B)/bin/profile: $(B)/obj/tools/profile.o $(B)/lib/libmodel.a $(B)/lib/libtrace.a
$(B)/bin/nodes $(B)/static/nodes: $(B)/obj/tools/nodes.o $(B)/lib/libmodel.a $(B)/lib/libtrace.a
$(B)/bin/batch: $(call object,grader/batch/batch.c) $(B)/lib/libexport.a $(B)/lib/libbatch.a $(B)/lib/libclass.a $(B)/lib/libgrader.a \
	$(B)/lib/libmodel.a $(B)/lib/libtrace.a
$(B)/bin/exports: $(call object,grader/export/exports.c) $(B)/lib/libexport.a $(B)/lib/libbatch.a $(B)/lib/libclass.a \
	$(B)/lib/libgrader.a $(B)/lib/libmodel.a $(B)/lib/libtrace.a
$(B)/bin/pack: $(call object,grader/export/pack.c) $(B)/lib/libgrader.a $(B)/lib/libmodel.a $(B)/lib/libtrace.a
$(foreach p,grade timeline study,$(B)/bin/$(p) $(B)/static/$(p)) $(B)/bin/seeds: libraries := -ljansson
$(B)/bin/batch $(B)/bin/exports: libraries := -ljansson -larchive -lseccomp -lelf -lmd -lz -lm
$(B)/bin/pack: libraries := -ljansson -larchive
$(B)/bin/profile: libraries := -ljansson -lm
$(B)/bin/%:
	$(prepare)
	$(call quiet,LINK,$@) $(link) -o $@.$$$$ $(filter %.o %.a,$^) $(libraries) $(LDLIBS) && $(place)

# For machines that have not the same libraries.
$(B)/static/%:
	$(prepare)
	$(call quiet,LINK,$@) $(link) -static -o $@.$$$$ $(filter %.o %.a,$^) $(libraries) $(LDLIBS) && $(place)
else
# A rule each: make 4.4 makes all targets of a pattern rule when one is missing.
not_here = @echo 'make $(firstword $(MAKECMDGOALS)) takes the whole workbook: this is a bundle of it, which has no $@.' >&2; exit 2
$(foreach p,$(B)/obj/%.o $(B)/bin/% $(B)/static/% $(B)/lib/%.a book/% tools/%,$(eval $(p):; $$(not_here)))
endif

# ---- lessons ----------------------------------------------------------------

# Build options in a file's first lines (grader/submission.h).
build_line = $(shell sed -n '1,10s,^ *// build:,,p' $(1))

# $(call lesson_rules,NN-name): its driver, and its solution built with that.
define lesson_rules
$(B)/lessons/$(1)/driver.o: lessons/$(1)/driver.cu $(wildcard lessons/$(1)/*.h) $(toolchain) | $(call prelude,Og+g1)
	$$(prepare)
	$$(call quiet,SIMCC,$$<) $(B)/bin/simcc $(lesson_options) -Icommon -Ilessons/$(1) -c -o $$@.$$$$$$$$ $$< && $$(place)
$(B)/lessons/$(1)/reference: solutions/$(1).cu $(B)/lessons/$(1)/driver.o $(wildcard lessons/$(1)/*.h) $(toolchain) | $$$$(call lesson_prelude,$(1))
	$$(call quiet,SIMCC,$$<) $(B)/bin/simcc $(lesson_options) --hazards=calls -Icommon -Ilessons/$(1) $$(call build_line,$$<) -o $$@.$$$$$$$$ $$< $(B)/lessons/$(1)/driver.o && $$(place)
endef
$(foreach l,$(lessons),$(eval $(call lesson_rules,$(l))))

# ---- book -------------------------------------------------------------------

book_sources := $(sort $(wildcard book/*.tsv book/book.yaml book/filter/*.lua book/templates/* book/style/* book/explore/* book/front/*.md \
	book/back/*.md)) $(lessons:%=lessons/%/chapter.md) facts/h200.json facts/h200-fidelity.md facts/published.txt VERSION
# All that is made bears the day that book.yaml has.
dated = SOURCE_DATE_EPOCH=$$(date -u -d "$$(sed -n 's/^date: //p' book/book.yaml)" +%s)

# A chapter with its timelines and all else that runs say, taken anew when it or a program has changed, or when they are
# gone: the book shows the timelines, and tests/lessons/figures.sh that the chapter says the same.
pictures := $(lessons:%=$(book)/pictures/%/drawn)
$(book)/pandoc.epub: $(if $(filter-out $(wildcard $(pictures)),$(pictures)),FORCE)
.PHONY: pictures
pictures: $(pictures)
$(book)/pictures/%/drawn: lessons/%/chapter.md $$(wildcard lessons/$$*/*.cu lessons/$$*/*.h tests/wrong/$$*/*) tools/figures $(toolchain) \
		$(B)/bin/grade $(B)/bin/timeline $$(call lesson_files,$$*) $(call prelude,O2+g)
	@rm -rf $(@D) && mkdir -p $(@D)
	$(call quiet,DRAW,$(@D)) tools/figures --pictures $(@D) $< > $(@D)/chapter.md && touch $@

$(book)/ours.txt: $(B)/tests/model/published facts/published.txt
	$(prepare)
	$(call quiet,WRITE,$@) $< ours > $@

# The device that figures can be played with on: a script, since a page from a disk may load nothing else.
$(book)/figure-wasm.js: tools/wasm $(call source,common/figure) $(wildcard common/figure/*.h common/figure/wasm/*) $(model) $(trace) \
		$(wildcard common/model/*.h common/trace/*.h) $(B)/cards.c | $(B)/state/setup-book
	$(prepare)
	$(call quiet,WASM,$@) tools/wasm $(@D)/figure.wasm && \
	  { printf 'window.bookFigureWasm = "'; base64 -w 0 $(@D)/figure.wasm; printf '";\n'; } > $@

# The site is made on the way to the EPUB.
$(book)/pandoc.epub: $(book)/figure-wasm.js $(book_sources) $(book)/ours.txt $(pictures) | $(B)/state/setup-book
	@rm -rf $(book)/site && mkdir -p $(book)/site
	$(call quiet,PANDOC,$(book)/site) BOOK=$(book) BOOK_VERSION=$(version) BOOK_FRONT='$(sort $(wildcard book/front/*.md))' \
	  BOOK_LESSONS='$(lessons:%=lessons/%/chapter.md)' BOOK_BACK='$(sort $(wildcard book/back/*.md))' \
	  BOOK_EXPLORE='$(sort $(wildcard book/explore/*.js))' $(dated) pandoc --lua-filter=book/filter/book.lua -f markdown -t epub3 \
	  --metadata-file=book/book.yaml --epub-cover-image=$(book)/cover.svg --css=book/style/epub.css --toc-depth=2 -o $@ /dev/null
	@cp $(filter book/style/%,$(filter-out %/epub.css,$^)) $(filter book/explore/%,$^) $(book)/figure-wasm.js $(book)/site

$(book)/streams-workbook.epub: $(book)/pandoc.epub book/tools/pack
	$(call quiet,EPUB,$@) $(dated) book/tools/pack $< $@

$(book)/fitted.css: $(book)/pandoc.epub book/tools/fit
	$(call quiet,FIT,$@) book/tools/fit $(book)/site/print.html $@

$(book)/streams-workbook.pdf: $(book)/fitted.css
	$(call quiet,PDF,$@) $(dated) weasyprint --quiet --stylesheet $< $(book)/site/print.html $@

# ---- the same for a GPU -----------------------------------------------------

with_nvcc = NVCC='$(nvcc_found) $(wordlist 2,99,$(NVCC))' tools/nvcc --keep $@ -O1 -g -lineinfo -Xcompiler -pthread -Icommon

$(G)/card: tools/card.cu tools/nvcc
	$(call quiet,NVCC,$<) $(with_nvcc) -std=c++17 $<
$(G)/streams.o $(G)/driver.o: $(G)/%.o: common/%.cu tools/nvcc $(wildcard common/*.h)
	$(call quiet,NVCC,$<) $(with_nvcc) -std=c++17 -c $<

define gpu_lesson_rules
$(G)/$(1)/driver.o: lessons/$(1)/driver.cu tools/nvcc $(wildcard lessons/$(1)/*.h common/*.h)
	$$(call quiet,NVCC,$$<) $$(with_nvcc) -std=c++17 -Ilessons/$(1) -Dmain=driver_main -c $$<
$(G)/$(1)/reference: solutions/$(1).cu $(G)/$(1)/driver.o $(G)/streams.o $(G)/driver.o $(wildcard lessons/$(1)/*.h)
	$$(call quiet,NVCC,$$<) $$(with_nvcc) $$(if $$(findstring -std=,$$(call build_line,$$<)),,-std=c++17) -Ilessons/$(1) \
	  $$(call build_line,$$<) $$(filter %.cu %.o,$$^) -ldl
endef
$(if $(gpu),$(foreach l,$(lessons),$(eval $(call gpu_lesson_rules,$(l)))))

# The driver loads the recorder into programs (CUDA_INJECTION64_PATH); it looks CUPTI up there: headers are enough.
toolkit := $(if $(gpu),$(patsubst %/,%,$(dir $(patsubst %/,%,$(dir $(realpath $(nvcc_found)))))))
cupti_headers := $(if $(gpu),$(firstword $(patsubst %/cupti.h,%,$(wildcard $(addsuffix /cupti.h,$(toolkit)/include \
	$(toolkit)/extras/CUPTI/include /usr/local/cuda/include /usr/local/cuda/extras/CUPTI/include /usr/include)))))
in_recorder := $(call source,common/cupti) $(addprefix common/trace/,call.c log.c seal.c timeline.c memory.c memory_hosted.c)
$(B)/lib/librecorder.so: $(in_recorder) $(wildcard common/cupti/*.h common/trace/*.h common/*.h) | $(setup)
	$(prepare)
	@rm -f $@.trouble
	$(if $(cupti_headers),$(call quiet,CC,$@) $(compile_c) -fPIC -shared -fvisibility=hidden -I$(cupti_headers) -I$(toolkit)/include \
	  -o $@.$$$$ $(in_recorder) -ldl -lpthread 2> $@.said && rm -f $@.said && $(place) || \
	  { grep -m 1 'error' $@.said > $@.trouble || echo 'it could not be built' > $@.trouble; rm -f $@ $@.$$$$; },\
	  @echo 'the header cupti.h is missing: install the CUDA toolkit whole, or its package cuda-cupti-dev' > $@.trouble)


# ---- bench ------------------------------------------------------------------

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

# ---- tests ------------------------------------------------------------------

room_libraries = $(if $(filter batch export fuzz,$(1)),$(B)/lib/libclass.a) $(if $(filter batch export fuzz grader lessons,$(1)),$(B)/lib/libgrader.a) \
	$(if $(filter figure,$(1)),$(B)/lib/libfigure.a) $(if $(filter sim fuzz,$(1)),$(B)/lib/librewrite.a) \
	$(if $(filter sim,$(1)),$(B)/lib/libparts.a) \
	$(B)/lib/libmodel.a $(B)/lib/libtrace.a

define test_rules
$(B)/$(basename $(1)): $(call object,$(1)) $(call room_libraries,$(word 2,$(subst /, ,$(1))))
	$$(prepare)
	$$(call quiet,LINK,$$@) $$(link) -o $$@.$$$$$$$$ $$(filter %.o,$$^) $$(filter %.a,$$^) -lcmocka -ljansson -lm $$(libraries) $$(LDLIBS) && $$(place)
endef
$(B)/tests/fuzz/archive: $(call object,$(intake))
$(B)/tests/fuzz/archive: libraries := -larchive -lmd
$(foreach t,$(units) $(helpers),$(eval $(call test_rules,$(t))))
$(call object,$(units) $(helpers)): | $(if $(bundled),,$(B)/state/setup-check)

-include $(patsubst %.o,%.d,$(compiled))
