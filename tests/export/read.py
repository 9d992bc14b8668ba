# SPDX-License-Identifier: MIT
"""read.py GRADES QUESTION: reads a class's exports back, with readers that are not ours. Prints what is wrong."""
import base64
import csv
import glob
import html
import json
import os
import re
import sys
import zlib

out, question = sys.argv[1:3]
results = json.load(open(f"{out}/results.json", encoding="utf-8"))
exports = f"{out}/exports"


def wrong(text):
    print(text)


def table(path, encoding="utf-8"):
    with open(f"{exports}/{path}", encoding=encoding, newline="") as f:
        return list(csv.DictReader(f, strict=True)), f


def points(text):
    return None if text == "" else float(text)


def cells(path, encoding="utf-8"):
    with open(f"{exports}/{path}", encoding=encoding, newline="") as f:
        return [cell for row in csv.reader(f, strict=True) for cell in row]


def gradebook():
    rows, _ = table("gradebook.csv", "utf-8-sig")
    if len(rows) != len(results["students"]):
        wrong(f"{len(rows)} rows")
    for row, student in zip(rows, results["students"]):
        if row["id"].lstrip("'") != student["id"]:
            wrong(f"{row['id']!r} is {student['id']!r}")
        for l in student["lessons"]:
            if l["status"] != row[l["lesson"] + " status"] or points(row[l["lesson"]]) != l["score"]:
                wrong(f"{student['id']}: {row[l['lesson']]} {row[l['lesson'] + ' status']}")


def canvas():
    with open(f"{exports}/canvas.csv", encoding="utf-8", newline="") as f:
        rows = list(csv.reader(f, strict=True))
    if rows[0][:5] != ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]:
        wrong(rows[0])
    if "Points Possible" not in rows[1][0] or [float(p) for p in rows[1][5:]] != [l["max"] for l in results["lessons"]]:
        wrong(rows[1])
    for row, student in zip(rows[2:], results["students"], strict=True):
        if row[1] != student["ids"].get("id", "") or row[2].lstrip("'") != student["ids"].get("sis user id", ""):
            wrong(row[:5])
        if [points(p) for p in row[5:]] != [l["score"] for l in student["lessons"]]:
            wrong(row)
    print(rows[0][5])


def moodle():
    for l in results["lessons"]:
        rows, _ = table(f"moodle/{l['lesson']}.csv")
        for title in ("Identifier", "Grade", "Last modified (grade)"):
            if title not in rows[0]:
                wrong(f"no {title}")
        for row, student in zip(rows, results["students"], strict=True):
            grade = [e for e in student["lessons"] if e["lesson"] == l["lesson"]][0]
            if points(row["Grade"]) != grade["score"] or float(row["Maximum Grade"]) != grade["max"]:
                wrong(row)


def junit():
    from junitparser import Error, Failure, JUnitXml
    failed = 0
    for suite in JUnitXml.fromfile(f"{exports}/junit.xml"):
        cases = list(suite)
        kinds = [type(r) for case in cases for r in case.result]
        if (suite.tests, suite.failures, suite.errors) != (len(cases), kinds.count(Failure), kinds.count(Error)):
            wrong(f"{suite.name}: {suite.tests} tests, {suite.failures} failures, {suite.errors} errors; it has {len(cases)}: {kinds}")
        failed += sum(type(r) is Failure for case in cases[1:] for r in case.result)     # the first tells the points
    checks = [c for s in results["students"] for l in s["lessons"] for c in (l.get("verdict") or {"checks": []})["checks"]]
    if failed != sum(c["outcome"] == "failed" for c in checks) or failed == 0:
        wrong(f"{failed} failures")


def formulas():
    for path in ["gradebook.csv", "canvas.csv"] + [f"moodle/{l['lesson']}.csv" for l in results["lessons"]]:
        for cell in cells(path, "utf-8-sig"):
            if re.match(r"\s*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]", cell) and cell != "-" and not re.fullmatch(r"-?[0-9.]+", cell):
                wrong(f"{path}: {cell!r}")
            if re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", cell):
                wrong(f"{path}: {cell!r}")


def texts():
    """Every file that leaves, by name, with what is packed in it unpacked."""
    for path in sorted(glob.glob(f"{exports}/**/*", recursive=True) + glob.glob(f"{out}/*.html") + glob.glob(f"{out}/feedback/*/*")):
        if not os.path.isfile(path):
            continue
        text = open(path, encoding="utf-8").read()
        if "/classroom/" in path:
            text = base64.b64decode(text.strip(), validate=True).decode()
        if path.endswith("class.html"):
            packed = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])
            page = re.sub(r'<script type="application/json" id="data">.*?</script>', "", text, flags=re.S)
            text = html.unescape(page) + "".join(zlib.decompress(base64.b64decode(p)).decode() for p in packed.values())
        yield path, html.unescape(text)


def secrets():
    yield str(results["seed"])
    for s in results["students"]:
        for l in s["lessons"]:
            v = l.get("verdict")
            if not v:
                continue
            if v["output"].strip():
                yield v["output"].strip().split("\n")[0]
            if v["ending"]:
                yield v["ending"]["message"]
            for c in v["checks"]:
                for key in ("expected", "seen"):
                    if c["finding"] and c["finding"][key]:
                        yield c["finding"][key]


def leaks():
    hidden = sorted(set(secrets()))
    if len(hidden) < 5:
        wrong(f"only {len(hidden)} secrets to look for")
    for path, text in texts():
        flat = re.sub(r"\s+", " ", text.replace("\\n", " ").replace('\\"', '"'))
        for secret in hidden:
            if re.sub(r"\s+", " ", secret) in flat:
                wrong(f"{path[len(out):]}: {secret}")


def failures():
    """At "failures" and "score" no check that passed is named, at "score" none at all: not in what students are given."""
    level = results["feedback"]
    if level == "all":
        return
    for s in results["students"]:
        for l in s["lessons"]:
            for c in (l.get("verdict") or {"checks": []})["checks"]:
                named = [o["outcome"] for t in results["students"] for m in t["lessons"] for o in (m.get("verdict") or {"checks": []})["checks"] if o["name"] == c["name"]]
                if level == "failures" and any(o != "passed" for o in named):
                    continue
                for path, text in texts():
                    if not path.endswith(("class.html",)) and c["name"] in text:
                        wrong(f"{path[len(out):]}: {c['name']}")


globals()[question]()
