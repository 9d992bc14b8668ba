# SPDX-License-Identifier: MIT
# The book. Included by the Makefile.

.PHONY: book
book: $(book)/streams-workbook.epub $(book)/streams-workbook.pdf
	@echo 'Read $(book)/site/index.html, $(book)/streams-workbook.epub or $(book)/streams-workbook.pdf.'

## figures: renew pictures, listings and messages in the chapters, and the h200's card from its facts
.PHONY: figures
figures: pictures lessons/06-overlap/published.svg $(B)/bin/profile
	@$(B)/bin/profile facts/h200.json > $(B)/h200.card
	@cmp -s $(B)/h200.card common/model/cards/h200.card || cp $(B)/h200.card common/model/cards/h200.card
	@for l in $(lessons); do cmp -s $(book)/pictures/$$l/chapter.md lessons/$$l/chapter.md || \
	  cp $(book)/pictures/$$l/chapter.md lessons/$$l/chapter.md || exit 1; done
lessons/06-overlap/published.svg: $(B)/tests/model/published facts/published.txt
	$(call quiet,DRAW,$@) $< > $@

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
		$(wildcard common/model/*.h common/trace/*/*.h) $(B)/cards.c | $(B)/state/setup-book
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
