import { closest } from "@touchstone/util/closest";

/** A key that a query accepts. */
export interface QueryKey {
  readonly name: string;
  /** All of its values; absent if any text is allowed. */
  readonly values?: readonly string[] | undefined;
  /** Whether it takes one value only, which cannot be excluded. */
  readonly single?: boolean | undefined;
}

/** One condition of a query: a key has one of these values, or, excluded, none of them. */
export interface QueryTerm {
  /** `null` for text to search for, which has one value. */
  readonly key: string | null;
  readonly values: readonly string[];
  readonly isExcluded: boolean;
}

/** A parsed query. */
export interface Query {
  /** In the order of the text; a key occurs at most twice, once with and once without exclusion. */
  readonly terms: readonly QueryTerm[];
  /** Problems of the text, one sentence each; the parts that they are about are in no term. */
  readonly problems: readonly string[];
}

/** Longer queries are refused. */
export const MAX_QUERY = 2_000;
/** The most values of a query, over all keys. */
export const MAX_VALUES = 100;
/** The most characters of a text to search for. */
export const MAX_TEXT = 256;
/** Further problems are not listed. */
const MAX_PROBLEMS = 5;
/** Names in messages are cut to this length. */
const MAX_SHOWN = 64;

/**
 * Parses a query as GitHub and Sentry write them: `status:blocked,error server:"my files" -tool:echo kelvin`.
 *
 * - `key:value` selects by a key; several values, by commas or by repeating the key, match by any of them;
 * - `-` before a term excludes what it matches;
 * - a value with spaces, commas or quotes is quoted, with `\"` and `\\` for a quote and a backslash;
 * - every other word, or quoted text, is text to search for. All terms must match.
 *
 * Reads the text once, so the time grows with its length, and never throws.
 * @param text at most {@link MAX_QUERY} characters; for a longer one, only that problem is returned
 * @param keys the keys that are allowed
 */
export function parseQuery(text: string, keys: readonly QueryKey[]): Query {
  if (text.length > MAX_QUERY) {
    return { terms: [], problems: [`A filter is at most ${MAX_QUERY} characters long.`] };
  }
  const scanner = new Scanner(text);
  const gathered = new Gathered(keys);
  for (;;) {
    scanner.skipSpace();
    if (scanner.isAtEnd) break;
    const isExcluded = scanner.take("-") && !scanner.isAtSpace;
    // A single hyphen is text.
    if (!isExcluded && scanner.before === "-") {
      gathered.addText("-", false);
      continue;
    }
    const word = scanner.word(true);
    if (word.isQuoted || !scanner.take(":")) gathered.addText(word.text, isExcluded);
    else gathered.addValues(word.text, scanner.values(), isExcluded);
  }
  if (scanner.isUnclosed) gathered.problem(`A quoted text has no closing quote: add ".`);
  return gathered.query;
}

/** Returns the text of terms; {@link parseQuery} can read it. */
export function formatQuery(terms: readonly QueryTerm[]): string {
  return terms
    .map(({ key, values, isExcluded }) => {
      const sign = isExcluded ? "-" : "";
      if (key === null) return `${sign}${written(values[0] ?? "", TEXT_TO_QUOTE)}`;
      return `${sign}${key}:${values.map((value) => written(value, VALUE_TO_QUOTE)).join(",")}`;
    })
    .join(" ");
}

