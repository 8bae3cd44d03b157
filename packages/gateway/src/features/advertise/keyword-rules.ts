import { compilePattern, type JsonObject } from "@touchstone/core/advanced";

/** A member's new value, or the fact that it stays as it is. Undefined if the two values cannot be merged. */
type Merged = { readonly name: string; readonly value: unknown } | "same" | undefined;
type MergeRule = (own: JsonObject, more: unknown, keyword: string) => Merged;

const isNumber = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value);

const bound =
  (stricter: (own: number, more: number) => number): MergeRule =>
  (own, more, name) => {
    const before = own[name];
    if (!isNumber(more)) return undefined;
    if (before === undefined) {
      return name.startsWith("exclusive") ? undefined : { name, value: more };
    }
    if (!isNumber(before)) return undefined;
    const value = stricter(before, more);
    return value === before ? "same" : { name, value };
  };

/** Sets a keyword that the tool's schema does not have. */
const alone =
  (isFit: (value: unknown) => boolean): MergeRule =>
  (own, value, name) => {
    if (own[name] === value) return "same";
    return !Object.hasOwn(own, name) && isFit(value) ? { name, value } : undefined;
  };

/** Returns whether clients take a pattern, and match it in linear time. */
function isPlainPattern(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    // Throws if the pattern is invalid with the flag `u`, which clients use.
    RegExp(value, "u");
    return compilePattern(value).isNative;
  } catch {
    return false;
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

const types: MergeRule = (own, value) => {
  const more = listOf(value);
  const before = own["type"];
  // Providers refuse an array without a schema for its items.
  if (before === undefined) return more.includes("array") ? undefined : { name: "type", value };
  const takes = (list: readonly unknown[], type: unknown): boolean =>
    list.includes(type) || (type === "integer" && list.includes("number"));
  const all = [...new Set([...listOf(before), ...more])];
  const both = all.filter((type) => takes(listOf(before), type) && takes(more, type));
  const kept = both.filter((type) => type !== "integer" || !both.includes("number"));
  if (kept.length === 0) return undefined;
  const isSame =
    kept.length === listOf(before).length && listOf(before).every((t) => kept.includes(t));
  if (isSame) return "same";
  // A header's form depends on the type of the value.
  if (Object.hasOwn(own, "x-mcp-header")) return undefined;
  return { name: "type", value: kept.length === 1 ? kept[0] : kept };
};

const values: MergeRule = (own, more, keyword) => {
  const list = keyword === "const" ? [more] : more;
  if (!Array.isArray(list)) return undefined;
  if (Object.hasOwn(own, "const")) {
    const only = JSON.stringify(own["const"]);
    return list.some((value) => JSON.stringify(value) === only) ? "same" : undefined;
  }
  const { type } = own;
  // Some providers only accept lists whose values are all strings, or all of one type.
  const texts = list.filter((value) => typeof value === "string");
  const isListed = texts.length > 0 && new Set(texts).size === texts.length;
  if (type === "string") return isListed ? { name: "enum", value: texts } : undefined;
  return type === undefined && isListed && texts.length === list.length
    ? { name: "enum", value: texts }
    : undefined;
};

/**
 * Merges the value of a keyword of `narrow` with that of the tool's schema. The merged value means the same as both
 * together, and uses only keywords that every provider accepts.
 */
export const KEYWORD_RULES: ReadonlyMap<string, MergeRule> = new Map<string, MergeRule>([
  ["type", types],
  ["enum", values],
  ["const", values],
  ["minimum", bound(Math.max)],
  ["exclusiveMinimum", bound(Math.max)],
  ["maximum", bound(Math.min)],
  ["exclusiveMaximum", bound(Math.min)],
  ["minLength", bound(Math.max)],
  ["maxLength", bound(Math.min)],
  ["minItems", bound(Math.max)],
  ["maxItems", bound(Math.min)],
  ["minProperties", bound(Math.max)],
  ["maxProperties", bound(Math.min)],
  ["pattern", alone(isPlainPattern)],
  // The only format that every provider takes.
  ["format", alone((format) => format === "date-time")],
]);
