import { BACKSLASH, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "../../json/bytes.ts";
import { unescapePointer } from "../../json/pointer.ts";
import type { JsonRange } from "../../json/range.ts";
import { decodeUtf8 } from "../../json/text.ts";

/** Where a pointer leads in a JSON text. */
export interface JsonTextPlace {
  /** The value; for a property that is not there, the object that should have it. */
  readonly value: JsonRange;
  /** The key of the member, including quotes, if the pointer leads to an existing member. */
  readonly key?: JsonRange;
  /** Whether the whole pointer leads somewhere; if not, the place is the last one that it reaches. */
  readonly found: boolean;
}

/** Following a pointer takes one stack frame per token; longer pointers are located by their beginning. */
const MAX_TOKENS = 1_000;

interface Wanted {
  readonly pointers: string[];
  readonly below: Map<string, Wanted>;
}

function wantedOf(pointers: Iterable<string>): Wanted {
  const root: Wanted = { pointers: [], below: new Map() };
  for (const pointer of pointers) {
    let at = root;
    const tokens = pointer.split("/", MAX_TOKENS + 1).slice(1);
    for (const token of tokens) {
      const name = unescapePointer(token);
      let next = at.below.get(name);
      if (next === undefined) {
        next = { pointers: [], below: new Map() };
        at.below.set(name, next);
      }
      at = next;
    }
    at.pointers.push(pointer);
  }
  return root;
}

/** Walks through a text that is known to be valid JSON. */
class Locator {
  readonly places: Map<string, JsonTextPlace> = new Map();
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  #space(): void {
    while ((this.#bytes[this.#at] ?? 0xff) <= 0x20) this.#at++;
  }

  #string(): void {
    this.#at++;
    while (this.#at < this.#bytes.length && this.#bytes[this.#at] !== QUOTE) {
      this.#at += this.#bytes[this.#at] === BACKSLASH ? 2 : 1;
    }
    this.#at++;
  }

  /** Skips a value. */
  #skip(): void {
    let depth = 0;
    do {
      const byte = this.#bytes[this.#at] ?? 0;
      if (byte === QUOTE) {
        this.#string();
        continue;
      }
      // '[' and '{' differ in one bit, as do their closing brackets.
      if ((byte | 0x20) === 0x7b) depth++;
      else if ((byte | 0x20) === 0x7d) depth--;
      else if (depth === 0) {
        this.#scalar();
        return;
      }
      this.#at++;
    } while (depth > 0 && this.#at < this.#bytes.length);
  }

  #scalar(): void {
    while (
      this.#at < this.#bytes.length &&
      /[\w.+-]/.test(String.fromCharCode(this.#bytes[this.#at] ?? 0))
    ) {
      this.#at++;
    }
  }

  #note(wanted: Wanted, place: JsonTextPlace): void {
    for (const pointer of wanted.pointers) this.places.set(pointer, place);
    for (const next of wanted.below.values())
      this.#note(next, { value: place.value, found: false });
  }

  /** Reads the value at the current position. */
  value(wanted: Wanted, key?: JsonRange): void {
    this.#space();
    const start = this.#at;
    const open = this.#bytes[start] ?? 0;
    const met = new Set<string>();
    if (wanted.below.size > 0 && (open === OPEN_OBJECT || open === OPEN_ARRAY)) {
      this.#members(wanted, open === OPEN_OBJECT, met);
    } else {
      this.#skip();
    }
    const value = { start, end: this.#at };
    const place = { value, ...(key === undefined ? {} : { key }), found: true };
    for (const pointer of wanted.pointers) this.places.set(pointer, place);
    for (const [name, next] of wanted.below) {
      if (!met.has(name)) this.#note(next, { value, found: false });
    }
  }

  #members(wanted: Wanted, isObject: boolean, met: Set<string>): void {
    const close = isObject ? 0x7d : 0x5d;
    this.#at++;
    for (let index = 0; this.#at < this.#bytes.length; index++) {
      this.#space();
      if (this.#bytes[this.#at] === close) break;
      let name = String(index);
      let key: JsonRange | undefined;
      if (isObject) {
        const start = this.#at;
        this.#string();
        key = { start, end: this.#at };
        name = String(JSON.parse(decodeUtf8(this.#bytes, start, this.#at)));
        this.#space();
        this.#at++;
        this.#space();
      }
      const next = wanted.below.get(name);
      if (next === undefined) this.#skip();
      else {
        met.add(name);
        this.value(next, key);
      }
      this.#space();
      if (this.#bytes[this.#at] === COMMA) this.#at++;
    }
    this.#at++;
  }
}

/**
 * Finds the values that RFC 6901 pointers lead to, in one pass over the text. For a duplicated key, this is the last
 * value, which is the one that was checked. A pointer that leads nowhere, such as that of a missing property, gets
 * the last value that it reaches.
 * @param bytes a text that `scanJson` accepted
 */
export function locatePointers(
  bytes: Uint8Array,
  pointers: Iterable<string>,
): ReadonlyMap<string, JsonTextPlace> {
  const locator = new Locator(bytes);
  locator.value(wantedOf(pointers));
  return locator.places;
}
