import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { long } from "../../core/src/testing/sample.ts";
import { hasCapability, readAnnouncement } from "./announcement.ts";
import { batchResponse } from "./answer.ts";
import { canonicalText } from "./client/canonical.ts";
import { readBatchResult, readValidationResult } from "./client/read-answer.ts";
import { readRequest } from "./request.ts";
import { LEAST_VERDICT_BYTES, MAX_ANSWER_BYTES, writeVerdict } from "./validation-result.ts";

const anything = fc.anything({ withBigInt: true, withNullPrototype: true, withMap: true });

describe("hasCapability", () => {
  it.each([
    [
      { experimental: { toolValidation: { supported: true } } },
      "experimental.toolValidation",
      true,
    ],
    [{ experimental: { toolValidation: true } }, "experimental.toolValidation", true],
    [
      { experimental: { toolValidation: { supported: true } } },
      "experimental.toolValidation.supported",
      true,
    ],
    [
      { experimental: { toolValidation: { supported: "true" } } },
      "experimental.toolValidation",
      false,
    ],
    [{ experimental: { toolValidation: {} } }, "experimental.toolValidation", false],
    [
      { experimental: Object.create({ toolValidation: true }) },
      "experimental.toolValidation",
      false,
    ],
    [{}, "constructor", false],
    [{}, "__proto__", false],
    [null, "", false],
    [{ "": true }, "", true],
  ])("for %o and %s returns %s", (capabilities, path, expected) => {
    expect(hasCapability(capabilities, path)).toBe(expected);
  });

  it("never throws", () => {
    fc.assert(
      fc.property(anything, fc.string(), (capabilities, path) => {
        expect(typeof hasCapability(capabilities, path)).toBe("boolean");
      }),
    );
    const trap = new Proxy(
      {},
      {
        getOwnPropertyDescriptor: () => {
          throw new Error("trap");
        },
      },
    );
    expect(hasCapability(trap, "a")).toBe(false);
  });
});

describe("readAnnouncement", () => {
  const read = (toolValidation: unknown) => readAnnouncement({ experimental: { toolValidation } });
  it.each<[object, object]>([
    [{}, { method: "validate", version: "1.0", batchSize: 0, keepMs: 0 }],
    [{ method: "check" }, { method: "check" }],
    [{ method: 1 }, { method: "validate" }],
    [{ batchValidation: true }, { batchSize: 10 }],
    [{ batchValidation: true, maxBatchSize: 3 }, { batchSize: 3 }],
    [{ batchValidation: true, maxBatchSize: -1 }, { batchSize: 0 }],
    [{ maxBatchSize: 3 }, { batchSize: 0 }],
    [{ cacheable: true }, { keepMs: 60_000 }],
    [{ cacheable: true, caching: { enabled: false } }, { keepMs: 0 }],
    [{ caching: { enabled: true, ttl: 5 } }, { keepMs: 5000 }],
    [{ caching: { enabled: true, ttl: 1e9 } }, { keepMs: 86_400_000 }],
    [{ caching: { enabled: true, ttl: "5" } }, { keepMs: 0 }],
  ])("reads %j", (value, expected) => {
    expect(read({ supported: true, ...value })).toMatchObject(expected);
  });

  it("finds an extension by its suffix", () => {
    const extensions = {
      "a.b/other": {},
      "org.example/tool-validation": { supported: true, method: "m" },
    };
    expect(readAnnouncement({ extensions })).toMatchObject({ method: "m" });
    expect(readAnnouncement({ extensions: { "a/tool-validation": {} } })).toBeUndefined();
  });

  it("accepts any value", () => {
    fc.assert(
      fc.property(anything, (value) => {
        const announcement = read(value);
        expect(announcement === undefined || announcement.method.length > 0).toBe(true);
      }),
    );
  });
});

describe("readRequest and readValidationResult", () => {
  it("accept any value", () => {
    fc.assert(
      fc.property(anything, fc.nat(3), (value, size) => {
        expect(["single", "batch", "malformed"]).toContain(readRequest(value, size).kind);
        for (const answer of [readValidationResult(value), ...readBatchResult(value, size)]) {
          if (answer.status === "ok") {
            expect(answer.verdict.valid).toBe(answer.verdict.errors.length === 0);
          } else expect(typeof answer.detail).toBe("string");
        }
        expect(readBatchResult(value, size)).toHaveLength(size);
      }),
    );
  });

  it("accept any JSON text as a response", () => {
    const key = fc.constantFrom("valid", "errors", "issues", "levelsNotRun", "results", "level");
    const json = fc.letrec((tie) => ({
      value: fc.oneof(fc.jsonValue(), fc.array(tie("value")), fc.dictionary(key, tie("value"))),
    })).value;
    fc.assert(
      fc.property(json, (value) => {
        const answer = readValidationResult({
          content: [{ type: "text", text: JSON.stringify(value) }],
        });
        expect(["ok", "invalid_answer"]).toContain(answer.status);
      }),
    );
  });
});

