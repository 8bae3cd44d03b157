import type { RJSFSchema } from "@rjsf/utils";
import { describe, expect, it } from "vitest";
import { HINT } from "./hint.ts";
import { branchNames, fieldName } from "./names.ts";

describe("fieldName", () => {
  it.each([
    [["a"], "a", undefined, "a"],
    [["a", 0], "a-1", undefined, "Item 1"],
    [["a", 1], "Point", "Point", "Item 2: Point"],
  ])("%j: %s", (path, name, title, expected) => {
    expect(fieldName(path, name, title)).toBe(expected);
  });
});

describe("branchNames", () => {
  const kind = (value: string): RJSFSchema => ({
    type: "object",
    properties: { kind: { enum: [value] }, x: {} },
    required: ["kind"],
  });

  it.each<[string, RJSFSchema[], string[]]>([
    [
      "titles",
      [
        { title: "Card", type: "object" },
        { title: "", type: "null" },
      ],
      ["Card", "null"],
    ],
    ["types", [{ type: "string" }, { type: ["integer", "null"] }], ["string", "integer"]],
    [
      "what is told beside a field",
      [
        { type: "string", [HINT]: "date" },
        { type: "string", [HINT]: "" },
      ],
      ["string, date", "string"],
    ],
    ["items", [{ type: "array", items: { type: "string" } }], ["array of string"]],
    ["values", [{ enum: ["a"] }, { enum: [1, 2, 3, 4] }], ['"a"', "1, 2, 3, …"]],
    ["a value", [kind("a"), kind("b")], ['object with kind "a"', 'object with kind "b"']],
    [
      "names",
      [{ type: "object", required: ["a", "b"] }, { properties: { c: {} } }, { type: "object" }],
      ["object with a, b", "object with c", "object"],
    ],
    [
      "their places",
      [{ type: "string" }, { type: "string" }, {}],
      ["1: string", "2: string", "Option 3"],
    ],
  ])("are told by %s", (_what, branches, names) => {
    expect(branchNames(branches)).toEqual(names);
  });
});
