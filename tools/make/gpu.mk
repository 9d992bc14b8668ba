# SPDX-License-Identifier: MIT
# What takes a GPU: its facts, its programs, the recorder. Included by the Makefile.

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
	  $$(call build_line,$$<) $$(filter %.cu %.o,$$^) -ldl $$(if $$(shell grep -s '<cuda.h>' lessons/$(1)/lesson.h),-lcuda)
endef
$(if $(gpu),$(foreach l,$(lessons),$(eval $(call gpu_lesson_rules,$(l)))))

# The driver loads the recorder into programs (CUDA_INJECTION64_PATH); it looks CUPTI up there: headers are enough.
toolkit := $(if $(gpu),$(patsubst %/,%,$(dir $(patsubst %/,%,$(dir $(realpath $(nvcc_found)))))))
cupti_headers := $(if $(gpu),$(firstword $(patsubst %/cupti.h,%,$(wildcard $(addsuffix /cupti.h,$(toolkit)/include \
	$(toolkit)/extras/CUPTI/include /usr/local/cuda/include /usr/local/cuda/extras/CUPTI/include /usr/include)))))
in_recorder := $(call source,common/cupti) $(addprefix common/trace/record/,call.c log.c authenticated_log.c timeline.c memory.c memory_hosted.c)
$(B)/lib/librecorder.so: $(in_recorder) $(wildcard common/cupti/*.h common/trace/record/*.h common/*.h) | $(setup)
	$(prepare)
	@rm -f $@.trouble
	$(if $(cupti_headers),$(call quiet,CC,$@) $(compile_c) -fPIC -shared -fvisibility=hidden -I$(cupti_headers) -I$(toolkit)/include \
	  -o $@.$$$$ $(in_recorder) -ldl -lpthread 2> $@.said && rm -f $@.said && $(place) || \
	  { grep -m 1 'error' $@.said > $@.trouble || echo 'it could not be built' > $@.trouble; rm -f $@ $@.$$$$; },\
	  @echo 'the header cupti.h is missing: install the CUDA toolkit whole, or its package cuda-cupti-dev' > $@.trouble)
