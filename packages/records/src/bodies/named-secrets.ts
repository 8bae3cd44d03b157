import { isSecretName, REDACTED, type RedactedText, redactText } from "@touchstone/util";

/**
 * A name, and the sign that assigns a value to it: `password=`, `"token": `, `--password `, `:token => `, also as a
 * URL encodes it. Quotes may be escaped, as in JSON inside a string. A name and all that follows are bounded, and a
 * name begins at a word boundary, so the search takes linear time. The value is not limited: its end is searched for
 * separately, because a repetition in the expression could exhaust the stack.
 */
const GIVEN =
  /(?:(?<![\w.-])|(?<=%[0-9a-f]{2}))(?:(-{1,2})([a-z][\w-]{0,63})(?:[ \t]{0,4}[=:][ \t]{0,4}|(?:[ \t]|\\\r?\n){1,64})|([a-z][\w.-]{0,63})(?:\\{0,16}["']|%2[27])?[ \t]{0,4}(=>|:=|[=:]|%3[ad])[ \t]{0,4}|(?:password|identified[ \t]{1,4}by)[ \t]{1,4}(?=\\{0,16}["']))/gi;
/** The value of an element of XML. */
const ELEMENT = /<([a-z][\w.:-]{0,63})>([^<>]{1,4096})(?=<)/gi;
/** A login that directly follows `-u`, and passwords after a one-letter option of these programs. */
const SHORT_OPTIONS =
  /(?<=(?:^|\s)-[uU])[^\s:"'=-][^\s:"']{0,63}:[^\s"']{1,1024}|\b((?:mysql|mariadb)[\w-]{0,16}\s(?:[^|;&\n]{0,200}?\s)?-p)[^\s"']{1,1024}|\b((?:sshpass\s{1,4}-p\s{0,4}|login\s(?:[^|;&\n]{0,200}?\s)?-p\s{1,4}|redis-cli\s(?:[^|;&\n]{0,200}?\s)?-a\s{1,4})["']?)[^\s"'-][^\s"']{0,1023}/g;
const LOGIN_OPTION = /^(?:u|user|proxy-user)$/i;
/** Headers whose value has several words. */
const HEADER = /^(?:(?:proxy-)?authorization|(?:set-)?cookie)$/i;
const BARE_END = /(?<!\\)\s|["'&;,<>(){}[\]]/g;
const QUOTE_OR_LINE_END = /["'\n]/g;
/** The beginning of a quoted value, with the escapes of its quote. */
const QUOTE = /\$?(\\{0,16})(["'])/y;
/**
 * Fewest characters of an unquoted value: one after `=`, but more after `:`, because prose may have short words
 * there.
 */
const MIN_BARE = 3;
/** A word after a colon in prose, if more text follows. */
const WORD = /^[a-z]+[.!?:]?$/i;
const GOES_ON = /[ \t]{1,4}\S/y;
const SWITCH = /^(?:true|false|null|none|undefined)$/i;
/** A word that makes a following `key` the name of a secret. */
const BEFORE_KEY = /(?:api|secret|access|private|signing|encryption|license)[ _-]$/i;

/** Returns whether a word that follows an option is a secret: `--password`, or a login after `-u`. */
export function isSecretArgument(option: string, word: string): boolean {
  const dashes = option.startsWith("--") ? 2 : option.startsWith("-") ? 1 : 0;
  return dashes > 0 && !word.startsWith("-") && isOptionOf(option.slice(dashes), word);
}

function isOptionOf(name: string, value: string): boolean {
  return isSecretName(name) || (LOGIN_OPTION.test(name) && /^[^\s:]{1,256}:./.test(value));
}

/**
 * Removes texts that look like a secret, and values of members with a secret's name in the text: lines of headers and
 * settings, options of commands, queries of URLs, JSON inside a string. An unquoted word after a colon stays if text
 * follows it, because prose has such words ("token: the one that you were given"). Never throws.
 */
export function redactNamedSecrets(source: string): RedactedText {
  const plain = redactText(source);
  let { redactions } = plain;
  const replace = (): string => {
    redactions += 1;
    return REDACTED;
  };
  const text = plain.text
    .replace(ELEMENT, (element: string, name: string, value: string) =>
      isSecretName(name) && value !== REDACTED ? `<${name}>${replace()}` : element,
    )
    .replace(SHORT_OPTIONS, (found: string, glued?: string, spaced?: string) => {
      const before = glued ?? spaced ?? "";
      return found.startsWith(REDACTED, before.length) ? found : before + replace();
    });
  const out: string[] = [];
  let kept = 0;
  let known = 0;
  GIVEN.lastIndex = 0;
  for (let given = GIVEN.exec(text); given !== null; given = GIVEN.exec(text)) {
    const [, dashes, option = "", name, sign] = given;
    if (name !== undefined && !isNamed(name, text, given.index)) continue;
    if (dashes !== undefined && !isSecretName(option) && !LOGIN_OPTION.test(option)) continue;
    const isHeader = sign === ":" && HEADER.test(name ?? "");
    const { from, to, isQuoted } = isHeader
      ? headerAt(text, GIVEN.lastIndex, text[given.index - 1])
      : valueAt(text, GIVEN.lastIndex, known);
    // A value that stays may contain other names.
    if (!isQuoted) known = to;
    const value = text.slice(from, to);
    if (value === "" || value === REDACTED) continue;
    if (dashes !== undefined && !isOptionOf(option, value)) continue;
    if (!isHeader && !isQuoted && isProse(text, to, value, sign)) continue;
    out.push(text.slice(kept, from), REDACTED);
    kept = to;
    GIVEN.lastIndex = to;
    redactions += 1;
  }
  if (kept === 0) return { text, redactions };
  out.push(text.slice(kept));
  return { text: out.join(""), redactions };
}

function isNamed(name: string, text: string, at: number): boolean {
  if (isSecretName(name)) return true;
  return name.toLowerCase() === "key" && BEFORE_KEY.test(text.slice(Math.max(0, at - 12), at));
}

/** Returns whether an unquoted value is a switch, another option, or a word of a sentence. */
function isProse(text: string, end: number, value: string, sign: string | undefined): boolean {
  if (sign !== ":") return SWITCH.test(value) || (sign === undefined && value.startsWith("-"));
  if (value.length < MIN_BARE) return true;
  GOES_ON.lastIndex = end;
  return WORD.test(value) && GOES_ON.test(text);
}

interface Value {
  readonly from: number;
  readonly to: number;
  readonly isQuoted: boolean;
}

/**
 * Returns the position of a value: if it is quoted, up to its closing quote, or to the end of the line without one.
 * @param known the end of an unquoted value that began before this one
 */
function valueAt(text: string, start: number, known = 0): Value {
  QUOTE.lastIndex = start;
  const opening = QUOTE.exec(text);
  if (opening === null)
    return { from: start, to: known > start ? known : bareEnd(text, start), isQuoted: false };
  const [{ length }, escapes = "", quote = ""] = opening;
  const from = start + length;
  return { from, to: quotedEnd(text, from, quote, escapes.length), isQuoted: true };
}

/**
 * Returns the position of a header's value: up to the closing quote if one precedes its name, else to the end of the
 * line.
 */
function headerAt(text: string, start: number, before: string | undefined): Value {
  if (/["']/.test(text[start] ?? "") || text[start] === "\\") return valueAt(text, start);
  const quote = before === '"' || before === "'" ? before : "";
  let to = quotedEnd(text, start, quote, Number.POSITIVE_INFINITY);
  while (to > start && (text[to - 1] === "\\" || text[to - 1] === "\r")) to -= 1;
  return { from: start, to, isQuoted: false };
}

function bareEnd(text: string, start: number): number {
  BARE_END.lastIndex = start;
  return BARE_END.exec(text)?.index ?? text.length;
}

/** Returns the end of a value in quotes. A quote with more escapes than the opening one is part of the value. */
function quotedEnd(text: string, from: number, quote: string, escapes: number): number {
  QUOTE_OR_LINE_END.lastIndex = from;
  for (;;) {
    const found = QUOTE_OR_LINE_END.exec(text);
    if (found === null) return text.length;
    const [mark] = found;
    const { index } = found;
    if (mark === "\n") return index;
    if (mark !== quote) continue;
    let before = 0;
    while (index - before > from && text[index - before - 1] === "\\") before += 1;
    if (before <= escapes) return index - before;
  }
}
