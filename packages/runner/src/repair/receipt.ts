/**
 * What may be mended:
 *
 * - `parse-json-strings`: a string that holds the JSON text of the array or object that is wanted
 * - `coerce-scalars`: `"5"`, `"true"` where a number or boolean is wanted; `5`, `true` where a string is
 * - `drop-nulls`: a property that is `null` and may be absent, but not null
 * - `fill-defaults`: a missing property whose schema has a `default`
 */
export type RepairKind = "parse-json-strings" | "coerce-scalars" | "drop-nulls" | "fill-defaults";

/** One operation of a JSON Patch (RFC 6902, section 4). */
export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/** What was done to the arguments of one call. */
export interface RepairReceipt {
  readonly tool: string;
  /** JSON Patch (RFC 6902) that makes what the handler gets of what came, in order. */
  readonly patch: readonly PatchOperation[];
  /** The kinds of repair that the patch made use of, in the order of their first use. */
  readonly repairs: readonly RepairKind[];
}
