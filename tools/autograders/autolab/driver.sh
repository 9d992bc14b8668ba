#!/bin/bash
# SPDX-License-Identifier: MIT
# Grades the other files of the folder that it was started in; the last two lines of what it prints are Autolab's.
# An image that has the workbook built in /opt/streams-workbook (build /opt/streams-workbook) saves a minute each time.
here=$(cd "$(dirname "$0")" && pwd)
if [ ! -x /opt/streams-workbook/build/bin/exports ] && [ ! -x "$here/workbook/build/bin/exports" ]; then
    "$here/build" "$here/workbook" > "$here/build.log" 2>&1 || tail -n 5 "$here/build.log" >&2
fi
mkdir -p "$here/handed-in"
for file in *; do
    case $file in
    autograde.tar | Makefile | autograde-Makefile) ;;
    *) [ ! -f "$file" ] || [ -L "$file" ] || cp -- "$file" "$here/handed-in/" ;;
    esac
done
exec "$here/grade-one" autolab "$here/handed-in" -
