// `npm run bench:engine`: what a check and a compilation cost, beside other engines in the same run.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Validator } from "@cfworker/json-schema";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { compileSchema, SchemaCache } from "@touchstone/core";
import { nodeDeadline } from "@touchstone/core/node";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { sample } from "./sample.mjs";

const root =
  process.env.TOUCHSTONE_SHARED ?? fileURLToPath(new URL("../../shared", import.meta.url));
const folder = `${root}/corpus/tools-list`;
const ROUNDS = 9;

function tools() {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .flatMap((name) => JSON.parse(readFileSync(`${folder}/${name}`, "utf8")).tools ?? []);
  } catch {
    console.error(`No tools to measure: ${folder} is absent; set TOUCHSTONE_SHARED.`);
    process.exit(3);
  }
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const geomean = (numbers) =>
  Math.exp(numbers.reduce((sum, x) => sum + Math.log(x), 0) / numbers.length);

/** Median time of one call in microseconds, the engines taking turns in an order that rotates. */
function measure(engines, calls) {
  const times = new Map(engines.map(([name]) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    const turn = round % engines.length;
    for (const [name, run] of [...engines.slice(turn), ...engines.slice(0, turn)]) {
      const started = performance.now();
      for (let i = 0; i < calls; i += 1) run();
      times.get(name).push(((performance.now() - started) * 1000) / calls);
    }
  }
  return new Map([...times].map(([name, all]) => [name, median(all)]));
}

const isDraft07 = (schema) => String(schema.$schema ?? "").includes("draft-07");

function plainAjv(schema) {
  const Engine = isDraft07(schema) ? Ajv : Ajv2020;
  const ajv = new Engine({ strict: false, logger: false, ownProperties: true });
  addFormats.default(ajv);
  return ajv.compile(schema);
}

const cases = tools()
  .flatMap(({ inputSchema, outputSchema }) => [inputSchema, outputSchema])
  .filter((schema) => schema !== undefined && schema !== null)
  .map((schema) => ({ schema, value: sample(schema) }))
  .filter(({ schema, value }) => compileSchema({ value: schema }).checkValue(value).valid);

console.log(
  `${cases.length} tool schemas, each with one valid value; medians of ${ROUNDS} rounds\n`,
);

const checks = new Map();
for (const { schema, value } of cases) {
  const text = JSON.stringify(value);
  const ours = compileSchema({ value: schema }, { deadline: nodeDeadline });
  for (let i = 0; i < 10; i += 1) ours.checkValue(value);
  const ajv = plainAjv(schema);
  const cfworker = new Validator(schema, isDraft07(schema) ? "7" : "2020-12", false);
  const calls = Math.max(20, Math.round(4000 / (text.length + 50)));
  const times = measure(
    [
      ["JSON.parse", () => JSON.parse(text)],
      ["Ajv, formats, own properties", () => ajv(value)],
      ["touchstone checkValue", () => ours.checkValue(value)],
      ["touchstone check of the text", () => ours.check(text)],
      ["cfworker", () => cfworker.validate(value)],
    ],
    calls * 10,
  );
  const parse = times.get("JSON.parse");
  for (const [name, time] of times) {
    const all = checks.get(name) ?? [];
    all.push({ time, parse, ajv: times.get("Ajv, formats, own properties") });
    checks.set(name, all);
  }
}
const row = (cells) => console.log(`| ${cells.join(" | ")} |`);
row(["valid value", "median µs", "÷ JSON.parse", "÷ Ajv"]);
row(["-", "-", "-", "-"]);
for (const [name, all] of checks) {
  row([
    name,
    median(all.map(({ time }) => time)).toFixed(2),
    geomean(all.map(({ time, parse }) => time / parse)).toFixed(2),
    geomean(all.map(({ time, ajv }) => time / ajv)).toFixed(2),
  ]);
}

console.log("");
row(["compilation", "median µs", "÷ the MCP SDK's way"]);
row(["-", "-", "-"]);
const compilations = [
  // The SDK makes one instance for all; a schema from a stranger needs one of its own.
  [
    "MCP SDK v1's provider, one instance each",
    (schema) => new AjvJsonSchemaValidator().getValidator(schema),
  ],
  ["Ajv, one instance each", plainAjv],
  ["touchstone compileSchema", (schema) => compileSchema({ value: schema })],
];
const times = new Map(compilations.map(([name]) => [name, []]));
for (const { schema } of cases.slice(0, 120)) {
  for (const [name, compile] of compilations) {
    const copy = structuredClone(schema);
    const started = performance.now();
    compile(copy);
    times.get(name).push((performance.now() - started) * 1000);
  }
}
const [[, sdk]] = times;
for (const [name, all] of times) {
  row([name, median(all).toFixed(0), geomean(all.map((time, i) => time / sdk[i])).toFixed(3)]);
}

const cache = new SchemaCache();
const text = JSON.stringify(cases[0].schema);
cache.get({ text });
const frame = JSON.stringify({ a: "x".repeat(300), b: Array.from({ length: 60 }, (_, i) => i) });
const look = measure(
  [
    ["look-up", () => cache.get({ text })],
    ["parse", () => JSON.parse(frame)],
  ],
  20_000,
);
console.log(
  `\ncached look-up by text (${text.length} B): ${look.get("look-up").toFixed(2)} µs, JSON.parse of ${frame.length} B: ${look.get("parse").toFixed(2)} µs`,
);
console.log(
  "\nNot measured: large real-world schemas, hyperjump, tjs, the MCP SDK v2's provider, memory.",
);
