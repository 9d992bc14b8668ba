# SPDX-License-Identifier: MIT
"""circles.py FOLDER: which of the objects there need each other in a circle, a line for each circle, smallest first."""
import os
import subprocess
import sys

folder = sys.argv[1]
home, needs = {}, {}
for entry in sorted(os.listdir(folder)):
    if not entry.endswith(".c.o"):
        continue
    name = entry[:-len(".o")].replace("@", "/").removeprefix("common/")
    needs[name] = set()
    for line in subprocess.run(["nm", "-P", os.path.join(folder, entry)], capture_output=True, text=True, check=True).stdout.splitlines():
        symbol, kind = line.split()[:2]
        if kind in "TDBRVW":
            home.setdefault(symbol, name)
        elif kind == "U":
            needs[name].add(symbol)
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
