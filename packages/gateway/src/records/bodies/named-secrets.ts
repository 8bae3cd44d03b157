import { REDACTED } from "../../util/known-secrets.ts";
import { isSecretName, type Redacted, redactText } from "../../util/secret-text.ts";

/**
 * A name, and the sign that assigns a value to it: `password=`, `"token": `. Both are bounded, and a name begins at a
 * word boundary, so the search takes linear time. The value is not bounded: its end is searched for separately, which
 * needs no stack as a repetition would.
 */
const GIVEN = /(?<![\w.-])([a-z][\w.-]{0,63})["']?[ \t]{0,4}([=:])[ \t]{0,4}/gi;
const BARE_END = /[\s"'&;,<>(){}[\]]/g;
const MIN_BARE = 4;
const QUOTED_END: ReadonlyMap<string | undefined, RegExp> = new Map([
  ['"', /["\n]/g],
  ["'", /['\n]/g],
]);
/** The text after a colon in prose. */
const WORD = /^[a-z]+[.!?:]?$/i;
const SWITCH = /^(?:true|false|null|none|undefined)$/i;

/**
 * Removes texts that look like a secret, and values of a secret's name in the text: lines of headers and settings,
 * queries of URLs, JSON inside a string. A bare word after a colon stays, because prose has those ("token: the one
 * that you were given"). Never throws.
 */
export function redactNamed(source: string): Redacted {
  const { text, redactions: before } = redactText(source);
  const out: string[] = [];
  let kept = 0;
  let redactions = before;
  GIVEN.lastIndex = 0;
  for (let given = GIVEN.exec(text); given !== null; given = GIVEN.exec(text)) {
    const [, name = "", sign] = given;
    if (!isSecretName(name)) continue;
    const start = GIVEN.lastIndex;
    const quoted = QUOTED_END.has(text[start]);
    const value = quoted ? quotedAt(text, start) : bareAt(text, start);
    if (value === "" || value.includes(REDACTED)) continue;
    if (!quoted && (sign === "=" ? SWITCH : WORD).test(value)) continue;
    const quote = quoted ? text[start] : "";
    out.push(text.slice(kept, start), `${quote}${REDACTED}${quote}`);
    kept = start + value.length;
    GIVEN.lastIndex = kept;
    redactions += 1;
  }
  if (kept === 0) return { text, redactions };
  out.push(text.slice(kept));
  return { text: out.join(""), redactions };
}

/** Returns a value up to its closing quote; nothing if its line has none, or if it is empty. */
function quotedAt(text: string, start: number): string {
  const quote = text[start];
  const end = endAt(text, start + 1, QUOTED_END.get(quote));
  return end > start + 1 && text[end] === quote ? text.slice(start, end + 1) : "";
}

function bareAt(text: string, start: number): string {
  const end = endAt(text, start, BARE_END);
  return end - start < MIN_BARE ? "" : text.slice(start, end);
}

function endAt(text: string, start: number, mark: RegExp | undefined): number {
  if (mark === undefined) return start;
  mark.lastIndex = start;
  return mark.exec(text)?.index ?? text.length;
}
