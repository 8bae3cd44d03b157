import { expect, it } from "vitest";
import { compileDeclared } from "../../compile.ts";
import { renderForModel } from "./model.ts";

it.each([
  ["minItems", '{"minItems":1e400}', "[1]", "at least 1e400 items; it is an array of 1 item."],
  ["minItems", '{"minItems":9007199254740993}', "[]", "at least 9007199254740993 items; it is"],
  ["minLength", '{"minLength":1e400}', '"a"', "at least 1e400 characters; it is a string of 1"],
  [
    "minProperties",
    '{"minProperties":1e400}',
    "{}",
    "at least 1e400 properties; it has 0 properties.",
  ],
  [
    "minContains",
    '{"contains":{"type":"string"},"minContains":1e400}',
    '["a"]',
    "it must contain at least 1e400 items that are each a string; it is an array of 1 item.",
  ],
  [
    "maxContains",
    '{"contains":{"type":"string"},"minContains":2,"maxContains":1e400}',
    '["a"]',
    "it must contain at least 2 and at most 1e400 items that are each a string",
  ],
])("writes the exact digits of a count that no double can hold: %s", (_, text, value, told) => {
  const check = compileDeclared({ text }).validateText(value);
  expect(renderForModel(check)).toContain(told);
  const exact = /1e400|9007199254740993/.exec(text)?.[0];
  expect(check.errors[0]?.message).toContain(exact);
  expect(JSON.stringify(check.errors)).not.toContain("Infinity");
});

it("adds the exact digits to the params", () => {
  const { errors } = compileDeclared({ text: '{"minItems":1e400}' }).validateText("[]");
  expect(errors[0]?.params).toEqual({ limit: Number.POSITIVE_INFINITY, exact: "1e400" });
});
