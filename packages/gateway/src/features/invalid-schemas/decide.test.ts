import { expect, it } from "vitest";
import { blocksUnusable, isExternal } from "./decide.ts";

it.each([
  ["off", "block", true, false],
  ["warn", "block", true, false],
  ["strict", "allow", true, false],
  ["strict", "block_external", false, false],
  ["strict", "block_external", true, true],
  ["strict", "block", false, true],
] as const)(
  "in %s, on_invalid_schema %s, external %s: blocks %s",
  (mode, onInvalidSchema, external, blocks) => {
    expect(blocksUnusable({ mode, onInvalidSchema }, external)).toBe(blocks);
  },
);

it("finds that a schema refers to another document", () => {
  const fault = { code: "unresolved_reference", path: "/$ref", message: "m" } as const;
  expect(isExternal({ error: { ...fault, isExternal: true } })).toBe(true);
  expect([{ error: fault }, {}, undefined].map((schema) => isExternal(schema))).toEqual([
    false,
    false,
    false,
  ]);
});
