import { isObject, joinPointer, samplePattern } from "@touchstone/core/advanced";
import { Draft } from "./values.ts";

/** A pointer as texts write it, or the phrase for the whole value. */
const PLACE = String.raw`(?:the (?:arguments|value)|/[\w$.@/~-]*|"(?:[^"\\]|\\.)*")`;
const STRING = String.raw`"(?:[^"\\]|\\.)*"`;

/** Returns the pointer that a text writes. */
export function pointerIn(written: string): string {
  if (written.startsWith("the ")) return "";
  return written.startsWith('"') ? (JSON.parse(written) as string) : written;
}

const EXAMPLES: ReadonlyMap<string, string> = new Map([
  ["date", "2026-01-31"],
  ["date-time", "2026-01-31T12:00:00Z"],
  ["duration", "P1DT12H"],
  ["email", "name@example.com"],
  ["hostname", "www.example.com"],
  ["ipv4", "192.0.2.1"],
  ["ipv6", "2001:db8::1"],
  ["json-pointer", "/a/0"],
  ["time", "12:00:00Z"],
  ["uri", "https://example.com/a"],
  ["uri-reference", "/a?b=c"],
  ["uuid", "123e4567-e89b-12d3-a456-426614174000"],
]);

const AMOUNT = String.raw`(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)`;
const NUMBER = new RegExp(`^${AMOUNT}`);

/** Returns the JSON value at the start of a text, and the rest. */
export function jsonAt(
  text: string,
): { readonly value: unknown; readonly rest: string } | undefined {
  const digits = NUMBER.exec(text)?.[0];
  if (digits !== undefined) return { value: Number(digits), rest: text.slice(digits.length) };
  for (let end = 1; end <= text.length; end++) {
    const next = text[end];
    if (next !== undefined && !/[\s,.;:)]/.test(next)) continue;
    try {
      return { value: JSON.parse(text.slice(0, end)), rest: text.slice(end) };
    } catch {
      // The value ends at a later position.
    }
  }
  return undefined;
}

/** A text, read from its start. */
class Reader {
  rest: string;

  constructor(text: string) {
    this.rest = text;
  }

  take(pattern: RegExp): RegExpExecArray | undefined {
    const found = new RegExp(`^(?:${pattern.source})`, "s").exec(this.rest);
    if (found === null) return undefined;
    this.rest = this.rest.slice(found[0].length);
    return found;
  }
}

/** Builds the value that a phrase describes: `a string`, `one of "a", "b"`, `an array, each item an integer`. */
export function described(words: string): unknown {
  return made(new Reader(words));
}

function made(reader: Reader): unknown {
  if (reader.take(/one of /)) return chosen(reader);
  const format = reader.take(/a string \("([^"]*)"\)/)?.[1];
  if (format !== undefined) return EXAMPLES.get(format) ?? "text";
  if (reader.take(/a string/)) return sized(reader);
  if (reader.take(/an integer|a number/)) return numbered(reader);
  if (reader.take(/a boolean/)) return true;
  if (reader.take(/null/)) return null;
  if (reader.take(/an object with /)) return membered(reader);
  if (reader.take(/an object/)) return {};
  if (reader.take(/an array/)) return listed(reader);
  const found = jsonAt(reader.rest);
  if (found === undefined) return "text";
  reader.rest = found.rest;
  return found.value;
}

/** Reads a list of values to its end, and returns the first of them. */
function chosen(reader: Reader): unknown {
  const first = jsonAt(reader.rest);
  for (let found = first; found !== undefined; found = jsonAt(reader.rest)) {
    reader.rest = found.rest;
    if (!reader.take(/, /)) break;
  }
  reader.take(/ and \d+ more/);
  return first?.value;
}

function sized(reader: Reader): string {
  const least = Number(reader.take(/ of (?:at least )?(\d+) (?:to \d+ )?characters?/)?.[1] ?? 0);
  const most = Number(reader.take(/ of at most (\d+) characters?/)?.[1] ?? 4);
  const pattern = reader.take(/ that matches ("(?:[^"\\]|\\.)*")/)?.[1];
  if (pattern !== undefined) return textFor(JSON.parse(pattern) as string, least);
  return "text".padEnd(least, "x").slice(0, Math.max(least, most));
}

