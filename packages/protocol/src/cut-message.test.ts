import { encodeUtf8 } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { looksLikeMessage, readableId, readCutMessage } from "./cut-message.ts";
import { readFrame } from "./read.ts";
import { messageParts, messageText } from "./testing/messages.ts";

const broken = (text: string): string | undefined => readableId(readFrame(encodeUtf8(text)))?.text;

describe("readableId", () => {
  it.each([
    ["a whole message", '{"id":12}', "12"],
    ["a fault behind it", '{"id":1.0,"result":NaN}', "1.0"],
    ["half of a number", '{"id":12', undefined],
    ["a number and a comma", '{"id":12,', "12"],
    ["a number and white space", '{"id":12 ', "12"],
    ["a zero before a number", '{"id":01,"result":{}}', undefined],
    ["letters behind a number", '{"id":1x,"result":{}}', undefined],
    ["a quote inside a string", '{"id":"a"b","result":{}}', undefined],
    ["no comma behind it", '{"id":1 "result":{}}', "1"],
    ["half of a string", '{"id":"a', undefined],
    ["another object's id", '{"result":{"id":1', undefined],
    ["a fault before it", '{"result":{"x":NaN,"y":[1,]},"jsonrpc":"2.0","id":5}', "5"],
    ["a control character before it", '{"result":"a\u0001b","jsonrpc":"2.0","id":"x"}', '"x"'],
    ["matching quotes too many", '{"result":"a "b" c","id":5}', "5"],
    ["one quote too many", '{"result":"a "b c","id":5}', undefined],
    ["another object's end", '{"result":{"x":NaN,"list":[{"a":1,"id":5}', undefined],
    ["another object's end, in a batch", '[{"x":NaN,"id":5}', undefined],
    ["brackets that do not match", '{"result":[NaN},"id":5}', undefined],
    ["a bracket too many", '{"result":NaN]},"id":5}', undefined],
    ["two messages on a line", '{"result":NaN}{"result":1,"id":5}', undefined],
    ["words before it", 'got {"a":1,"id":5}', undefined],
    ["words behind it", '{"a":NaN,"id":5} sent', undefined],
    ["a string before it", '"x"{"a":1,"id":5}', undefined],
    ["a string in which it would stand", '{"result":"x\u0001,"id":5}', undefined],
    ["no end of a string", '{"result":NaN,"x":"y,"id":5}', undefined],
    ["nothing that closes", `${"[".repeat(20_000)},"id":5}`, undefined],
    ["a byte order mark", '\uFEFF{"id":5,"result":{}}', "5"],
    ["a byte order mark, and a fault", '\uFEFF{"result":NaN,"id":5}', "5"],
    ["nothing", "", undefined],
  ])("for %s", (_name, text, id) => {
    expect(broken(text)).toBe(id);
  });

  it("is unknown after two byte order marks, or after a hundred thousand", () => {
    for (const count of [2, 100_000]) {
      expect(broken(`${"\uFEFF".repeat(count)}{"id":"x","result":{}}`)).toBeUndefined();
    }
  });

  it("has the right range after a byte order mark", () => {
    const frame = readFrame(encodeUtf8('\uFEFF{"id":"x","result":{}}'));
    const range = readableId(frame)?.range;
    expect(range && frame.text(range)).toBe('"x"');
  });

  it("is the message's own id or none, wherever the message breaks off", () => {
    fc.assert(
      fc.property(messageParts, fc.nat(), fc.boolean(), ({ id, ...rest }, cut, first) => {
        const parts = id === undefined ? rest : first ? { id, ...rest } : { ...rest, id };
        const text = messageText(parts).trim();
        const found = broken(text.slice(0, cut % text.length));
        if (found !== undefined) expect(found).toBe(id);
      }),
    );
  });

  it("never throws on changed messages, and returns a value", () => {
    const piece = fc.constantFrom('"', "{", "}", "[", "]", "\\", ',"id":7}', "NaN", "\u0000");
    fc.assert(
      fc.property(messageParts, fc.nat(), piece, ({ id, ...parts }, at, inserted) => {
        const text = messageText(id === undefined ? parts : { ...parts, id });
        const place = at % text.length;
        const found = broken(text.slice(0, place) + inserted + text.slice(place));
        if (found !== undefined) expect(() => JSON.parse(found)).not.toThrow();
      }),
      { numRuns: 300 },
    );
  });
});

describe("readCutMessage", () => {
  const cut = (head: string, tail: string) =>
    readCutMessage({ head: encodeUtf8(head), tail: encodeUtf8(tail), size: 1e6 });
  it.each([
    ["the head", '{"id":1,"result":{"x', 'y"}}', "head", "1"],
    ["the head, also where the tail has one", '{"id":1,"result":{"x', 'y"},"id":2}', "head", "1"],
    ["the tail", ' {"result":{"x', 'y"},"jsonrpc":"2.0","id":2}\r', "tail", "2"],
    ["neither, its digits cut off", '{"id":1', "}", undefined, undefined],
    ["neither, in a batch", '[{"result":{"x', 'y"},"id":2}]', undefined, undefined],
    ["neither, where it is not an object", 'log {"result', '"a":1,"id":2}', undefined, undefined],
    ["neither, without a tail", '{"result":{"x', "", undefined, undefined],
  ])("finds the id in %s", (_name, head, tail, place, text) => {
    const { id } = cut(head, tail);
    expect([id?.in, id?.text]).toEqual([place, text]);
    if (id) {
      const { start, end } = id.range;
      expect((place === "head" ? head : tail).slice(start, end)).toBe(text);
    }
  });

  it("provides the head of the message", () => {
    expect(cut('{"method":"ping","params":{"x', "").frame.method).toBe("ping");
  });
});

describe("looksLikeMessage", () => {
  it.each([
    ['{"jsonrpc":"2.0","id":1,"resutl":1}', true],
    ['{"id":1}', true],
    ['{"method":7}', true],
    ['{"result":1}', true],
    ['{"error":{}}', true],
    ['{"a":{"id":1,"method":"x"}}', false],
    ['{"result":{', false],
    ['{"jsonrpc', false],
    ['{ "jsonrpc":', true],
    ['{"result":NaN,"jsonrpc":"2.0","id":5}', true],
    [`{"result":["${"x".repeat(300)}",NaN],"jsonrpc":"2.0","id":5}`, true],
    ['{"level":30,"msg":"started"}', false],
    ["Server started", false],
    ['"jsonrpc"', false],
    ['{"protocol":"jsonrpc"}', false],
  ])("for %s returns %s", (text, attempt) => {
    expect(looksLikeMessage(readFrame(encodeUtf8(text)))).toBe(attempt);
  });
});
