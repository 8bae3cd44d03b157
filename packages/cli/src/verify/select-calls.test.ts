import { expect, it } from "vitest";
import { toolsByName } from "./select-calls.ts";

it.each([
  [true, false],
  [false, true],
])("keeps of two tools with one name the one that may write", (...hints) => {
  const tools = hints.map((readOnlyHint) => ({ name: "t", annotations: { readOnlyHint } }));
  expect(toolsByName(tools).get("t")).toBe(tools[hints.indexOf(false)]);
});
