import { expect, it } from "vitest";
import { reflow } from "./reflow.ts";

const TEXT = `Usage: x [options]
       x more

One two three four
five.

Examples:
  $ x that is longer than a line
`;

it.each([
  [10, "One two\nthree four\nfive."],
  [14, "One two three\nfour five."],
  [40, "One two three four five."],
  [1, "One\ntwo\nthree\nfour\nfive."],
])("wraps paragraphs at %i columns and leaves indented lines", (width, paragraph) => {
  const text = reflow(TEXT, width);
  expect(text).toContain(`\n\n${paragraph}\n\nExamples:\n  $ x that is longer than a line\n`);
  expect(text).toContain("\n       x more\n");
});
