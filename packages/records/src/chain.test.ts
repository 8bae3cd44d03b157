import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildRecord } from "./build.ts";
import { canonicalJson } from "./canonical.ts";
import {
  CHAIN_START,
  canonicalRecord,
  sealRecord,
  type UnsealedRecord,
  verifyChain,
} from "./chain.ts";
import { nextId } from "./ids.ts";
import { type ActivityRecord, RECORD_FIELDS } from "./record.ts";

const NOW = new Date("2026-08-31T09:00:00.000Z");

function chainOf(length: number): readonly ActivityRecord[] {
  const records: ActivityRecord[] = [];
  for (let n = 0; n < length; n += 1) {
    const entry = { type: "tool_call", source: "gateway", tool: `t${n}`, bytes_in: n } as const;
    const previous = records.at(-1)?.hash ?? CHAIN_START;
    records.push(sealRecord(previous, buildRecord(entry, nextId(NOW), NOW)));
  }
  return records;
}

describe("seal", () => {
  it("hashes the canonical JSON of the record without hash", () => {
    const entry = { type: "system_start", source: "gateway" } as const;
    const record = sealRecord(CHAIN_START, buildRecord(entry, "01K40000000000000000000000", NOW));
    // This is the output of sha256sum for the canonical text, computed without this code.
    expect(record.prev_hash).toBe("0".repeat(64));
    expect(record.hash).toBe("4f1c7207725c98dc27d1e0ce83a0d3ab76dc7ab9ddb9848fb2d08906e9c9a494");
  });
});

describe("canonicalRecord", () => {
  it("is the canonical JSON of any record", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\\ud800", "a", "😀"));
    const value = fc.option(fc.oneof(text, fc.nat(), fc.double({ noNaN: true }), fc.boolean()), {
      nil: undefined,
    });
    const names = RECORD_FIELDS.map(([name]) => name).filter((name) => !PARTS.has(name));
    const fields = fc
      .shuffledSubarray(names)
      .chain((chosen) => fc.tuple(...chosen.map((name) => value.map((of) => [name, of] as const))));
    const guard = fc.option(fc.constant({ limit: 1, guard: "maxBytes", actual: 2 }), {
      nil: undefined,
    });
    const issue = fc.record({ rule: fc.constant("type"), path: text, message: text });
    fc.assert(
      fc.property(fields, fc.array(issue, { maxLength: 2 }), guard, (given, issues, trip) => {
        const record = {
          ...Object.fromEntries(given),
          issues,
          guard: trip,
        } as unknown as UnsealedRecord;
        const infinite = given.some(([, of]) => typeof of === "number" && !Number.isFinite(of));
        fc.pre(!infinite);
        const canonical = attempt(() => canonicalJson(record));
        expect(attempt(() => canonicalRecord(record))).toEqual(canonical);
      }),
    );
  });

  it("has no lone surrogate", () => {
    const record = buildRecord({ type: "tool_call", source: "gateway" }, nextId(NOW), NOW);
    expect(() => canonicalRecord({ ...record, tool: "a\udfffb" })).toThrow(TypeError);
    expect(canonicalRecord({ ...record, tool: "\\udfff" })).toContain('"tool":"\\\\udfff"');
  });
});

const PARTS: ReadonlySet<string> = new Set(["issues", "guard"]);

function attempt(make: () => string): unknown {
  try {
    return make();
  } catch (error) {
    return error instanceof TypeError;
  }
}

describe("verifyChain", () => {
  it("accepts an untouched chain and returns its head", () => {
    const records = chainOf(5);
    expect(verifyChain(records)).toEqual({ ok: true, head: records[4]?.hash });
    expect(verifyChain([])).toEqual({ ok: true, head: CHAIN_START });
  });

  it("verifies from the middle of a chain", () => {
    const records = chainOf(4);
    expect(verifyChain(records.slice(2), records[1]?.hash)).toMatchObject({ ok: true });
    expect(verifyChain(records.slice(2))).toMatchObject({ ok: false, index: 0, fault: "link" });
  });

  it("finds any changed member", () => {
    const records = chainOf(4);
    const fields = Object.keys(records[0] ?? {}) as (keyof ActivityRecord)[];
    fc.assert(
      fc.property(fc.constantFrom(...fields), fc.nat(3), (field, index) => {
        const changed = records.map((record, at) =>
          at === index ? ({ ...record, [field]: "changed" } as ActivityRecord) : record,
        );
        const fault = field === "prev_hash" ? "link" : "content";
        expect(verifyChain(changed)).toMatchObject({ ok: false, index, fault });
      }),
    );
  });

  it("finds an added member", () => {
    const records = chainOf(2).map((record) => ({ ...record, arguments: "{}" }));
    expect(verifyChain(records)).toMatchObject({ ok: false, index: 0, fault: "content" });
  });

  it.each([
    ["a missing first record", [1, 2, 3], 0],
    ["a gap", [0, 2, 3], 1],
    ["a swap", [0, 2, 1, 3], 1],
    ["a repetition", [0, 1, 1, 2], 2],
  ])("finds %s", (_name, order, index) => {
    const records = chainOf(4);
    const changed = order.flatMap((at) => records[at] ?? []);
    expect(verifyChain(changed)).toMatchObject({ ok: false, index, fault: "link" });
  });

  it("does not throw on values that cannot be hashed", () => {
    const records = chainOf(1).map((record) => ({
      ...record,
      tool: "\ud800",
      bytes_in: Number.NaN,
    }));
    expect(verifyChain(records)).toMatchObject({ ok: false, index: 0, fault: "content" });
  });
});
