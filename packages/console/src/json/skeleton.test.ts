import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { skeleton } from "./skeleton.ts";
import { readTree } from "./tree.ts";

const textOf = (schema: string): string => {
  const read = readTree(schema);
  if (!read.ok) throw new Error(read.error.message);
  return skeleton(read.tree);
};
/** Without spaces; there is none in the keys of the tables below. */
const of = (schema: string): string => textOf(schema).replace(/\n\s*/g, "").replaceAll(": ", ":");

describe("skeleton", () => {
  it.each([
    [
      '{"required":["a","b"],"properties":{"a":{"default":0},"c":{"default":1}}}',
      '{"a":0,"b":null}',
    ],
    ['{"required":["a"],"properties":{"a":{"default":false}}}', '{"a":false}'],
    ['{"required":["a"],"properties":{"a":{"default":""}}}', '{"a":""}'],
    [
      '{"required":["n"],"properties":{"n":{"default":9007199254740993}}}',
      '{"n":9007199254740993}',
    ],
    ['{"required":["n"],"properties":{"n":{"default":1.0}}}', '{"n":1.0}'],
    ['{"required":["a"],"properties":{"a":{"type":"object","required":["b"]}}}', '{"a":null}'],
    ['{"required":["a","a","\\u0061"]}', '{"a":null}'],
    ['{"required":["constructor","__proto__"]}', '{"constructor":null,"__proto__":null}'],
    ['{"properties":{"a":{"default":1}}}', "{}"],
    ['{"required":"url"}', "{}"],
    ['{"required":[1,null,{"a":1}]}', "{}"],
    ["{}", "{}"],
    ["true", "{}"],
    ["[]", "{}"],
  ])("of %s is %s", (schema, expected) => {
    expect(of(schema)).toBe(expected);
  });

  it("has exactly the required keys", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom("__proto__", "\ud800", "é", "a/b~"))),
        (required) => {
          const keys = Object.keys(JSON.parse(textOf(JSON.stringify({ required }))));
          expect(new Set(keys)).toEqual(new Set(required));
        },
      ),
    );
  });
});
