import {
  encodeUtf8,
  type Issue,
  isLossyNumber,
  isObject,
  pointerTokens,
  type Suggestion,
  scanJson,
  valueAt,
} from "@touchstone/core";
import { missingDefault } from "./default.ts";
import type { PatchOperation, RepairKind } from "./receipt.ts";

/** What a repair looks at. */
export interface Ailment {
  readonly issue: Issue;
  /** The arguments, as far as they are mended. */
  readonly root: unknown;
  /** The schema as its author wrote it. */
  readonly declared: unknown;
  /** What the engine suggested with the issue. */
  readonly suggestions: readonly Suggestion[];
  /** Whether each number is known to be the one that was sent, and no double that stands for it. */
  readonly exact: boolean;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function wantedTypes({ keyword, params }: Issue): readonly unknown[] {
  if (keyword !== "type") return [];
  const type = params?.["type"];
  return Array.isArray(type) ? type : [type];
}

function replace(path: string, value: unknown): PatchOperation {
  return { op: "replace", path, value };
}

function parseString({ issue, root }: Ailment): PatchOperation | undefined {
  const text = valueAt(root, pointerTokens(issue.path))?.value;
  const wanted = wantedTypes(issue);
  if (typeof text !== "string") return undefined;
  const scan = scanJson(encodeUtf8(text), { numbers: true, duplicates: true });
  const { error, lossyNumbers, duplicates } = scan;
  // A parse would change such a number, and drop one of the members.
  if (error !== undefined || lossyNumbers.length > 0 || duplicates.length > 0) return undefined;
  const value: unknown = JSON.parse(text);
  const type = Array.isArray(value) ? "array" : isObject(value) && "object";
  return wanted.includes(type) ? replace(issue.path, value) : undefined;
}

/** Every number of up to 15 significant digits survives a double; an integer one up to 2^53 - 1. */
function isSure(value: number): boolean {
  if (Number.isSafeInteger(value)) return true;
  return Math.abs(value) < Number.MAX_SAFE_INTEGER && Number(value.toPrecision(15)) === value;
}

function coerced(value: unknown, wanted: readonly unknown[], exact: boolean): unknown {
  if (typeof value === "string") {
    const isNumeric = wanted.includes("number") || wanted.includes("integer");
    if (isNumeric && NUMBER.test(value) && !isLossyNumber(value)) return Number(value);
    if (wanted.includes("boolean") && (value === "true" || value === "false")) {
      return value === "true";
    }
    return undefined;
  }
  const isScalar =
    typeof value === "boolean" || (typeof value === "number" && (exact || isSure(value)));
  return isScalar && wanted.includes("string") ? String(value) : undefined;
}

function coerce({ issue, root, exact }: Ailment): PatchOperation | undefined {
  const found = valueAt(root, pointerTokens(issue.path))?.value;
  const value = coerced(found, wantedTypes(issue), exact);
  return value === undefined ? undefined : replace(issue.path, value);
}

function dropNull({ issue: { path }, root }: Ailment): PatchOperation | undefined {
  const tokens = pointerTokens(path);
  if (tokens.length === 0 || valueAt(root, tokens)?.value !== null) return undefined;
  const isItem = Array.isArray(valueAt(root, tokens.slice(0, -1))?.value);
  return isItem ? undefined : { op: "remove", path };
}

function fillDefault({ issue, root, declared, suggestions }: Ailment): PatchOperation | undefined {
  const { path } = issue;
  const found = missingDefault(issue, declared, suggestions);
  if (found === undefined || valueAt(root, pointerTokens(path)) !== undefined) return undefined;
  return { op: "add", path, value: structured(found.value) };
}

/** A copy, so that a handler that changes its arguments leaves the schema alone. */
function structured(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** What each kind of repair does about one issue: an operation, or nothing. */
export const FIXES: Readonly<Record<RepairKind, (ailment: Ailment) => PatchOperation | undefined>> =
  {
    "parse-json-strings": parseString,
    "coerce-scalars": coerce,
    "drop-nulls": dropNull,
    "fill-defaults": fillDefault,
  };
