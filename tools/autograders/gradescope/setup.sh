#!/bin/bash
# SPDX-License-Identifier: MIT
# Gradescope runs this once, when it makes the image.
set -e
/autograder/source/build /autograder/source/workbook
