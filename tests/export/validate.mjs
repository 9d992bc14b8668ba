// SPDX-License-Identifier: MIT
// validate.mjs SCHEMAS GRADES: every JSON that leaves, against the schema of its format. Prints what is wrong.
import { createRequire } from 'node:module';
import { readFileSync, readdirSync } from 'node:fs';

const require = createRequire(process.env.NODE_PATH + '/');
const Ajv = require('ajv');
const [schemas, grades] = process.argv.slice(2), all = JSON.parse(readFileSync(schemas, 'utf8'));
const exports_ = grades + '/exports/';
const ajv = new Ajv({ allErrors: true, strict: false });
let count = 0;
function check(name, schema, value) {
    const good = ajv.validate(schema, value);
    count++;
    if (!good) console.log(`${name}: ${ajv.errorsText(undefined, { separator: '\n' })}`);
}
const read = path => readFileSync(exports_ + path, 'utf8');
const each = (folder, f) => readdirSync(exports_ + folder).forEach(name => f(folder + '/' + name));

check('grades.json', JSON.parse(read('grades.schema.json')), JSON.parse(read('grades.json')));
for (const format of ['gradescope', 'prairielearn'])
    each(format, path => {
        if (Buffer.byteLength(read(path)) > 1e6) console.log(path + ' is larger than a megabyte');
        check(path, all[format], JSON.parse(read(path)));
    });
each('classroom', path => {
    if (!/^[A-Za-z0-9+/]+=*\n$/.test(read(path))) console.log(path + ' is not one line of base64');
    check(path, all.classroom, JSON.parse(Buffer.from(read(path), 'base64').toString('utf8')));
});
each('autolab', path => {
    const lines = read(path).trimEnd().split('\n');
    if (lines.length !== 2) console.log(path + ` has ${lines.length} lines`);
    check(path, all['autolab-feedback'], JSON.parse(lines[0]));
    check(path, all['autolab-scores'], JSON.parse(lines[1]));
});
console.error(count);
