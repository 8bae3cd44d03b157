import { ActivityError } from "../errors.ts";
import { type Dialect, partsOf } from "./tables.ts";

/** The version of this build's tables: raise it with every change in `tables.ts`. */
export const LAYOUT_VERSION = 21;

/**
 * The oldest layout whose builds may read this build's data, and the oldest whose builds may write to the same
 * database.
 */
const OLDEST = { reader: 7, writer: 7 } as const;

/**
 * Builds before layout 10 identify a database by one number: SQLite's `user_version`, and `version.version` in
 * PostgreSQL. They refuse a number greater than their own. This build writes `made`, the number of layout 7, so that
 * they accept it.
 */
const BEFORE = {
  sqlite: { made: 7, newest: 9 },
  postgres: { made: 5, newest: 8 },
} as const;

/** The layout that a database states. */
export interface StatedLayout {
  /** The number for builds before layout 10; 0 in a database without tables. */
  readonly version: number;
  /**
   * The layout of its tables, and the oldest layout whose builds may read and write it. Absent before layout 10.
   */
  readonly layout?: number | null | undefined;
  readonly reader?: number | null | undefined;
  readonly writer?: number | null | undefined;
}

/**
 * Returns whether tables or columns of this build are missing.
 *
 * @param place of the database, for messages
 * @param next what to do if a newer build is needed
 * @throws ActivityError `DATABASE_NEWER` if builds of this layout may no longer use it; `DATABASE_UNREADABLE` if the
 *   tables are older than any release
 */
export function needsMigration(
  { version, layout, reader, writer }: StatedLayout,
  of: {
    readonly dialect: Dialect;
    readonly access: "read" | "write";
    readonly place: string;
    readonly next: string;
  },
): boolean {
  const { dialect, access, place, next } = of;
  const { made, newest } = BEFORE[dialect];
  if (typeof layout === "number") {
    const oldest = (access === "read" ? reader : writer) ?? layout;
    if (oldest > LAYOUT_VERSION) throw newer(place, layout, next);
    return layout < LAYOUT_VERSION;
  }
  if (version < 0 || version > newest) throw newer(place, version, next);
  if (version !== 0 && version < made) throw older(place, version);
  return true;
}

/** Returns the error for tables of an earlier release, in which parts may be missing that this build reads. */
export function olderLayoutError(place: string): ActivityError {
  return new ActivityError(
    "DATABASE_UNREADABLE",
    `The tables of ${place} are of an earlier release. touchstone serve, or touchstone activity list, updates them.`,
  );
}

/** Returns the statements that create the missing parts of a database and state its layout. */
export function migrationStatements(
  dialect: Dialect,
  found: ReadonlySet<string>,
  stated: StatedLayout,
): readonly string[] {
  const made = new Set<string>();
  const statements: string[] = [];
  for (const { kind, name, make } of partsOf(dialect)) {
    if (found.has(`${kind} ${name}`)) continue;
    if (kind === "table") made.add(name);
    // A new table includes its columns.
    if (kind === "column" && made.has(name.slice(0, name.indexOf(".")))) continue;
    statements.push(make);
  }
  const { made: number } = BEFORE[dialect];
  const version = stated.version === 0 ? number : stated.version;
  const reader = Math.max(stated.reader ?? 0, OLDEST.reader);
  const writer = Math.max(stated.writer ?? 0, OLDEST.writer);
  return [
    ...statements,
    "DELETE FROM version",
    `INSERT INTO version (version, layout, reader, writer) VALUES (${version}, ${LAYOUT_VERSION}, ${reader}, ${writer})`,
    ...(dialect === "sqlite" ? [`PRAGMA user_version = ${version}`] : []),
  ];
}

function newer(place: string, layout: number, next: string): ActivityError {
  return new ActivityError(
    "DATABASE_NEWER",
    `The activity database ${place} has schema version ${layout}, and this release knows versions up ` +
      `to ${LAYOUT_VERSION}: a newer release has written it. Update touchstone${next}.`,
  );
}

function older(place: string, version: number): ActivityError {
  return new ActivityError(
    "DATABASE_UNREADABLE",
    `The activity database ${place} has schema version ${version}, which no release wrote and this one ` +
      "cannot upgrade. Open it once with a build from that time, or start with a new one.",
  );
}
