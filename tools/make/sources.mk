# SPDX-License-Identifier: MIT
# What there is: sources, lessons, cards, programs, found by wildcard. Included by the Makefile.

source = $(sort $(wildcard $(1)/*.c))
object = $(addprefix $(B)/obj/,$(addsuffix .o,$(basename $(1))))

trace   := $(foreach r,record order draw,$(call source,common/trace/$(r)))
model   := $(call source,common/model) $(call source,common/model/hosted)
simcc_rooms := common/simcc $(addprefix common/simcc/,process rewrite rewrite/ptx rewrite/disjoint rewrite/cut rewrite/space)
simcc   := $(foreach r,$(simcc_rooms),$(call source,$(r)))
sim_rooms := common/sim $(addprefix common/sim/,memory fiber race/seen race host crash openmp kernel texture poll graph api api/memory api/graph)
sim     := $(foreach r,$(sim_rooms),$(call source,$(r)))
figure  := $(call source,common/figure)
grader_rooms := grader $(addprefix grader/,base sandbox run judge/termination judge/shared judge learner report grade)
grader  := $(foreach r,$(grader_rooms),$(call source,$(r)))
batch_rooms := $(addprefix grader/batch/,files intake jobs similar results) grader/batch
batch   := $(foreach r,$(batch_rooms),$(call source,$(r)))
export  := $(call source,grader/export)
# Those of them that need no library of their own.
class   := $(addprefix grader/batch/,intake/owner.c files/rubric.c files/dates.c files/roster.c files/csv.c similar/lexeme.c similar/similarity.c results/disclosure.c) \
	$(addprefix grader/export/,escape.c common_failures.c platforms.c)
intake  := $(addprefix grader/batch/,intake/intake.c intake/unpack.c intake/people.c intake/gradescope.c intake/sums.c files/encoding.c)
tools   := $(call source,tools)
mains   := grader/grade/grade.c grader/grade/timeline.c grader/grade/study.c grader/batch/batch.c grader/export/exports.c grader/export/pack.c
units   := $(sort $(wildcard tests/*/test_*.c tests/*/*/test_*.c))
helpers := $(filter-out $(units) tests/gpu/%,$(sort $(wildcard tests/*/*.c tests/sim/*/*.c tests/grader/*/*.c)))
# The parts of one of them.
family  := $(addprefix tests/sim/race/family/,known.c random.c text.c)
# Those of them that need what a class is graded with.
needs_more := tests/fuzz/archive.c tests/batch/filter.c tests/batch/people.c
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
# Headers precompiled for the options that lessons and programs from elsewhere are compiled with (common/simcc/prelude.h).
# Lessons: quick to compile, a line each, and with the C++ library's checks; the grader compiles with the same (grader/run/build.c).
lesson_options := -Og -g1 -D_GLIBCXX_ASSERTIONS
options_Og+g := $(lesson_options)
options_DCUDA_API_PER_THREAD_DEFAULT_STREAM-1+Og+g := $(lesson_options) --default-stream per-thread
# Programs from elsewhere: with no options, and with those that they have most.
options_O2+g := -O2 -g1
options_O3+g := -O3 -g1
options_O2+g+std-c++17 := -O2 -g1 -std=c++17
program_preludes := O2+g O3+g O2+g+std-c++17
preludes := $(patsubst options_%,%,$(filter options_%,$(.VARIABLES)))
prelude = $(B)/lib/prelude/$(1)/calls

# What build systems link with, by the names of NVIDIA's libraries.
stand_ins := $(addprefix $(B)/lib/,libcudart_static.a libcudart.a libcudadevrt.a libcuda.a)
# What compiles for the simulated device, and what links for it, too: compiling does not wait for the simulator.
compiler  := $(B)/bin/simcc $(wildcard common/*.h) $(shell find common/sim/include -type f ! -name README.md)
toolchain := $(compiler) $(B)/lib/libsim.a $(stand_ins)
lesson_files = $(addprefix $(B)/lessons/$(1)/,driver.o reference)
lesson_prelude = $(call prelude,$(if $(findstring per-thread,$(call build_line,solutions/$(1).cu)),DCUDA_API_PER_THREAD_DEFAULT_STREAM-1+)Og+g)
tests := $(patsubst %.c,$(B)/%,$(units) $(filter-out $(needs_more),$(helpers))) $(B)/gpu/compare $(B)/bin/seeds $(B)/bin/forged

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
	$(if $(filter watch%,$(graded_goals)),$(checks_objects) lessons.c lessons.o lessons study.o study, \
	    $(foreach l,$(lessons),$(if $(filter %$(firstword $(subst -, ,$(l))),$(graded_goals)),$(checks_of_$(l))))) \
	grade.o lesson.o cards.c lesson.c embedded.c embedded.o trace model sim.o sim grader simcc grade prelude driver reference.o reference \
	$(if $(wildcard $(patsubst lesson%,lessons/%-*/torch/grade.py,$(filter lesson%,$(graded_goals)))),nodes.o nodes))
endif
