// `npm run bench:memory`: checks that the heap stays flat over many schemas and many checks. `--schemas N` (100,000)
// distinct schemas go through one cache, with `--checks N` (10,000,000) checks in all; exit 1 if the heap grew by more
// than 5 MB.
import "../help.mjs";

import { parseArgs } from "node:util";
import { compileDeclared, SchemaCache } from "@touchstone/core/advanced";
import { progress, table } from "./timing.mjs";

const MAX_GROWTH = 5_000_000;

// Loads the verdict compiler before the heap is measured.
compileDeclared({ value: true });

function count(text, name) {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  console.error(`--${name} takes a positive whole number, not ${JSON.stringify(text)}.`);
  process.exit(2);
}

const { values } = parseArgs({
  options: {
    schemas: { type: "string", default: "100000" },
    checks: { type: "string", default: "10000000" },
  },
});
const schemas = count(values.schemas, "schemas");
const checks = count(values.checks, "checks");
if (globalThis.gc === undefined) {
  console.error("Run it with node --expose-gc, so that only what is still held is counted.");
  process.exit(3);
}

/** Returns a schema that differs for each number, of the kinds that tools have. */
function schemaText(i) {
  return JSON.stringify({
    $id: `https://example.com/${i}`,
    type: "object",
    properties: {
      [`name${i}`]: { type: "string", minLength: 1, pattern: `^[a-z]+(${i})?$` },
      when: { type: "string", format: "date-time" },
      tags: { type: "array", items: { $ref: "#/$defs/tag" }, uniqueItems: true },
      size: { anyOf: [{ type: "integer", maximum: i }, { type: "null" }] },
    },
    required: [`name${i}`],
    additionalProperties: false,
    $defs: { tag: { enum: [`a${i}`, "b"] } },
  });
}

const good = (i) => ({
  [`name${i}`]: "abc",
  when: "2026-01-02T03:04:05Z",
  tags: ["b"],
  size: null,
});
const bad = (i) => ({ [`name${i}`]: "", tags: ["b", "b"], size: "1", more: true });

function heap() {
  // The second collection frees what finalisers have released.
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

const cache = new SchemaCache({ maxEntries: 100 });
const perSchema = Math.max(1, Math.ceil(checks / schemas));
let valid = 0;
let invalid = 0;

function run(from, to) {
  for (let i = from; i < to; i += 1) {
    const compiled = cache.get({ text: schemaText(i) });
    const text = JSON.stringify(good(i));
    const value = good(i);
    const wrong = bad(i);
    for (let check = 0; check < perSchema; check += 1) {
      const turn = check % 8;
      const ok =
        turn === 0
          ? compiled.validateText(text).valid
          : turn === 1
            ? compiled.validate(wrong).valid
            : compiled.isValid(value);
      if (ok) valid += 1;
      else invalid += 1;
    }
    if (i % 200 === 0) progress(`${i} of ${to} schemas`);
  }
}

// What is created only once (code, tables, a full cache) does not count as growth.
const warm = Math.min(1000, schemas);
run(schemas, schemas + warm);
const rows = [];
const before = heap();
const started = performance.now();
const PARTS = 5;
for (let part = 0; part < PARTS; part += 1) {
  const to = Math.round((schemas * (part + 1)) / PARTS);
  run(Math.round((schemas * part) / PARTS), to);
  progress("");
  rows.push([to, to * perSchema, ((heap() - before) / 1e6).toFixed(2)]);
}
const seconds = (performance.now() - started) / 1000;
const growth = heap() - before;

console.log(`heap after ${warm} schemas to warm up: ${(before / 1e6).toFixed(1)} MB\n`);
table(["distinct schemas", "checks", "heap grown by, MB"], rows);
console.log(
  `${schemas} schemas, ${valid + invalid - warm * perSchema} checks (${Math.round((100 * invalid) / (valid + invalid))} % invalid) in ${seconds.toFixed(0)} s; ${cache.size} schemas kept.`,
);
// One check in eight, the second, receives an invalid value.
const wrong = Math.ceil((perSchema - 1) / 8) * (schemas + warm);
if (invalid !== wrong) {
  console.error(`${invalid} checks found their value invalid, where ${wrong} values are.`);
  process.exit(3);
}
if (growth > MAX_GROWTH) {
  console.error(
    `The heap grew by ${(growth / 1e6).toFixed(2)} MB, more than ${MAX_GROWTH / 1e6} MB.`,
  );
  process.exit(1);
}
console.log(
  `The heap grew by ${(growth / 1e6).toFixed(2)} MB; the limit is ${MAX_GROWTH / 1e6} MB.`,
);
