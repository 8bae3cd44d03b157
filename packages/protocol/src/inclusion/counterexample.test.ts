import { type CompiledSchema, compileDeclared, type JsonObject } from "@touchstone/core/advanced";
import { expect, it } from "vitest";
import { eachOf } from "../../../core/src/testing/sample.ts";
import { BoundedWork } from "../bounded-work.ts";
import { compareSchemas } from "../tool-checks/lock/compare-schemas.ts";
import { compareTools } from "../tool-checks/lock/compare-tools.ts";
import { findCounterexample } from "./counterexample.ts";

/** A pattern for which backtracking takes exponential time on names with many "a". */
const SLOW = "^((a+)+)\\1-N$";

function slowNames(count: number, schema: JsonObject): JsonObject {
  const sources = Array.from({ length: count }, (_, n) => SLOW.replace("N", `${n}`));
  return {
    type: "object",
    patternProperties: Object.fromEntries(sources.map((source) => [source, schema])),
  };
}

/** Compiles a schema, and counts the steps of its checks. */
function counted(value: JsonObject) {
  const compiled = compileDeclared({ value });
  const taken = { checks: 0, steps: 0 };
  const schema: CompiledSchema = {
    ...compiled,
    isValid: (given, budget) => {
      const before = budget?.steps ?? Number.POSITIVE_INFINITY;
      const isValid = compiled.isValid(given, budget);
      taken.checks += 1;
      taken.steps += before - (budget?.steps ?? 0);
      return isValid;
    },
  };
  return { schema, taken };
}

it("tries fewer values if their checks take many steps, the same ones each time", () => {
  const steps = 3_000_000;
  const search = () => {
    const text = { type: "string", minLength: 1 };
    const first = counted(slowNames(5, text));
    // A schema that accepts the same values but is written differently.
    const second = counted(slowNames(5, { ...text, pattern: "^[^]" }));
    const { accepted } = findCounterexample(first.schema, second.schema, { steps });
    return { accepted, first: first.taken, second: second.taken };
  };
  const { accepted, first, second } = search();
  expect(accepted).toBeGreaterThan(0);
  expect(first.checks).toBeLessThan(1_000);
  expect(accepted).toBeLessThanOrEqual(second.checks);
  expect(first.steps + second.steps).toBeLessThanOrEqual(steps);
  expect(search()).toEqual({ accepted, first, second });
});

eachOf([2, 30, 200], 1)(
  "finds a counterexample for %i patterns that take long to match",
  (count) => {
    const [first, second] = ["string", "number"].map((type) =>
      compileDeclared({ value: slowNames(count, { type }) }),
    ) as [CompiledSchema, CompiledSchema];
    const { counterexample } = findCounterexample(first, second);
    const name = Object.keys(counterexample?.value ?? {});
    expect(name).toEqual([expect.stringMatching(/^(a+)\1-\d+$/)]);
  },
);

eachOf<[string, number, object, object, string]>(
  [
    ["enough", 2, { minLength: 1 }, { minLength: 1, pattern: "^[^]" }, "compatible input-schema"],
    ["few", 600, { minLength: 1 }, { minLength: 2 }, "unproven input-schema"],
  ],
  1,
)(
  "calls nothing compatible because values take long to check: %s",
  (_, count, old, now, wanted) => {
    const tool = (text: object) => ({
      name: "t",
      inputSchema: slowNames(count, { type: "string", ...text }),
    });
    const found = compareTools("t", JSON.stringify(tool(old)), JSON.stringify(tool(now)), {});
    expect(found.map((change) => `${change.class} ${change.rule}`)).toEqual([wanted]);
  },
);

it("does not prove anything with a name that cannot be matched in time", () => {
  const name = `${"a".repeat(40)}x`;
  const before = { type: "object", properties: { [name]: { type: "string" } } };
  const after = { type: "object", patternProperties: { [SLOW]: { type: "number" } } };
  const compared = compareSchemas(
    JSON.stringify({ ...before, additionalProperties: false }),
    JSON.stringify({ ...after, additionalProperties: { type: "string" } }),
    "input",
    { samples: 10 },
  );
  expect(compared.kind).toBe("unproven");
});

it.each<[string, string, string, readonly (boolean | undefined)[]]>([
  ["matches", "^a+$", "aa", [true, true]],
  ["does not match", "^a+$", "b", [false, false]],
  ["is invalid", "(", "a", [undefined, undefined]],
  ["takes too long", SLOW, `${"a".repeat(40)}x`, [undefined, undefined]],
])("remembers a pattern that %s", (_, source, text, wanted) => {
  const work = new BoundedWork(100_000);
  // A pattern that took too long is not tested again, not even with a short text.
  const again = wanted[1] === undefined ? "" : text;
  expect([work.matches(source, text), work.matches(source, again)]).toEqual(wanted);
  expect(work.isOver).toBe(false);
  work.spend(100_000);
  expect([work.isOver, work.matches(source, text)]).toEqual([true, undefined]);
  expect(work.accepts(compileDeclared({ value: {} }), text)).toBeUndefined();
});
