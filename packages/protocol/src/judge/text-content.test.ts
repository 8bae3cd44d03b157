import { encodeUtf8 } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compiledMessage } from "../messages/compiled.ts";
import { messagesOf } from "../messages/tables.ts";
import { isTextContent } from "./text-content.ts";

function verdict(text: string): boolean {
  const bytes = encodeUtf8(`  ${text} `);
  return isTextContent(bytes, 2);
}

describe("isTextContent", () => {
  it.each([
    ["[]", true],
    ["[ ]", true],
    ['[{"type":"text","text":"a"}]', true],
    ['[ { "text" : "\\"\\\\" , "type" : "text" } , {"type":"text","text":""} ]', true],
    ['[{"type":"text","text":5}]', false],
    ['[{"type":"image","text":"a"}]', false],
    ['[{"type":"text"}]', false],
    ['[{"type":"text","text":"a","annotations":5}]', false],
    ['[{"type":"text","type":"text","text":"a"}]', false],
    ['[{"type":"textual","text":"a"}]', false],
    ['[{"type":"text","text":"a"},5]', false],
    ['[[{"type":"text","text":"a"}]]', false],
    ["{}", false],
    ["5", false],
  ])("for %s returns %s", (text, expected) => {
    expect(verdict(text)).toBe(expected);
  });

  it("accepts only what the result schema accepts", () => {
    const table = messagesOf("2025-11-25");
    if (table === undefined) throw new Error("no table");
    const schema = compiledMessage(table, "CallToolResult");
    const text = fc.oneof(
      fc.constant('"text"'),
      fc.string().map((part) => JSON.stringify(part)),
    );
    const value = fc.oneof(text, fc.json());
    const member = fc.tuple(fc.constantFrom('"type"', '"text"', '"x"'), value);
    const block = fc
      .array(member, { maxLength: 3 })
      .map((members) => `{${members.map((pair) => pair.join(" : ")).join(",")}}`);
    fc.assert(
      fc.property(fc.array(fc.oneof(block, fc.json()), { maxLength: 3 }), (blocks) => {
        const content = `[${blocks.join(" , ")}]`;
        if (verdict(content))
          expect(schema.validateText(`{"content":${content}}`).valid).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
