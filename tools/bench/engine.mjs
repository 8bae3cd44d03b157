// `npm run bench:engine`: measures a check, a compilation and a look-up, compared with other engines in the same run.
// `TOUCHSTONE_SHARED` names the folder with the corpus, `TOUCHSTONE_SCHEMAS` one with more large schemas
// (`NAME.schema.json` beside values `NAME.json`).
import "../help.mjs";

import { SchemaCache } from "@touchstone/core/advanced";
import { largeCases, toolCases } from "./corpus.mjs";
import { AJV, allErrorsOfAjv, COMPILERS, PEERS, touchstone } from "./peers.mjs";
import { spoiled } from "./sample.mjs";
import { callsFor, geomean, measure, median, processorTime, progress, table } from "./timing.mjs";

const ROUNDS = { small: 9, large: 5 };
/** Microseconds that one engine gets for its turn on one case. */
const TURN = { small: 2_000, large: 20_000 };
const left = [];

/** Returns the peers that accept the schema and the value; notes the reason for each other peer. */
async function peersFor({ name = "a tool's schema", schema, value }) {
  const engines = [];
  for (const [peer, compile] of PEERS) {
    let answer;
    try {
      const validate = await compile(schema);
      answer = validate(value);
      if (answer === true) engines.push([peer, () => validate(value)]);
    } catch (error) {
      answer = String(error.message).split("\n")[0].slice(0, 80);
    }
    if (answer !== true)
      left.push(`${peer} with ${name}: ${answer === false ? "refuses the value" : answer}`);
  }
  return engines;
}

/** Returns the engines' runs on a valid value. */
async function onValid(one) {
  const { schema, value } = one;
  const text = JSON.stringify(value);
  const bytes = new TextEncoder().encode(text);
  const ours = touchstone(schema, value);
  return [
    ["JSON.parse", () => JSON.parse(text)],
    ["touchstone isValid (guarded verdict)", () => ours.isValid(value)],
    ["touchstone validate", () => ours.validate(value)],
    ["touchstone check of the text", () => ours.validateText(text)],
    ["touchstone check of the bytes", () => ours.validateText(bytes)],
    ...(await peersFor(one)),
  ];
}

/** Returns the engines' runs on an invalid value: each reports all issues, and ours adds suggestions. */
function onInvalid({ schema, value }) {
  const text = JSON.stringify(value);
  const ours = touchstone(schema, value);
  const ajv = allErrorsOfAjv(schema);
  return [
    ["JSON.parse", () => JSON.parse(text)],
    [AJV, () => ajv(value)],
    ["touchstone isValid (guarded verdict)", () => ours.isValid(value)],
    ["touchstone validate", () => ours.validate(value)],
    ["touchstone check of the text", () => ours.validateText(text)],
  ];
}

async function compare(title, cases, size, enginesFor) {
  const rows = new Map();
  for (const [i, one] of cases.entries()) {
    progress(`${title}: ${i + 1} of ${cases.length}`);
    const engines = await enginesFor(one);
    const calls = new Map(engines.map(([name, run]) => [name, callsFor(TURN[size], run)]));
    const batch = engines.map(([name, run]) => [
      name,
      () => {
        for (let call = calls.get(name); call > 0; call -= 1) run();
      },
    ]);
    const times = measure(batch, 1, ROUNDS[size]);
    const time = (name) => times.get(name) / calls.get(name);
    for (const [name] of engines) {
      const all = rows.get(name) ?? [];
      const ajv = times.has(AJV) ? time(name) / time(AJV) : undefined;
      all.push({ time: time(name), parse: time(name) / time("JSON.parse"), ajv });
      rows.set(name, all);
    }
  }
  progress("");
  table(
    [title, "cases", "median µs", "÷ JSON.parse", "÷ Ajv"],
    [...rows].map(([name, all]) => {
      const beside = all.map(({ ajv }) => ajv).filter((ratio) => ratio !== undefined);
      return [
        name,
        all.length,
        median(all.map(({ time }) => time)).toFixed(2),
        geomean(all.map(({ parse }) => parse)).toFixed(2),
        beside.length === 0 ? "" : geomean(beside).toFixed(2),
      ];
    }),
  );
}

function compareCompilers(cases) {
  const times = new Map(COMPILERS.map(([name]) => [name, []]));
  for (const [i, { schema, value }] of cases.entries()) {
    progress(`compilation: ${i + 1} of ${cases.length}`);
    const turn = i % COMPILERS.length;
    for (const [name, compile] of [...COMPILERS.slice(turn), ...COMPILERS.slice(0, turn)]) {
      const copy = structuredClone(schema);
      const started = processorTime();
      compile(copy, value);
      times.get(name).push(Math.max(processorTime() - started, 1));
    }
  }
  progress("");
  const [[, sdk]] = times;
  table(
    ["compilation, once each", "median µs", "÷ the first"],
    [...times].map(([name, all]) => [
      name,
      median(all).toFixed(0),
      geomean(all.map((time, i) => time / sdk[i])).toFixed(3),
    ]),
  );
}

function compareLookUps({ schema }) {
  const cache = new SchemaCache();
  const text = JSON.stringify(schema);
  const bytes = new TextEncoder().encode(text);
  const frame = JSON.stringify({
    jsonrpc: "2.0",
    id: 17,
    method: "tools/call",
    params: { name: "search", arguments: { query: "x".repeat(300), ids: [...Array(80).keys()] } },
  });
  const frameText = `JSON.parse of a frame of ${frame.length} bytes`;
  const times = measure(
    [
      [frameText, () => JSON.parse(frame)],
      ["look-up by text", () => cache.get({ text })],
      ["look-up by bytes", () => cache.get({ text: bytes })],
      ["look-up by value", () => cache.get({ value: schema })],
    ],
    20_000,
  );
  table(
    [`cached look-up of a schema of ${text.length} bytes`, "median µs", "÷ JSON.parse"],
    [...times].map(([name, time]) => [
      name,
      time.toFixed(2),
      (time / times.get(frameText)).toFixed(2),
    ]),
  );
}

const tools = toolCases();
if (tools.length === 0) {
  console.error("No tools to measure: the corpus is absent; set TOUCHSTONE_SHARED to its folder.");
  process.exit(3);
}
const large = largeCases();
console.log(
  `${tools.length} tool schemas, each with one small valid value, and ${large.cases.length} large schemas with real values.`,
);
console.log(
  "Medians of processor time, of rounds in which the engines take turns; ratios are geometric means.\n",
);
await compare("valid value, tool schemas", tools, "small", onValid);
await compare("valid value, large schemas", large.cases, "large", onValid);
const spoilt = tools.map(({ schema, value }) => ({ schema, value: spoiled(schema, value) }));
await compare(
  "invalid value, tool schemas (Ajv: all errors)",
  spoilt.filter(({ value }) => value !== undefined),
  "small",
  onInvalid,
);
compareCompilers(tools.slice(0, 120));
compareLookUps(tools.find(({ schema }) => JSON.stringify(schema).length > 500) ?? tools[0]);

for (const name of large.refused) left.push(`${name}: the value is not valid for Touchstone`);
console.log(
  "Not measured: hostile schemas and values (npm run bench:hostile), memory (npm run bench:memory), other machines.",
);
if (left.length > 0)
  console.log(`Left out:\n${[...new Set(left)].map((line) => `  ${line}`).join("\n")}`);
