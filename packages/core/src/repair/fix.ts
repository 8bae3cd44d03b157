import { isLossyNumber, isNumberText } from "../json/number.ts";
import { joinPointer, pointerTokens, valueAt } from "../json/pointer.ts";
import { scanJson } from "../json/scan.ts";
import { encodeUtf8 } from "../json/text.ts";
import { suggestedName } from "../report/issues/suggest.ts";
import type { Check, Issue, Suggestion } from "../result.ts";
import { missingDefault } from "./default.ts";
import type { RepairFix, RepairKind } from "./operation.ts";

/** The value in memory or the text being repaired. */
export interface RepairDraft {
  /** The value as repaired so far, with numbers as doubles. */
  readonly root: unknown;
  /** Whether the result is a text, in which every number keeps its digits. */
  readonly isText: boolean;
  /** Returns the digits of the number at a place; undefined if its double may differ from what was sent. */
  digits(path: string, value: number): string | undefined;
  /** @returns false if the operation's path does not exist; then nothing has changed */
  apply(fix: RepairFix): boolean;
  /** @returns undefined if the check would take too long */
  check(): Check | undefined;
}

/** What is known in addition to the draft and the issue. */
export interface RepairHints {
  /** The schema as its author wrote it. */
  readonly declared: unknown;
  /** The engine's suggestions for the issue. */
  readonly suggestions: readonly Suggestion[];
}

type Found = Omit<RepairFix, "kind">;
type Fixer = (issue: Issue, draft: RepairDraft, hints: RepairHints) => Found | undefined;

function wantedTypes({ keyword, params }: Issue): readonly unknown[] {
  if (keyword !== "type") return [];
  const type = params?.["type"];
  return Array.isArray(type) ? type : [type];
}

function replace(path: string, value: unknown, json: string): Found {
  return { operation: { op: "replace", path, value }, json };
}

/** Returns the container type that a JSON text has, judged by its first character; undefined for other types. */
function containerType(text: string): "array" | "object" | undefined {
  const first = /[^\t\n\r ]/.exec(text)?.[0];
  return first === "[" ? "array" : first === "{" ? "object" : undefined;
}

const parseString: Fixer = (issue, { root, isText }) => {
  const wanted = wantedTypes(issue);
  if (!wanted.includes("array") && !wanted.includes("object")) return undefined;
  const text = valueAt(root, pointerTokens(issue.path))?.value;
  // Skips a string of any length if it cannot hold a wanted type.
  if (typeof text !== "string" || !wanted.includes(containerType(text))) return undefined;
  const scan = scanJson(encodeUtf8(text), { numbers: true, duplicates: true });
  const { error, lossyNumbers, duplicates } = scan;
  // With duplicate keys, it is not certain which member is meant. A double would change a lossy number.
  if (error !== undefined || duplicates.length > 0) return undefined;
  if (lossyNumbers.length > 0 && !isText) return undefined;
  return replace(issue.path, JSON.parse(text), onOneLine(text));
};

/**
 * Puts a JSON text on one line: if each message is a line, a line feed would start another message. Line feeds occur
 * only between tokens.
 */
function onOneLine(text: string): string {
  return text.replaceAll(/[\n\r]/g, " ");
}

/** A double keeps every number of up to 15 significant digits, and every integer up to 2^53 - 1. */
export function isExactNumber(value: number): boolean {
  if (Number.isSafeInteger(value)) return true;
  return Math.abs(value) < Number.MAX_SAFE_INTEGER && Number(value.toPrecision(15)) === value;
}

const coerce: Fixer = (issue, draft) => {
  const { path } = issue;
  const { root, isText } = draft;
  const wanted = wantedTypes(issue);
  const value = valueAt(root, pointerTokens(path))?.value;
  if (typeof value === "string") {
    const isNumeric = wanted.includes("number") || wanted.includes("integer");
    // A number too large for a double is not used: servers read it as infinity, or not at all.
    const isReadable = Number.isFinite(Number(value)) && (isText || !isLossyNumber(value));
    if (isNumeric && isNumberText(value) && isReadable) {
      return replace(path, Number(value), value);
    }
    const isTruth = wanted.includes("boolean") && (value === "true" || value === "false");
    return isTruth ? replace(path, value === "true", value) : undefined;
  }
  if (!wanted.includes("string")) return undefined;
  const text = typeof value === "number" ? draft.digits(path, value) : String(value);
  if (text === undefined || !["number", "boolean"].includes(typeof value)) return undefined;
  return replace(path, text, JSON.stringify(text));
};

