# SPDX-License-Identifier: MIT
# For the tests of what platforms grade with: export.bash, and a file system of their own without a network.
. tests/export/export.bash
for tool in bwrap unzip python3; do
    command -v "$tool" > /dev/null || skip_all "no $tool"
done
[ -x build/bin/pack ] || { echo "Bail out! build/bin/pack is not built"; exit 1; }

# inside FOLDER PLACE COMMAND...: FOLDER is PLACE there, $opt is /opt/streams-workbook; nothing else can be written but /tmp.
opt=$dir/nothing
mkdir "$opt"
inside() {
    local folder=$1 place=$2
    shift 2
    run bwrap --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/sbin /sbin --symlink usr/lib /lib --symlink usr/lib64 /lib64 \
        --ro-bind /etc /etc --proc /proc --dev /dev --perms 1777 --tmpfs /tmp --tmpfs /root --bind "$folder" "$place" --perms 0755 --dir /opt --ro-bind "$opt" /opt/streams-workbook \
        --unshare-net --unshare-pid --die-with-parent --clearenv --setenv PATH /usr/local/bin:/usr/bin:/bin --setenv HOME /root \
        --chdir "$place" -- "$@"
}
pack() { run env "${@:2}" tools/autograder "$1"; }
value() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"; }
# schema NAME: is the JSON on stdin as its schema says?
schema() {
    has_npm ajv || return 0
    cat > "$dir/value.json"
    prints_nothing node -e 'const { createRequire } = require("module"), r = createRequire(process.env.NODE_PATH + "/");
        const [, schemas, name, value] = process.argv, f = require("fs"), ajv = new (r("ajv"))({ strict: false });
        if (!ajv.validate(JSON.parse(f.readFileSync(schemas))[name], JSON.parse(f.readFileSync(value)))) console.log(ajv.errorsText());' \
        tests/export/schemas.json "$1" "$dir/value.json"
}
# What batch and exports say of the same file here.
here() {    # format file lesson
    rm -rf "$dir/own" "$dir/theirs"
    mkdir -p "$dir/own/student" && cp "$2" "$dir/own/student/$3.cu"
    printf 'id\nstudent\n' > "$dir/one.csv"
    build/bin/batch --seed 7 --feedback failures --lessons "${3%%-*}" --roster "$dir/one.csv" -o "$dir/theirs" "$dir/own" > /dev/null 2>&1 &&
        build/bin/exports --format "$1" --student student "$dir/theirs"
}
mistaken=$(wrong 01-sync-vs-async/blames-launch)
