import { checkAtOnce } from "../check-at-once.ts";
import { CLOSE_OBJECT, COMMA, OPEN_OBJECT } from "../json/bytes.ts";
import { pointerTokens, valueAt } from "../json/pointer.ts";
import type { JsonRange } from "../json/range.ts";
import { scanJson } from "../json/scan.ts";
import { decodeUtf8, encodeUtf8 } from "../json/text.ts";
import { runSteps } from "../json/walk.ts";
import { locatePointers } from "../report/explain/locate.ts";
import type { Check } from "../result.ts";
import type { RepairDraft } from "./fix.ts";
import type { RepairFix, RepairKind } from "./operation.ts";
import { applyOperation } from "./patch.ts";
import { findRepairs, REPAIR_PAUSE, type RepairOptions } from "./repair.ts";

/** Longer texts are not repaired, because each round reads the whole text. */
const MAX_BYTES = 262_144;

/** Maximum number of rounds, each of at most a few milliseconds. */
const TEXT_ROUNDS = 16;

export interface RepairableText extends RepairOptions {
  /** JSON in UTF-8. */
  readonly bytes: Uint8Array;
}

/** The repair that was made at one place. */
export interface TextRepair {
  readonly kind: RepairKind;
  /** RFC 6901 pointer that is valid after the preceding repairs; for a renamed property, that of its old name. */
  readonly path: string;
}

/** A repaired text and its repairs. */
export interface RepairedText {
  /** Differs from the input only in the edited ranges. */
  readonly bytes: Uint8Array;
  readonly repairs: readonly TextRepair[];
  /** The JSON text of a JSON Patch (RFC 6902) that turns the input into this value, with every digit. */
  readonly patch: string;
}

/**
 * How many bytes may be read in total to find the places of repairs. Each place is searched from the beginning of the
 * text.
 */
const MAX_READ = 4_194_304;

class TooLong extends Error {}

/** How many bytes of {@link MAX_READ} are left. */
interface Reading {
  left: number;
}

const isSpace = (byte: number | undefined): boolean => byte !== undefined && byte <= 0x20;

class TextDraft implements RepairDraft {
  readonly isText = true;
  readonly #given: RepairOptions;
  readonly #reading: Reading;
  bytes: Uint8Array;
  root: unknown;

  constructor(given: RepairOptions, bytes: Uint8Array, reading: Reading) {
    this.#given = given;
    this.#reading = reading;
    this.bytes = bytes;
    this.root = JSON.parse(decodeUtf8(bytes));
  }

  #locate(path: string) {
    this.#reading.left -= this.bytes.length;
    if (this.#reading.left < 0) throw new TooLong();
    return locatePointers(this.bytes, [path]).get(path);
  }

  digits(path: string): string | undefined {
    const place = this.#locate(path);
    if (place?.found !== true) return undefined;
    return decodeUtf8(this.bytes, place.value.start, place.value.end);
  }

  apply({ operation, json }: RepairFix): boolean {
    const edit = this.#edit(operation, json);
    if (edit === undefined) return false;
    // No copy is needed: nobody else uses this value, since the repairs are reported from their texts.
    const applied = applyOperation(this.root, operation);
    if (applied === undefined) return false;
    const text = encodeUtf8(edit.text);
    const bytes = new Uint8Array(this.bytes.length - (edit.end - edit.start) + text.length);
    bytes.set(this.bytes.subarray(0, edit.start));
    bytes.set(text, edit.start);
    bytes.set(this.bytes.subarray(edit.end), edit.start + text.length);
    this.root = applied.value;
    this.bytes = bytes;
    return true;
  }

