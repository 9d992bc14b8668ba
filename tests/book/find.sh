#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The search: what it makes of a query, and where that leads.
. tests/book/built.bash
needs site node
node tests/book/find.mjs "$site"
