import { type Schema, Validator } from "@cfworker/json-schema";
import { registerSchema, unregisterSchema, validate } from "@hyperjump/json-schema/draft-2020-12";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BudgetError } from "../keywords/run.ts";
import { sample } from "../testing/sample.ts";
import { jsonSchema, jsonValue } from "./testing/arbitrary.ts";
import { testContext } from "./testing/context.ts";
import { explain, isValid } from "./testing/interpret.ts";
import { plainGraph } from "./testing/plain-graph.ts";

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** Undefined if endless references exhaust the engine's stack. */
async function verdict(judge: () => boolean | Promise<boolean>): Promise<boolean | undefined> {
  try {
    return await judge();
  } catch (thrown) {
    if (thrown instanceof RangeError || thrown instanceof BudgetError) return undefined;
    throw thrown;
  }
}

const cases = fc.tuple(
  jsonSchema({ proto: true, unevaluated: true, full: false }),
  fc.array(jsonValue, { minLength: 4, maxLength: 6 }),
);

describe("compared with other engines on random schemas with unevaluated keywords", () => {
  it("gives hyperjump's result, or cfworker's if hyperjump has none", async () => {
    const seen = { valid: 0, invalid: 0, endless: 0 };
    let count = 0;
    const agree = async ([schema, values]: [unknown, unknown[]]): Promise<void> => {
      const uri = `https://example.test/${count++}`;
      registerSchema(structuredClone(schema) as Parameters<typeof registerSchema>[0], uri, DIALECT);
      const hyperjump = await validate(uri);
      const graph = plainGraph(schema);
      const other = new Validator(schema as Schema, "2020-12");
      for (const value of values) {
        const expected =
          (await verdict(() => hyperjump(value as Parameters<typeof hyperjump>[0]).valid)) ??
          (await verdict(() => other.validate(value).valid));
        const actual = await verdict(() => isValid(graph, value, testContext()));
        const explained = await verdict(
          () => explain(graph, value, testContext(), { maxIssues: 3 }).total === 0,
        );
        if (expected === undefined) {
          seen.endless++;
          continue;
        }
        expect(actual).toBe(expected);
        // A check that collects issues continues after the first failure, so it may reach endless references that a
        // plain verdict does not reach.
        if (explained !== undefined) expect(explained).toBe(expected);
        else expect(expected).toBe(false);
        seen[expected ? "valid" : "invalid"]++;
      }
      unregisterSchema(uri);
    };
    await fc.assert(fc.asyncProperty(cases, agree), { numRuns: sample(150, 300) });
    expect(seen.valid).toBeGreaterThan(sample(50, 100));
    expect(seen.invalid).toBeGreaterThan(sample(50, 100));
  });
});
