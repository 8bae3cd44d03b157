import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BudgetError } from "../keywords/run.ts";
import { sample } from "../testing/sample.ts";
import { allErrorsOf, type EngineError, type Validator } from "./testing/ajv.ts";
import { jsonSchema, jsonValue } from "./testing/arbitrary.ts";
import { BRANCH_ENDS } from "./testing/branches.ts";
import { testContext } from "./testing/context.ts";
import { countIssues, holds } from "./testing/count.ts";
import { explain, isValid } from "./testing/interpret.ts";
import { plainGraph } from "./testing/plain-graph.ts";

/** Returns undefined if Ajv cannot compile the schema: a reference that leads to itself exhausts its stack. */
function ajv(schema: unknown): Validator | undefined {
  try {
    return allErrorsOf(schema as object | boolean);
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

/** The parts of an error that both engines must agree on. */
function told({ instancePath, keyword, message, params, propertyName }: Partial<EngineError>) {
  const { [BRANCH_ENDS]: _internal, ...rest } = params ?? {};
  return { instancePath, keyword, message, params: rest, propertyName };
}

/** The same value with its names in the order of their code units, in which the engine goes through them. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const made = Object.create(null);
  for (const [name, member] of Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    made[name] = sorted(member);
  }
  return Object.setPrototypeOf(made, Object.prototype);
}

function orUndefined<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof BudgetError) return undefined;
    throw thrown;
  }
}

/** Undefined if Ajv fails: on endless references, and if its code for `patternProperties` throws. */
function ajvErrors(
  validate: Validator | undefined,
  value: unknown,
): readonly EngineError[] | undefined {
  try {
    return validate?.(sorted(value));
  } catch (thrown) {
    if (thrown instanceof RangeError || thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}

const schemas = jsonSchema({ proto: false, unevaluated: false, full: true });

describe("compared with Ajv on random schemas and values", () => {
  it("reports the same errors in the same order", () => {
    const seen = { valid: 0, invalid: 0, endless: 0 };
    fc.assert(
      fc.property(
        schemas,
        fc.array(jsonValue, { minLength: 3, maxLength: 6 }),
        (schema, values) => {
          const graph = plainGraph(schema);
          const validate = ajv(schema);
          for (const value of validate === undefined ? [] : values) {
            const expected = ajvErrors(validate, value);
            const context = testContext();
            const actual = orUndefined(() => explain(graph, value, context, { maxIssues: 10_000 }));
            const verdict = orUndefined(() => isValid(graph, value, testContext()));
            // Ajv tries branches after the first that passes, and skips keywords that cannot matter. So each engine may
            // follow endless references that the other does not reach.
            if (expected === undefined || actual === undefined) {
              seen.endless++;
              continue;
            }
            expect(actual.errors.map(told)).toEqual(expected.map(told));
            expect(actual.total).toBe(expected.length);
            expect(actual.counts).toSatisfy((counts) => holds(counts, countIssues(expected)));
            expect(verdict).toBe(expected.length === 0);
            seen[verdict === true ? "valid" : "invalid"]++;
          }
        },
      ),
      { numRuns: sample(75, 300) },
    );
    expect(seen.valid).toBeGreaterThan(sample(30, 200));
    expect(seen.invalid).toBeGreaterThan(sample(30, 200));
    expect(seen.endless).toBeLessThan((seen.valid + seen.invalid) / 4);
  });

  it("names the same place in the schema without references", () => {
    const without = schemas.filter((schema) => !JSON.stringify(schema).includes('"$ref"'));
    fc.assert(
      fc.property(without, jsonValue, (schema, value) => {
        const expected = ajvErrors(ajv(schema), value)?.map((error) => error.schemaPath);
        const { errors } = explain(plainGraph(schema), value, testContext(), { maxIssues: 10_000 });
        if (expected === undefined) return;
        expect(errors.map((error) => error.schemaPath)).toEqual(expected);
      }),
      { numRuns: sample(50, 150) },
    );
  });
});