describe("canonicalText", () => {
  it("is the same for equal JSON values, and differs for others", () => {
    const shuffled = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffled);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([k, v]) => [k, shuffled(v)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(canonicalText(shuffled(a))).toBe(canonicalText(a));
        const read = (value: unknown) => JSON.parse(JSON.stringify(value));
        const text = canonicalText(b);
        if (text === canonicalText(a)) expect(read(b)).toEqual(read(a));
        expect(JSON.parse(text ?? "")).toEqual(read(b));
      }),
    );
  });

  it("uses the JSON text of values with toJSON", () => {
    expect(canonicalText({ a: new Number(5), b: new String("x"), c: new Boolean(false) })).toBe(
      '{"a":5,"b":"x","c":false}',
    );
    expect(canonicalText([new Date(0), { toJSON: () => ({ b: 1, a: 2 }) }])).toBe(
      '["1970-01-01T00:00:00.000Z",{"a":2,"b":1}]',
    );
  });

  it("keeps an own __proto__, and is undefined without JSON text", () => {
    expect(canonicalText(JSON.parse('{"__proto__":1}'))).toBe('{"__proto__":1}');
    const cycle: unknown[] = [];
    cycle.push(cycle);
    for (const value of [cycle, 1n, undefined, () => {}, "x".repeat(65_535)]) {
      expect(canonicalText(value)).toBeUndefined();
    }
    expect(canonicalText("x".repeat(65_534))).toHaveLength(65_536);
  });
});

describe("writeVerdict", () => {
  const issue = fc.record({
    level: fc.constant("syntax" as const),
    severity: fc.constantFrom("error" as const, "warning" as const),
    path: fc.string({ maxLength: 5000 }),
    message: fc.string({ unit: "binary", maxLength: 5000 }),
  });
  it("stays within bounds, counts omissions, and never loses an error", () => {
    fc.assert(
      fc.property(fc.array(issue, { maxLength: 200 }), (issues) => {
        const verdict = writeVerdict({ issues, suggestions: [], levelsNotRun: [] });
        expect(Buffer.byteLength(JSON.stringify(verdict))).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
        expect(verdict.valid).toBe(!issues.some(({ severity }) => severity === "error"));
        expect(verdict.valid).toBe(verdict.errors.length === 0);
        expect(verdict.issues.length + (verdict.truncated ?? 0)).toBe(issues.length);
      }),
      { numRuns: 40 },
    );
  });

  it("stays within the size of one call of a batch", long, () => {
    const text = fc.string({ unit: "binary", maxLength: 1000 });
    const findings = fc.record({
      issues: fc.array(issue, { maxLength: 20 }),
      suggestions: fc.array(text, { maxLength: 30 }),
      levelsNotRun: fc.array(
        fc.record({ level: text, reason: fc.constant("not_requested" as const) }),
        { maxLength: 13 },
      ),
      outputSchema: fc.record({ description: text }),
    });
    fc.assert(
      fc.property(findings, fc.integer({ min: 1, max: 100 }), (found, calls) => {
        const { structuredContent } = batchResponse(new Array(calls).fill(found));
        const most =
          Math.max(MAX_ANSWER_BYTES, calls * LEAST_VERDICT_BYTES) + '{"results":[]}'.length;
        expect(Buffer.byteLength(JSON.stringify(structuredContent))).toBeLessThanOrEqual(
          most + calls,
        );
        const { results } = structuredContent as { results: readonly { valid: boolean }[] };
        const valid = !found.issues.some(({ severity }) => severity === "error");
        expect(results.map((one) => one.valid)).toEqual(new Array(calls).fill(valid));
      }),
      { numRuns: 40 },
    );
  });

  it("keeps the standard levels if space is short", () => {
    const levelsNotRun = ["semantic", "runtime", "security", "x".repeat(500)].map((level) => ({
      level,
      reason: "not_served" as const,
    }));
    const verdict = writeVerdict(
      { issues: [], suggestions: [], levelsNotRun },
      LEAST_VERDICT_BYTES,
    );
    expect(verdict.levelsNotRun).toEqual(levelsNotRun.slice(0, 3));
  });

  it("contains the output schema if it fits into its share of the response", () => {
    const findings = { issues: [], suggestions: [], levelsNotRun: [] };
    const of = (bytes: number, maxBytes?: number): unknown => {
      const outputSchema = { description: "x".repeat(bytes) };
      return writeVerdict({ ...findings, outputSchema }, maxBytes).outputSchema;
    };
    expect([of(3000), of(5000), of(3000, 8000), of(1900, 8000)].map(Boolean)).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  it("names at most ten levels", () => {
    const levelsNotRun = Array.from({ length: 12 }, (_, i) => ({
      level: `l${i}`,
      reason: "not_served" as const,
    }));
    const verdict = writeVerdict({ issues: [], suggestions: [], levelsNotRun });
    expect(verdict.levelsNotRun).toEqual(levelsNotRun.slice(0, 10));
  });
});
