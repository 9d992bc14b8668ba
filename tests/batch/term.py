# SPDX-License-Identifier: MIT
"""A term of a made-up class: what its platforms hand out, and the gradebook computed by hand.

  term.py make FOLDER STUDENTS UNIQUE   writes roster-1.csv, roster-2.csv, times.csv, rubrics, canvas-1.zip, canvas-2.zip, moodle.zip, nbgrader/,
                                        gradescope.zip
  term.py compare FOLDER GRADES STAGE POINTS   GRADES/exports, as the platforms' importers take them, against what was computed
  term.py strict FOLDER                 the importers take nothing that is wrong
  term.py table GRADES                  in, graded, left out by reason, and what came of it

Archives are laid out as their platforms do it: Canvas' lib/content_zipper.rb (commit 05e9653c12ef), Moodle's
mod/assign/classes/downloader.php (commit 2a6fd313547a), nbgrader's submitted/STUDENT/ASSIGNMENT with timestamp.txt
(nbgrader/exchange/default/collect.py of 0.8.2), Gradescope's folders with submission_metadata.yml. The importers do what
Canvas' lib/gradebook_importer.rb (commit 00b222d77ee4) and Moodle's mod/assign/feedback/offline/importgradeslib.php
(commit 452e36fcf584), importgradesform.php (003699dba493) and lib/csvlib.class.php do; what these pass over in silence,
such as a line about nobody or a grade above the most, is a complaint here.
"""
import calendar, collections, csv, json, os, random, re, sys, time, unicodedata, zipfile

LESSONS = ["01-sync-vs-async", "02-stream-queues", "03-events"]
MAX = {1: {"01-sync-vs-async": 10, "02-stream-queues": 20, "03-events": 30}, 2: {"01-sync-vs-async": 20, "02-stream-queues": 20, "03-events": 10}}
PER_DAY = {1: 10, 2: 20}
CANVAS = ["Lesson 01 (9001)", "02-stream-queues (9002)", "Some quiz (9009)"]      # the third lesson is new to Canvas
FIRST = ["Anna", "Zoë", "王小明", "Jörg", "Łukasz", "José", "Дарья", "O'Neill", "Bob", "Mary-Jane", "さくら", "Renée"]
LAST = ["Smith", "Straße", "Müller", "Żak", "Ñandú", "van der Berg", "Åström"]


def people(count, part=1):
    random.seed(4711)
    for i in range(count):
        name = "%s, %s" % (LAST[i % len(LAST)], FIRST[i % len(FIRST)])
        if part == 2 and i % 9 == 5:
            name = "Öztürk-%s" % name           # married in the middle of the term
        if i in (8, 9):
            name = "Smith, John"                # two of one name
        yield {"id": str(1000 + i), "participant": 7000 + i, "login": "s%d" % i, "name": name}


