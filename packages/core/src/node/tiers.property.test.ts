import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { SchemaCache } from "../cache.ts";
import { compileDeclared } from "../compile.ts";
import { jsonSchema, jsonValue } from "../engine/testing/arbitrary.ts";
import { sample } from "../testing/sample.ts";
import { CheckPool } from "./check-pool.ts";

const pool = new CheckPool();
afterAll(() => pool.close());

const schemas = jsonSchema({ proto: true, unevaluated: true, full: true });

describe("a check on a thread", () => {
  test("equals a check made at once: result, issues, counts, suggestions", async () => {
    // No schema is read on this thread, so every check is passed on.
    const cache = new SchemaCache({ readNow: 0 });
    const ends = { pass: 0, violation: 0 };
    const agree = async (schema: unknown, values: readonly unknown[], most: number) => {
      const text = JSON.stringify(schema);
      const here = compileDeclared({ text });
      const handed = cache.get({ text });
      for (const value of values) {
        const input = JSON.stringify(value);
        const options = { maxIssues: most };
        const later = handed.validateLater(input, pool.laterFor("a"), options);
        expect(later).toBeInstanceOf(Promise);
        const now = here.validateText(input, options);
        expect(await later).toEqual(now);
        if (now.outcome === "pass" || now.outcome === "violation") ends[now.outcome]++;
      }
    };
    await fc.assert(
      fc.asyncProperty(
        schemas,
        fc.array(jsonValue, { minLength: 3, maxLength: 5 }),
        fc.integer({ min: 1, max: 20 }),
        agree,
      ),
      { numRuns: sample(50, 150) },
    );
    expect(ends.pass).toBeGreaterThan(sample(5, 30));
    expect(ends.violation).toBeGreaterThan(sample(5, 30));
  });
});
