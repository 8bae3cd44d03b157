import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonSchema, jsonValue } from "../engine/testing/arbitrary.ts";
import { plainGraph } from "../engine/testing/plain-graph.ts";
import { scanWith } from "../json/scan.ts";
import { encodeUtf8 } from "../json/text.ts";
import { wasmScanners } from "../json/wasm/source.ts";
import { sample } from "../testing/sample.ts";
import { schemaImage } from "./schema-image.ts";
import { isTaken } from "./testing/is-taken.ts";
import { spelled } from "./testing/spelled.ts";

/**
 * Returns whether the scanner accepts a text; undefined if it cannot decide, or if the text does not meet its
 * requirements.
 */
function accepted(image: Uint8Array, text: string): boolean | undefined {
  const bytes = encodeUtf8(text);
  const scan = scanWith(bytes, { unique: true, exact: true }, wasmScanners);
  if (scan.unique !== true || scan.exact !== true) return undefined;
  return wasmScanners.use(bytes.length, (scanner) => scanner.accept(bytes, image));
}

const schemas = jsonSchema({ proto: true, unevaluated: true, full: true });

describe("the scanner's answer", () => {
  it("equals the interpreter's answer, if it has one", () => {
    const tally = { yes: 0, no: 0, unknown: 0 };
    fc.assert(
      fc.property(
        schemas,
        fc.array(fc.tuple(jsonValue, fc.nat()), { minLength: 4, maxLength: 12 }),
        (schema, values) => {
          const graph = plainGraph(schema);
          const image = schemaImage(graph);
          if (image === undefined) return;
          for (const [value, seed] of values) {
            const text = spelled(value, seed);
            const answer = accepted(image, text);
            if (answer === undefined) {
              tally.unknown++;
              continue;
            }
            const expected = isTaken(graph, text);
            if (expected === undefined) continue;
            expect(answer, `${JSON.stringify(schema)} on ${text}`).toBe(expected);
            tally[answer ? "yes" : "no"]++;
          }
        },
      ),
      { numRuns: sample(600, 3000) },
    );
    expect(Math.min(tally.yes, tally.no)).toBeGreaterThan(tally.unknown / 20);
  });
});
