import { isLossyNumber, normaliseNumber } from "./number.ts";
import { scanJson } from "./scan.ts";
import { decodeUtf8, encodeUtf8 } from "./text.ts";
import { takeSteps } from "./walk.ts";

/** An object member or array item that has been written. */
interface Part {
  /** The decoded name of the key; empty in an array. */
  readonly name: string;
  readonly text: string;
}

/** A container that is being written. */
interface Open {
  readonly isObject: boolean;
  readonly parts: Part[];
  /** The name whose value comes next; undefined if a key comes next. */
  name: string | undefined;
}

/** Number of values written in one step. */
const STEP_VALUES = 4_096;
/** Matches numbers and literals: anything except strings, white space and punctuation. */
const WORD = /[\w.+-]+/y;

/** Returns the canonical text of a number: that of its double, or all of its digits if no double holds it. */
function numberText(source: string): string {
  if (!isLossyNumber(source)) return JSON.stringify(Number(source));
  const { negative, digits, exponent } = normaliseNumber(source);
  // Exponents beyond 2^53 are read approximately, so such a number only equals itself.
  return Number.isSafeInteger(exponent) ? `${negative ? "-" : ""}${digits}e${exponent}` : source;
}

/** Returns the end of the string whose opening quote is at `at`. */
function endOfString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); ; end = text.indexOf('"', end + 1)) {
    let run = end;
    while (text[run - 1] === "\\") run -= 1;
    if ((end - run) % 2 === 0) return end + 1;
  }
}

/** Yields the tokens of a JSON text, except commas and colons. */
function* tokensOf(text: string): Generator<string, void, void> {
  for (let at = 0; at < text.length; ) {
    const first = text[at] as string;
    if (" \t\r\n,:".includes(first)) {
      at += 1;
      continue;
    }
    let end = at + 1;
    if (first === '"') end = endOfString(text, at);
    else if (!"{}[]".includes(first)) {
      WORD.lastIndex = at;
      end = at + (WORD.exec(text)?.[0].length ?? 1);
    }
    yield text.slice(at, end);
    at = end;
  }
}

function scalarText(token: string): string {
  if (token.startsWith('"')) return JSON.stringify(JSON.parse(token));
  return token === "true" || token === "false" || token === "null" ? token : numberText(token);
}

/** Sorts members by name, in UTF-16 code units; members with the same name keep their order. */
function inOrder(parts: Part[]): Part[] {
  return parts.sort((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)));
}

function containerText({ isObject, parts }: Open, indent: string, depth: number): string {
  const [open, close] = isObject ? "{}" : "[]";
  if (parts.length === 0) return `${open}${close}`;
  const line = indent === "" ? "" : `\n${indent.repeat(depth + 1)}`;
  const colon = indent === "" ? ":" : ": ";
  let text = open ?? "";
  let separator = line;
  // Joined into one string only at the end: otherwise deeply nested text would be copied at each level.
  for (const { name, text: value } of isObject ? inOrder(parts) : parts) {
    text += separator + (isObject ? JSON.stringify(name) + colon : "") + value;
    separator = `,${line}`;
  }
  return text + (indent === "" ? "" : `\n${indent.repeat(depth)}`) + close;
}

/** Runs {@link canonicalText} in steps, for a text that `scanJson` accepts. */
export function* canonicalTextSteps(text: string, indent = ""): Generator<void, string, void> {
  const open: Open[] = [];
  let values = 0;
  for (const token of tokensOf(text)) {
    const parent = open.at(-1);
    let written: string;
    if (token === "{" || token === "[") {
      open.push({ isObject: token === "{", parts: [], name: token === "{" ? undefined : "" });
      continue;
    }
    if (token === "}" || token === "]") {
      open.pop();
      written = containerText(parent as Open, indent, open.length);
    } else if (parent !== undefined && parent.name === undefined) {
      parent.name = JSON.parse(token) as string;
      continue;
    } else written = scalarText(token);
    const holder = open.at(-1);
    if (holder === undefined) return written;
    holder.parts.push({ name: holder.name ?? "", text: written });
    if (holder.isObject) holder.name = undefined;
    values += 1;
    if (values % STEP_VALUES === 0) yield;
  }
  return "";
}

/**
 * Returns the canonical form of a JSON text (RFC 8259). It is the same for texts that differ only in white space, in
 * key order, and in the spelling of strings and numbers. If doubles hold all numbers and no object has a duplicate
 * key, it is the form of RFC 8785 (JSON Canonicalization Scheme). Other numbers keep all of their digits, and members
 * with the same name keep their order, since readers differ in which of them they use.
 * @param source a text, or its UTF-8 bytes
 * @param indent indentation for each level, if the text is to span several lines
 * @returns undefined if the source is not JSON, or nests deeper than 10,000 levels
 */
export function canonicalText(source: string | Uint8Array, indent = ""): string | undefined {
  const bytes = typeof source === "string" ? encodeUtf8(source) : source;
  if (scanJson(bytes).error !== undefined) return undefined;
  const text = typeof source === "string" ? source : decodeUtf8(bytes);
  return takeSteps(canonicalTextSteps(text, indent));
}
