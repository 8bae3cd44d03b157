import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildRecord } from "./build.ts";
import { canonicalJson } from "./canonical.ts";
import { canonicalRecord } from "./canonical-record.ts";
import { nextId } from "./ids.ts";
import type { ActivityEntry } from "./record.ts";

const NOW = new Date("2026-08-31T09:00:00.000Z");
const PREVIOUS = "a".repeat(64);
const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constant('"\\\u2028\ud800'));
const issue = fc.record(
  {
    path: text,
    message: text,
    rule: fc.constant("type" as const),
    params: fc.dictionary(text, text),
  },
  { requiredKeys: ["path", "message", "rule"] },
);
const entry: fc.Arbitrary<ActivityEntry> = fc.record(
  {
    type: fc.constant("tool_call" as const),
    source: fc.constant("gateway" as const),
    server: text,
    tool: text,
    client: text,
    reason: text,
    request_id: text,
    issues: fc.array(issue, { maxLength: 3 }),
    guard: fc.record({
      guard: fc.constant("maxBytes" as const),
      limit: fc.double(),
      actual: fc.nat(),
    }),
    previous_schema_hash: text,
    truncated: fc.nat(),
    bytes_in: fc.oneof(fc.nat(), fc.maxSafeInteger()),
    duration_ms: fc.double(),
    arguments: fc.uint8Array(),
    result: fc.json().map((json) => Buffer.from(json)),
  },
  { requiredKeys: ["type", "source"] },
);

describe("canonicalRecord", () => {
  it("is the canonical JSON of the record, whatever stands in it", () => {
    fc.assert(
      fc.property(entry, fc.boolean(), (given, keepsBodies) => {
        const bodies = keepsBodies ? { maxBytes: 64 } : undefined;
        const record = buildRecord(given, nextId(NOW), NOW, bodies);
        const expected = canonicalJson({ ...record, prev_hash: PREVIOUS });
        expect(canonicalRecord(record, PREVIOUS)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  it("takes nothing over from the record before", () => {
    const values = fc.constantFrom(undefined, "a", "b");
    const repeating = fc.array(
      fc.record({
        type: fc.constantFrom("tool_call" as const, "policy_decision" as const),
        source: fc.constantFrom("gateway" as const, "runner" as const),
        server: values,
        session: values,
        client: values,
        tool: values,
        direction: fc.constantFrom(undefined, "input" as const, "output" as const),
        mode: fc.constantFrom(undefined, "warn" as const, "strict" as const),
        decision: fc.constantFrom(undefined, "allowed" as const, "blocked" as const),
        outcome: fc.constantFrom(undefined, "pass" as const, "skipped" as const),
        status: fc.constantFrom(undefined, "success" as const, "error" as const),
      }),
      { minLength: 5, maxLength: 30 },
    );
    fc.assert(
      fc.property(repeating, (entries) => {
        for (const given of entries) {
          const record = buildRecord(given, nextId(NOW), NOW);
          const expected = canonicalJson({ ...record, prev_hash: PREVIOUS });
          expect(canonicalRecord(record, PREVIOUS)).toBe(expected);
        }
      }),
    );
  });

  it("refuses what canonical JSON refuses", () => {
    const record = buildRecord({ type: "tool_call", source: "gateway" }, nextId(NOW), NOW);
    expect(() => canonicalRecord({ ...record, tool: "\ud800" }, PREVIOUS)).toThrow(TypeError);
    expect(() => canonicalRecord({ ...record, duration_ms: Number.NaN }, PREVIOUS)).toThrow(
      TypeError,
    );
  });
});
