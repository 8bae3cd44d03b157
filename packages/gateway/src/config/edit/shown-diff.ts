import { REDACTED, redactText } from "@touchstone/util";
import { createScanner, type Node, type ParseError, parseTree } from "jsonc-parser";
import { isSecretAt } from "../../settings/sections.ts";
import type { ConfigChange } from "./changes.ts";

/** Replaces a value that may be a secret. */
const HIDDEN = '"(hidden)"';
const NEW = '"(new value)"';
const CONTEXT = 3;
const MAX_LINES = 400;

/** Keys of a server's entry whose values are shown, because the client has just sent them. */
const SHOWN: ReadonlySet<string> = new Set(["command", "args", "cwd", "url", "type", "disabled"]);

/**
 * Returns the difference of two texts of a `touchstone.json` in the unified diff format. Hides values that may be
 * secrets, and removes texts that look like secrets from comments.
 * @param changes the changes from the first to the second
 */
export function redactedDiff(
  file: string,
  before: string,
  after: string,
  changes: readonly ConfigChange[],
): string {
  const old = linesOf(hideSecrets(before, []));
  const made = linesOf(hideSecrets(after, changes));
  let start = 0;
  while (start < Math.min(old.length, made.length) && old[start] === made[start]) start += 1;
  let end = 0;
  const most = Math.min(old.length, made.length) - start;
  while (end < most && old.at(-1 - end) === made.at(-1 - end)) end += 1;
  const removed = old.slice(start, old.length - end);
  const added = made.slice(start, made.length - end);
  if (removed.length === 0 && added.length === 0) return "";
  const ahead = old.slice(Math.max(0, start - CONTEXT), start);
  const behind = old.slice(old.length - end, old.length - end + CONTEXT);
  const range = (from: number, count: number): string =>
    `${count === 0 ? from : from + 1},${count}`;
  const size = ahead.length + behind.length;
  const from = start - ahead.length;
  return [
    `--- ${file}`,
    `+++ ${file}`,
    `@@ -${range(from, size + removed.length)} +${range(from, size + added.length)} @@`,
    ...ahead.map((line) => ` ${line}`),
    ...cut(removed).map((line) => `-${line}`),
    ...cut(added).map((line) => `+${line}`),
    ...behind.map((line) => ` ${line}`),
    "",
  ].join("\n");
}

function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\r|\n/);
}

function cut(lines: readonly string[]): readonly string[] {
  return lines.length <= MAX_LINES ? lines : [...lines.slice(0, MAX_LINES), "…"];
}

/** Replaces each value that may be a secret, and comments that contain one. */
function hideSecrets(text: string, changes: readonly ConfigChange[]): string {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (root === undefined || errors.length > 0) return "";
  const parts: string[] = [];
  let at = 0;
  const secrets = [...secretsOf(root, [], changes), ...commentsOf(text)];
  for (const { offset, length, shown } of secrets.toSorted((a, b) => a.offset - b.offset)) {
    // A comment inside a hidden value is hidden, too.
    if (offset < at) continue;
    parts.push(text.slice(at, offset), shown);
    at = offset + length;
  }
  parts.push(text.slice(at));
  return parts.join("");
}

interface Secret {
  readonly offset: number;
  readonly length: number;
  readonly shown: string;
}

function* commentsOf(text: string): Generator<Secret, void, undefined> {
  const scanner = createScanner(text, false);
  for (;;) {
    scanner.scan();
    const offset = scanner.getTokenOffset();
    if (offset >= text.length) return;
    if (text[offset] !== "/") continue;
    const length = scanner.getTokenLength();
    const comment = text.slice(offset, offset + length);
    const shown = withoutNamedSecrets(redactText(comment).text);
    if (shown !== comment) yield { offset, length, shown };
  }
}

/**
 * A word for a secret in a comment, and what follows it: after a colon, an equals sign or "is", or a word of 8 or more
 * characters with a digit.
 */
const NAMED_SECRET =
  /((?:key|token|passw(?:or)?d|passphrase|secret|pwd|credential)s?["']?)(\s{0,8}(?:[:=]|is\s)\s{0,8}|\s{1,8}(?=\S{0,64}\d)(?=\S{8}))("[^"\n]{0,512}"|'[^'\n]{0,512}'|\S+)/gi;

/** Returns a comment with the secrets after words such as "key" replaced: `old key: [redacted]`. */
function withoutNamedSecrets(comment: string): string {
  return comment.replace(
    NAMED_SECRET,
    (_, word: string, between: string) => `${word}${between}${REDACTED}`,
  );
}

function* secretsOf(
  node: Node,
  path: readonly (string | number)[],
  changes: readonly ConfigChange[],
): Generator<Secret, void, undefined> {
  if (node.type === "object") {
    for (const { children: [key, value] = [] } of node.children ?? []) {
      if (value !== undefined) yield* secretsOf(value, [...path, String(key?.value)], changes);
    }
  } else if (node.type === "array") {
    for (const [index, item] of (node.children ?? []).entries()) {
      yield* secretsOf(item, [...path, index], changes);
    }
  } else if (isSecretAt(path) && node.type === "string") {
    const { offset, length } = node;
    const own = changes.some((change) => change.path.every((name, index) => name === path[index]));
    if (own && path[0] === "mcpServers" && SHOWN.has(String(path[2]))) return;
    yield { offset, length, shown: own ? NEW : HIDDEN };
  }
}
