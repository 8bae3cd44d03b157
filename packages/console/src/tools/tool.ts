import type { ToolSummary } from "../api/tool-summary.ts";
import { searchable, searchWords } from "../text/search.ts";

/** What an annotation declares about a tool; `warning` marks potential harm. */
export interface ToolBadge {
  readonly label: string;
  readonly meaning: string;
  readonly warning: boolean;
}

/** Hints of MCP's `ToolAnnotations` (revision 2025-11-25) whose values differ from their defaults. */
const HINTS: readonly (ToolBadge & { readonly hint: string; readonly value: boolean })[] = [
  {
    hint: "readOnlyHint",
    value: true,
    label: "read-only",
    meaning: "The tool declares that it changes nothing.",
    warning: false,
  },
  {
    hint: "destructiveHint",
    value: true,
    label: "destructive",
    meaning: "The tool declares that it may delete or overwrite.",
    warning: true,
  },
  {
    hint: "idempotentHint",
    value: true,
    label: "idempotent",
    meaning:
      "The tool declares that calling it again with the same arguments changes nothing more.",
    warning: false,
  },
  {
    hint: "openWorldHint",
    value: false,
    label: "closed world",
    meaning: "The tool declares that it reaches nothing outside of its server.",
    warning: false,
  },
];

/** Returns the badges of a tool. They repeat what the tool says about itself, which nobody has checked. */
export function badgesOf({ annotations = {} }: ToolSummary): readonly ToolBadge[] {
  return HINTS.filter(
    ({ hint, value }) => Object.hasOwn(annotations, hint) && annotations[hint] === value,
  );
}

/** Returns the start of a Markdown description, on one line and without its most common marks. */
export function plainLine(markdown: string): string {
  return markdown
    .slice(0, 300)
    .replaceAll(/!?\[([^\]\n]{0,200})\]\([^)\n]{0,200}\)/g, "$1")
    .replaceAll(/\*\*|__|`+|^#{1,6} |^\s*[-*] /gm, "")
    .slice(0, 200);
}

interface Searchable {
  readonly name: string;
  readonly all: string;
}

/** Cached, because each key press starts a search. */
const known: WeakMap<ToolSummary, Searchable> = new WeakMap();

function searchableOf(tool: ToolSummary): Searchable {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const name = searchable(tool.name);
  const all = `${name}\n${searchable(tool.title ?? "")}\n${searchable(tool.description)}`;
  known.set(tool, { name, all });
  return { name, all };
}

/**
 * Returns the tools whose name, title or description contains each word of the query in its first 4,096 characters.
 * Tools with every word in the name come first; otherwise the order is kept. Ignores case and accents; an empty query
 * matches all.
 */
export function searchTools(tools: readonly ToolSummary[], query: string): readonly ToolSummary[] {
  const words = searchWords(query);
  if (words.length === 0) return tools;
  const has = (text: string): boolean => words.every((word) => text.includes(word));
  const byName: ToolSummary[] = [];
  const others: ToolSummary[] = [];
  for (const tool of tools) {
    const { name, all } = searchableOf(tool);
    if (has(name)) byName.push(tool);
    else if (has(all)) others.push(tool);
  }
  return [...byName, ...others];
}
