import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emittedJudge, interpreterJudge } from "../../testing/judges.ts";
import { jsonSchema, jsonValue } from "../interpret/testing/arbitrary.ts";

const NO_DOCUMENTS: ReadonlyMap<string, string> = new Map();

describe("Ajv over the emitted schema", () => {
  it.each([true, false])("gives the interpreter's verdicts (unevaluated: %s)", (unevaluated) => {
    const schema = jsonSchema({ proto: true, unevaluated, full: false });
    let taken = 0;
    fc.assert(
      fc.property(schema, fc.array(jsonValue, { minLength: 3, maxLength: 6 }), (made, values) => {
        const text = JSON.stringify(made);
        const fast = emittedJudge(text, NO_DOCUMENTS, "2020-12", true);
        const exact = interpreterJudge(text, NO_DOCUMENTS, "2020-12", true);
        for (const value of values.map((each) => JSON.stringify(each))) {
          const verdict = fast(value);
          const other = exact(value);
          // Where a schema leads back to itself on one value, either may give up.
          if (verdict === "not taken" || verdict === "budget" || other === "budget") continue;
          taken++;
          expect(verdict, value).toBe(other);
        }
      }),
      { numRuns: 200 },
    );
    expect(taken).toBeGreaterThan(200);
  });
});
