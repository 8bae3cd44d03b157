/** The fields by which records are assigned to the same change. */
export interface ChangeRecord {
  /** RFC 3339. */
  readonly time: string;
  readonly server: string | null;
  readonly tool: string | null;
  readonly direction: string | null;
  /** Set if the record was made by `pin`, and is about the whole definition. */
  readonly mode: string | null;
  readonly schema_hash: string | null;
  readonly previous_schema_hash?: string | undefined;
}

/** Clients of several revisions get the same changed definition within this time. */
const WITHIN_MS = 600_000;

/** Returns whether two records cannot be of the same change, because they differ about the same part. */
function differ(a: ChangeRecord, b: ChangeRecord): boolean {
  const isSamePart = (a.mode === null) === (b.mode === null) && a.direction === b.direction;
  return (
    isSamePart &&
    (a.schema_hash !== b.schema_hash || a.previous_schema_hash !== b.previous_schema_hash)
  );
}

/**
 * Groups the records of schema changes by the change of a tool's definition that they belong to. The list of each MCP
 * revision causes separate records, and so does `pin`. Records of one tool within 10 minutes belong to one change,
 * unless two of them differ about the same schema.
 * @param records newest first
 * @returns groups, newest first, and the records of each newest first
 */
export function groupChanges<R extends ChangeRecord>(
  records: readonly R[],
): readonly (readonly R[])[] {
  const groups: R[][] = [];
  /** The latest group of each tool. */
  const open = new Map<string, R[]>();
  for (const record of records) {
    const { server, tool, time } = record;
    const key = JSON.stringify([server, tool]);
    const group = tool === null ? undefined : open.get(key);
    const newest = Date.parse(group?.[0]?.time ?? "");
    const isOne =
      newest - Date.parse(time) <= WITHIN_MS &&
      group?.some((each) => differ(each, record)) === false;
    if (isOne) {
      group.push(record);
      continue;
    }
    const begun = [record];
    groups.push(begun);
    open.set(key, begun);
  }
  return groups;
}
