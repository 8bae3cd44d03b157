/** The supported JSON Schema dialects. */
export type Dialect = "draft-04" | "draft-06" | "draft-07" | "2019-09" | "2020-12";

/**
 * The dialect of an operator's own constraints: 2020-12 with `within` and `hosts`. Only a compile option selects it,
 * so both keywords are unknown in every schema of a server.
 */
export const POLICY = "policy";
/** The dialects that a caller can select. */
export type OwnDialect = Dialect | typeof POLICY;

/** The dialects of JSON Schema that are checked, oldest first. */
export const DIALECTS: readonly Dialect[] = [
  "draft-04",
  "draft-06",
  "draft-07",
  "2019-09",
  "2020-12",
];

/** The dialect of a schema without `$schema` (MCP 2025-11-25 and later, "JSON Schema Usage"). */
export const DEFAULT_DIALECT: Dialect = "2020-12";

const BY_LOCATION: ReadonlyMap<string, Dialect> = new Map([
  ["json-schema.org/draft-04/schema", "draft-04"],
  ["json-schema.org/draft-06/schema", "draft-06"],
  ["json-schema.org/draft-07/schema", "draft-07"],
  ["json-schema.org/draft/2019-09/schema", "2019-09"],
  ["json-schema.org/draft/2020-12/schema", "2020-12"],
]);

/** Returns the identifier of the dialect's metaschema, as its authors write it, without a fragment. */
export function metaschemaUri(dialect: Dialect): string {
  for (const [location, known] of BY_LOCATION) {
    if (known === dialect)
      return `${location.includes("/draft/") ? "https" : "http"}://${location}`;
  }
  return "";
}

/**
 * Returns the dialect that a `$schema` names (JSON Schema 2020-12 Core, section 8.1.1). Accepts a trailing `#`, and
 * both `http` and `https`. Returns `undefined` for anything else and never guesses.
 */
export function dialectOf(uri: string): Dialect | undefined {
  const match = /^https?:\/\/([^#]*)#?$/.exec(uri);
  return match?.[1] === undefined ? undefined : BY_LOCATION.get(match[1]);
}
