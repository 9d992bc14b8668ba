# SPDX-License-Identifier: MIT
"""A term of a made-up class: what its platforms hand out, and the gradebook computed by hand.

  term.py make FOLDER STUDENTS UNIQUE   writes roster.csv, times.csv, rubrics, canvas-1.zip, canvas-2.zip, moodle.zip, nbgrader/
  term.py compare FOLDER GRADES STAGE POINTS   GRADES/exports against what was computed; prints each difference

Archives are laid out as their platforms do it: Canvas' lib/content_zipper.rb (commit 05e9653c12ef), Moodle's
mod/assign/classes/downloader.php (commit 2a6fd313547a), nbgrader's submitted/STUDENT/ASSIGNMENT with timestamp.txt.
"""
import csv, json, os, random, sys, unicodedata, zipfile

LESSONS = ["01-sync-vs-async", "02-stream-queues", "03-events"]
MAX = {1: {"01-sync-vs-async": 10, "02-stream-queues": 20, "03-events": 30}, 2: {"01-sync-vs-async": 20, "02-stream-queues": 20, "03-events": 10}}
PER_DAY = {1: 10, 2: 20}
FIRST = ["Anna", "Zoë", "王小明", "Jörg", "Łukasz", "José", "Дарья", "O'Neill", "Bob", "Mary-Jane", "さくら", "Renée"]
LAST = ["Smith", "Straße", "Müller", "Żak", "Ñandú", "van der Berg", "Åström"]


def people(count):
    random.seed(4711)
    for i in range(count):
        name = "%s, %s" % (LAST[i % len(LAST)], FIRST[i % len(FIRST)])
        if i in (8, 9):
            name = "Smith, John"                # two of one name
        yield {"id": str(1000 + i), "participant": 7000 + i, "login": "s%d" % i, "name": name}


