import { runSteps } from "@touchstone/core/advanced";
import { isSecretName, REDACTED, type RedactedText, redactText } from "@touchstone/util";
import { endOfString } from "./end-of-string.ts";
import { isSecretArgument, redactNamedSecrets } from "./named-secrets.ts";

/** How many characters to read in one step: some milliseconds until the code is optimized. */
const STEP = 2_048;
/** A token that is not a string. */
const TOKEN = /\s+|[[\]{}:,]|[^\s[\]{}:,"]+/y;
/** A literal or a number of JSON (RFC 8259). */
const WORD = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
/** Members whose value is a name for the value next to it, as in headers, variables, form fields and JSON Patch. */
const LABELS: ReadonlySet<string> = new Set(
  "name key k field header label element selector target variable property parameter param attribute placeholder path id ref type kind title column env".split(
    " ",
  ),
);
/** Members with the value that such a name belongs to. */
const VALUES: ReadonlySet<string> = new Set(
  "value values val v text input data content default new old".split(" "),
);
/** The first and the last word of a name: `fieldValue`, `new_value`, `valueFrom`. */
const FIRST_WORD = /^(?:[A-Z]+(?![a-z])|[A-Z]?[a-z]+)/;
const LAST_WORD = /(?:[A-Z]+|[A-Z]?[a-z]+)$/;
/** Commands, and the one-letter option after which each takes a password. */
const PASSWORD_OPTIONS: ReadonlyMap<string, string> = new Map([
  ["sshpass", "-p"],
  ["login", "-p"],
  ["redis-cli", "-a"],
]);

/** The text without secrets. */
export interface RedactedJson extends RedactedText {
  /** Whether every token is valid JSON, and every bracket has its partner or the text was cut. */
  readonly isJson: boolean;
  /** Whether nothing is missing at the end. */
  readonly isWhole: boolean;
}

/** An object or array whose end was not read yet. */
interface Open {
  readonly isObject: boolean;
  /** Name of the member whose value follows. */
  name: string | undefined;
  /** Whether a member shows that the values next to it are secrets. */
  labelsSecret: boolean;
  /** Positions in the output of values that a later member may mark as secrets; `to` is 0 until the value ends. */
  readonly values: { readonly from: number; to: number }[];
  /** In a list of the words of a command: the previous word. */
  word: string | undefined;
  /** In such a list: the one-letter option that a password follows. */
  option: string | undefined;
  /** How many items of a list were read. */
  items: number;
}

/**
 * Removes secrets from JSON text. Values of members with a secret's name become `"[redacted]"`, including whole
 * objects and arrays. So do values next to a member that names a secret (`{"name": "password", "value": "…"}`), and
 * the word after an option that names one. Parts of other strings and numbers that look like a secret, or follow a
 * secret's name inside a string, are removed. Strings that contain JSON are processed in the same way, at any depth.
 *
 * @param isAll whether the source does not end early. Otherwise its last token is dropped, because it may be half a
 *   secret, and so are values whose name may be in a member that was cut off.
 */
export function* redactJson(source: string, isAll: boolean): Generator<void, RedactedJson, void> {
  const out: string[] = [];
  const root = opened("{");
  const open: Open[] = [];
  let lastString: string | undefined;
  let redactions = 0;
  /** How many brackets were open before the secret value that is being skipped. */
  let skipsAbove: number | undefined;
  let isJson = true;
  let isWhole = isAll;
  let read = 0;
  /** The end of each redacted value by its start: a value around them need not clear them again. */
  const redacted = new Map<number, number>();
  const redactValues = ({ values }: Open): void => {
    for (const { from, to } of values.splice(0)) {
      const end = to === 0 ? out.length : to;
      for (let at = from; at < end; ) {
        out[at] = "";
        const next = redacted.get(at) ?? at + 1;
        redacted.delete(at);
        at = next;
      }
      redacted.set(from, end);
      out[from] = `"${REDACTED}"`;
      redactions += 1;
    }
  };
  for (const { token, complete } of tokens(source)) {
    read += token.length;
    if (read >= STEP) {
      read = 0;
      yield;
    }
    const kind = token[0] ?? "";
    if (!complete && (!isAll || open.length > 0 || kind === '"')) {
      isWhole = false;
      break;
    }
    const at = open.at(-1) ?? root;
    if (kind === "]" || kind === "}") {
      if (at === root || at.isObject !== (kind === "}")) isJson = false;
      // The list alternates names and their values.
      if (!at.isObject && at.items % 2 === 0) redactValues(at);
      open.pop();
      if (skipsAbove !== undefined) {
        if (open.length <= skipsAbove) skipsAbove = undefined;
        continue;
      }
      out.push(token);
      const value = open.at(-1)?.values.at(-1);
      if (value?.to === 0) value.to = out.length;
      continue;
    }
    const opens = kind === "[" || kind === "{";
    if (skipsAbove !== undefined) {
      if (opens) open.push(opened(kind));
      continue;
    }
    if (kind === ":") {
      if (at === root || !at.isObject) isJson = false;
      at.name = lastString;
      out.push(token);
      continue;
    }
    if (kind === "," || kind.trim() === "") {
      out.push(token);
      continue;
    }
    const { name, word, option } = at;
    at.name = undefined;
    at.word = undefined;
    if (!at.isObject) at.items += 1;
    const isString = kind === '"';
    const content = isString ? unquoted(token) : undefined;
    if (!opens && (isString ? content === undefined : !WORD.test(token))) isJson = false;
    const text = content ?? token.replace(/^"|"$/g, "");
    lastString = isString && name === undefined ? text : undefined;
    if (isSecretAt(at, name) || isWordAfter(word, option, isString, text)) {
      if (token !== "null") {
        redactions += 1;
        out.push(`"${REDACTED}"`);
        if (opens) {
          skipsAbove = open.length;
          open.push(opened(kind));
        }
        continue;
      }
    }
    if (isString && !at.isObject) {
      at.word = text;
      at.option ??= PASSWORD_OPTIONS.get(text);
    }
    if (!at.isObject && at.items % 2 === 0 && word !== undefined && isNameInList(word)) {
      at.values.push({ from: out.length, to: opens ? 0 : out.length + 1 });
    }
    if (name !== undefined && isString && isLabelOfSecret(name, text)) {
      redactValues(at);
      at.labelsSecret = true;
    } else if (name !== undefined && token !== "null" && isNameOfValue(name)) {
      at.values.push({ from: out.length, to: opens ? 0 : out.length + 1 });
    }
    if (opens) {
      out.push(token);
      open.push(opened(kind));
      continue;
    }
    const kept = redactToken(token, kind, text);
    redactions += kept.redactions;
    out.push(kept.text);
  }
  if (open.length > 0) isWhole = false;
  // Inner values come first.
  if (!isWhole) for (const cutShort of [root, ...open].reverse()) redactValues(cutShort);
  return { text: out.join(""), redactions, isJson, isWhole };
}

function opened(bracket: string): Open {
  const isObject = bracket === "{";
  return {
    isObject,
    name: undefined,
    labelsSecret: false,
    values: [],
    word: undefined,
    option: undefined,
    items: 0,
  };
}

/** Returns whether the value of a member is a secret because of its own name, or of a member next to it. */
function isSecretAt({ labelsSecret }: Open, name: string | undefined): boolean {
  if (name === undefined) return false;
  return isSecretName(name) || (labelsSecret && isNameOfValue(name));
}

/** Returns whether a word of a command is a secret because of the previous word. */
function isWordAfter(
  word: string | undefined,
  option: string | undefined,
  isString: boolean,
  text: string,
): boolean {
  if (!isString || word === undefined) return false;
  return isSecretArgument(word, text) || (word === option && !text.startsWith("-"));
}

/** Returns whether an item may be a secret's name that precedes its value: `["X-Api-Key", "…"]`. */
function isNameInList(item: string): boolean {
  return item.length <= 64 && /^[^\s-]\S*$/.test(item) && isSecretName(item);
}

function isNameOfValue(name: string): boolean {
  return [FIRST_WORD, LAST_WORD].some((word) =>
    VALUES.has((word.exec(name.slice(0, 256))?.[0] ?? "").toLowerCase()),
  );
}

/** Returns whether a member shows that the values next to it are secrets. For a path, the last part decides. */
function isLabelOfSecret(name: string, text: string): boolean {
  if (!LABELS.has((LAST_WORD.exec(name.slice(-256))?.[0] ?? "").toLowerCase())) return false;
  return isSecretName(text) || isSecretName(text.slice(text.search(/[^/.#[\]]*$/)));
}

/** A number or a literal that is too short to be a card number or a key: most tokens of a long array. */
const SHORT_WORD = /^(?:-?[\d.]{1,9}|true|false|null|[[\]{},])$/;

function redactToken(token: string, kind: string, content: string): RedactedText {
  if (kind !== '"') {
    if (SHORT_WORD.test(token)) return { text: token, redactions: 0 };
    const { text, redactions } = redactText(token);
    return { text: redactions === 0 ? token : `"${text}"`, redactions };
  }
  const { text, redactions } = redactString(content);
  return { text: redactions === 0 ? token : JSON.stringify(text), redactions };
}

/** Matches a string that may be JSON with names, by its first and last character. */
const CONTAINER = /^\s*(?:\{.*\}|\[.*\]|".*")\s*$/s;
/** The beginning of JSON with names after other text. */
const EMBEDDED = /[[{]\s{0,64}["{[]/;

function redactString(content: string): RedactedText {
  const start = CONTAINER.test(content) ? 0 : content.search(EMBEDDED);
  if (start >= 0) {
    const last = Math.max(content.lastIndexOf("}"), content.lastIndexOf("]"));
    const to = start === 0 && CONTAINER.test(content) ? content.length : last + 1;
    // Once for each level of nested strings: if this fails, no other way is tried.
    const nested = runSteps(redactJson(content.slice(start, to), true));
    if (nested.isJson && nested.isWhole) {
      const [before, after] = [
        redactNamedSecrets(content.slice(0, start)),
        redactNamedSecrets(content.slice(to)),
      ];
      return {
        text: before.text + nested.text + after.text,
        redactions: before.redactions + nested.redactions + after.redactions,
      };
    }
  }
  return hidesSecret(content) ? { text: REDACTED, redactions: 1 } : redactNamedSecrets(content);
}

const BASE64 = /^[A-Za-z0-9+/_-]{16,}={0,2}$/;
/** How much of a string in base64 to decode. */
const MAX_BASE64 = 16_384;
// biome-ignore lint/suspicious/noControlCharactersInRegex: binary data has them, text does not
const BINARY = /[\u0000-\u0008\u000e-\u001f\ufffd]/;

/** Returns whether a string is text in base64 (RFC 4648, sections 4 and 5) that has a secret in it. */
function hidesSecret(content: string): boolean {
  if (!BASE64.test(content)) return false;
  const text = Buffer.from(content.slice(0, MAX_BASE64), "base64").toString("utf8");
  return !BINARY.test(text.slice(0, -1)) && redactString(text).redactions > 0;
}

function* tokens(source: string): Generator<{ token: string; complete: boolean }> {
  TOKEN.lastIndex = 0;
  let at = 0;
  while (at < source.length) {
    const start = at;
    const closing = source[at] === '"' ? endOfString(source, at) : undefined;
    at = closing ?? endOfToken(source, at);
    const token = source.slice(start, at);
    const ends = closing !== undefined || (token.length === 1 && "[]{}".includes(token));
    yield { token, complete: at < source.length || ends };
  }
}

/** Returns the end of a token that is not a string, or of an unterminated one. */
function endOfToken(source: string, at: number): number {
  TOKEN.lastIndex = at;
  return at + (TOKEN.exec(source)?.[0] ?? source.slice(at)).length;
}

function unquoted(token: string): string | undefined {
  try {
    return String(JSON.parse(token));
  } catch {
    return undefined;
  }
}
