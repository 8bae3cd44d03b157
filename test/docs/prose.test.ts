import { readFileSync } from "node:fs";
import { parseSync } from "vite";
import { describe, expect, it } from "vitest";
import { family, helpText } from "./command-line.ts";
import { projectFiles, ROOT } from "./files.ts";

/** Phrases that CONTRIBUTING.md calls always wrong. "There is no …" is English, and so is "is no longer". */
const PHRASES =
  /(?<![\w/.-])(?:in the place of|(?<!\bthere )(?:is|are) no(?=\s*$|\s(?!longer\b|more\b|less\b|fewer\b|such\b)[a-z])|mend(?:s|ed|ing)?|fares?|wherefrom|told of|anew|so many)(?![\w-])/gi;

const phrasesIn = (text: string): readonly string[] =>
  [...text.matchAll(PHRASES)].map(({ index }) =>
    text.slice(Math.max(0, index - 30), index + 40).replaceAll(/\s+/g, " "),
  );

/** Returns the sentences of a page, without code and without quotations. */
function proseOf(markdown: string): string {
  return markdown
    .replaceAll(/^( *)(`{3,}|~{3,})[\s\S]*?^\1\2\s*$/gm, "")
    .replaceAll(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, "`")
    .replaceAll(/"[^"\n]*"/g, '""');
}

interface Source {
  /** Texts that a program writes: strings, templates and the text of elements. */
  readonly texts: readonly string[];
  readonly comments: readonly string[];
}

interface Node {
  readonly type?: string;
  readonly value?: unknown;
  readonly source?: unknown;
}

function* textsIn(node: unknown): Generator<string> {
  if (Array.isArray(node)) for (const one of node) yield* textsIn(one);
  else if (typeof node === "object" && node !== null) {
    const { type = "", value, source } = node as Node;
    if (type === "ImportDeclaration" || type === "ImportExpression") return;
    if (type.startsWith("Export") && source) return;
    if ((type === "Literal" || type === "JSXText") && typeof value === "string") yield value;
    if (type === "TemplateElement") yield String((value as { cooked: unknown }).cooked);
    for (const [key, inside] of Object.entries(node)) if (key !== "value") yield* textsIn(inside);
    if (type === "Property" || type === "JSXAttribute") yield* textsIn(value);
  }
}

/** Reads a source of TypeScript or JavaScript. Most sources contain none of the phrases, and are not parsed. */
function read(file: string): Source {
  const text = readFileSync(ROOT + file, "utf8");
  if (phrasesIn(text).length === 0) return { texts: [], comments: [] };
  const { program, comments, errors } = parseSync(file, text);
  expect([file, errors]).toEqual([file, []]);
  return { texts: [...textsIn(program.body)], comments: comments.map(({ value }) => value) };
}

const files = projectFiles();
const sources = files.filter((file) => /\.(?:[mc]?[jt]s|tsx)$/.test(file));
const isTest = (file: string): boolean => /\.test\.ts$|(?:^|\/)test(?:ing)?\//.test(file);

describe("the search for banned phrases", () => {
  it.each([
    ["a batch is no request", 1],
    ["the value is no ", 1],
    ["there is no request, and it is no longer sent", 0],
    ["Mend it, then start anew", 2],
    ["recommend ./page/asked-anew.ts", 0],
  ])("finds in %j this many: %i", (text, count) => {
    expect(phrasesIn(text)).toHaveLength(count);
  });

  it("ignores code and quotations in pages", () => {
    expect(proseOf('a `is no b` "mend" c\n```text\nanew\n```\nd')).not.toMatch(/no b|mend|anew/);
  });
});

it.each(files.filter((file) => file.endsWith(".md")))("%s has no banned phrase", (file) => {
  expect(phrasesIn(proseOf(readFileSync(ROOT + file, "utf8")))).toEqual([]);
});

it.each(family().map((command) => [command.name(), command] as const))(
  "the help of %s has no banned phrase",
  (_, command) => {
    expect(phrasesIn(helpText(command))).toEqual([]);
  },
);

it("messages of the programs have no banned phrase", () => {
  const found = sources
    .filter((file) => file.startsWith("packages/") && !isTest(file))
    .flatMap((file) =>
      read(file)
        .texts.flatMap(phrasesIn)
        .map((phrase) => `${file}: ${phrase}`),
    );
  expect(found).toEqual([]);
});

it("comments have no banned phrase", () => {
  const found = sources.flatMap((file) =>
    read(file)
      .comments.flatMap(phrasesIn)
      .map((phrase) => `${file}: ${phrase}`),
  );
  expect(found).toEqual([]);
});
