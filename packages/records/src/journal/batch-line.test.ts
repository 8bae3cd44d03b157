import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildRecord } from "../build.ts";
import { CHAIN_START, sealRecord, type UnsealedRecord } from "../chain.ts";
import { nextId } from "../ids.ts";
import { BatchLine } from "./batch-line.ts";
import { decodeBatches } from "./batches.ts";

const NOW = new Date("2026-08-31T09:00:00.000Z");

function recordOf(tool: string, result?: string): UnsealedRecord {
  const body = result === undefined ? {} : { result: Buffer.from(JSON.stringify(result)) };
  const entry = { type: "tool_call", source: "gateway", tool, ...body } as const;
  return buildRecord(entry, nextId(NOW), NOW, { maxBytes: 10_000_000 });
}

function lineOf(line: BatchLine, seq: number, records: readonly UnsealedRecord[]): Buffer {
  line.begin(seq, CHAIN_START);
  for (const record of records) line.add({ ...record });
  return Buffer.from(line.end());
}

const batchesIn = (lines: Uint8Array) => [...decodeBatches(Buffer.from(lines))];

describe("BatchLine", () => {
  it("writes sealed records as JSON, whatever they contain", () => {
    const line = new BatchLine();
    const tools = fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.nat(), tools, (seq, names) => {
        const records = names.map((tool) => recordOf(tool, tool));
        let head = CHAIN_START;
        const sealed = records.map((record) => {
          const one = sealRecord(head, record);
          head = one.hash;
          return one;
        });
        line.begin(seq, CHAIN_START);
        expect(records.map((record) => line.add({ ...record }))).toEqual(sealed);
        expect(line.head).toBe(head);
        expect(line.records).toBe(records.length);
        expect(batchesIn(line.end())).toEqual([{ seq, records: sealed }]);
      }),
    );
  });

  it.each([1_000, 70_000, 2_000_000])("writes records of %i three-byte characters", (length) => {
    const line = new BatchLine();
    const records = ["a", "b", "c"].map((tool) => recordOf(tool, "€".repeat(length)));
    const [batch] = batchesIn(lineOf(line, 7, records));
    expect(batch?.records.map(({ result }) => result)).toEqual(records.map(({ result }) => result));
    const [next] = batchesIn(lineOf(line, 10, [recordOf("d")]));
    expect(next).toMatchObject({ seq: 10, records: [{ tool: "d", prev_hash: CHAIN_START }] });
  });

  it("continues after a record that has no canonical JSON", () => {
    const line = new BatchLine();
    line.begin(0, CHAIN_START);
    line.add(recordOf("a"));
    expect(() => line.add({ ...recordOf("b"), tool: "\ud800" })).toThrow(TypeError);
    const [batch] = batchesIn(lineOf(line, 0, [recordOf("c")]));
    expect(batch?.records).toMatchObject([{ tool: "c" }]);
  });
});
