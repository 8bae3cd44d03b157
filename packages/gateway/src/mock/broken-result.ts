import {
  type CompiledSchema,
  isObject,
  type JsonRange,
  joinPointer,
  locatePointers,
  parseJson,
} from "@touchstone/core/advanced";
import { type Frame, spliceFrame } from "@touchstone/protocol/advanced";
import type { FaultKind } from "./fault-options.ts";

/** How many places of a result are tried. */
const MAX_PLACES = 200;
/** How many bytes an oversize result has beside its own: more than a gateway checks by default. */
const OVERSIZE_BYTES = 6_000_000;

/** A response with a fault. */
export interface BrokenResult {
  readonly bytes: Uint8Array;
  /** Where the fault is: a pointer into the result. */
  readonly path: string;
}

/** A change of a JSON text that makes the fault, if the output schema finds it. */
interface Change {
  readonly range: JsonRange;
  readonly text: string;
  /** The pointer in the changed value. */
  readonly path: string;
}

/** The keywords whose violation a fault is, if it has to be one of a certain kind. */
const KEYWORDS: Readonly<Partial<Record<FaultKind, readonly string[]>>> = {
  type: ["type"],
  enum: ["enum", "const"],
  format: ["format", "pattern"],
};

/**
 * Returns a response with a fault of a kind; undefined if it has no place for one. If there is an output schema, the
 * fault is one that it finds, as far as the kind allows that.
 * @param pick chooses one of a number of places
 */
export function brokenResult(
  response: Frame,
  kind: FaultKind,
  schema: CompiledSchema | undefined,
  pick: (count: number) => number,
): BrokenResult | undefined {
  const { result, structuredContent } = response.ranges;
  if (response.kind !== "response" || result === undefined) return undefined;
  if (kind === "oversize") return oversize(response.bytes, result);
  const isStructured = structuredContent !== undefined && !response.isError;
  const whole = isStructured ? structuredContent : result;
  const text = response.bytes.subarray(whole.start, whole.end);
  const changes = changesOf(text, kind, isStructured);
  const start = changes.length === 0 ? 0 : pick(changes.length);
  const ordered = [...changes.slice(start), ...changes.slice(0, start)];
  const wanted = isStructured ? schema : undefined;
  const found =
    ordered.find((change) => isFound(text, change, kind, wanted)) ?? fallback(kind, ordered);
  if (found === undefined) return undefined;
  const range = { start: whole.start + found.range.start, end: whole.start + found.range.end };
  return {
    bytes: spliceFrame(response.bytes, [{ range, text: found.text }]),
    path: isStructured ? `/structuredContent${found.path}` : found.path,
  };
}

/** An undeclared member and a key that occurs twice are faults that most schemas accept. */
function fallback(kind: FaultKind, changes: readonly Change[]): Change | undefined {
  return kind === "extra" || kind === "duplicate-key" ? changes[0] : undefined;
}

function isFound(
  text: Uint8Array,
  change: Change,
  kind: FaultKind,
  schema: CompiledSchema | undefined,
): boolean {
  if (kind === "duplicate-key") return true;
  const keywords = KEYWORDS[kind];
  if (schema === undefined) return kind !== "enum" && kind !== "format";
  const { valid, errors } = schema.validateText(spliceFrame(text, [change]));
  if (keywords === undefined) return !valid;
  return errors.some(({ keyword }) => keyword !== undefined && keywords.includes(keyword));
}

/** Returns the changes that may make a fault. */
function changesOf(text: Uint8Array, kind: FaultKind, isStructured: boolean): readonly Change[] {
  const parsed = parseJson(text);
  if (!parsed.ok) return [];
  const values = valuesIn(parsed.value, isStructured);
  const places = locatePointers(text, values.keys());
  return [...values].flatMap(([path, value]) => {
    const place = places.get(path);
    if (place === undefined) return [];
    const { value: range, key } = place;
    const inside = { start: range.start + 1, end: range.start + 1 };
    const isWhole = path === "";
    switch (kind) {
      case "type":
        return isWhole && !isStructured ? [] : [{ range, text: otherType(value), path }];
      case "missing":
        return key === undefined
          ? []
          : [{ range: memberWithComma(text, key, range), text: "", path }];
      case "enum":
        return [{ range, text: '"no such value"', path }];
      case "format":
        return typeof value === "string"
          ? [{ range, text: '"\\u0001 not of this form"', path }]
          : [];
      case "extra": {
        if (!isObject(value)) return [];
        const comma = Object.keys(value).length === 0 ? "" : ",";
        return [{ range: inside, text: `"unexpected":true${comma}`, path: `${path}/unexpected` }];
      }
      case "duplicate-key": {
        const [name] = isObject(value) ? Object.keys(value) : [];
        if (name === undefined) return [];
        return [
          { range: inside, text: `${JSON.stringify(name)}:null,`, path: joinPointer(path, name) },
        ];
      }
      default:
        return [];
    }
  });
}

/** Returns the values of a structured result by their pointers; of another result, its members. */
function valuesIn(root: unknown, isStructured: boolean): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  const waiting: [string, unknown][] = [["", root]];
  for (let at = 0; at < waiting.length && found.size < MAX_PLACES; at += 1) {
    const [path, value] = waiting[at] ?? ["", undefined];
    found.set(path, value);
    if (typeof value !== "object" || value === null || (!isStructured && path !== "")) continue;
    for (const [name, member] of Object.entries(value).slice(0, MAX_PLACES)) {
      const isOfEnvelope = !isStructured && name !== "content";
      if (!isOfEnvelope) waiting.push([joinPointer(path, name), member]);
    }
  }
  return found;
}

function otherType(value: unknown): string {
  if (typeof value === "string") return "12345";
  if (typeof value === "number" || typeof value === "boolean") return JSON.stringify(String(value));
  return '"text"';
}

const COMMA = 0x2c;
const SPACE = 0x20;

/** Returns the range of a member with one comma. */
function memberWithComma(text: Uint8Array, key: JsonRange, value: JsonRange): JsonRange {
  let end = value.end;
  while ((text[end] ?? COMMA) <= SPACE) end += 1;
  if (text[end] === COMMA) return { start: key.start, end: end + 1 };
  let start = key.start;
  while ((text[start - 1] ?? COMMA) <= SPACE) start -= 1;
  return { start: text[start - 1] === COMMA ? start - 1 : key.start, end: value.end };
}

/** Returns a response with another text block at the beginning of its content, or its content instead. */
function oversize(bytes: Uint8Array, result: JsonRange): BrokenResult | undefined {
  const text = bytes.subarray(result.start, result.end);
  const place = locatePointers(text, ["/content"]).get("/content");
  if (place?.found !== true) return undefined;
  const start = result.start + place.value.start + 1;
  const isEmpty = !text
    .subarray(place.value.start + 1, place.value.end - 1)
    .some((byte) => byte > SPACE);
  const block = `{"type":"text","text":"${"x".repeat(OVERSIZE_BYTES)}"}${isEmpty ? "" : ","}`;
  return {
    bytes: spliceFrame(bytes, [{ range: { start, end: start }, text: block }]),
    path: "/content/0",
  };
}
