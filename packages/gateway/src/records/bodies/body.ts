import { takeSteps } from "@touchstone/core";
import { REDACTED } from "../../util/known-secrets.ts";
import { isSecretName, type Redacted, redactText } from "../../util/secret-text.ts";
import { characterStart } from "../bounds.ts";
import { endOfString } from "./end-of-string.ts";
import { redactNamed } from "./named-secrets.ts";

/** How much to read beyond the bound: redaction makes room for what follows. */
const SLACK = 16_384;
/** How many characters to read in one step. Each takes some tens of nanoseconds. */
const STEP = 8_192;
/** A token that is not a string. */
const TOKEN = /\s+|[[\]{}:,]|[^\s[\]{}:,"]+/y;

/**
 * Returns the JSON text of a body for a record. Values of members with a secret's name become `"[redacted]"`,
 * including whole objects and arrays. Parts of other strings and numbers that look like a secret, or follow a
 * secret's name inside a string, are removed. Then the text is cut. All other text stays as it came, digits included.
 * Text that is not JSON is processed in the same way, token by token. Never throws.
 *
 * @param maxBytes most bytes of UTF-8 to keep; a cut text ends in `…`
 */
export function bodyText(bytes: Uint8Array, maxBytes: number): Redacted {
  return takeSteps(bodyTextSteps(bytes, maxBytes));
}

/** Does the same as {@link bodyText} in steps of {@link STEP} characters; a longer string is one step. */
export function* bodyTextSteps(
  bytes: Uint8Array,
  maxBytes: number,
): Generator<void, Redacted, void> {
  const window = bytes.subarray(0, maxBytes + SLACK);
  const source = new TextDecoder("utf-8").decode(window).replaceAll("\u0000", "\uFFFD");
  const whole = window.length === bytes.length;
  const { text, redactions } = yield* redactJson(source, whole);
  return { text: cut(text, maxBytes, whole), redactions };
}

/** What may follow a token, as far as redaction needs to know. */
interface Place {
  /** Name of the member whose value comes next. */
  name: string | undefined;
  /** How many brackets of a secret value are open; -1 outside one. */
  secretDepth: number;
}

function* redactJson(source: string, whole: boolean): Generator<void, Redacted, void> {
  const out: string[] = [];
  const place: Place = { name: undefined, secretDepth: -1 };
  let lastString: string | undefined;
  let redactions = 0;
  let read = 0;
  for (const { token, complete } of tokens(source)) {
    read += token.length;
    if (read >= STEP) {
      read = 0;
      yield;
    }
    // If the text was cut, its last token may be half a secret.
    if (!complete && !whole) break;
    const kind = token[0] ?? "";
    if (place.secretDepth >= 0) {
      place.secretDepth += "[{".includes(kind) ? 1 : "]}".includes(kind) ? -1 : 0;
      if (place.secretDepth === 0) place.secretDepth = -1;
      continue;
    }
    if (kind === ":") {
      place.name = lastString;
      out.push(token);
      continue;
    }
    if (kind.trim() === "") {
      out.push(token);
      continue;
    }
    const isSecret = place.name !== undefined && isSecretName(place.name) && !",]}".includes(kind);
    place.name = undefined;
    lastString = kind === '"' ? unquoted(token) : undefined;
    if (isSecret && token !== "null") {
      redactions += 1;
      out.push(`"${REDACTED}"`);
      if ("[{".includes(kind)) place.secretDepth = 1;
      continue;
    }
    const redacted = redactToken(token, kind);
    redactions += redacted.redactions;
    out.push(redacted.text);
  }
  return { text: out.join(""), redactions };
}

/** A number or a literal that is too short to be a card number or a key: most tokens of a long array. */
const SHORT_WORD = /^(?:-?[\d.]{1,9}|true|false|null|[[\]{},])$/;

function redactToken(token: string, kind: string): Redacted {
  if (kind !== '"') {
    if (SHORT_WORD.test(token)) return { text: token, redactions: 0 };
    const { text, redactions } = redactText(token);
    return { text: redactions === 0 ? token : `"${text}"`, redactions };
  }
  const content = unquoted(token);
  const { text, redactions } = redactNamed(content);
  return { text: redactions === 0 ? token : JSON.stringify(text), redactions };
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

function unquoted(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token.replace(/^"|"$/g, "");
  }
}

function cut(text: string, maxBytes: number, whole: boolean): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= maxBytes) return whole ? text : `${text}…`;
  return `${bytes.toString("utf8", 0, characterStart(bytes, maxBytes))}…`;
}
