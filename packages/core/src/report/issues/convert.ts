import { isLossyNumber, isNumberText } from "../../json/number.ts";
import { scanJson } from "../../json/scan.ts";
import { encodeUtf8 } from "../../json/text.ts";
import { typeOf } from "./issue.ts";
import type { SuggestionBudget } from "./nearest.ts";

/** Another way to write a value, and a message about it that does not reveal the value. */
export interface Conversion {
  readonly value: unknown;
  readonly message: string;
  /** Whether the value is small and exact, so that it can be shown as it is. */
  readonly told: boolean;
}

/** Strings longer than this, in UTF-16 code units, are not read as JSON. */
const MAX_TEXT = 4_096;

const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
  ["none", null],
]);

/** Returns whether the text nests no deeper than what a person or model would write. */
function isShallow(text: string): boolean {
  let open = 0;
  for (const character of text) if (character === "[" || character === "{") open++;
  return open <= 200;
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || !isShallow(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns whether a JSON text has a number that a double cannot hold. */
function holdsLossyNumber(text: string): boolean {
  return scanJson(encodeUtf8(text), { numbers: true, maxDepth: MAX_TEXT }).lossyNumbers.length > 0;
}

/** Returns whether a value is small, and not a double that may represent another number. */
function isTold(value: unknown): boolean {
  if (typeof value === "string") return value.length <= MAX_TEXT;
  return typeof value === "boolean" || Number.isSafeInteger(value);
}

const ONLY_ITEM = "send it in an array, as its only item";

/** Returns the advice for a value in a string. */
export function unwrapAdvice(kind: "array" | "object"): string {
  return `send the ${kind} itself, not a string that holds it`;
}

function fromText(text: string): Conversion[] {
  if (text.length > MAX_TEXT) return [];
  const told = true;
  const trimmed = text.trim();
  if (isNumberText(trimmed)) {
    // A double that differs from the number in the text would be another value.
    if (isLossyNumber(trimmed)) return [];
    return [{ value: Number(trimmed), message: "send the number itself, without quotes", told }];
  }
  const word = WORDS.get(trimmed.toLowerCase());
  if (word !== undefined) return [{ value: word, message: `send ${word}, without quotes`, told }];
  const value = parsed(trimmed);
  if (typeof value !== "object" || value === null) return [];
  const message = unwrapAdvice(Array.isArray(value) ? "array" : "object");
  return [{ value, message, told: !holdsLossyNumber(trimmed) }];
}

/** How a list, a tuple, a set or a call begins in some notation, and characters that hold or part its items. */
const NOTATION =
  /^\s*(?:[\w.]*\s*[[({<"'`\\]|[-*\u2022]\s)|[;|\n\r\t\u00ab\u00bb\u2018\u2019\u201c-\u201f\u3001\uff0c\uff1b]/;
/** Characters that a text must not contain if it is split at its commas. */
const HOLDS = /[[\](){}<>"'`\\]/;

/**
 * Returns whether a text may be a list in another notation than JSON, such as `['a', 'b']`, `(a, b)` or `a; b`. Nobody
 * can say how to read such a text as an array.
 */
function isOtherNotation(text: string): boolean {
  return NOTATION.test(text) || (text.includes(",") && HOLDS.test(text));
}

/** Returns the advice for a text that may be an array in another notation; undefined for other values. */
export function asJsonArray(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > MAX_TEXT || !isOtherNotation(value))
    return undefined;
  return "send a JSON array, not a string";
}

/** Returns the arrays that a text without brackets and quotes may have been meant as. */
function fromList(text: string): Conversion[] {
  if (text.length > MAX_TEXT) return [{ value: [text], message: ONLY_ITEM, told: false }];
  const trimmed = text.trim();
  if (trimmed === "" || WORDS.has(trimmed.toLowerCase()) || isOtherNotation(text)) return [];
  if (!text.includes(",")) return [{ value: [text], message: ONLY_ITEM, told: true }];
  const parts = text.split(",").map((part) => part.trim());
  if (parts.includes("")) return [];
  const texts = { value: parts, message: "send an array, with an item for each part", told: true };
  if (!parts.every((part) => isNumberText(part) && !isLossyNumber(part))) return [texts];
  const message = "send an array, with a number for each part";
  return [texts, { value: parts.map(Number), message, told: true }];
}

function fromScalar(value: unknown): Conversion[] {
  if (typeof value === "number" || typeof value === "boolean") {
    const told = isTold(value);
    return [{ value: String(value), message: "send it as a string, in quotes", told }];
  }
  return [];
}

/** Maximum UTF-16 code units of a string that is searched for an object or an array. */
const MAX_HELD = 262_144;
/** How many extra times a text may be encoded as a string. */
const MAX_STRINGS = 3;
const BEGINNING = /^\s*["[{]/;

/**
 * Returns which of the wanted types a string holds as JSON text: `object` or `array`. Also finds it in a text that
 * was encoded as a string several times. Undefined for other strings, for those of more than 262,144 characters, and
 * once the effort is spent.
 */
export function encodedKind(
  data: unknown,
  types: readonly string[],
  effort: SuggestionBudget,
): "object" | "array" | undefined {
  const isText = typeof data === "string" && data.length <= MAX_HELD && BEGINNING.test(data);
  if (!isText || !effort.compare(data.length)) return undefined;
  let text: unknown = data;
  for (let n = 0; n <= MAX_STRINGS && typeof text === "string"; n++) {
    if (!BEGINNING.test(text)) return undefined;
    try {
      text = JSON.parse(text);
    } catch {
      return undefined;
    }
  }
  const held = typeOf(text);
  return (held === "object" || held === "array") && types.includes(held) ? held : undefined;
}

/**
 * Returns the values that a value may have been meant as: the number, boolean, null, array or object in a string; the
 * string form of a number; the only item of an array; an array of a lone value or of comma-separated parts. A text in
 * another notation for lists is not cut. The caller must find out whether they are wanted.
 */
export function conversionsOf(value: unknown): readonly Conversion[] {
  const found = typeof value === "string" ? fromText(value) : fromScalar(value);
  if (Array.isArray(value)) {
    if (value.length === 1) {
      const told = isTold(value[0]);
      found.push({ value: value[0], message: "send the item itself, not an array of it", told });
    }
  } else if (value !== null && value !== undefined) {
    const items = found.map((one) => ({
      value: [one.value],
      message: `${one.message}, and in an array`,
      told: one.told,
    }));
    const whole = { value: [value], message: ONLY_ITEM, told: isTold(value) };
    found.push(...(typeof value === "string" ? fromList(value) : [whole]), ...items);
  }
  return found;
}
