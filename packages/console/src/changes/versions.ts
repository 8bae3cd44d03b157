/** The version to compare a definition with: the one before or after an earlier change. */
export interface ComparedWith {
  /** Of the record. */
  readonly id: string;
  readonly side: "before" | "after";
}

/** Returns the parameter that names a version in an address, and to the API. */
export function comparedQuery({ id, side }: ComparedWith): Readonly<Record<string, string>> {
  return { [side]: id };
}

/** Returns the version that an address names, if any. */
export function readCompared(query: string): ComparedWith | undefined {
  const given = new URLSearchParams(query);
  for (const side of ["after", "before"] as const) {
    const id = given.get(side) ?? "";
    if (id !== "") return { id, side };
  }
  return undefined;
}
