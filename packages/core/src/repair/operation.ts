/**
 * What may be changed:
 *
 * - `parse-json-strings`: a string that holds the JSON text of the array or object that is wanted
 * - `coerce-scalars`: `"5"`, `"true"` if a number or boolean is wanted; `5`, `true` if a string is
 * - `drop-nulls`: a property that is `null` and may be absent, but not null
 * - `fill-defaults`: a missing property whose schema has a `default`
 * - `rename-properties`: an undeclared property whose name is nearest to exactly one declared name that the
 *   object does not have
 */
export type RepairKind =
  | "parse-json-strings"
  | "coerce-scalars"
  | "drop-nulls"
  | "fill-defaults"
  | "rename-properties";

/** Every {@link RepairKind}, in the order in which they are tried. */
export const REPAIR_KINDS: readonly RepairKind[] = [
  "parse-json-strings",
  "coerce-scalars",
  "drop-nulls",
  "fill-defaults",
  "rename-properties",
];

/** The kinds that change how a value is written, and not what it says. */
export const SAFE_REPAIRS: readonly RepairKind[] = REPAIR_KINDS.slice(0, 3);

/** One operation of a JSON Patch (RFC 6902, section 4). */
export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move"; readonly from: string; readonly path: string };

/** What one repair does, and the JSON text of its value, whose digits are those of the text that it was made of. */
export interface Fix {
  readonly kind: RepairKind;
  readonly operation: PatchOperation;
  readonly json?: string;
}
