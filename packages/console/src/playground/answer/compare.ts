import { canonicalText } from "@touchstone/core/advanced";
import { type Change, compareTools, definitionDiff } from "@touchstone/protocol/compare";
import type { CompareAnswer, ListedChange, Questions } from "../question.ts";
import { listed, MAX_NAME, type ReadTool, readTools, shownNames } from "./tools.ts";

/** Maximum length of a call that is shown, in UTF-16 code units. */
const MAX_CALL = 2_000;

/**
 * Compares two lists of tools, as `touchstone lock --check` does.
 * @throws UnusableTextError
 */
export function answerCompare({ tools, next }: Questions["compare"]): CompareAnswer {
  const before = readTools(tools, "Before");
  const after = readTools(next, "After");
  const [old, now] = [definitionsOf(before.tools), definitionsOf(after.tools)];
  const changes = [...new Map([...old, ...now])].flatMap(([key, { name }]) =>
    compareTools(name.slice(0, MAX_NAME), old.get(key)?.text, now.get(key)?.text),
  );
  const counts: Partial<Record<Change["class"], number>> = {};
  for (const { class: kind } of changes) counts[kind] = (counts[kind] ?? 0) + 1;
  return {
    names: shownNames([...now.values()]),
    notes: [
      ...before.notes.map((note) => `Before: ${note}`),
      ...after.notes.map((note) => `After: ${note}`),
    ],
    counts,
    changes: mapListed(listed(changes), listedChange),
  };
}

/**
 * Returns the tools with their canonical texts. If several tools have the same name, the last one counts, as in a
 * lock.
 */
function definitionsOf(tools: readonly ReadTool[]): ReadonlyMap<string, ReadTool> {
  return new Map(
    tools.map((tool) => [tool.key, { ...tool, text: canonicalText(tool.text) ?? tool.text }]),
  );
}

function mapListed<From, To>(
  { items, more }: { readonly items: readonly From[]; readonly more: number },
  change: (item: From) => To,
): { readonly items: readonly To[]; readonly more: number } {
  return { items: items.map(change), more };
}

function listedChange(change: Change): ListedChange {
  const { class: kind, rule, name, path, message, before, after, counterexample } = change;
  const isTold = counterexample === undefined && before !== undefined && after !== undefined;
  return {
    class: kind,
    rule,
    name,
    path,
    message,
    evidence: evidenceOf(change),
    breaks: counterexample && {
      text: canonicalText(counterexample.text, "  ")?.slice(0, MAX_CALL) ?? "",
      issues: counterexample.issues,
    },
    diff: isTold ? definitionDiff(before, after) : "",
  };
}

function evidenceOf({ evidence }: Change): string {
  if (evidence === undefined) return "";
  if (evidence === "proved") return "proved";
  return `no counterexample in ${evidence} ${evidence === 1 ? "value" : "values"}`;
}
