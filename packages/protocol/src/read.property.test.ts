import { encodeUtf8 } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { batchItems } from "./batch.ts";
import type { Frame } from "./frame.ts";
import { readFrame } from "./read.ts";
import { messageParts, messageText } from "./testing/messages.ts";

const RUNS = Number(process.env["TOUCHSTONE_FUZZ_RUNS"]) || undefined;

const MEMBERS = ["id", "method", "params", "result", "error"] as const;

/** Reads everything that a frame offers. Throws if a range of it is not JSON text. */
function readAll(frame: Frame): void {
  for (const name of Object.keys(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(frame)))) {
    void (frame as unknown as Record<string, unknown>)[name];
  }
  for (const range of Object.values(frame.ranges)) {
    if (range !== undefined) JSON.parse(frame.text(range));
  }
  for (const range of batchItems(frame)) JSON.parse(frame.text(range));
  if (frame.kind === "invalid") expect(frame.faults).not.toHaveLength(0);
}

describe("readFrame", () => {
  it("finds the members of any message byte for byte", () => {
    fc.assert(
      fc.property(messageParts, (parts) => {
        const frame = readFrame(encodeUtf8(messageText(parts)), { duplicates: true });
        expect(frame.scan.error).toBeUndefined();
        const found = MEMBERS.flatMap((name) => {
          const range = frame.ranges[name];
          return range === undefined ? [] : [[name, frame.text(range)]];
        });
        expect(Object.fromEntries(found)).toEqual(parts);
        const call = parts.id === undefined ? "notification" : "request";
        const answer = parts.result === undefined ? "error" : "response";
        const none = parts.result === undefined && parts.error === undefined;
        expect(frame.kind).toBe(parts.method !== undefined ? call : none ? "invalid" : answer);
        readAll(frame);
      }),
    );
  });

  it("never throws on any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        readAll(readFrame(bytes, { duplicates: true }));
      }),
    );
  });

  it("never throws on changed or truncated messages", () => {
    const insert = fc.oneof(
      fc.uint8Array({ maxLength: 3 }),
      fc.constantFrom('"id":', "{", "[", '"', "\\", ",", "1").map(encodeUtf8),
    );
    fc.assert(
      fc.property(messageParts, fc.nat(), fc.nat({ max: 4 }), insert, (parts, at, cut, piece) => {
        const bytes = encodeUtf8(messageText(parts));
        const start = at % bytes.length;
        const rest = bytes.subarray(start + cut);
        readAll(readFrame(Uint8Array.of(...bytes.subarray(0, start), ...piece, ...rest)));
        readAll(readFrame(bytes.subarray(0, start), { duplicates: true }));
      }),
      { numRuns: RUNS ?? 1000 },
    );
  });
});

describe("batchItems", () => {
  it("returns each message of a batch byte for byte", () => {
    fc.assert(
      fc.property(fc.array(messageParts, { maxLength: 5 }), (messages) => {
        const texts = messages.map(messageText);
        const frame = readFrame(encodeUtf8(`\n[${texts.join(",")} ] `));
        expect(frame.kind).toBe("batch");
        expect([...batchItems(frame)].map((range) => frame.text(range))).toEqual(
          texts.map((text) => text.trim()),
        );
      }),
    );
  });

  it.each([
    ["[]", []],
    ["[ ]", []],
    ['[1 , "a,]\\"" ,[[],{"b":[","]}],null]', ["1", '"a,]\\""', '[[],{"b":[","]}]', "null"]],
    ["[[[]]]", ["[[]]"]],
    ['{"a":[1,2]}', []],
    ["[1,", []],
  ])("for %s returns the items", (text, items) => {
    const frame = readFrame(encodeUtf8(text));
    expect([...batchItems(frame)].map((range) => frame.text(range))).toEqual(items);
  });
});
