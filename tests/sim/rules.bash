# SPDX-License-Identifier: MIT
# What a rule's file says of itself in comments of their own: for those who compile and run it.
#   build: OPTION…      options of simcc and nvcc
#   run: NAME=VALUE…    the environment it runs in
rule_says() { # word, file
    sed -n "s,^/\* $1: \(.*\) \*/\$,\1,p" "$2"
}
