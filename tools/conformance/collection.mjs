// `npm run conformance:collection -- SCHEMAS [VALID [INVALID]]`: compiles every schema of a folder, such as
// SchemaStore's src/schemas/json, and reports why each refused one is refused. With folders of documents
// (VALID/<schema>/*.json, as SchemaStore's src/test and src/negative_test), checks those.
import "../help.mjs";

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { compileDeclared, parseJson } from "@touchstone/core/advanced";

const [schemas, valid, invalid] = process.argv.slice(2);
if (schemas === undefined) {
  console.error("usage: npm run conformance:collection -- SCHEMAS [VALID [INVALID]]");
  process.exit(2);
}
const names = readdirSync(schemas)
  .filter((name) => name.endsWith(".json"))
  .sort();
if (names.length === 0) {
  console.error(`${schemas} holds no .json file; name the folder that holds the schemas.`);
  process.exit(2);
}

const limits = { maxBytes: 16_777_216, maxSubschemas: 200_000 };
// A collection refers to its own documents by the URI that each declares.
const documents = {};
for (const name of names) {
  const bytes = readFileSync(join(schemas, name));
  const { value } = parseJson(bytes);
  const id = value?.$id ?? value?.id;
  if (typeof id === "string" && /^https?:/u.test(id)) documents[id.replace(/#$/u, "")] = bytes;
  // If draft-07 ignores the "$id" beside a reference, the reference is relative to the file's location.
  documents[name] = bytes;
  documents[`https://json.schemastore.org/${name}`] ??= bytes;
  documents[`https://www.schemastore.org/${name}`] ??= bytes;
}

const refused = new Map();
const wrong = [];
const times = [];
let checked = 0;

function checkAll(folder, compiled, wanted) {
  if (folder === undefined || !existsSync(folder)) return;
  for (const file of readdirSync(folder).filter((each) => each.endsWith(".json"))) {
    const { outcome, errors } = compiled.validateText(readFileSync(join(folder, file)));
    checked += 1;
    const accepted = outcome === "pass";
    if (accepted !== wanted) wrong.push({ file: join(folder, file), outcome, error: errors[0] });
  }
}

names.forEach((name, index) => {
  if (process.stderr.isTTY) process.stderr.write(`\r${index + 1} of ${names.length}`);
  const bytes = readFileSync(join(schemas, name));
  const started = performance.now();
  const compiled = compileDeclared(
    { text: bytes.toString("utf8") },
    { dialect: "draft-07", limits, documents },
  );
  times.push({ name, bytes: bytes.length, time: performance.now() - started });
  if (compiled.error !== undefined) {
    const { code, message, path } = compiled.error;
    const list = refused.get(code) ?? [];
    list.push({ name, message: `${message}${path === "" ? "" : ` at ${path}`}` });
    refused.set(code, list);
    return;
  }
  const topic = basename(name, ".json");
  if (valid !== undefined) checkAll(join(valid, topic), compiled, true);
  if (invalid !== undefined) checkAll(join(invalid, topic), compiled, false);
});

const failures = [...refused.values()].reduce((sum, list) => sum + list.length, 0);
console.log(`${names.length - failures} of ${names.length} schemas compile; ${failures} refused`);
for (const [code, list] of refused) {
  console.log(`\n${code}: ${list.length}`);
  for (const { name, message } of list) console.log(`  ${name}: ${message.slice(0, 200)}`);
}
const slowest = times.toSorted((a, b) => b.time - a.time).slice(0, 5);
console.log("\nslowest to compile:");
for (const { name, bytes, time } of slowest) {
  console.log(`  ${name}: ${time.toFixed(0)} ms (${(bytes / 1024).toFixed(0)} KB)`);
}
if (valid !== undefined) {
  console.log(`\n${checked} documents checked, ${wrong.length} not judged as their folder says`);
  for (const { file, outcome, error } of wrong) {
    const why = error === undefined ? "" : `: ${error.path} ${error.message}`;
    console.log(`  ${file}: ${outcome}${why}`.slice(0, 240));
  }
}