const dropNull: Fixer = ({ path, keyword }, { root }) => {
  const tokens = pointerTokens(path);
  if (tokens.length === 0 || valueAt(root, tokens)?.value !== null) return undefined;
  const isItem = Array.isArray(valueAt(root, tokens.slice(0, -1))?.value);
  // An error of `not` says what is forbidden, not what would be allowed.
  return isItem || keyword === "not" ? undefined : { operation: { op: "remove", path }, json: "" };
};

/** Returns whether a text made from a value keeps the digits that its author wrote, as far as doubles can show. */
function hasSureNumbers(value: unknown): boolean {
  if (typeof value === "number") return isExactNumber(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(hasSureNumbers);
}

const fillDefault: Fixer = (issue, { root, isText }, { declared, suggestions }) => {
  const { path } = issue;
  const found = missingDefault(issue, declared, suggestions);
  if (found === undefined || valueAt(root, pointerTokens(path)) !== undefined) return undefined;
  const json = JSON.stringify(found.value);
  if (json === undefined || (isText && !hasSureNumbers(found.value))) return undefined;
  // A copy, so that a handler that changes its arguments does not change the schema.
  return { operation: { op: "add", path, value: JSON.parse(json) }, json };
};

/**
 * Renames the undeclared property that an issue is about, or the undeclared property that was probably meant as a
 * missing one.
 */
const rename: Fixer = ({ path, keyword, rule }, { root }, { suggestions }) => {
  const tokens = pointerTokens(path);
  if (tokens.length === 0 || (rule !== "extra" && rule !== "required")) return undefined;
  if (keyword === "propertyNames" || keyword === "not") return undefined;
  const parent = path.slice(0, path.lastIndexOf("/"));
  const siblings = suggestions.filter(
    (one) => one.path.slice(0, one.path.lastIndexOf("/")) === parent && one.path !== "",
  );
  const meant = new Map(siblings.map((one) => [one.path, suggestedName(one)]));
  const from = rule === "extra" ? path : undefined;
  const to = rule === "extra" ? meant.get(path) : tokens.at(-1);
  const sources = [...meant].flatMap(([at, name]) => (name === to ? [at] : []));
  const [source, ...others] = sources;
  // If two undeclared names may be misspellings of the same declared name, neither is certain.
  if (to === undefined || source === undefined || others.length > 0) return undefined;
  if (from !== undefined && from !== source) return undefined;
  const target = joinPointer(parent, to);
  const isThere = valueAt(root, pointerTokens(target)) !== undefined;
  if (isThere || valueAt(root, pointerTokens(source)) === undefined) return undefined;
  return { operation: { op: "move", from: source, path: target }, json: JSON.stringify(to) };
};

/** Longer texts and lists are not compared. */
const MAX_ALLOWED_TEXT = 1_024;
const MAX_ALLOWED = 10_000;

const fold = (text: string): string => text.trim().toLowerCase();

/** The allowed texts of each list by {@link fold}; undefined for a form that several have. */
const allowedTexts = new WeakMap<readonly unknown[], ReadonlyMap<string, string | undefined>>();

function textsIn(values: readonly unknown[]): ReadonlyMap<string, string | undefined> {
  const known = allowedTexts.get(values);
  if (known !== undefined) return known;
  const texts = new Map<string, string | undefined>();
  for (const value of values) {
    if (typeof value !== "string" || value.length > MAX_ALLOWED_TEXT) continue;
    const form = fold(value);
    texts.set(form, texts.has(form) && texts.get(form) !== value ? undefined : value);
  }
  allowedTexts.set(values, texts);
  return texts;
}

/** Replaces a text by the allowed value that differs from it only in case and in blanks around it, if that is one. */
const matchCase: Fixer = ({ path, keyword, params, rule }, { root }) => {
  if (rule !== "value" || (keyword !== "enum" && keyword !== "const")) return undefined;
  const { allowedValue, allowedValues = [allowedValue] } = params ?? {};
  const text = valueAt(root, pointerTokens(path))?.value;
  if (typeof text !== "string" || text.length > MAX_ALLOWED_TEXT) return undefined;
  if (!Array.isArray(allowedValues) || allowedValues.length > MAX_ALLOWED) return undefined;
  const meant = textsIn(allowedValues).get(fold(text));
  return meant === undefined ? undefined : replace(path, meant, JSON.stringify(meant));
};

/** The operation, if any, that each kind of repair offers for an issue. */
export const FIXERS: Readonly<Record<RepairKind, Fixer>> = {
  "parse-json-strings": parseString,
  "coerce-scalars": coerce,
  "drop-nulls": dropNull,
  "fill-defaults": fillDefault,
  "rename-properties": rename,
  "match-enum-case": matchCase,
};
