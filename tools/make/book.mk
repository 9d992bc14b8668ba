# SPDX-License-Identifier: MIT
# The book. Included by the Makefile.

.PHONY: book site
book: $(book)/site.made $(book)/streams-workbook.epub $(book)/streams-workbook.pdf
	@echo 'Read $(book)/site/index.html, $(book)/streams-workbook.epub or $(book)/streams-workbook.pdf.'

## site: make only the book's web site, in build/book/site
site: $(book)/site.made

## figures: renew the pictures, listings and messages in the chapters, and make the h200's card from its facts
.PHONY: figures
figures: pictures messages lessons/06-overlap/published.svg $(B)/bin/profile
	@$(B)/bin/profile facts/h200.json > $(B)/h200.card
	@cmp -s $(B)/h200.card common/model/cards/h200.card || cp $(B)/h200.card common/model/cards/h200.card
	@for page in $(lessons:%=lessons/%/chapter.md) $(neighbours:%=book/back/0-%.md); do \
	  l=$${page%/chapter.md} && l=$${l##*/} && l=$${l#0-} && l=$${l%.md} && \
	  cmp -s $(book)/blocks/$$l.md $(book)/pictures/$$l/taken.md && \
	  { [ ! -e $(B)/messages/$$l.md ] || cmp -s $(B)/messages/$$l.md $(B)/messages/$$l.taken; } || \
	  { tools/figures $$page > $(book)/chapter.md && cp $(book)/chapter.md $$page; } || exit 1; done
lessons/06-overlap/published.svg: $(B)/tests/model/published facts/published.txt
	$(call quiet,DRAW,$@) $< > $@

book_sources := $(sort $(wildcard book/*.tsv book/book.yaml book/filter/*.lua book/templates/* book/style/* book/explore/*.js book/front/*.md \
	book/back/*.md)) $(lessons:%=lessons/%/chapter.md) facts/h200.json facts/h200-fidelity.md facts/published.txt VERSION
# All that is made bears the day that book.yaml has.
dated = SOURCE_DATE_EPOCH=$$(date -u -d "$$(sed -n 's/^date: //p' book/book.yaml)" +%s)

# The pages on tools that stand beside the workbook, which show programs as chapters do.
neighbours := $(patsubst book/back/0-%.md,%,$(wildcard book/back/0-*.md))

# What a chapter shows of files and runs, alone: prose may change without any of it being taken anew. What the grader says is
# apart from that: it takes twice as long as all else together, and the book does without (tests/lessons/messages.sh does not).
define take_blocks
	$(prepare)
	@sed -n '/^```{\.\($(1)\) /,/^```$$/p' $< > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
endef
$(book)/blocks/%.md: lessons/%/chapter.md
	$(call take_blocks,listing\|timeline\|output)
$(neighbours:%=$(book)/blocks/%.md): $(book)/blocks/%.md: book/back/0-%.md
	$(call take_blocks,listing\|timeline\|message\|output)
$(B)/messages/%.md: lessons/%/chapter.md
	$(call take_blocks,message)

# Timelines and all else that runs say, taken anew when a block or a program has changed, or when they are gone: the book
# shows the timelines, and tests/lessons/figures.sh that the chapter says the same.
pictures := $(patsubst %,$(book)/pictures/%/drawn,$(lessons) $(neighbours))
$(book)/pandoc.epub $(book)/site.made: $(if $(filter-out $(wildcard $(pictures)),$(pictures)),FORCE)
.PHONY: pictures
pictures: $(pictures)
define take_pictures
	@rm -rf $(@D) && mkdir -p $(@D)
	$(call quiet,DRAW,$(@D)) tools/figures --pictures $(@D) $< > $(@D)/taken.md && touch $@
endef
drawn_with := tools/figures $(toolchain) $(B)/bin/grade $(B)/bin/timeline $(call prelude,O2+g)
$(book)/pictures/%/drawn: $(book)/blocks/%.md $$(wildcard lessons/$$*/demos/* lessons/$$*/*.h) $(drawn_with) $$(call lesson_files,$$*)
	$(take_pictures)
$(neighbours:%=$(book)/pictures/%/drawn): $(book)/pictures/%/drawn: $(book)/blocks/%.md $(wildcard book/back/demos/*) $(drawn_with)
	$(take_pictures)

.PHONY: messages
messages: $(lessons:%=$(B)/messages/%.taken)
$(B)/messages/%.taken: $(B)/messages/%.md $$(wildcard tests/wrong/$$*/*) $(drawn_with) $$(call lesson_files,$$*)
	$(call quiet,JUDGE,$@) tools/figures $< > $@.new && mv $@.new $@

$(book)/ours.txt: $(B)/tests/model/published facts/published.txt
	$(prepare)
	$(call quiet,WRITE,$@) $< ours > $@

# The device that figures can be played with on: a script, since a page from a disk may load nothing else.
$(book)/figure-wasm.js: tools/wasm $(call source,common/figure) $(wildcard common/figure/*.h common/figure/wasm/*) $(model) $(trace) \
		$(wildcard common/model/*.h common/trace/*/*.h) $(B)/cards.c | $(B)/state/setup-book
	$(prepare)
	$(call quiet,WASM,$@) tools/wasm $(@D)/figure.wasm && \
	  { printf 'window.bookFigureWasm = "'; base64 -w 0 $(@D)/figure.wasm; printf '";\n'; } > $@

# One filter makes site and EPUB. All that a page is made of is named here; the filter finds out what has changed.
book_made_of := $(book_sources) $(book)/ours.txt $(pictures)
book_filter = BOOK=$(book) BOOK_VERSION=$(version) BOOK_FRONT='$(sort $(wildcard book/front/*.md))' \
	BOOK_LESSONS='$(lessons:%=lessons/%/chapter.md)' BOOK_BACK='$(sort $(wildcard book/back/*.md))' \
	BOOK_EXPLORE='$(sort $(wildcard book/explore/*.js))' BOOK_FILTER='$(sort $(wildcard book/filter/*.lua book/calls.tsv book/sources.tsv))' \
	$(dated) pandoc --lua-filter=book/filter/book.lua -f markdown --metadata-file=book/book.yaml
$(book)/site.made: $(book)/figure-wasm.js $(book_made_of) | $(B)/state/setup-book
	@mkdir -p $(book)/site $(book)/cache
	$(call quiet,PANDOC,$(book)/site) BOOK_MAKES=site $(book_filter) -t plain -o /dev/null /dev/null
	@cp $(filter book/style/%,$(filter-out %/epub.css,$^)) $(filter book/explore/%,$^) $(book)/figure-wasm.js $(book)/site && touch $@

$(book)/pandoc.epub: $(book_made_of) | $(B)/state/setup-book
	$(call quiet,PANDOC,$@) BOOK_MAKES=epub $(book_filter) -t epub3 --epub-cover-image=$(book)/cover.svg \
	  --css=book/style/epub.css --toc-depth=2 -o $@ /dev/null

$(book)/streams-workbook.epub: $(book)/pandoc.epub book/tools/pack
	$(call quiet,EPUB,$@) $(dated) book/tools/pack $< $@

$(book)/fitted.css: $(book)/site.made book/tools/fit
	$(call quiet,FIT,$@) book/tools/fit $(book)/site/print.html $@ book/fitted.css

# After chapters have changed: what the next build of the book begins with.
.PHONY: fitted
fitted: $(book)/fitted.css
	$(call quiet,COPY,book/fitted.css) { echo '/* SPDX-License-Identifier: CC-BY-4.0 */'; cat $<; } > book/fitted.css

$(book)/streams-workbook.pdf: $(book)/fitted.css book/tools/pdf
	$(call quiet,PDF,$@) $(dated) book/tools/pdf --quiet --stylesheet $< $(book)/site/print.html $@
