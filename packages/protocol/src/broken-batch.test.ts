import { encodeUtf8 } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readBrokenBatch } from "./broken-batch.ts";
import { readableId } from "./cut-message.ts";
import { readFrame } from "./read.ts";
import { messageParts, messageText } from "./testing/messages.ts";

function idsOf(text: string, maxItems = 10) {
  const batch = readBrokenBatch(readFrame(encodeUtf8(text)), maxItems);
  return batch && { ids: batch.items.map((item) => readableId(item)?.text), whole: batch.whole };
}

describe("readBrokenBatch", () => {
  it.each<[string, string, (string | undefined)[] | undefined, boolean]>([
    ["whole JSON", '[{"id":1}]', undefined, false],
    ["what is not an array", '{"id":1,', undefined, false],
    ["what is not an array, and holds objects", '{{"id":1},{"id":2}', undefined, false],
    ["a log line", "[info] ready", undefined, false],
    ["an array of something else", '["a",NaN]', undefined, false],
    ["a message cut off", '[{"id":1,"result":{}}, {"id":"b","result":{"x', ["1", '"b"'], false],
    ["half of an id", '[{"id":1,"result":{}},{"id":12', ["1", undefined], false],
    ["the end cut off", '[{"id":1},{"id":2}', ["1", "2"], false],
    ["no end of its first message", '[{"jsonrpc":"2.0"', [undefined], false],
    ["a fault inside", '[{"id":1,"result":NaN},{"id":2}]', ["1", "2"], true],
    ["a fault before an id", '[{"x":NaN,"jsonrpc":"2.0","id":3},{"id":2}]', ["3", "2"], true],
    ["a comma too many", '[{"id":1},,{"id":2},]', ["1", "2"], true],
    ["space behind it", '[{"id":1},,{"id":2}]\r\n', ["1", "2"], true],
    ["a quote too many", '[{"id":1},{"id":2,"x":"a "b"},{"id":3}]', ["1", "2"], false],
    ["brackets that do not match", '[{"id":1},{"id":2,"x":[}},{"id":3}]', ["1", "2"], false],
    ["words behind it", '[{"id":1},{"id":2}] sent', ["1", "2"], false],
    ["an id in a string behind the fault", '[{"x":"\u0001},{","id":7}', [undefined], false],
  ])("reads %s", (_name, text, ids, whole) => {
    expect(idsOf(text)).toEqual(ids && { ids, whole });
  });

  it("stops at its limit", () => {
    expect(idsOf('[{"id":1},{"id":2},{"id":3},]', 2)).toEqual({ ids: ["1", "2"], whole: false });
  });

  it("returns only ids of messages, wherever a batch breaks off", () => {
    const batch = fc.array(messageParts, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(batch, fc.nat(), (messages, cut) => {
        const text = `[${messages.map((parts) => messageText(parts).trim()).join()}]`;
        const found = idsOf(text.slice(0, cut % text.length)) ?? { ids: [], whole: false };
        expect(found.whole).toBe(false);
        for (const [i, id] of found.ids.entries()) {
          if (id !== undefined) expect(id).toBe(messages[i]?.id);
        }
      }),
    );
  });
});