function numbered(reader: Reader): number {
  const bound = (words: string): number | undefined => {
    const found = reader.take(new RegExp(` ${words} ${AMOUNT}`))?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const least = bound("(?:of at least|from)");
  const above = bound("of more than");
  bound("to");
  const most = bound("(?:of|and) at most");
  const below = bound("(?:of|and) less than");
  reader.take(new RegExp(` that is a multiple of ${AMOUNT}`));
  if (least !== undefined) return least;
  if (above !== undefined) return above + 1;
  if (most !== undefined) return Math.min(1, most);
  return below === undefined ? 1 : Math.min(1, below - 1);
}

function membered(reader: Reader): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (;;) {
    const name = reader.take(new RegExp(`(${STRING})`))?.[1];
    if (name === undefined) return object;
    let value: unknown = "text";
    if (reader.take(/ \(/)) {
      value = made(reader);
      reader.take(/[^()]*(?:\([^()]*\)[^()]*)*\)/);
    }
    object[JSON.parse(name) as string] = value;
    if (!reader.take(/, | and /)) return object;
  }
}

function listed(reader: Reader): unknown[] {
  const least = Number(reader.take(/ of (?:at least )?(\d+) (?:to \d+ )?items?/)?.[1] ?? 0);
  if (!reader.take(/,? each item /)) return Array.from({ length: least }, () => "text");
  const item = made(reader);
  return Array.from({ length: least }, () => structuredClone(item));
}

function textFor(pattern: string, least = 0): string {
  let seed = 7;
  const random = (): number => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  for (let n = 0; n < 20; n++) {
    const text = samplePattern(pattern, random);
    if (text !== undefined && text.length >= least) return text;
  }
  return "text";
}

/** Reads a list in another notation as its author meant it. */
function itemsIn(text: string): unknown[] {
  const inner = text.trim().replace(/^\w*\s*[[({]|,?\s*[\])}]$/g, "");
  try {
    return JSON.parse(`[${inner.replaceAll("'", '"')}]`) as unknown[];
  } catch {
    const parts = inner.split(inner.includes(",") ? "," : /[;|\n]/);
    return parts.map((part) => part.trim().replace(/^- /, "")).filter((part) => part !== "");
  }
}

/** Returns a value changed as a hint demands. Undefined if the hint demands no change of this kind. */
function rewritten(hint: string, value: unknown): { readonly value: unknown } | undefined {
  const plain = (text: unknown): unknown => {
    const trimmed = String(text).trim();
    const lower = trimmed.toLowerCase();
    if (lower === "none") return null;
    try {
      return JSON.parse(/^(?:true|false|null)$/.test(lower) ? lower : trimmed);
    } catch {
      return trimmed;
    }
  };
  const inArray = / and in an array/.test(hint);
  const boxed = (one: unknown) => ({ value: inArray ? [one] : one });
  if (/send the number itself/.test(hint)) return boxed(Number(value));
  if (/send (?:true|false|null), without quotes/.test(hint)) return boxed(plain(value));
  if (/send the (?:object|array) itself, not a string/.test(hint)) {
    let held: unknown = value;
    for (let n = 0; n < 4 && typeof held === "string"; n++) held = plain(held);
    return boxed(held);
  }
  if (/send the item itself/.test(hint)) return { value: (value as unknown[])[0] };
  if (/send it as a string/.test(hint)) return boxed(String(value));
  if (/send an array, with a number for each part/.test(hint)) {
    return { value: String(value).split(",").map(Number) };
  }
  if (/send an array, with an item for each part/.test(hint)) {
    return {
      value: String(value)
        .split(",")
        .map((part) => part.trim()),
    };
  }
  if (/send a JSON array/.test(hint)) return { value: itemsIn(String(value)) };
  if (/send it in an array/.test(hint)) return { value: [value] };
  return undefined;
}