  #edit(
    operation: RepairFix["operation"],
    json: string,
  ): (JsonRange & { readonly text: string }) | undefined {
    const at = operation.op === "move" ? operation.from : operation.path;
    const place = this.#locate(at);
    if (place === undefined || place.found === (operation.op === "add")) return undefined;
    const { value, key } = place;
    switch (operation.op) {
      case "replace":
        return { ...value, text: json };
      case "move":
        return key && { ...key, text: json };
      case "remove":
        return key && { ...this.#withComma({ start: key.start, end: value.end }), text: "" };
      case "add":
        return this.#addition(value, operation.path, json);
    }
  }

  /** Returns the range of a member and its comma: the one after it, else the one before. */
  #withComma({ start, end }: JsonRange): JsonRange {
    const { bytes } = this;
    let after = end;
    while (isSpace(bytes[after])) after++;
    if (bytes[after] === COMMA) {
      after++;
      while (isSpace(bytes[after])) after++;
      return { start, end: after };
    }
    let before = start;
    while (isSpace(bytes[before - 1])) before--;
    return bytes[before - 1] === COMMA ? { start: before - 1, end } : { start, end };
  }

  /** Returns the edit that adds a member at the end of an object. */
  #addition(
    object: JsonRange,
    path: string,
    json: string,
  ): (JsonRange & { readonly text: string }) | undefined {
    const { bytes } = this;
    const tokens = pointerTokens(path);
    const parent = valueAt(this.root, tokens.slice(0, -1))?.value;
    // If the parent was not found in the text, its location is that of the last value reached, which may be further up.
    if (typeof parent !== "object" || parent === null || Array.isArray(parent)) return undefined;
    let end = object.end - 1;
    if (bytes[object.start] !== OPEN_OBJECT || bytes[end] !== CLOSE_OBJECT) return undefined;
    while (isSpace(bytes[end - 1])) end--;
    const comma = bytes[end - 1] === OPEN_OBJECT && end - 1 === object.start ? "" : ",";
    return { start: end, end, text: `${comma}${JSON.stringify(tokens.at(-1))}:${json}` };
  }

  check(): Check | undefined {
    return checkAtOnce(this.#given.schema, this.bytes, this.#given.limits);
  }
}

/** Returns the JSON text of an operation; its value keeps the digits of its source text. */
function operationText({ operation, json }: RepairFix): string {
  if (!("value" in operation)) return JSON.stringify(operation);
  const { op, path } = operation;
  return `${JSON.stringify({ op, path }).slice(0, -1)},"value":${json}}`;
}

/**
 * Tries to repair a JSON text that failed its check, by edits at the byte ranges of its values: every other byte
 * stays, and so does every digit. Never throws.
 *
 * Nothing is repaired in a text of more than 262,144 bytes or with a duplicate key, if the repair takes more than 16
 * checks or one of them more than a few milliseconds, if finding all places of repairs would mean reading more than 4
 * MiB, or if two branches of a union fit with equally few edits but different results, or if all rounds together
 * process more than 20,000 issues.
 * @returns undefined if no repair makes the whole valid
 */
export function repairText(given: RepairableText): RepairedText | undefined {
  return runSteps(repairTextSteps(given));
}

/**
 * Does the same as {@link repairText} in steps of some milliseconds: between the rounds of repairs, and within long
 * ones.
 * @param issues how many issues all rounds together may process. Default 20,000
 */
export function* repairTextSteps(
  given: RepairableText,
  issues?: number,
): Generator<void, RepairedText | undefined, void> {
  const { bytes } = given;
  if (given.repair.length === 0 || given.check.outcome !== "violation") return undefined;
  if (bytes.length > MAX_BYTES) return undefined;
  const { error, duplicates } = scanJson(bytes, { duplicates: true });
  if (error !== undefined || duplicates.length > 0) return undefined;
  try {
    return yield* unambiguous(given, bytes, issues);
  } catch {
    // For example, a value nests too deep to be copied.
    return undefined;
  }
}

function* unambiguous(
  given: RepairOptions,
  bytes: Uint8Array,
  issues: number | undefined,
): Generator<void, RepairedText | undefined, void> {
  let best: RepairedText | undefined;
  const reading: Reading = { left: MAX_READ };
  const draftOf = () => new TextDraft(given, bytes, reading);
  for (const success of findRepairs(given, draftOf, TEXT_ROUNDS, issues)) {
    if (success === REPAIR_PAUSE) {
      yield;
      continue;
    }
    if (success === undefined) return undefined;
    const { draft, fixes } = success;
    const repairs = fixes.map(({ kind, operation }) => ({
      kind,
      path: operation.op === "move" ? operation.from : operation.path,
    }));
    const found = { bytes: draft.bytes, repairs, patch: `[${fixes.map(operationText).join(",")}]` };
    if (best === undefined) best = found;
    else if (fixes.length <= best.repairs.length && !isSame(found.bytes, best.bytes)) {
      return undefined;
    }
  }
  return best;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