def plan(i):
    """Of the student's three lessons: (kind, days late or None) or None for nothing."""
    kinds = ["solution", "wrong", "starter"]
    return [None if (i + k) % 11 == 5 else (kinds[(i // (k + 1)) % 3], (i + k) % 4 if (i + k) % 5 == 0 else 0) for k in range(3)]


def resubmits(i):
    return i % 6 == 1


def sources(folder):
    one = lambda path: open(path, "rb").read()
    return {lesson: {"solution": one("solutions/%s.cu" % lesson), "starter": one("exercises/%s.cu" % lesson),
                     "wrong": one(os.path.join(folder, "wrong-%s.cu" % lesson))} for lesson in LESSONS}


def canvas_name(person, late, number, file):
    user = unicodedata.normalize("NFC", person["name"]).lower()
    user = "".join(c for c in user if c.isalnum() or c == "_")
    return "%s%s_%s_%d_%s" % (user, "_LATE" if late else "", person["id"], number, file)


def make(folder, count, unique):
    code = sources(folder)
    text = lambda lesson, kind, who: code[lesson][kind] + (b"// %s\n" % who.encode() if unique and kind != "starter" else b"")
    everybody = list(people(count))
    with open(folder + "/roster.csv", "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["Student", "ID", "SIS Login ID", "Identifier", "Section"])
        for p in everybody:
            w.writerow([p["name"], p["id"], p["login"], "Participant %d" % p["participant"], "A"])
    with open(folder + "/times.csv", "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["id", "lesson", "handed in", "due", "excused"])
        for i, p in enumerate(everybody):
            it = plan(i)[1]
            if it:              # Moodle's log
                w.writerow([p["id"], "02", "2026-02-%02dT11:00:00Z" % (10 + it[1]), "", ""])
        w.writerow([everybody[2]["id"], "03", "", "", "yes"])
        w.writerow([everybody[3]["id"], "", "", "2026-12-31", ""])      # an extension
    for stage in (1, 2):
        json.dump({"late": {"per_day": PER_DAY[stage]}, "regrade": "best",
                   "lessons": {l[:2]: {"points": MAX[stage][l], "due": "2026-02-10T12:00:00Z"} for l in LESSONS}},
                  open(folder + "/rubric-%d.json" % stage, "w"))
    number = 50000
    for part in (1, 2):
        with zipfile.ZipFile(folder + "/canvas-%d.zip" % part, "w", zipfile.ZIP_DEFLATED) as z:
            for i, p in enumerate(everybody):
                it, number = plan(i)[0], number + 1
                if part == 2 and resubmits(i):
                    z.writestr(zipfile.ZipInfo(canvas_name(p, False, number, LESSONS[0] + "-1.cu"), (2026, 6, 1, 9, 0, 0)), text(LESSONS[0], "solution", p["id"]))
                elif it:
                    z.writestr(zipfile.ZipInfo(canvas_name(p, it[1] > 0, number, LESSONS[0] + ".cu"), (2026, 6, 1, 9, 0, 0)), text(LESSONS[0], it[0], p["id"]))
    with zipfile.ZipFile(folder + "/moodle.zip", "w", zipfile.ZIP_DEFLATED) as z:
        for i, p in enumerate(everybody):
            last, first = p["name"].split(", ")
            if plan(i)[1]:
                z.writestr(zipfile.ZipInfo("%s %s_%d_assignsubmission_file/lesson 02 (final).cu" % (first, last, p["participant"]), (2026, 6, 2, 9, 0, 0)),
                           text(LESSONS[1], plan(i)[1][0], p["id"]))
                z.writestr("%s %s_%d_assignsubmission_file/notes.txt" % (first, last, p["participant"]), "x")
    for i, p in enumerate(everybody):
        if plan(i)[2]:
            place = "%s/nbgrader/submitted/%s/%s" % (folder, p["login"], LESSONS[2])
            os.makedirs(place)
            open(place + "/solution.cu", "wb").write(text(LESSONS[2], plan(i)[2][0], p["id"]))
            open(place + "/timestamp.txt", "w").write("2026-02-%02d 11:00:00.000001 UTC" % (10 + plan(i)[2][1]))


def round_off(thousandths):
    return round(thousandths) / 1000


def wanted(i, stage, share):
    """Cells of the student's lessons: points, "" for nothing, "EX" for excused."""
    for k, lesson in enumerate(LESSONS):
        it = plan(i)[k]
        points = lambda kind: share[lesson][kind] * MAX[stage][lesson]
        days = it[1] if it else 0
        if k == 0 and days:
            days = 1            # Canvas says no more than that it was late
        if i == 3:
            days = 0            # an extension, of which Canvas' mark knows nothing
        if k == 2 and i == 2:
            yield "EX"
            continue
        first = points(it[0]) * max(0, 100 - days * PER_DAY[stage]) / 100 if it else None
        if k == 0 and resubmits(i):
            again = points("solution")
            first = again if first is None else max(first, again)
        yield "" if first is None else round(first, 3)


def compare(folder, grades, stage, points):
    share = json.load(open(points))
    rows = list(csv.reader(open(grades + "/exports/canvas.csv", encoding="utf-8", newline="")))
    everybody = list(people(sum(1 for _ in open(folder + "/roster.csv")) - 1))
    known = {p["id"]: i for i, p in enumerate(everybody)}
    # As strict as Canvas' importer: its columns, a line of points possible, ids that it knows, numbers, nothing or EX.
    if rows[0][:5] != ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"] or rows[1][0].strip() != "Points Possible":
        print("canvas.csv has not Canvas' columns:", rows[:2])
    if [float(x) for x in rows[1][5:]] != [MAX[stage][l] for l in LESSONS]:
        print("points possible:", rows[1])
    seen = set()
    for row in rows[2:]:
        if row[1] not in known or row[1] in seen or len(row) != 8:
            print("a line that Canvas knows nobody for:", row)
            continue
        seen.add(row[1])
        for k, want in enumerate(wanted(known[row[1]], stage, share)):
            cell = row[5 + k]
            if not (cell == want if isinstance(want, str) or cell in ("", "EX") else abs(float(cell) - want) < 0.0021):
                print("%s %s: %r, by hand %r (%s)" % (row[1], LESSONS[k], cell, want, plan(known[row[1]])[k]))
    for missing in set(known) - seen:
        print("nobody wrote a line for", missing)
    # Moodle's: a participant that it knows, once each; a grade or nothing.
    for k, lesson in enumerate(LESSONS):
        seen = {}
        for row in csv.DictReader(open("%s/exports/moodle/%s.csv" % (grades, lesson), encoding="utf-8", newline="")):
            seen[row["Identifier"]] = row["Grade"]
        for i, p in enumerate(everybody):
            want = list(wanted(i, stage, share))[k]
            cell = seen.get("Participant %d" % p["participant"])
            if cell is None or (cell == "") != isinstance(want, str) or (cell and abs(float(cell) - want) > 0.0021):
                print("Moodle, %s %s: %r, by hand %r" % (p["id"], lesson, cell, want))


if sys.argv[1] == "make":
    make(sys.argv[2], int(sys.argv[3]), sys.argv[4] == "1")
else:
    compare(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
