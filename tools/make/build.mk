# SPDX-License-Identifier: MIT
# How objects, libraries, programs and lessons are made. Included by the Makefile.

# $(call keep,NAME,TEXT): build/state/NAME is made anew when TEXT has changed. (make 4.3 leaves the newline at the end of some
# files that it reads.)
define keep
$(1)_text := $(2)
ifneq ($$(strip $$(if $$(wildcard $(B)/state/$(1)),$$(file < $(B)/state/$(1)))),$$(strip $$($(1)_text)))
$(B)/state/$(1): FORCE
endif
$(B)/state/$(1): | $(B)/state
	@text='$$(subst ','\'',$$($(1)_text))'; [ -e $$@ ] && [ "$$$$(cat $$@)" = "$$$$text" ] || printf '%s\n' "$$$$text" > $$@
endef
# The simulator includes the headers that it offers; what it shows of itself, visible.h says.
simulator_flags := -Icommon/sim/include -include sim/visible.h
inner_flags := -fvisibility=hidden
# $(call text_of,NAMES): how variables are written, for keep: what a recipe says is looked at as what it reads is.
text_of = $(foreach v,$(1),$(subst $(newline), ,$(subst #,,$(subst $$,,$(value $(v))))))
define newline


endef
$(eval $(call keep,flags,$(CC) $(CXX) $(flags) $(simulator_flags) $(inner_flags) $(CFLAGS) $(CXXFLAGS) $(LDFLAGS) $(LDLIBS) $(level) \
	$(call text_of,cc compile_c compile_cxx depend)))
$(eval $(call keep,sources,$(sources) $(cards)))

# Twenty files of a room are one unit for the compiler, which reads their headers once: build/unity/common-sim-api-2.c includes the
# second twenty of common/sim/api. That is why a name at file level is unique in its room (tests/model/compilers.sh). It is made anew
# when the files are others.
hash := \#
define unit
$(1)_text := $(2:%=$$(hash)include "%")
ifneq ($$(strip $$(if $$(wildcard $(B)/unity/$(1).c),$$(file < $(B)/unity/$(1).c))),$$($(1)_text))
$(B)/unity/$(1).c: FORCE
endif
$(B)/unity/$(1).c: | $(B)/unity
	@printf '#include "%s"\n' $(2) > $$@.$$$$$$$$ && if [ -e $$@ ] && cmp -s $$@.$$$$$$$$ $$@; then rm $$@.$$$$$$$$; else $$(place); fi
endef
# $(call unity,NAME,FILES): their objects.
unity = $(if $(2),$(eval $(call unit,$(1)-$(words $(3) x),$(wordlist 1,20,$(2))))$(B)/obj/unity/$(1)-$(words $(3) x).o \
	$(call unity,$(1),$(wordlist 21,$(words $(2)),$(2)),$(3) x))
# $(call rooms,FOLDERS,FILES): the objects of those of the files that lie in the folders, each folder's by itself.
# A third argument tells them from other objects of the same folder.
rooms = $(foreach r,$(1),$(call unity,$(subst /,-,$(r))$(if $(3),-$(3)),$(filter $(wildcard $(r)/*.c),$(2))))
record_objects  := $(call rooms,common/trace/record,$(trace))
trace_objects   := $(record_objects) $(call rooms,$(addprefix common/trace/,order draw),$(trace))
model_objects   := $(call unity,model,$(model)) $(B)/obj/cards.o
sim_objects     := $(call rooms,$(sim_rooms),$(sim))
simcc_objects   := $(call rooms,common/simcc common/simcc/process,$(simcc))
rewrite_objects := $(call rooms,common/simcc/rewrite common/simcc/rewrite/ptx common/simcc/rewrite/disjoint common/simcc/rewrite/cut common/simcc/rewrite/space,$(simcc))
grader_objects  := $(call rooms,$(grader_rooms),$(filter-out $(mains),$(grader)))
class_objects   := $(call rooms,$(addprefix grader/,batch/files batch/intake batch/similar batch/results export),$(class),class)
batch_objects   := $(call rooms,$(batch_rooms),$(filter-out $(class) $(mains),$(batch)))
export_objects  := $(call rooms,grader/export,$(filter-out $(class) $(mains),$(export)))
$(foreach l,$(lessons),$(eval checks_of_$(l) := $(call unity,$(l),$(filter lessons/$(l)/%,$(checks)))))
checks_objects  := $(foreach l,$(lessons),$(checks_of_$(l)))

$(B)/state $(B)/unity:
	@mkdir -p $@ 2> /dev/null && [ -w $@ ] || { $(unwritable); }
# One of them says it, where there cannot be any.
$(B)/unity: | $(B)/state

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

# All lessons, or the one that a grader of its own is made for.
$(B)/lessons.c: table := $(numbers)
$(foreach n,$(numbers),$(eval $(B)/table/$(n).c: table := $(n)))
$(B)/lessons.c $(numbers:%=$(B)/table/%.c): $(B)/state/sources
	$(prepare)
	$(call quiet,WRITE,$@) { echo '#include "grader/lessons.h"'; \
	  for n in $(table); do echo "extern const struct lesson lesson_$$n;"; done; \
	  echo 'const struct lesson *const lessons[] = {'; \
	  for n in $(table); do echo "    &lesson_$$n,"; done; \
	  echo '};'; echo 'const size_t lesson_count = sizeof lessons / sizeof *lessons;'; } > $@.$$$$ && $(place)

# What pages and schemas are made of, as strings.
embedded := page_frame grader/report/frame.html verdict_template grader/report/verdict.html verdict_style grader/report/verdict.css \
	similar_template grader/batch/similar/similar.html similar_style grader/batch/similar/similar.css \
	class_frame grader/export/page.html class_template grader/export/class.html leaderboard_template grader/export/leaderboard.html \
	page_style grader/export/page.css page_script grader/export/page.js grades_schema grader/export/grades.schema.json
$(eval $(call keep,embedded,$(embedded)))
$(B)/embedded.c: $(filter grader/%,$(embedded)) tools/embed-text $(B)/state/embedded
	$(prepare)
	$(call quiet,WRITE,$@) tools/embed-text $(embedded) > $@.$$$$ && $(place)

# ---- objects, libraries, programs -------------------------------------------

ifeq ($(bundled),)
alone = $(mains) $(figure) $(tools) $(units) $(helpers) $(family) $(wildcard tools/bench/*.c) $(intake)
compiled = $(trace_objects) $(model_objects) $(sim_objects) $(simcc_objects) $(rewrite_objects) $(grader_objects) $(class_objects) \
	$(batch_objects) $(export_objects) $(checks_objects) $(call object,$(alone)) $(B)/obj/lessons.o $(numbers:%=$(B)/obj/table/%.o) $(B)/obj/embedded.o
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
$(stand_ins): | $(setup)
	$(prepare)
	@echo '$(if $(filter %devrt.a,$@),/* nothing */,INPUT ( libsim.a ))' > $@.$$$$ && $(place)
$(B)/lib/libparts.a: $(sim_objects)
$(B)/obj/sim.o: $(sim_objects) $(B)/lib/libmodel.a $(B)/lib/libtrace.a
	$(call quiet,LINK,$@) $(join) -r -nostdlib -o $@.$$$$ $^ && \
	  $(OBJCOPY) --localize-hidden --strip-debug $@.$$$$ && $(place)
$(B)/lib/libfigure.a: $(call object,$(figure))
$(B)/lib/librewrite.a: $(rewrite_objects)
$(B)/lib/libgrader.a: $(grader_objects) $(B)/obj/embedded.o
$(B)/lib/liblessons.a: $(checks_objects) $(B)/obj/lessons.o
$(B)/lib/libclass.a: $(class_objects)
$(B)/lib/libbatch.a: $(batch_objects)
$(B)/lib/libexport.a: $(export_objects)
$(B)/lib/lib%.a: $(B)/state/sources
	$(prepare)
	$(call quiet,AR,$@) $(AR) qcs $@.$$$$ $(filter %.o,$^) && $(place)

# Checks call the grader, and the grader looks for them in the table.
grader_alone := $(addprefix $(B)/lib/lib,grader.a model.a trace.a)
grader_libraries := $(B)/lib/liblessons.a $(grader_alone)
in_group = $(filter %.o,$(1)) -Wl,--start-group $(filter %.a,$(1)) -Wl,--end-group

# All that it needs of the traces is what a call is: the sooner it is there, the sooner headers and drivers can be compiled.
$(B)/bin/simcc $(B)/static/simcc: $(simcc_objects) $(rewrite_objects) $(record_objects)
$(B)/bin/grade $(B)/static/grade: $(B)/obj/grader/grade/grade.o $(grader_libraries)
# A grader for one lesson: the first that a learner does waits for no other lesson's checks.
$(foreach l,$(lessons),$(eval $(B)/bin/grade-$(firstword $(subst -, ,$(l))): $(B)/obj/grader/grade/grade.o \
	$(B)/obj/table/$(firstword $(subst -, ,$(l))).o $(checks_of_$(l)) $(grader_alone)))
$(B)/bin/timeline $(B)/static/timeline: $(B)/obj/grader/grade/timeline.o $(grader_alone)
$(B)/bin/study $(B)/static/study: $(B)/obj/grader/grade/study.o $(grader_libraries)
$(B)/bin/seeds $(B)/bin/forged: $(B)/bin/%: $(B)/obj/tools/%.o $(grader_libraries)
$(B)/bin/profile: $(B)/obj/tools/profile.o $(B)/lib/libmodel.a $(B)/lib/libtrace.a
$(B)/bin/nodes $(B)/static/nodes: $(B)/obj/tools/nodes.o $(B)/lib/libmodel.a $(B)/lib/libtrace.a
$(B)/bin/batch: $(call object,grader/batch/batch.c) $(B)/lib/libexport.a $(B)/lib/libbatch.a $(B)/lib/libclass.a $(grader_libraries)
$(B)/bin/exports: $(call object,grader/export/exports.c) $(B)/lib/libexport.a $(B)/lib/libbatch.a $(B)/lib/libclass.a $(grader_libraries)
$(B)/bin/pack: $(call object,grader/export/pack.c) $(grader_alone)
$(foreach p,grade timeline study,$(B)/bin/$(p) $(B)/static/$(p)) $(numbers:%=$(B)/bin/grade-%) $(B)/bin/seeds $(B)/bin/forged: libraries := -ljansson
$(B)/bin/batch $(B)/bin/exports: libraries := -ljansson -larchive -lseccomp -lelf -lmd -lz -lm
$(B)/bin/pack: libraries := -ljansson -larchive
$(B)/bin/profile: libraries := -ljansson -lm
$(B)/bin/%:
	$(prepare)
	$(call quiet,LINK,$@) $(link) -o $@.$$$$ $(call in_group,$^) $(libraries) $(LDLIBS) && $(place)

# For machines that have not the same libraries.
$(B)/static/%:
	$(prepare)
	$(call quiet,LINK,$@) $(link) -static -o $@.$$$$ $(call in_group,$^) $(libraries) $(LDLIBS) && $(place)
else
# A rule each: make 4.4 makes all targets of a pattern rule when one is missing.
not_here = @echo 'make $(firstword $(MAKECMDGOALS)) takes the whole workbook: this is a bundle of it, which has no $@.' >&2; exit 2
$(foreach p,$(B)/obj/%.o $(B)/bin/% $(B)/static/% $(B)/lib/%.a book/% tools/%,$(eval $(p):; $$(not_here)))
endif

# What build systems look for a toolkit in.
$(B)/toolkit/made: tools/toolkit | $(setup)
	@tools/toolkit $(@D)

# A bundle makes these, too: they are this machine's compiler's.
$(eval $(call keep,preludes,$(call text_of,$(sort $(preludes:%=options_%)))))
$(B)/lib/prelude/%/calls: $(B)/bin/simcc $(filter common/sim/include/%,$(toolchain)) $(if $(bundled),,$(B)/state/preludes)
	@rm -rf $(@D)
	$(call quiet,HEADERS,$(@D)) mkdir -p $(@D).$$$$ && $(B)/bin/simcc --prelude $(@D).$$$$ $(options_$*) && mv $(@D).$$$$ $(@D) || { rm -rf $(@D).$$$$; false; }

# Build options in a file's first lines (grader/run/submission.h). Most have none, and make asks for each lesson's several times.
build_line = $(if $(findstring // build:,$(file < $(1))),$(shell sed -n '1,10s,^ *// build:,,p' $(1)))

# Lines of a driver are named as from here, wherever this folder is copied to when it has been built.
from_here = $(if $(findstring =,$(CURDIR)),,'-fdebug-prefix-map=$(CURDIR)=.')

# $(call lesson_rules,NN-name): its driver, its solution, and both linked with the simulator; made anew when how they are made has
# changed, too. In a bundle they are there.
define lesson_rules
$(B)/lessons/$(1)/driver.o: lessons/$(1)/driver.cu $(wildcard lessons/$(1)/*.h) $(compiler) $(lessons_made) | $(call prelude,Og+g)
	$$(prepare)
	$$(call quiet,SIMCC,$$<) $(B)/bin/simcc $(lesson_options) $(from_here) -Icommon -Ilessons/$(1) -c -o $$@.$$$$$$$$ $$< && $$(place)
$(B)/lessons/$(1)/reference.o: solutions/$(1).cu $(wildcard lessons/$(1)/*.h) $(compiler) $(lessons_made) | $$$$(call lesson_prelude,$(1))
	$$(prepare)
	$$(call quiet,SIMCC,$$<) $(B)/bin/simcc $(lesson_options) --hazards=calls -Icommon -Ilessons/$(1) $$(call build_line,$$<) -c -o $$@.$$$$$$$$ $$< && $$(place)
$(B)/lessons/$(1)/reference: $(B)/lessons/$(1)/reference.o $(B)/lessons/$(1)/driver.o $(toolchain)
	$$(call quiet,LINK,$$@) $(B)/bin/simcc $(lesson_options) --hazards=calls $$(call build_line,solutions/$(1).cu) -o $$@.$$$$$$$$ $$(filter %.o,$$^) && $$(place)
endef
$(eval $(call keep,lessons,$(call text_of,lesson_rules lesson_options from_here build_line)))
lessons_made := $(if $(bundled),,$(B)/state/lessons)
$(foreach l,$(lessons),$(eval $(call lesson_rules,$(l))))
