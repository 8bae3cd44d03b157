import { compileDeclared } from "@touchstone/core/advanced";
import { expect, it } from "vitest";
import { requiredTest } from "./required-property.ts";

it.each([
  ["what is required", { required: ["b"] }, '{"b":null}', "/b", true],
  ["what another property wants", { dependentRequired: { a: ["b"] } }, '{"a":1,"b":1}', "/b", true],
  [
    "what wants another property",
    { dependentRequired: { a: ["b"] } },
    '{"a":1,"b":1}',
    "/a",
    false,
  ],
  ["another one than the one missing", { required: ["c"] }, '{"b":null}', "/b", false],
  ["what nobody wants", {}, '{"b":null}', "/b", false],
  ["a text that is not JSON", { required: ["b"] }, '{"b":', "/b", false],
])("decides whether a property is required: %s", (_what, value, text, path, expected) => {
  expect(requiredTest(compileDeclared({ value }), text)(path)).toBe(expected);
});

it("answers false after 20 attempts", () => {
  const isRequired = requiredTest(compileDeclared({ value: { required: ["b"] } }), '{"b":null}');
  const told = Array.from({ length: 21 }, () => isRequired("/b"));
  expect(told).toEqual([...Array(20).fill(true), false]);
});
