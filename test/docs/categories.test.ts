import { expect, it } from "vitest";
import { type Block, readPages } from "./markdown.ts";

/** What the other tests in this folder do with a block. */
type Category = "run" | "read" | "parsed" | "not run";

/** Which markers a block of a language may have, and how it is then tested; `""` means no marker. */
const CATEGORIES: Readonly<Record<string, Readonly<Record<string, Category>>>> = {
  // Compiled always.
  js: { "": "run", given: "run", served: "run" },
  ts: { "": "run", given: "run" },
  sh: { "": "run", form: "parsed", "not run": "parsed" },
  console: { "": "run", figures: "run", "not run": "parsed" },
  json: { "": "read", "read by": "read", output: "run" },
  // With the package installed, test/python.test.ts runs further blocks.
  python: { "not run": "not run" },
  jsonc: { "": "read", "read by": "read" },
  yaml: { "": "read", "not run": "read" },
  text: { output: "run", generated: "run", "not run": "not run" },
  promql: { "not run": "not run" },
  powershell: { "not run": "not run" },
  mermaid: { "": "not run" },
};

const categoryOf = ({ language, marker }: Block): Category | undefined =>
  CATEGORIES[language]?.[marker?.word ?? ""];

const blocks = readPages().flatMap(({ blocks }) => blocks);
const count = (category: Category): number =>
  blocks.filter((block) => categoryOf(block) === category).length;
const counts = `${count("run")} are run, ${count("read")} read by what they are for, ${count("parsed")} only parsed, ${count("not run")} neither`;

it(`every code block has a category: of ${blocks.length} blocks ${counts}`, () => {
  const without = blocks.filter((block) => categoryOf(block) === undefined);
  expect(without.map(({ page, line, language }) => `${page}:${line} ${language}`)).toEqual([]);
  expect(blocks.length).toBeGreaterThan(60);
  expect(count("run")).toBeGreaterThan(blocks.length / 2);
});
