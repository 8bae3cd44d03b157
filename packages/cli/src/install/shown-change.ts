import { HIDDEN, hideSecrets } from "../config/secrets.ts";
import { safeText } from "../terminal/safe-text.ts";
import { applyEdits, type Edit, endOf, membersOf, readEntries, stringsOf } from "./entries.ts";

/** The text without what may be secret in its servers' entries, line for line. */
function withoutSecrets(text: string): string {
  const edits: Edit[] = [];
  for (const { members } of readEntries(text)) {
    for (const name of ["env", "headers"]) {
      const held = members.get(name)?.value;
      for (const { value } of held === undefined ? [] : membersOf(held).values()) {
        edits.push({ start: value.offset, end: endOf(value), text: JSON.stringify(HIDDEN) });
      }
    }
    const args = members.get("args")?.value;
    const words = stringsOf(args) ?? [];
    for (const [index, word] of hideSecrets(words).entries()) {
      const item = args?.children?.[index];
      if (item === undefined || word === words[index]) continue;
      // The variable's name is no secret, and what the reader wants to see.
      if (words[index - 1] === "--header-env") continue;
      edits.push({ start: item.offset, end: endOf(item), text: JSON.stringify(word) });
    }
  }
  return applyEdits(text, edits);
}

/**
 * The lines that differ between two texts of as many lines, in the form of a unified diff without
 * context; what may be secret is not shown.
 */
export function shownChange(path: string, before: string, after: string): string {
  const old = withoutSecrets(before).split(/\r?\n/);
  const fresh = withoutSecrets(after).split(/\r?\n/);
  const lines = [`--- ${safeText(path)}`, `+++ ${safeText(path)}`];
  for (let at = 0; at < Math.max(old.length, fresh.length); at += 1) {
    if (old[at] === fresh[at]) continue;
    lines.push(`@@ -${at + 1} +${at + 1} @@`);
    lines.push(`-${shown(old[at])}`, `+${shown(fresh[at])}`);
  }
  return `${lines.join("\n")}\n`;
}

/** A line with its tabs, by which many indent; every other control character as an escape. */
function shown(line = ""): string {
  return line.split("\t").map(safeText).join("\t");
}