def plan(i):
    """Of the student's three lessons: (kind, days late or None) or None for nothing."""
    kinds = ["solution", "wrong", "starter"]
    return [None if (i + k) % 11 == 5 else (kinds[(i // (k + 1)) % 3], (i + k) % 4 if (i + k) % 5 == 0 else 0) for k in range(3)]


def resubmits(i):
    return i % 6 == 1


def shares(i, count):
    """Hands the third lesson in again at Gradescope: one file of two people."""
    return any(a % 8 == 3 and a + 1 < count for a in (i, i - 1))


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
    for part in (1, 2):
        with open(folder + "/roster-%d.csv" % part, "w", newline="") as f:
            w = csv.writer(f)
            w.writerow(["Student", "ID", "SIS Login ID", "Identifier", "Section"] + CANVAS)
            for p in people(count, part):
                w.writerow([p["name"], p["id"], p["login"], "Participant %d" % p["participant"], "A"] + [""] * len(CANVAS))
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
            for i, p in enumerate(people(count, part)):
                it, number = plan(i)[0], number + 1
                file = "final.cu" if i % 7 == 4 else LESSONS[0] + ".cu"       # what is in it says what it is
                if part == 2 and resubmits(i):
                    z.writestr(zipfile.ZipInfo(canvas_name(p, False, number, LESSONS[0] + "-1.cu"), (2026, 6, 1, 9, 0, 0)), text(LESSONS[0], "solution", p["id"]))
                elif it:
                    z.writestr(zipfile.ZipInfo(canvas_name(p, it[1] > 0, number, file), (2026, 6, 1, 9, 0, 0)), text(LESSONS[0], it[0], p["id"]))
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
    with zipfile.ZipFile(folder + "/gradescope.zip", "w", zipfile.ZIP_DEFLATED) as z:
        about = ""
        for i in range(3, count - 1, 8):
            z.writestr("assignment_77_export/submission_%d/src/%s.cu" % (900 + i, LESSONS[2]), code[LESSONS[2]]["solution"])
            z.writestr("assignment_77_export/submission_%d/build.log" % (900 + i), "x")
            about += "submission_%d:\n  :submitters:\n" % (900 + i)
            for p in everybody[i:i + 2]:
                about += "  - :name: %s\n    :sid: '%s'\n    :email: %s@example.org\n" % (p["name"].split(", ")[1], p["id"], p["login"])
            about += "  :created_at: 2026-02-12 12:00:00.000000000 +01:00\n  :score: 0.0\n  :status: processed\n"
        z.writestr("assignment_77_export/submission_metadata.yml", "---\n" + about)


def wanted(i, stage, share, count):
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
        if k == 2 and shares(i, count):
            again = points("solution") * max(0, 100 - (0 if i == 3 else 2) * PER_DAY[stage]) / 100
            first = again if first is None else max(first, again)
        yield "" if first is None else round(first, 3)


class Refused(Exception):
    pass


def read_csv(path):
    rows = list(csv.reader(open(path, encoding="utf-8", newline="")))
    if any(len(row) != len(rows[0]) for row in rows):
        raise Refused("a line has not as many cells as the first")
    return rows


def canvas_import(path, students, assignments):
    """{student: {assignment's id, or the title of a new one: cell}}. students: {id: (login, names)}."""
    rows = read_csv(path)
    head = rows[0]
    if len(head) < 4 or "Student" not in head[0] or "ID" not in head[1]:
        raise Refused("Invalid header row")
    own = 3                     # name, id, section, and those in between that it knows
    if head[2] == "SIS Login ID":
        own, login = 4, 2
    elif head[2] == "SIS User ID" and head[3] == "SIS Login ID":
        own, login = 5, 3
    else:
        login = None
    if "Section" not in head[own - 1]:
        raise Refused("Invalid header row: no Section")
    columns = []
    for title in head[own:]:
        number = title[title.rfind("(") + 1:-1] if title.endswith(")") and " (" in title else ""
        columns.append(number if number in assignments else title)
        if number and number not in assignments:
            raise Refused("no assignment has the number of '%s'" % title)
    if len(set(columns)) != len(columns):
        raise Refused("an assignment has two columns")
    grades, possible = {}, None
    for row in rows[1:]:
        if "Points Possible" in row[0]:
            possible = row[own:]
            continue
        who = row[1] if row[1] in students else None
        if who is None and login is not None:
            who = next((i for i, (its, _) in students.items() if row[login] and its == row[login]), None)
        if who is None:
            who = next((i for i, (_, names) in students.items() if row[0] in names), None)
        if who is None:
            raise Refused("a new student: %s" % row)
        if who in grades:
            raise Refused("a student with two lines: %s" % row)
        for cell in row[own:]:
            if cell not in ("", "EX") and not re.fullmatch(r"\d+(\.\d+)?", cell):
                raise Refused("no grade: %r" % cell)
        grades[who] = dict(zip(columns, row[own:]))
    for column, most in zip(columns, possible or []):
        for who in grades:
            if grades[who][column] not in ("", "EX") and float(grades[who][column]) > float(most):
                raise Refused("%s has more than there is" % who)
    if possible is None:
        raise Refused("no line of points possible")
    return grades, dict(zip(columns, possible))


def moodle_import(path, participants, most, graded):
    """{participant: grade}. graded: {participant: (grade, seconds since 1970)} of those that have one."""
    rows = read_csv(path)
    head = [c.strip() for c in rows[0]]
    if any(head.count(c) != 1 for c in ("Identifier", "Grade", "Last modified (grade)", "Feedback comments")):
        raise Refused("not the columns of a grading worksheet")
    at = {c: head.index(c) for c in head}
    grades, seen = {}, set()
    for row in rows[1:]:
        number = row[at["Identifier"]][len("Participant "):]
        if not row[at["Identifier"]].startswith("Participant ") or number not in participants:
            raise Refused("a participant that is not in the course: %r" % row[at["Identifier"]])
        if number in seen:
            raise Refused("a participant with two lines: %s" % number)
        seen.add(number)
        grade, changed = row[at["Grade"]], row[at["Last modified (grade)"]]
        if grade == "":
            continue
        if not re.fullmatch(r"\d+(\.\d+)?", grade):
            raise Refused("no grade: %r" % grade)
        if float(grade) > most:
            raise Refused("participant %s has more than the assignment has" % number)
        modified = 0 if changed == "-" else calendar.timegm(time.strptime(changed, "%A, %d %B %Y, %I:%M %p"))
        if number in graded and graded[number][0] != float(grade) and graded[number][1] > modified + 60:
            raise Refused("participant %s has been graded since: the line is passed over" % number)
        grades[number] = float(grade)
    return grades, seen


def compare(folder, grades, stage, points):
    share = json.load(open(points))
    everybody = list(people(sum(1 for _ in open(folder + "/roster-1.csv")) - 1))
    by_hand = [list(wanted(i, stage, share, len(everybody))) for i in range(len(everybody))]
    canvas, possible = canvas_import(grades + "/exports/canvas.csv",
                                     {p["id"]: (p["login"], [p["name"]]) for p in everybody}, {"9001": 1, "9002": 2, "9009": 3})
    columns = ["9001", "9002", "Lesson 03: Events"]
    if [float(possible[c]) for c in columns] != [MAX[stage][l] for l in LESSONS]:
        print("points possible:", possible)
    if set(canvas) != {p["id"] for p in everybody}:
        print("nobody wrote a line for", {p["id"] for p in everybody} - set(canvas))
    for i, p in enumerate(everybody):
        for k, want in enumerate(by_hand[i]):
            cell = canvas[p["id"]][columns[k]]
            if not (cell == want if isinstance(want, str) or cell in ("", "EX") else abs(float(cell) - want) < 0.0021):
                print("%s %s: %r, by hand %r (%s)" % (p["id"], LESSONS[k], cell, want, plan(i)[k]))
    for k, lesson in enumerate(LESSONS):
        moodle, seen = moodle_import("%s/exports/moodle/%s.csv" % (grades, lesson), {str(p["participant"]) for p in everybody}, MAX[stage][lesson], {})
        for i, p in enumerate(everybody):
            want, cell = by_hand[i][k], moodle.get(str(p["participant"]))
            if str(p["participant"]) not in seen or (cell is None) != isinstance(want, str) or (cell is not None and abs(cell - want) > 0.0021):
                print("Moodle, %s %s: %r, by hand %r" % (p["id"], lesson, cell, want))


def strict(folder):
    """Each of these is refused, and for its own reason."""
    path = folder + "/strict.csv"
    def refuses(what, importer, text, *rest):
        open(path, "w", newline="").write(text)
        try:
            importer(path, *rest)
            print("taken:", what)
        except Refused:
            pass
    head = "Student,ID,SIS User ID,SIS Login ID,Section,Lesson 01 (9001)\r\n    Points Possible,,,,,10\r\n"
    students = {"1": ("a", ["A"]), "2": ("b", ["B"])}
    for what, text in (("no Section", head.replace("Section", "Group")), ("no ID", head.replace(",ID", ",Number")), ("a stranger", head + "C,3,,c,,1\r\n"),
                       ("two lines", head + "A,1,,,,1\r\nA,,,a,,2\r\n"), ("a word", head + "A,1,,,,one\r\n"), ("too much", head + "A,1,,,,11\r\n"),
                       ("a number that is not there", head.replace("9001", "9003") + "A,1,,,,1\r\n"), ("a short line", head + "A,1,,,1\r\n"),
                       ("nothing possible", head.split("\r\n")[0] + "\r\nA,1,,,,1\r\n")):
        refuses("Canvas, " + what, canvas_import, text, students, {"9001": 1})
    head = "Identifier,Full name,Grade,Last modified (grade),Feedback comments\r\n"
    old = "\"Monday, 5 January 2026, 10:00 AM\""
    for what, text in (("no column", head.replace("Grade,Last", "Mark,Last")), ("a stranger", head + "Participant 9,X,1,-,\r\n"), ("an id", head + "1,X,1,-,\r\n"),
                       ("two lines", head + "Participant 1,X,1,-,\r\nParticipant 1,X,2,-,\r\n"), ("too much", head + "Participant 1,X,11,-,\r\n"),
                       ("less than nothing", head + "Participant 1,X,-1,-,\r\n"), ("a newer grade", head + "Participant 2,X,5,%s,\r\n" % old),
                       ("a newer grade, and no time", head + "Participant 2,X,5,-,\r\n")):
        refuses("Moodle, " + what, moodle_import, text, {"1", "2"}, 10, {"2": (4.0, 1767693600)})


def table(grades):
    r = json.load(open(grades + "/results.json"))
    it, why = r["intake"], collections.Counter(re.sub(r": .*", "", s["why"]) for s in r["strays"])
    print("in %d + %d shared = graded %d + left out %d + beside %d" % (it["met"], it["shared"], it["graded"], it["left_out"], it["companions"]))
    for reason, n in why.most_common():
        print("  left out %4d  %s" % (n, reason))
    for status, n in sorted(r["counts"].items()):
        print("  %-15s %d" % (status, n))


if sys.argv[1] == "make":
    make(sys.argv[2], int(sys.argv[3]), sys.argv[4] == "1")
elif sys.argv[1] == "strict":
    strict(sys.argv[2])
elif sys.argv[1] == "table":
    table(sys.argv[2])
else:
    try:
        compare(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
    except Refused as e:
        print("the importer refuses it:", e)