/** Changes a number or the size of a text or list so that it satisfies a demand. */
function demanded(demand: string, value: unknown): { readonly value: unknown } | undefined {
  const n = (pattern: RegExp): number | undefined => {
    const found = pattern.exec(demand)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const count = String.raw`(\d+)`;
  const leastItems = n(new RegExp(`at least ${count} item`));
  if (leastItems !== undefined && Array.isArray(value)) {
    const each = /items?, each item (.*?); it is/.exec(demand)?.[1];
    const item = each === undefined ? (value[0] ?? "text") : described(each);
    const more = Array.from({ length: Math.max(0, leastItems - value.length) }, () =>
      structuredClone(item),
    );
    return { value: [...value, ...more] };
  }
  const mostItems = n(new RegExp(`at most ${count} item`));
  if (mostItems !== undefined && Array.isArray(value)) return { value: value.slice(0, mostItems) };
  const leastChars = n(new RegExp(`at least ${count} character`));
  if (leastChars !== undefined && typeof value === "string") {
    return { value: value.padEnd(leastChars, "x") };
  }
  const mostChars = n(new RegExp(`at most ${count} character`));
  if (mostChars !== undefined && typeof value === "string") {
    return { value: [...value].slice(0, mostChars).join("") };
  }
  const equal = /items (\d+) and (\d+) are equal/.exec(demand);
  if (equal !== null && Array.isArray(value)) {
    return { value: value.filter((_, i) => i !== Number(equal[2])) };
  }
  const leastMembers = n(new RegExp(`at least ${count} propert`));
  if (leastMembers !== undefined && isObject(value)) {
    const more = { ...value };
    for (let i = 0; Object.keys(more).length < leastMembers; i++) more[`name${i}`] = "text";
    return { value: more };
  }
  const mostMembers = n(new RegExp(`at most ${count} propert`));
  if (mostMembers !== undefined && isObject(value)) {
    return { value: Object.fromEntries(Object.entries(value).slice(0, mostMembers)) };
  }
  const pattern = /match the pattern ("(?:[^"\\]|\\.)*")/.exec(demand)?.[1];
  if (pattern !== undefined) return { value: textFor(JSON.parse(pattern) as string) };
  const format = /valid "([^"]*)"(?:, like (.*))?/.exec(demand);
  if (format !== null) {
    const like = format[2] === undefined ? undefined : jsonAt(format[2]);
    return like ?? { value: EXAMPLES.get(format[1] ?? "") ?? "text" };
  }
  const least = n(new RegExp(`at least ${AMOUNT}`));
  if (least !== undefined) return { value: least };
  const most = n(new RegExp(`at most ${AMOUNT}`));
  if (most !== undefined) return { value: most };
  const above = n(new RegExp(`more than ${AMOUNT}`));
  if (above !== undefined) return { value: above + 1 };
  const below = n(new RegExp(`less than ${AMOUNT}`));
  if (below !== undefined) return { value: below - 1 };
  const of = n(new RegExp(`multiple of ${AMOUNT}`));
  if (of !== undefined) return { value: Math.round(Number(value) / of) * of };
  return undefined;
}

