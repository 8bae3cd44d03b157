import { HIDDEN_VALUE, hideSecrets } from "../config/secrets.ts";
import { safeText } from "../terminal/safe-text.ts";
import { applyEdits, type Edit, type Entry, membersOf, nodeEnd, stringsOf } from "./entries.ts";

/** The keys under which clients store the variables and headers of a server. */
export const SECRET_MEMBERS: readonly string[] = [
  "env",
  "environment",
  "headers",
  "http_headers",
  "env_http_headers",
];

/** Reads the servers in one file format. */
export type ReadEntries = (text: string) => readonly Entry[];

/** Returns the text with possible secrets in its servers' entries hidden, line for line. */
function withoutSecrets(text: string, read: ReadEntries): string {
  const edits: Edit[] = [];
  for (const { members } of read(text)) {
    for (const name of SECRET_MEMBERS) {
      const held = members.get(name)?.value;
      for (const { value } of held === undefined ? [] : membersOf(held).values()) {
        edits.push({
          start: value.offset,
          end: nodeEnd(value),
          text: JSON.stringify(HIDDEN_VALUE),
        });
      }
    }
    const started = members.get("command")?.value;
    // opencode keeps the program and its arguments in one list.
    const isWhole = started?.type === "array";
    const args = isWhole ? started : members.get("args")?.value;
    const words = stringsOf(args) ?? [];
    const command = isWhole ? [] : [String(started?.value)];
    for (const [index, word] of hideSecrets([...command, ...words])
      .slice(command.length)
      .entries()) {
      const item = args?.children?.[index];
      if (item === undefined || word === words[index]) continue;
      // The variable's name is not a secret, and is useful for the reader.
      if (words[index - 1] === "--header-env") continue;
      edits.push({ start: item.offset, end: nodeEnd(item), text: JSON.stringify(word) });
    }
  }
  return applyEdits(text, edits);
}

/** Lines replaced by an edit, or by several edits that touch the same line. */
interface Hunk {
  readonly from: number;
  to: number;
  /** By how many lines the hunk shifts the text after it; negative if it removes lines. */
  more: number;
}

function breaksIn(text: string): number {
  return text.split("\n").length - 1;
}

function hunksOf(text: string, edits: readonly Edit[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let line = 0;
  let at = 0;
  for (const { start, end, text: put } of [...edits].sort((a, b) => a.start - b.start)) {
    const from = line + breaksIn(text.slice(at, start));
    const taken = breaksIn(text.slice(start, end));
    line = from + taken;
    at = end;
    const last = hunks.at(-1);
    const more = breaksIn(put) - taken;
    if (last === undefined || last.to < from) hunks.push({ from, to: line, more });
    else Object.assign(last, { to: line, more: last.more + more });
  }
  return hunks;
}

/** Returns the changes that edits make to a text as a unified diff without context. Possible secrets are hidden. */
export function shownChange(
  path: string,
  before: string,
  edits: readonly Edit[],
  read: ReadEntries,
): string {
  const old = withoutSecrets(before, read).split(/\r?\n/);
  const fresh = withoutSecrets(applyEdits(before, edits), read).split(/\r?\n/);
  const lines = [`--- ${safeText(path)}`, `+++ ${safeText(path)}`];
  let shift = 0;
  for (const { from, to, more } of hunksOf(before, edits)) {
    const removed = old.slice(from, to + 1);
    const added = fresh.slice(from + shift, to + 1 + shift + more);
    lines.push(`@@ -${range(from, removed)} +${range(from + shift, added)} @@`);
    lines.push(...removed.map((line) => `-${shown(line)}`));
    lines.push(...added.map((line) => `+${shown(line)}`));
    shift += more;
  }
  return `${lines.join("\n")}\n`;
}

function range(first: number, { length }: readonly string[]): string {
  return length === 1 ? String(first + 1) : `${first + 1},${length}`;
}

/**
 * Returns a line with tabs kept, since many files are indented with them, and every other control character escaped.
 */
function shown(line = ""): string {
  return line.split("\t").map(safeText).join("\t");
}
