import type { ActivityRecord } from "./record.ts";

/** A hash whose text contains a schema: the hash of the schema alone, or of the whole definition of its tool. */
export interface SchemaSource {
  readonly hash: string;
  readonly isWhole: boolean;
}

/** The known hashes of a definition at one time. Null: it did not exist; undefined: unknown. */
export interface DefinitionVersion {
  readonly whole?: string | null | undefined;
  readonly input?: SchemaSource | null | undefined;
  readonly output?: SchemaSource | null | undefined;
}

/** Whether a version is the one before a change, or the one after it. */
export type Side = "before" | "after";

/** Returns the version before or after a change, as far as one record of the change shows it. */
function versionIn(record: ActivityRecord, side: Side): DefinitionVersion {
  const { mode, direction, both_schemas, schema_hash, output_schema_hash } = record;
  const { previous_schema_hash, previous_output_schema_hash } = record;
  const hash = (side === "after" ? schema_hash : previous_schema_hash) ?? null;
  const schema = hash === null ? null : { hash, isWhole: false };
  if (mode !== null) {
    const of = hash === null ? null : { hash, isWhole: true };
    return { whole: hash, input: of, output: of };
  }
  if (both_schemas === true) {
    const other = (side === "after" ? output_schema_hash : previous_output_schema_hash) ?? null;
    return { input: schema, output: other === null ? null : { hash: other, isWhole: false } };
  }
  if (direction === "output") return { output: schema };
  if (direction === "input") return { input: schema };
  // The tool is new or was removed: for the version that exists, the record only has the input schema.
  return hash === null ? { whole: null, input: null, output: null } : { input: schema };
}

/**
 * Returns the version of a definition before or after one of its changes. A schema that this change is not about is
 * taken from the previous change, or else from the next one.
 * @param records all known changes of the tool, newest first
 */
export function versionAt(
  records: readonly ActivityRecord[],
  id: string,
  side: Side,
): DefinitionVersion {
  const at = records.findIndex((record) => record.id === id);
  const record = records[at];
  if (record === undefined) return {};
  const own = versionIn(record, side);
  const earlier = records.slice(at + 1).map((each) => versionIn(each, "after"));
  const later = records.slice(0, at).map((each) => versionIn(each, "before"));
  const all = [own, ...earlier, ...later.toReversed()];
  const known = (part: "input" | "output") =>
    all.map((each) => each[part]).find((source) => source !== undefined);
  return { whole: own.whole, input: known("input"), output: known("output") };
}

/** Returns the hashes of the texts that versions consist of. */
export function hashesOf(versions: readonly DefinitionVersion[]): readonly string[] {
  const hashes = versions.flatMap(({ whole, input, output }) => [whole, input?.hash, output?.hash]);
  return [...new Set(hashes.filter((hash) => typeof hash === "string"))];
}
