#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The figures that can be played with, as a reader does: what is said of them is true of what is drawn.
. tests/book/built.bash
needs site node browser npm:playwright-core npm:axe-core
node tests/book/play.mjs "$site"
