import { encodeUtf8 } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { long } from "../../core/src/testing/sample.ts";
import { batchItems } from "./batch.ts";
import { readableId } from "./cut-message.ts";
import { OutlineReader } from "./outline.ts";
import { readFrame } from "./read.ts";
import { messageParts, messageText } from "./testing/messages.ts";

function outlineOf(...parts: string[]): string | undefined {
  const reader = new OutlineReader();
  for (const part of parts) reader.push(encodeUtf8(part));
  const outline = reader.take();
  return outline && Buffer.from(outline).toString();
}

const LONG = "x".repeat(5_000);
const MANY = Array.from({ length: 2_000 }, (_, i) => `"k${i}":${i}`).join();

describe("the outline of a message", () => {
  it.each<[string, string, string | undefined]>([
    ["a message", '{"id":1, "result":{"a":[1,"x"]}}', '{"id":1,"result":{"a":[1,"x"]}}'],
    ["what is deep", '{"a":{"b":{"c":{"d":{}}}},"id":1}', '{"a":{"b":{"c":{}}},"id":1}'],
    ["a batch", '[{"a":{"b":{"c":[[1]]}}} ,{"id":1}]', '[{"a":{"b":{"c":[]}}} ,{"id":1}]'],
    ["a long string", `{"a":"${LONG}","id":1}`, '{"a":null,"id":1}'],
    ["a string, long for a member", `{"a":{"b":"${"x".repeat(256)}"}}`, '{"a":{"b":null}}'],
    [
      "a string, not too long for an id",
      `{"id":"${"x".repeat(4_000)}"}`,
      `{"id":"${"x".repeat(4_000)}"}`,
    ],
    ["a long name", `{"${LONG}":1,"id":1}`, '{"":1,"id":1}'],
    ["quotes and brackets in strings", '{"a":"\\"}","id":1}', '{"a":"\\"}","id":1}'],
    ["the same, left out", '{"a":{"b":{"c":{"\\"}]":1}}},"id":1}', '{"a":{"b":{"c":{}}},"id":1}'],
    ["numbers with space between them", '{"id":1 \n2}', '{"id":1 2}'],
    ["a bracket that does not match", '[{"id":1},{"a":[},{"id":2}]', '[{"id":1},{"a":['],
    ["a quote too many", '[{"a":{"b":{"c":{"d":"e "f"}}}},{"id":2}]', '[{"a":{"b":{"c":{'],
    ["a quote too few", '[{"a":{"b":{"c":{"d":"e},{","id":1}]', '[{"a":{"b":{"c":{}'],
    ["a word behind a string", '[{"a":{"b":{"c":["d" 5]}}},{"id":2}]', '[{"a":{"b":{"c":['],
    ["words behind it", '{"id":1} and {"id":2}', '{"id":1}a'],
    ["half a string", '[{"id":"a', '[{"id":"a'],
    ["nothing", " ", undefined],
    ["what is neither object nor array", '"x"', undefined],
  ])("is right for %s", (_name, text, outline) => {
    expect(outlineOf(text)).toBe(outline);
  });

  it("contains all members of a large message", () => {
    const text = outlineOf(
      `[{"params":{${MANY},"last":{${MANY}}},"id":7},{"a":{"b":1,"c":2},"id":8}]`,
    );
    expect(JSON.parse(text ?? "")).toMatchObject([
      { params: { k0: 0, k99: 99 }, id: 7 },
      { a: { b: 1, c: 2 }, id: 8 },
    ]);
    expect(text?.length).toBeLessThan(1_200);
  });

  it("contains members after a large value two levels down", () => {
    const text = outlineOf(`{"params":{"_meta":{${MANY},"z":1}},"method":"x","id":7}`);
    expect(JSON.parse(text ?? "")).toMatchObject({ params: { _meta: { k0: 0 } }, id: 7 });
    expect(text?.length).toBeLessThan(1_200);
  });

  it("stops at 8 MiB", long, () => {
    const message = `{"id":1,"method":"${"x".repeat(4_000)}"},`;
    const text = outlineOf("[", ...Array.from({ length: 4_000 }, () => message)) ?? "";
    expect(text.length).toBeGreaterThan(8 * 1024 * 1024);
    expect(text.length).toBeLessThan(8 * 1024 * 1024 + 10_000);
  });

  it("contains the ids of a batch, in any chunks", () => {
    const batches = fc.array(messageParts, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(batches, fc.array(fc.nat({ max: 60 })), (messages, lengths) => {
        const bytes = encodeUtf8(`[${messages.map(messageText).join()}]`);
        const reader = new OutlineReader();
        let at = 0;
        for (const length of lengths) {
          reader.push(bytes.subarray(at, at + length));
          at += length;
        }
        reader.push(bytes.subarray(at));
        const frame = readFrame(reader.take() ?? new Uint8Array(0));
        const items = [...batchItems(frame)].map(({ start, end }) =>
          readFrame(frame.bytes.subarray(start, end)),
        );
        expect(items.map((item) => readableId(item)?.text)).toEqual(messages.map(({ id }) => id));
        expect(items.map(({ method }) => method)).toEqual(
          messages.map(({ method }) => method && JSON.parse(method)),
        );
      }),
    );
  });

  it("is JSON for any JSON object or array, and never throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string({ unit: "binary" })), (text) => {
        const outline = outlineOf(text);
        const container = /^\s*[{[]/.test(text);
        if (!container) return;
        let json = true;
        try {
          JSON.parse(text);
        } catch {
          json = false;
        }
        if (json) expect(() => JSON.parse(outline ?? "")).not.toThrow();
      }),
    );
  });

  it("contains no foreign id for text that is not JSON", () => {
    const piece = fc.constantFrom('"', "{", "}", "[", "]", "\\", ',"id":7}', "NaN", "1 2", " ");
    fc.assert(
      fc.property(messageParts, fc.nat(), piece, (parts, at, inserted) => {
        const text = `[${messageText(parts).trim()}]`;
        const place = at % text.length;
        const changed = text.slice(0, place) + inserted + text.slice(place);
        if (readFrame(encodeUtf8(changed)).kind === "batch") return;
        const outline = readFrame(encodeUtf8(outlineOf(changed) ?? ""));
        // Skips texts that are invalid only in a part that the outline leaves out.
        if (outline.kind !== "batch") return;
        const [item] = [...batchItems(outline)];
        const whole = item && readFrame(outline.bytes.subarray(item.start, item.end));
        expect(whole && readableId(whole)?.text).toBe(parts.id);
      }),
    );
  });
});
