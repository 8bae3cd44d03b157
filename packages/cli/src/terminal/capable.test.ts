import { expect, it } from "vitest";
import { wantsColour } from "./capable.ts";

it.each<[boolean, boolean, Record<string, string>]>([
  [true, true, {}],
  [true, true, { TERM: "xterm", NO_COLOR: "" }],
  [false, true, { NO_COLOR: "1" }],
  [false, true, { TERM: "dumb" }],
  [false, false, { TERM: "xterm" }],
])("uses color: %s if stdout is a terminal: %s, under %j", (coloured, isTTY, env) => {
  expect(wantsColour({ stdout: { write: () => true, isTTY }, env })).toBe(coloured);
});
