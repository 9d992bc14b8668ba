# SPDX-License-Identifier: MIT
# For maintainers and packagers: new lessons, editors, installation, archives. Included by the Makefile.

## new-lesson: make the files of a new lesson, to be filled in (N=17 NAME=graph-memory)
.PHONY: new-lesson
new-lesson:
	@tools/new-lesson '$(subst ','\'',$(N))' '$(if $(filter command,$(origin NAME)),$(subst ','\'',$(NAME)))'

## format: indent C sources as .clang-format says (tools/format)
.PHONY: format
format:
	@tools/format

## compile_commands.json: tell editors (clangd) how files are compiled
compile_commands.json: $(B)/state/sources $(B)/state/flags tools/commands
	$(call quiet,WRITE,$@) tools/commands '$(subst ','\'',$(cc))' $(sources) $(units) $(helpers) $(lessons:%=work/%.cu) \
	  $(sort $(wildcard exercises/*.cu solutions/*.cu lessons/*/*.cu lessons/*/demos/*.cu book/back/demos/*.cu tests/wrong/*/*.cu tests/styles/*/*.cu)) > $@

# simcc finds its headers and libraries by its own place, so that they move together.
home := $(DESTDIR)$(prefix)/lib/streams-workbook
pkgconfig = $(DESTDIR)$(prefix)/lib/pkgconfig
## install: put simcc and timeline into $(prefix)/bin (prefix, DESTDIR are yours to set)
install: simcc
	@install -d '$(DESTDIR)$(prefix)/bin' && $(foreach f,$(installed:%=$(B)/bin/%),install -D $(f) '$(home)/$(f:$(B)/%=build/%)' &&) \
	  $(foreach f,$(filter-out $(B)/bin/%,$(toolchain)),install -D -m 644 $(f) '$(home)/$(f:$(B)/%=build/%)' &&) \
	  for f in $(program_preludes:%=$(B)/lib/prelude/%/*); do [ ! -e $$f ] || install -D -m 644 $$f '$(home)'/build/lib/prelude/$${f#$(B)/lib/prelude/} || exit 2; done && \
	  (umask 022 && tools/toolkit '$(home)/build/toolkit') && install -d '$(pkgconfig)' && tools/pkgconfig '$(prefix)' '$(version)' > '$(pkgconfig)/simcc.pc' && chmod 644 '$(pkgconfig)/simcc.pc' && \
	  $(foreach p,$(installed),ln -sf ../lib/streams-workbook/build/bin/$(p) '$(DESTDIR)$(prefix)/bin/$(p)' &&) \
	  { (echo 'Installed: $(installed:%=$(DESTDIR)$(prefix)/bin/%)') $(or_reader_left); }

## uninstall: remove them again
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