/** Follows a line: makes the changes that it demands, in order. */
function obey(draft: Draft, line: string, last: (() => void)[]): void {
  const text = line
    .replace(/ \((?:~[01] stands for [^)]*)\)/, "")
    .replace(/^Then (\w)/, (_, letter: string) => letter.toUpperCase());
  const moves = new RegExp(`(${PLACE}) to (${PLACE})`, "g");
  const read = new RegExp(`^Read the JSON text in (${PLACE})\\. `).exec(text);
  if (read !== null) {
    const at = pointerIn(read[1] ?? "");
    draft.set(at, JSON.parse(String(draft.at(at)?.value)));
  }
  if (/^(?:Read .* )?Move /.test(text)) {
    for (const [, from = "", to = ""] of text.matchAll(moves)) {
      draft.move(pointerIn(from), pointerIn(to));
    }
    if (/ more beside (?:it|them) in the same way/.test(text)) {
      const [, from = "", to = ""] = [...text.matchAll(moves)][0] ?? [];
      const above = (at: string): string => at.slice(0, at.lastIndexOf("/"));
      const [parent, into] = [above(pointerIn(from)), above(pointerIn(to))];
      for (const name of Object.keys(draft.at(parent)?.value ?? {})) {
        draft.move(joinPointer(parent, name), joinPointer(into, name));
      }
    }
    const gone = new RegExp(`and remove (${PLACE})`).exec(text)?.[1];
    if (gone !== undefined) draft.remove(pointerIn(gone));
    return;
  }
  const meant = new RegExp(`You sent (${PLACE}), .*Did you mean (${PLACE})\\?`).exec(text);
  if (meant !== null) {
    draft.move(pointerIn(meant[1] ?? ""), pointerIn(meant[2] ?? ""));
    return;
  }
  const renamed =
    new RegExp(`^Rename (${PLACE}) to (${STRING})`).exec(text) ??
    new RegExp(`^Remove (${PLACE}) or rename it: did you mean (${STRING})\\?`).exec(text);
  if (renamed !== null) {
    const from = pointerIn(renamed[1] ?? "");
    const name = JSON.parse(renamed[2] ?? '""') as string;
    draft.move(from, joinPointer(from.slice(0, from.lastIndexOf("/")), name));
    return;
  }
  const removed = new RegExp(`^Remove (${PLACE})`).exec(text)?.[1];
  if (removed !== undefined) {
    last.push(() => draft.remove(pointerIn(removed)));
    return;
  }
  const added = new RegExp(
    `^Add (${PLACE})(?:(?:,| or) ${PLACE})*(?:, which is required)?(?:: (.*?))?\\.?(?: \\((?:for |the closest).*)?$`,
  ).exec(text);
  if (added !== null) {
    const byDefault = /its default is (.*)$/.exec(added[2] ?? "")?.[1];
    const words = (added[2] ?? "").replace(/^one of them is required/, "");
    const value = byDefault === undefined ? described(words) : jsonAt(byDefault)?.value;
    draft.set(pointerIn(added[1] ?? ""), value);
    return;
  }
  const changed = new RegExp(`^(?:Change|Rename) (${PLACE}): (.*)$`).exec(text);
  if (changed !== null) change(draft, pointerIn(changed[1] ?? ""), changed[2] ?? "", last);
}

function change(draft: Draft, pointer: string, words: string, last: (() => void)[]): void {
  const found = draft.at(pointer);
  if (found === undefined) return;
  const near = /Did you mean (.*)\?$/.exec(words)?.[1];
  if (near !== undefined) return void draft.set(pointer, jsonAt(near)?.value);
  const hint = /: (send .*)\.?/.exec(words)?.[1];
  const other = hint === undefined ? undefined : rewritten(hint, found.value);
  if (other !== undefined) return void draft.set(pointer, other.value);
  if (/leave it out/.test(words)) return void last.push(() => draft.remove(pointer));
  const sent = /: send (an? .*|one of .*|null.*)$/.exec(words)?.[1];
  if (sent !== undefined) return void draft.set(pointer, described(sent));
  const byDefault = /its default is (.*?)\.?$/.exec(words)?.[1];
  if (byDefault !== undefined) return void draft.set(pointer, jsonAt(byDefault)?.value);
  const asked = demanded(words, found.value);
  if (asked !== undefined) return void draft.set(pointer, asked.value);
  const wanted = /^(?:they |it )?must be (.*?)(?:; (?:it is|they are) .*)?\.?$/.exec(words)?.[1];
  if (wanted !== undefined) draft.set(pointer, described(wanted));
}

/** Returns the arguments after every line of a text was followed literally, in the order of the lines. */
export function follow(lines: readonly string[], args: unknown): unknown {
  const draft = new Draft(args);
  const last: (() => void)[] = [];
  for (const line of lines) obey(draft, line, last);
  // A removal moves the items after it, so removals are last, from the end to the start.
  for (const remove of last.reverse()) remove();
  return draft.root;
}
