/**
 * What a repair may change:
 *
 * - `parse-json-strings`: a string that holds the JSON text of a wanted array or object
 * - `coerce-scalars`: `"5"`, `"true"` if a number or boolean is wanted; `5`, `true` if a string is
 * - `drop-nulls`: a property that is `null` and may be absent, but not null
 * - `fill-defaults`: a missing property whose schema has a `default`
 * - `rename-properties`: an undeclared property whose name is nearest to exactly one declared name that the object
 *   does not have
 * - `match-enum-case`: a text that is exactly one of the allowed values except for case and surrounding blanks
 */
export type RepairKind =
  | "parse-json-strings"
  | "coerce-scalars"
  | "drop-nulls"
  | "fill-defaults"
  | "rename-properties"
  | "match-enum-case";

/** Every {@link RepairKind}, in the order in which they are tried. */
export const REPAIR_KINDS: readonly RepairKind[] = [
  "parse-json-strings",
  "coerce-scalars",
  "drop-nulls",
  "fill-defaults",
  "rename-properties",
  "match-enum-case",
];

/** The kinds that change how a value is written, not what it says. The other kinds guess what was meant. */
export const SAFE_REPAIRS: readonly RepairKind[] = REPAIR_KINDS.slice(0, 3);

/** A name that requests repairs: a kind, `safe` for {@link SAFE_REPAIRS}, `all` for {@link REPAIR_KINDS}. */
export type RepairName = RepairKind | "safe" | "all";

/** Every {@link RepairName}. */
export const REPAIR_NAMES: readonly RepairName[] = [...REPAIR_KINDS, "safe", "all"];

/**
 * Parses a comma-separated list of {@link RepairName}s from an option or a query parameter.
 * @returns the kinds that they mean, or the first word that is not a repair name
 */
export function parseRepairs(
  list: string,
): { readonly kinds: readonly RepairKind[] } | { readonly unknown: string } {
  const words = list.split(",").map((word) => word.trim());
  const unknown = words.find((word) => !REPAIR_NAMES.some((name) => name === word));
  return unknown === undefined ? { kinds: repairsNamed(words) } : { unknown };
}

/** Returns the kinds of repair that these {@link REPAIR_NAMES} mean, in the order in which they are tried. */
export function repairsNamed(names: readonly string[]): readonly RepairKind[] {
  const wanted = new Set(names);
  const isSafe = (kind: RepairKind): boolean => SAFE_REPAIRS.includes(kind);
  return REPAIR_KINDS.filter(
    (kind) => wanted.has("all") || wanted.has(kind) || (wanted.has("safe") && isSafe(kind)),
  );
}

/** One operation of a JSON Patch (RFC 6902, section 4). */
export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move"; readonly from: string; readonly path: string };

/** What one repair does. */
export interface RepairFix {
  readonly kind: RepairKind;
  readonly operation: PatchOperation;
  /**
   * The inserted JSON text: for a value, with the digits of its source text; for a renamed property, its new name;
   * empty if a member is removed.
   */
  readonly json: string;
}
