import { isSecretName, REDACTED, type Redacted, redactText } from "./secret-text.ts";

/**
 * A name, and the sign that gives it what follows: `password=`, `"token": `. Both are bounded, and a name begins
 * where a word does, so that looking for them takes time in proportion to the text.
 */
const GIVEN = /(?<![\w.-])([a-z][\w.-]{0,63})["']?[ \t]{0,4}([=:])[ \t]{0,4}/gi;
const VALUE = /"([^"\n]{1,4096})"|'([^'\n]{1,4096})'|[^\s"'&;,<>(){}[\]]{4,4096}/y;
/** What stands behind a colon in prose. */
const WORD = /^[a-z]+[.!?:]?$/i;
const SWITCH = /^(?:true|false|null|none|undefined)$/i;

/**
 * Takes out what looks like a secret by itself, and what a secret's name is given in the text: lines of
 * headers and settings, queries of URLs, JSON inside of a string. Behind a colon a bare word stays, since prose
 * has those ("token: the one that you were given"). Never throws.
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
    VALUE.lastIndex = start;
    const [value = "", double, single] = VALUE.exec(text) ?? [];
    const isBare = double === undefined && single === undefined;
    if (value === "" || value.includes(REDACTED)) continue;
    if (isBare && (sign === "=" ? SWITCH : WORD).test(value)) continue;
    const quote = isBare ? "" : (value[0] ?? "");
    out.push(text.slice(kept, start), `${quote}${REDACTED}${quote}`);
    kept = start + value.length;
    GIVEN.lastIndex = kept;
    redactions += 1;
  }
  if (kept === 0) return { text, redactions };
  out.push(text.slice(kept));
  return { text: out.join(""), redactions };
}