const VALUE_TO_QUOTE = /[\s,"]|^$/u;
const TEXT_TO_QUOTE = /[\s":]|^-|^$/u;

function written(value: string, toQuote: RegExp): string {
  return toQuote.test(value) ? `"${value.replace(/[\\"]/g, "\\$&")}"` : value;
}

interface Word {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** Reads a query from its start to its end. */
class Scanner {
  readonly #text: string;
  #at = 0;
  /** Whether a quoted text has no end. */
  isUnclosed = false;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Whether a term ends here. */
  get isAtSpace(): boolean {
    return this.isAtEnd || isSpace(this.#text.charAt(this.#at));
  }

  /** The character before this place. */
  get before(): string {
    return this.#text.charAt(this.#at - 1);
  }

  skipSpace(): void {
    while (!this.isAtEnd && this.isAtSpace) this.#at += 1;
  }

  take(character: string): boolean {
    const isHere = this.#text.charAt(this.#at) === character;
    if (isHere) this.#at += 1;
    return isHere;
  }

  /**
   * Reads a quoted text, or the characters before the next space, and for a key before the next colon, for a value
   * before a comma.
   */
  word(isKey: boolean): Word {
    if (this.take('"')) return { text: this.#quoted(), isQuoted: true };
    const end = isKey ? ":" : ",";
    const start = this.#at;
    while (!this.isAtSpace && this.#text.charAt(this.#at) !== end) this.#at += 1;
    return { text: this.#text.slice(start, this.#at), isQuoted: false };
  }

  /** Reads a list of values. */
  values(): readonly Word[] {
    const all: Word[] = [];
    do {
      if (!this.isAtSpace) all.push(this.word(false));
    } while (this.take(","));
    return all;
  }

  #quoted(): string {
    let text = "";
    while (!this.isAtEnd) {
      if (this.take('"')) return text;
      if (this.take("\\") && this.isAtEnd) break;
      text += this.#text.charAt(this.#at);
      this.#at += 1;
    }
    this.isUnclosed = true;
    return text;
  }
}

function isSpace(character: string): boolean {
  return /\s/u.test(character);
}

/** Combines the terms of a query as they are read. */
class Gathered {
  readonly #keys: ReadonlyMap<string, QueryKey>;
  readonly #terms = new Map<string, { term: QueryTerm; values: Set<string> }>();
  readonly #problems: string[] = [];
  #count = 0;

  constructor(keys: readonly QueryKey[]) {
    this.#keys = new Map(keys.map((key) => [key.name, key]));
  }

  get query(): Query {
    const all = [...this.#terms.values()];
    return {
      terms: all.map(({ term, values }) => ({ ...term, values: [...values] })),
      problems: this.#problems,
    };
  }

  problem(text: string): void {
    if (this.#problems.length < MAX_PROBLEMS && !this.#problems.includes(text)) {
      this.#problems.push(text);
    }
  }

  addText(text: string, isExcluded: boolean): void {
    if (text === "") return;
    if (text.length > MAX_TEXT) {
      this.problem(`A text to search for is at most ${MAX_TEXT} characters long.`);
      return;
    }
    this.#add(null, text, isExcluded, JSON.stringify(text));
  }

  addValues(given: string, values: readonly Word[], isExcluded: boolean): void {
    const key = this.#keys.get(given.toLowerCase());
    if (key === undefined) {
      this.problem(unknownKey(given, [...this.#keys.keys()]));
      return;
    }
    const { name, single = false } = key;
    const known = values.filter(({ text, isQuoted }) => text !== "" || isQuoted);
    if (known.length === 0) this.problem(`${name}: needs a value${allowedText(key)}.`);
    if (single && isExcluded) {
      this.problem(`${name}: cannot be excluded. Remove the hyphen.`);
      return;
    }
    for (const { text } of known) {
      const value = key.values === undefined ? text : meant(text, key.values);
      if (value === undefined) this.problem(unknownValue(text, key));
      else if (single && this.#terms.has(place(name, false))) {
        this.problem(`${name}: takes one value.`);
      } else this.#add(name, value, isExcluded, "");
    }
  }

  #add(key: string | null, value: string, isExcluded: boolean, more: string): void {
    const at = place(key, isExcluded) + more;
    const kept = this.#terms.get(at) ?? {
      term: { key, values: [], isExcluded },
      values: new Set(),
    };
    if (!kept.values.has(value)) this.#count += 1;
    if (this.#count > MAX_VALUES) {
      this.problem(`A filter has at most ${MAX_VALUES} values.`);
      return;
    }
    kept.values.add(value);
    this.#terms.set(at, kept);
  }
}

function place(key: string | null, isExcluded: boolean): string {
  return `${isExcluded ? "-" : ""}${key ?? ""}:`;
}

/** Returns the allowed value that equals the text, ignoring case. */
function meant(text: string, values: readonly string[]): string | undefined {
  return (
    values.find((value) => value === text) ?? values.find((value) => value === text.toLowerCase())
  );
}

function unknownKey(given: string, names: readonly string[]): string {
  const word = shown(given);
  const hint = suggestion(given, names);
  return `${word} is not a filter${hint}. The filters are ${names.join(", ")}. To search for a text with a colon, put it in quotes.`;
}

function unknownValue(text: string, key: QueryKey): string {
  const hint = suggestion(text, key.values ?? []);
  return `${key.name}: ${shown(text)} is not a value${hint}${allowedText(key)}.`;
}

function suggestion(given: string, names: readonly string[]): string {
  const near = closest(given, names);
  return near === undefined ? "" : ` (did you mean ${near}?)`;
}

function allowedText({ values }: QueryKey): string {
  return values === undefined ? "" : `; it is one of ${values.join(", ")}`;
}

/** Puts hostile text into a message as one short line. */
function shown(text: string): string {
  const cut = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text;
  return JSON.stringify(cut.toWellFormed());
}
