import { endOfString } from "../../records/bodies/end-of-string.ts";
import { redactNamed } from "../../records/bodies/named-secrets.ts";
import { isSecretName, REDACTED, type Redacted, redactText } from "../../util/secret-text.ts";

/** An object or array that is open, and the member of it that is being read. */
interface Level {
  name: string | undefined;
  readonly isObject: boolean;
  /** Holds a schema: the names in it are those of parameters, and what is there is no secret. */
  readonly declares: boolean;
}

/** Where messages carry schemas (MCP: Tools, Elicitation, Sampling with tools). */
const DECLARATIONS: ReadonlySet<string> = new Set([
  "result/tools/*/inputSchema",
  "result/tools/*/outputSchema",
  "params/tools/*/inputSchema",
  "params/tools/*/outputSchema",
  "params/requestedSchema",
]);
/** Named like secrets, and none (MCP: Progress). */
const NO_SECRETS: ReadonlySet<string> = new Set([
  "params/progressToken",
  "params/_meta/progressToken",
]);
/** What an author may have put into a schema's annotations. */
const VALUES: ReadonlySet<string> = new Set(["default", "examples"]);
const DEEPEST_PATH = 8;
/** No text that is shorter is a secret by its looks: the shortest is a password in a URL. */
const LEAST_SECRET = 6;

const SPACE = /[\s,]*/y;
const WORD = /[^\s[\]{}:,"]+/y;

/**
 * Returns a message's text without its secrets: the values of members with a secret's name, whole objects
 * and arrays included, and what looks like a secret, or is given to a secret's name, inside any other string
 * or number. Declarations
 * of parameters stay, whatever the parameters are called, so that the tools in them stay what they
 * are; only a `default` or `examples` of one with a secret's name goes. Everything else stays as it
 * came; if nothing is taken out, the very text. Text that is not JSON is treated token by token.
 * Never throws.
 */
export function redactFrame(text: string): Redacted {
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
    // What is after a comma belongs to no name that came before it.
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
        // A schema is checked by: a pattern or a constant in it may look like a secret's value.
        const redacted = level?.declares === true ? redactText(content) : redactNamed(content);
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

/** Returns the names from a message's root on; undefined if it is deeper than anything asked for. */
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

/** Behind the bracket that closes the one at `start`; the text's end if none does. */
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
