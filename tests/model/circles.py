# SPDX-License-Identifier: MIT
"""circles.py FOLDER APART...: which of the objects under FOLDER need each other in a circle, a line for each circle, smallest
first. What lies in a folder APART (a program of its own) has names that others have, too, and is looked at by itself."""
import pathlib
import subprocess
import sys

folder, apart = pathlib.Path(sys.argv[1]), sys.argv[2:]
home, needs = {}, {}
objects = sorted(folder.rglob("*.o"))
for line in subprocess.run(["nm", "-P", "-A", *objects], capture_output=True, text=True, check=True).stdout.splitlines():
    path, symbol, kind = line.split(": ", 1)[0], *line.split(": ", 1)[1].split()[:2]
    name = str(pathlib.Path(path).relative_to(folder))[:-len(".o")] + ".c"
    within = next((place for place in apart if name.startswith(place + "/")), "")
    name = name.removeprefix("common/")
    needs.setdefault(name, set())
    if kind in "TDBRVW":
        home.setdefault((within, symbol), name)
    elif kind == "U":
        needs[name].add((within, symbol))
edges = {name: {home[s] for s in symbols if s in home} - {name} for name, symbols in needs.items()}

# Tarjan: strongly connected components
order, lowest, stack, circles = {}, {}, [], []


def visit(node):
    order[node] = lowest[node] = len(order)
    stack.append(node)
    for other in edges[node]:
        if other not in order:
            visit(other)
            lowest[node] = min(lowest[node], lowest[other])
        elif other in stack:
            lowest[node] = min(lowest[node], order[other])
    if lowest[node] == order[node]:
        circle = stack[stack.index(node):]
        del stack[stack.index(node):]
        if len(circle) > 1:
            circles.append(sorted(circle))


sys.setrecursionlimit(10000)
for name in edges:
    if name not in order:
        visit(name)
for circle in sorted(circles, key=lambda c: (len(c), c)):
    print(" ".join(circle))
