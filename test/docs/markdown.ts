import { readFileSync } from "node:fs";
import { projectFiles, ROOT } from "./files.ts";

/** A fenced block, with the comment that is right before it. */
export interface Block {
  /** Path of the page, relative to the project's root. */
  readonly page: string;
  /** Line of the opening fence, starting at 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** `<!-- word: rest -->` before the fence. */
  readonly marker: { readonly word: string; readonly rest: string } | undefined;
}

export interface Page {
  readonly path: string;
  readonly blocks: readonly Block[];
  /** Possible targets of `#…`: the anchors that GitHub creates for the headings. */
  readonly anchors: ReadonlySet<string>;
  /** Targets of links and images. */
  readonly links: readonly string[];
  /** Code spans in the running text. */
  readonly spans: readonly string[];
}

const FENCE = /^( *)(`{3,}|~{3,})\s*(\S*)/;
const MARKER = /^<!-- ([a-z ]+): (.+) -->$/;
const SPAN = /(`+)(?!`)([\s\S]*?[^`])\1(?!`)/g;
const LINK = /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)|^\[[^\]]+\]:\s*(\S+)/gm;

/** Returns the anchor that GitHub gives a heading (https://github.com/gjtorikian/html-pipeline, table of contents). */
function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-");
}

/** Reads a page in the subset of CommonMark that our pages use (https://spec.commonmark.org/0.31.2/). */
export function readPage(path: string, source: string): Page {
  const blocks: Block[] = [];
  const prose: string[] = [];
  const anchors = new Set<string>();
  const counts = new Map<string, number>();
  const lines = source.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const [, indent = "", fence, language = ""] = FENCE.exec(line) ?? [];
    if (fence === undefined) {
      prose.push(line);
      const heading = /^#{1,6} (.*)$/.exec(line)?.[1];
      if (heading === undefined) continue;
      const anchor = anchorOf(heading);
      const before = counts.get(anchor) ?? 0;
      counts.set(anchor, before + 1);
      anchors.add(before === 0 ? anchor : `${anchor}-${before}`);
      continue;
    }
    const end = lines.findIndex((other, i) => i > at && other.trim() === fence);
    if (end < 0) throw new Error(`${path}:${at + 1}: the block has no end`);
    const [, word = "", rest = ""] = MARKER.exec(lines[at - 1]?.trim() ?? "") ?? [];
    const text = lines
      .slice(at + 1, end)
      .map((inside) => `${inside.startsWith(indent) ? inside.slice(indent.length) : inside}\n`)
      .join("");
    const marker = word === "" ? undefined : { word, rest };
    blocks.push({ page: path, line: at + 1, language, text, marker });
    at = end;
  }
  const text = prose.join("\n");
  const spans = [...text.matchAll(SPAN)].map(([, , code = ""]) => code.replaceAll("\n", " "));
  const links = [...text.replaceAll(SPAN, "").matchAll(LINK)].map(([, a, b]) => a ?? b ?? "");
  return { path, blocks, anchors, links, spans };
}

/** Every page of the project. */
export function readPages(): readonly Page[] {
  return projectFiles()
    .filter((path) => path.endsWith(".md"))
    .toSorted()
    .map((path) => readPage(path, readFileSync(ROOT + path, "utf8")));
}
