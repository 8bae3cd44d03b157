import { encodeUtf8 } from "@touchstone/core/advanced";
import { expect, it } from "vitest";
import { findToolList, toolTexts } from "./tool-list.ts";

const TOOLS = [{ name: "a", maximum: 1 }];

it.each([
  ["a list", TOOLS, "", false],
  ["a result", { tools: TOOLS }, "/tools", false],
  ["a page", { tools: TOOLS, nextCursor: "2" }, "/tools", true],
  ["a response", { result: { tools: TOOLS } }, "/result/tools", false],
  ["a response with a page", { result: { tools: TOOLS, nextCursor: "" } }, "/result/tools", true],
])("finds the tools of %s", (_, value, pointer, hasMorePages) => {
  expect(findToolList(value)).toEqual({ pointer, tools: TOOLS, hasMorePages });
});

it.each([undefined, null, 1, "[]", {}, { tools: {} }, { __proto__: { tools: TOOLS } }])(
  "finds none in %j",
  (value) => {
    expect(findToolList(value)).toBeUndefined();
  },
);

it("returns the texts as they are written", () => {
  const bytes = encodeUtf8('{"tools": [ {"n":1.0} , 9007199254740993 ]}');
  expect(toolTexts(bytes, "/tools")).toEqual(['{"n":1.0}', "9007199254740993"]);
  expect(toolTexts(bytes, "/none")).toEqual([]);
});
