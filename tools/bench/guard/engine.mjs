// The engine's figures: a check relative to Ajv and `JSON.parse`, a compilation relative to Ajv's.
import { compileDeclared } from "@touchstone/core/advanced";
import { AJV, COMPILERS, plainAjv } from "../peers.mjs";
import { geomean, processorTime, progress } from "../timing.mjs";
import { best } from "./best.mjs";

const ROUNDS = 5;
/** Microseconds that one engine gets for its turn on one case. */
const TURN = { tools: 500, large: 5000 };
/** How many tool schemas are compiled: Ajv takes some 20 ms for each. */
const COMPILED = 40;

/** Returns the times of one case, by engine. @param compile the engine's function that compiles a schema */
function timesOf({ schema, value }, turn, compile) {
  const text = JSON.stringify(value);
  const bytes = new TextEncoder().encode(text);
  const ours = compile({ value: schema });
  const ajv = plainAjv(schema);
  return best(
    [
      ["JSON.parse", () => JSON.parse(text)],
      [AJV, () => ajv(value)],
      ["isValid", () => ours.isValid(value)],
      ["validate", () => ours.validate(value)],
      ["text", () => ours.validateText(text)],
      ["bytes", () => ours.validateText(bytes)],
    ],
    turn,
    ROUNDS,
  );
}

/**
 * Returns the figures of checks on valid values.
 * @param kind of cases: "tools" or "large"
 * @param compile the engine's function that compiles a schema
 */
export function checkFigures(kind, cases, compile = compileDeclared) {
  const all = cases.map((one, i) => {
    progress(`checks, ${kind}: ${i + 1} of ${cases.length}`);
    return timesOf(one, TURN[kind], compile);
  });
  progress("");
  const ratio = (name, partner) => geomean(all.map((time) => time.get(name) / time.get(partner)));
  return new Map([
    [`isValid ÷ Ajv, ${kind}`, ratio("isValid", AJV)],
    [`validate ÷ Ajv, ${kind}`, ratio("validate", AJV)],
    [`check of a text ÷ JSON.parse, ${kind}`, ratio("text", "JSON.parse")],
    [`check of bytes ÷ JSON.parse, ${kind}`, ratio("bytes", "JSON.parse")],
  ]);
}

/** Returns the figure of a compilation, relative to Ajv as the MCP SDK uses it: an instance for each tool. */
export function compileFigures(cases) {
  const step = Math.max(1, Math.floor(cases.length / COMPILED));
  const chosen = cases.filter((_, i) => i % step === 0).slice(0, COMPILED);
  const engines = [COMPILERS[0], COMPILERS.find(([name]) => name === "touchstone compile")];
  const ratios = chosen.map(({ schema, value }, i) => {
    progress(`compilation: ${i + 1} of ${chosen.length}`);
    const least = engines.map(() => Number.POSITIVE_INFINITY);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [at, [, compile]] of engines.entries()) {
        const copy = structuredClone(schema);
        const started = processorTime();
        compile(copy, value);
        least[at] = Math.min(least[at], processorTime() - started);
      }
    }
    return least[1] / least[0];
  });
  progress("");
  return new Map([["compile ÷ Ajv for each tool", geomean(ratios)]]);
}
