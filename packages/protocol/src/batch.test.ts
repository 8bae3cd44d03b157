import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { batchItems, requestItems } from "./batch.ts";
import { readFrame } from "./read.ts";

const batch = (items: readonly string[]) => readFrame(Buffer.from(`[${items.join(" , ")}]`));
const texts = (frame: ReturnType<typeof batch>, ranges: typeof requestItems) =>
  [...ranges(frame)].map(({ start, end }) =>
    Buffer.from(frame.bytes.subarray(start, end)).toString("latin1"),
  );

describe("requestItems", () => {
  it("skips entries that are neither requests nor responses", () => {
    const junk = ["1", "[]", "{}", '"{\\"id\\":1,\\"method\\":\\"a\\"}"', '{"id":1}', "null"];
    const least = ['{"id":1,"error":{}}', '{"id":1,"result":1}', '{"id":1,"method":""}'];
    expect(texts(batch([...junk, ...least, ...junk]), requestItems)).toEqual(least);
    expect(texts(batch([]), requestItems)).toEqual([]);
    expect([...requestItems(readFrame(Buffer.from('{"id":1,"method":"a"}')))]).toEqual([]);
  });

  it("skips no message that has an id", () => {
    const member = fc.constantFrom("id", "method", "result", "error", "jsonrpc", "params", "x");
    const value = fc.oneof(fc.constantFrom("1", '""', "{}", '"a"', "null"), fc.json());
    const message = fc
      .array(fc.tuple(member, value), { maxLength: 4 })
      .map((members) => `{${members.map(([key, json]) => `"${key}":${json}`).join()}}`);
    fc.assert(
      fc.property(fc.array(fc.oneof(message, fc.json())), (items) => {
        const frame = batch(items);
        const asks = (text: string): boolean => {
          const { kind, id } = readFrame(Buffer.from(text, "latin1"));
          return ["request", "response", "error"].includes(kind) && id !== undefined;
        };
        const found = texts(frame, requestItems);
        expect(found.filter(asks)).toEqual(texts(frame, batchItems).filter(asks));
      }),
    );
  });
});
