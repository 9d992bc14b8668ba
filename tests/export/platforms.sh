#!/bin/bash
# SPDX-License-Identifier: MIT
# What Autolab, PrairieLearn and GitHub Classroom grade with, unpacked and run as they run it, in an image that has the
# workbook built (gradescope.sh builds it).
. tests/export/platforms.bash
opt=$root

# ---- Autolab ----
lab=$dir/lab
mkdir "$lab"
pack autolab LESSONS=1 SEED=7 FEEDBACK=failures
ok "Autolab's two files are packed" ends 0
cp build/autograder/autolab/autograde.tar "$lab"
cp build/autograder/autolab/autograde-Makefile "$lab/Makefile"
cp "$mistaken" "$lab/handin.cu"
inside "$lab" /lab make
ok "make grades what lies beside them" ends 0
ok "its last line has the scores, the one before it the stages" \
    eval 'tail -n 1 "$dir/out" | schema autolab-scores && tail -n 2 "$dir/out" | head -n 1 | schema autolab-feedback'
here autolab "$lab/handin.cu" 01-sync-vs-async > "$dir/wanted.txt"
ok "as it is graded here" eval 'tail -n 2 "$dir/out" | cmp - "$dir/wanted.txt"'

# ---- PrairieLearn ----
course=$dir/course job=$dir/job
pack prairielearn LESSONS="1 3" SEED=7 FEEDBACK=failures IMAGE=someone/streams:1
mkdir -p "$course" "$job/student" && unzip -q build/autograder/prairielearn.zip -d "$course"
info=$course/questions/streams-01/info.json
ok "PrairieLearn's archive has a question for each lesson, that is graded externally" \
    is "$(value "$info" 'd["gradingMethod"], d["externalGradingOptions"]["enabled"], d["externalGradingOptions"]["image"], d["type"], len(d["uuid"])') $(ls "$course/questions" | tr '\n' ' ')" \
    "('External', True, 'someone/streams:1', 'v3', 36) streams-01 streams-03 "
ok "each with a number of its own" [ "$(value "$info" 'd["uuid"]')" != "$(value "$course/questions/streams-03/info.json" 'd["uuid"]')" ]
cp -r "$course/serverFilesCourse" "$job"
cp "$solution" "$job/student"
entry=$(value "$info" 'd["externalGradingOptions"]["entrypoint"]')
inside "$job" /grade env "LESSONS=$(value "$info" 'd["externalGradingOptions"]["environment"]["LESSONS"]')" "$entry"
ok "its entry point grades a submission" eval 'ends 0 && schema prairielearn < "$job/results/results.json"'
here prairielearn "$solution" 01-sync-vs-async > "$dir/wanted.json"
ok "as it is graded here" cmp "$dir/wanted.json" "$job/results/results.json"
ok "a solution has it all" is "$(value "$job/results/results.json" 'd["score"], d["gradable"]')" "(1.0, True)"

# ---- GitHub Classroom ----
pack classroom LESSONS="1 3" FEEDBACK=failures
repository=$dir/repository
mkdir -p "$repository/work"
cp "$solution" "$repository/work"
cp "$(wrong 03-events/a-twice)" "$dir/03-events.cu" && mv "$dir/03-events.cu" "$repository/work"
workflow() { node -e 'const { createRequire } = require("module"), r = createRequire(process.env.NODE_PATH + "/");
    const w = r("yaml").parse(require("fs").readFileSync("build/autograder/classroom.yml", "utf8")), job = Object.values(w.jobs)[0];
    console.log(String(eval(process.argv[1])));' "$1"; }
if has_npm yaml; then
    ok "Classroom's workflow is YAML, runs on a push and reports what its steps found" \
        is "$(workflow 'w.on.includes("push") && job.steps.at(-1).uses.includes("autograding-grading-reporter") && job.steps.at(-1).with.runners.split(",").every(id => job.steps.some(s => s.id === id) && job.steps.at(-1).env[id.toUpperCase() + "_RESULTS"].includes(id))')" true
    for n in 01 03; do
        workflow "job.steps.find(s => s.id === 'lesson$n').run" > "$repository/step.sh"
        : > "$repository/output"
        inside "$repository" /repository env GITHUB_OUTPUT=/repository/output WORKBOOK=/opt/streams-workbook LESSONS=$n FEEDBACK=failures bash -e step.sh
        sed -n 's/^result=//p' "$repository/output" | base64 -d > "$dir/decoded.json"
        ok "its step of lesson $n hands over the result" eval 'ends 0 && schema classroom < "$dir/decoded.json"'
        [ "$n" = 01 ] && want="pass True" || want="fail False"
        ok "which says how it went" is "$(value "$dir/decoded.json" 'd["status"], d["max_score"] == sum(t["score"] for t in d["tests"])' | tr -d "(),'")" "$want"
    done
    pack classroom LESSONS=3 REPOSITORY=someone/streams
    ok "it can fetch the workbook from elsewhere" is "$(workflow 'job.steps[1].with.repository + " " + job.env.WORKBOOK.endsWith(job.steps[1].with.path)')" "someone/streams true"
else
    skip "Classroom's workflow is run" "no yaml (npm)"
fi

done_testing
