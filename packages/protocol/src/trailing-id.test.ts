import { encodeUtf8 } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { idKey } from "./id.ts";
import { readFrame } from "./read.ts";
import { trailingId } from "./trailing-id.ts";

const RUNS = Number(process.env["TOUCHSTONE_FUZZ_RUNS"]) || undefined;

const find = (text: string): string | undefined => {
  const bytes = encodeUtf8(text);
  const range = trailingId(bytes);
  return range && new TextDecoder().decode(bytes.subarray(range.start, range.end));
};

describe("trailingId", () => {
  it.each([
    ["as the official SDK ends it", '…"}]},"jsonrpc":"2.0","id":5}', "5"],
    ["before the version", ',"id":"a-1","jsonrpc":"2.0"}', '"a-1"'],
    ["with white space everywhere", ' ,\n"id" :\t-1.5e3 , "jsonrpc" : "2.0" } \r', "-1.5e3"],
    ["with escapes", String.raw`,"id":"\\\"\u0061 é"}`, String.raw`"\\\"\u0061 é"`],
    ["behind a string's end", String.raw`\\\"","id":1}`, "1"],
  ])("finds the id %s", (_name, text, id) => {
    expect(find(text)).toBe(id);
  });

  it.each([
    ["a nested object", '{"result":{"a":1,"id":5}}'],
    ["a batch", '[{"a":1,"id":5}]'],
    ["another last member", ',"id":5,"more":1}'],
    ["another version", ',"id":5,"jsonrpc":"1.0"}'],
    ["a version under another key", ',"id":5,"json":"2.0"}'],
    ["null", ',"id":null}'],
    ["an object", ',"id":{"id":5}}'],
    ["no number", ',"id":1-2}'],
    ["an unknown escape", String.raw`,"id":"\q"}`],
    ["a longer key", ',"my-id":5}'],
    ["a key in escapes", String.raw`,"\u0069d":5}`],
    ["the end of a key", String.raw`{"a,\"id":5}`],
    ["the end of a key, its beginning cut off", String.raw`\"id":5}`],
    ["a key that may begin earlier", '"id":5}'],
    ["a value that begins earlier", 'id":5}'],
    ["the first member", '{"id":5}'],
    ["a message that broke off", ',"id":5'],
    ["something behind it", ',"id":5};'],
    ["nothing", ""],
    ["white space", " \n"],
    ["a brace", "}"],
    ["a quote", '"}'],
  ])("finds no id in %s", (_name, text) => {
    expect(find(text)).toBeUndefined();
  });

  const tricky = fc.constantFrom(
    ',"id":5}',
    ',\\"id\\":5,"jsonrpc":"2.0"}',
    '"',
    "\\",
    "id",
    '}]},"id":"x"}',
  );
  const word = fc.oneof(
    tricky,
    fc.string({ unit: "binary", maxLength: 4 }),
    fc.array(tricky, { maxLength: 4 }).map((parts) => parts.join("")),
  );
  const key = fc.oneof(fc.constantFrom("id", "jsonrpc", "result"), word);
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      word,
      fc.double(),
      fc.constantFrom(null, true, "2.0"),
      fc.array(tie("value"), { maxLength: 3 }),
      tie("object"),
    ),
    object: fc
      .array(fc.tuple(key, tie("value")), { maxLength: 3 })
      .map((members) => Object.fromEntries(members)),
  }));

  it("finds the message's own id or none, wherever the start is cut off", () => {
    // Texts with members in any order and with duplicate keys, which an object in memory cannot have.
    const members = fc.array(fc.tuple(key, value), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(members, fc.boolean(), fc.nat(), (list, inArray, cut) => {
        const texts = list.map(
          ([name, member]) => `${JSON.stringify(name)}:${JSON.stringify(member)}`,
        );
        const message = `{${texts.join(",")}}`;
        const text = inArray ? `[${message}]` : message;
        const found = find(text.slice(cut % text.length));
        if (found === undefined) return;
        expect(inArray).toBe(false);
        expect(found).toBe(readFrame(encodeUtf8(text)).id);
      }),
      { numRuns: RUNS ?? 500 },
    );
  });

  it("finds the id after any result, if its comma is there", () => {
    const id = fc.oneof(fc.integer(), fc.string({ unit: "binary" }), word);
    fc.assert(
      fc.property(value, id, fc.boolean(), fc.nat(), (result, own, versionLast, cut) => {
        const text = JSON.stringify(own);
        const ending = versionLast
          ? `,"id":${text},"jsonrpc":"2.0"}`
          : `,"jsonrpc":"2.0","id":${text}}`;
        const before = `{"result":${JSON.stringify(result)}`;
        const found = find(`${before.slice(cut % (before.length + 1))}${ending}`);
        expect(found === undefined ? undefined : idKey(found)).toBe(idKey(text));
      }),
    );
  });

  it("never throws, for any bytes", () => {
    const pieces = fc.array(
      fc.constantFrom(',"id":', '"', "\\", "}", "5", ',"jsonrpc":"2.0"', " "),
    );
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 30 }),
      pieces.map((parts) => encodeUtf8(parts.join(""))),
    );
    fc.assert(
      fc.property(bytes, (text) => {
        const range = trailingId(text);
        if (range === undefined) return;
        const id = new TextDecoder().decode(text.subarray(range.start, range.end));
        expect(() => idKey(id)).not.toThrow();
        expect(["string", "number"]).toContain(typeof JSON.parse(id));
      }),
    );
  });
});
