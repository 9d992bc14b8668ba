#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The pages as a reader has them: from files, in a browser, by mouse and by keyboard.
. tests/book/built.bash
needs site node browser pdftotext npm:playwright-core npm:axe-core
DAY=$(tests/day) node tests/book/browser.mjs "$site"
