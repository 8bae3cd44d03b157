import { expect, it } from "vitest";
import { readTree } from "./tree.ts";
import { hasMoreValues } from "./value-count.ts";

it.each([
  ["1", 1],
  ["[]", 1],
  ['{"a":[1,2,{"b":null}],"c":"x"}', 7],
  [`[${Array(50).fill("[1,2]").join()}]`, 151],
  [`${"[".repeat(60)}${"]".repeat(60)}`, 60],
])("counts the values in %s", (text, count) => {
  const read = readTree(text);
  if (!read.ok) throw new Error("no JSON");
  expect([hasMoreValues(read.tree, count), hasMoreValues(read.tree, count - 1)]).toEqual([
    false,
    true,
  ]);
});
