import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildRecord } from "../build.ts";
import { CHAIN_START, seal } from "../chain.ts";
import { nextId } from "../ids.ts";
import type { ActivityEntry, ActivityRecord } from "../record.ts";
import { sealedText } from "./kind-text.ts";
import { recordOf } from "./known-record.ts";
import { RecordKinds } from "./record-kinds.ts";

const NOW = new Date("2026-08-31T09:00:00.000Z");
const CALL: ActivityEntry = { type: "tool_call", source: "gateway", server: "s", tool: "t" };

function recordFrom(entry: ActivityEntry): ActivityRecord {
  return seal(CHAIN_START, buildRecord({ request_id: nextId(NOW), ...entry }, nextId(NOW), NOW));
}

function textFrom(entry: ActivityEntry): string {
  return sealedText(recordFrom(entry)) ?? "";
}

/** What knows the kinds of these entries. */
function learnt(...entries: readonly ActivityEntry[]): RecordKinds {
  const kinds = new RecordKinds();
  for (const entry of [...entries, ...entries]) kinds.learn(recordFrom(entry));
  return kinds;
}

const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constant('"\\\u2028","'));
const issue = fc.record({
  path: text,
  message: text,
  rule: fc.constant("type" as const),
  params: fc.dictionary(text, text),
});
const shared: fc.Arbitrary<ActivityEntry> = fc.record(
  {
    type: fc.constantFrom("tool_call" as const, "policy_decision" as const),
    source: fc.constant("gateway" as const),
    server: text,
    tool: text,
    client: text,
    reason: text,
    direction: fc.constantFrom("input" as const, "output" as const),
    session: fc.constantFrom("abc", `sha256:${"a".repeat(64)}`, `sha256:${"\\".repeat(64)}`),
    status: fc.constantFrom("success" as const, "error" as const),
    issues: fc.array(issue, { maxLength: 2 }),
  },
  { requiredKeys: ["type", "source"] },
);
const own: fc.Arbitrary<Partial<ActivityEntry>> = fc.record(
  {
    request_id: fc.string(),
    bytes_in: fc.nat(),
    bytes_out: fc.nat(),
    duration_ms: fc.oneof(
      fc.nat().map((n) => n / 1000),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    ),
  },
  { requiredKeys: [] },
);

describe("RecordKinds", () => {
  it("gives what JSON.parse gives, or nothing", () => {
    fc.assert(
      fc.property(shared, own, fc.string(), (entry, values, behind) => {
        const found = textFrom({ ...entry, ...values });
        const kinds = learnt(entry);
        const known = kinds.match(`[${found}${behind}`, 1);
        if (known === undefined) return;
        expect(kinds.end).toBe(1 + found.length);
        expect(recordOf(known)).toEqual(JSON.parse(found));
      }),
      { numRuns: 500 },
    );
  });

  it("recognises calls with the numbers that they have", () => {
    const numbers = fc.record({
      bytes_in: fc.nat(),
      bytes_out: fc.nat(),
      duration_ms: fc.nat().map((n) => n / 1000),
    });
    const kinds = learnt(CALL);
    fc.assert(
      fc.property(numbers, (values) => {
        const found = textFrom({ ...CALL, ...values });
        const known = kinds.match(found, 0);
        expect(known && recordOf(known)).toEqual(JSON.parse(found));
      }),
    );
  });

  it("never reads more into a damaged record than JSON.parse does", () => {
    const found = textFrom({ ...CALL, bytes_in: 10, duration_ms: 0.587 });
    const kinds = learnt(CALL);
    const piece = fc.oneof(
      fc.string({ maxLength: 3 }),
      fc.constantFrom("0", "00", "-", ".", "e1", "null", '"', "\\", "\u0001", "€", "}", ","),
    );
    const place = fc.oneof(fc.nat(found.length), fc.nat(30), fc.integer({ min: 120, max: 180 }));
    let recognised = 0;
    fc.assert(
      fc.property(place, fc.nat(3), piece, (at, removed, put) => {
        const damaged = found.slice(0, at) + put + found.slice(at + removed);
        const known = kinds.match(damaged, 0);
        if (known === undefined) return;
        recognised += 1;
        expect(recordOf(known)).toEqual(JSON.parse(damaged.slice(0, kinds.end)));
      }),
      { numRuns: 5_000 },
    );
    expect(recognised).toBeGreaterThan(0);
  });

  it("knows a kind with its second record, and nothing that has a value of its own", () => {
    const kinds = new RecordKinds();
    const isKnown = (entry: ActivityEntry) => kinds.match(textFrom(entry), 0) !== undefined;
    kinds.learn(recordFrom(CALL));
    expect(isKnown(CALL)).toBe(false);
    kinds.learn(recordFrom(CALL));
    expect(isKnown(CALL)).toBe(true);
    const guarded: ActivityEntry = { ...CALL, guard: { guard: "maxBytes", limit: 1, actual: 2 } };
    kinds.learn(recordFrom(guarded));
    kinds.learn(recordFrom(guarded));
    expect(isKnown(guarded)).toBe(false);
    expect(isKnown({ ...CALL, request_id: "r1" })).toBe(true);
    expect(isKnown({ ...CALL, request_id: "r".repeat(27) })).toBe(false);
    expect(isKnown({ ...CALL, request_id: "r 1" })).toBe(false);
    expect(isKnown({ ...CALL, duration_ms: 1 / 3 })).toBe(false);
  });

  it("knows some hundreds of kinds, and begins anew", () => {
    const kinds = new RecordKinds();
    const known = (count: number): number => {
      let found = 0;
      for (let n = 0; n < count; n += 1) {
        if (kinds.match(textFrom({ ...CALL, tool: `t${n}` }), 0) !== undefined) found += 1;
      }
      return found;
    };
    for (let n = 0; n < 256; n += 1) {
      for (const _ of [1, 2]) kinds.learn(recordFrom({ ...CALL, tool: `t${n}` }));
    }
    expect(known(300)).toBe(256);
    for (const _ of [1, 2]) kinds.learn(recordFrom({ ...CALL, tool: "t256" }));
    expect(known(300)).toBe(1);
  });

  it("goes on learning where most records have a reason of their own", () => {
    const kinds = new RecordKinds();
    for (let n = 0; n < 5_000; n += 1) kinds.learn(recordFrom({ ...CALL, reason: `number ${n}` }));
    const calls = Array.from({ length: 100 }, () => recordFrom(CALL));
    for (const call of calls) kinds.learn(call);
    expect(kinds.match(textFrom(CALL), 0)).toBeDefined();
  });

  it.each([null, 1, {}, { issues: [null] }, { issues: [] }, { ...recordFrom(CALL), tool: 1 }])(
    "learns nothing from %j",
    (record) => {
      const kinds = new RecordKinds();
      for (const _ of [1, 2]) kinds.learn(record as unknown as ActivityRecord);
      expect(kinds.match(textFrom(CALL), 0)).toBeUndefined();
    },
  );
});
