import { describe, expect, it } from "vitest";
import { type ConformanceJudge, lineOf, runSuite, totalOf } from "./conformance.ts";
import { engineJudge, imageJudge, productJudge } from "./judges.ts";
import { long } from "./sample.ts";
import { sharedPath } from "./shared.ts";
import { readRemotes, readSuite } from "./suite.ts";

const CONTENT = "draft-07 optional | content.json: validation of";

/** Tests in which we decide differently from the suite, with the reason. Both engines agree on these. */
const KNOWN = [
  // 1.0 is an integer in every dialect.
  "draft-04 optional | zeroTerminatedFloats.json: some languages do not distinguish between different types of numeric value: a float is not an integer even without fractional part | expected invalid, got valid",
  // We treat the content keywords as annotations.
  `${CONTENT} string-encoded content based on media type: an invalid JSON document | expected invalid, got valid`,
  `${CONTENT} binary string-encoding: an invalid base64 string (% is not a valid character) | expected invalid, got valid`,
  `${CONTENT} binary-encoded media type documents: a validly-encoded invalid JSON document | expected invalid, got valid`,
  `${CONTENT} binary-encoded media type documents: an invalid base64 string that is valid JSON | expected invalid, got valid`,
];

const folder = sharedPath("suites", "json-schema-test-suite");

describe.skipIf(folder === undefined)("JSON-Schema-Test-Suite", () => {
  const run = (judge: ConformanceJudge) =>
    runSuite(readSuite(folder ?? ""), readRemotes(folder ?? ""), judge);

  it("is judged correctly by the engine", { timeout: 180_000 }, () => {
    const result = run(engineJudge);
    expect(result.failures.map(lineOf)).toEqual(KNOWN);
    expect(totalOf(result, "required")).toMatchObject({ passed: 4942, failed: 0, notTaken: 0 });
    expect(totalOf(result, "optional").passed).toBe(639);
    expect(totalOf(result, "format").passed).toBe(2741);
  });

  it("is judged correctly by the scanner wherever it has an answer", {
    ...long,
    timeout: 180_000,
  }, () => {
    const result = run(imageJudge);
    for (const failure of result.failures) expect(KNOWN).toContain(lineOf(failure));
    expect(totalOf(result, "required").passed).toBeGreaterThan(2000);
  });

  it("gives the same results with new schemas and with compiled ones", {
    ...long,
    timeout: 180_000,
  }, () => {
    const result = run(productJudge);
    expect(result.failures.map(lineOf)).toEqual(KNOWN);
    expect(totalOf(result, "required")).toMatchObject({ passed: 4942, failed: 0, notTaken: 0 });
  });
});
