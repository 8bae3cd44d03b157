import { endOfString, redactNamedSecrets } from "@touchstone/records/plain";
import { isSecretName, REDACTED, type RedactedText, redactText } from "@touchstone/util";

/** An open object or array, and its current member. */
interface Level {
  name: string | undefined;
  readonly isObject: boolean;
  /** Inside a schema, names belong to parameters, and nothing is a secret. */
  readonly declares: boolean;
}

/** Where messages contain schemas (MCP: Tools, Elicitation, Sampling with tools). */
const DECLARATIONS: ReadonlySet<string> = new Set([
  "result/tools/*/inputSchema",
  "result/tools/*/outputSchema",
  "params/tools/*/inputSchema",
  "params/tools/*/outputSchema",
  "params/requestedSchema",
]);
/** Members that are named like secrets, but are not secrets (MCP: Progress). */
const NO_SECRETS: ReadonlySet<string> = new Set([
  "params/progressToken",
  "params/_meta/progressToken",
]);
/** Annotations of a schema in which an author may have put values. */
const VALUES: ReadonlySet<string> = new Set(["default", "examples"]);
const DEEPEST_PATH = 8;
/** Shorter texts never look like secrets: the shortest pattern is a password in a URL. */
const LEAST_SECRET = 6;

const SPACE = /[\s,]*/y;
const WORD = /[^\s[\]{}:,"]+/y;

/**
 * Returns a message's text without its secrets: values of members with a secret's name, including whole objects and
 * arrays, and parts of other strings and numbers that look like a secret or follow a secret's name. Declarations of
 * parameters stay, whatever their names, so that tools remain the same; only the `default` or `examples` of one with
 * a secret's name are removed. Everything else is unchanged; if nothing is removed, returns the same text. Text
 * that is not JSON is processed token by token. Never throws.
 */
export function redactFrame(text: string): RedactedText {
  const out: string[] = [];
  const levels: Level[] = [];
  let kept = 0;
  let redactions = 0;
  let name: string | undefined;
  let last: string | undefined;
  const replace = (start: number, end: number, by: string, count: number): void => {
    out.push(text.slice(kept, start), by);
    kept = end;
    redactions += count;
  };
  let at = 0;
  for (;;) {
    SPACE.lastIndex = at;
    SPACE.exec(text);
    const start = SPACE.lastIndex;
    if (start >= text.length) break;
    // After a comma, earlier names no longer apply.
    if (start > at && text.slice(at, start).includes(",")) name = undefined;
    const kind = text[start] ?? "";
    const level = levels.at(-1);
    at = start + 1;
    if (kind === ":") {
      name = last;
      if (level !== undefined) level.name = last;
      continue;
    }
    if (kind === "}" || kind === "]") {
      levels.pop();
      name = undefined;
      continue;
    }
    const secret = name !== undefined && isSecret(levels, name);
    if (kind === "{" || kind === "[") {
      if (secret) {
        at = endOfContainer(text, start);
        replace(start, at, `"${REDACTED}"`, 1);
      } else {
        const declares = level?.declares === true || isDeclaration(levels, name);
        levels.push({ name: undefined, isObject: kind === "{", declares });
      }
      name = undefined;
      continue;
    }
    at = kind === '"' ? (endOfString(text, start) ?? text.length) : endOfWord(text, start);
    const token = text.slice(start, at);
    if (secret && token !== "null") {
      replace(start, at, `"${REDACTED}"`, 1);
    } else {
      const content = kind === '"' ? unquoted(token) : token;
      if (content.length >= LEAST_SECRET) {
        // A schema is used for checks: a pattern or constant in it may look like a secret.
        const redacted =
          level?.declares === true ? redactText(content) : redactNamedSecrets(content);
        const { redactions: count } = redacted;
        if (count > 0) replace(start, at, JSON.stringify(redacted.text), count);
      }
      last = kind === '"' ? content : undefined;
    }
    name = undefined;
  }
  if (redactions === 0) return { text, redactions };
  out.push(text.slice(kept));
  return { text: out.join(""), redactions };
}

/** Returns the names from a message's root; undefined if it is deeper than any rule. */
function pathOf(levels: readonly Level[], name: string): string | undefined {
  // A batch is a list of messages.
  const inside = levels[0]?.isObject === false ? levels.slice(1) : levels;
  if (inside.length > DEEPEST_PATH) return undefined;
  const above = inside.slice(0, -1).map((level) => (level.isObject ? (level.name ?? "") : "*"));
  return [...above, name].join("/");
}

function isDeclaration(levels: readonly Level[], name: string | undefined): boolean {
  if (name === undefined || !name.endsWith("Schema")) return false;
  return DECLARATIONS.has(pathOf(levels, name) ?? "");
}

function isSecret(levels: readonly Level[], name: string): boolean {
  if (levels.at(-1)?.declares === true) {
    return VALUES.has(name) && isSecretName(levels.at(-2)?.name ?? "");
  }
  return isSecretName(name) && !NO_SECRETS.has(pathOf(levels, name) ?? "");
}

function endOfWord(text: string, start: number): number {
  WORD.lastIndex = start;
  WORD.exec(text);
  return Math.max(WORD.lastIndex, start + 1);
}

/** Returns the place after the bracket that closes the one at `start`; the end of the text if none does. */
function endOfContainer(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const kind = text[at];
    if (kind === '"') at = (endOfString(text, at) ?? text.length) - 1;
    else if (kind === "{" || kind === "[") depth += 1;
    else if (kind === "}" || kind === "]") depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

function unquoted(token: string): string {
  if (!token.includes("\\")) return token.replace(/^"|"$/g, "");
  try {
    return String(JSON.parse(token));
  } catch {
    return token.replace(/^"|"$/g, "");
  }
}
