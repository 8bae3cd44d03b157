import { messageOf } from "@touchstone/core/plain";
import { codeOf } from "@touchstone/util";
import { ActivityError } from "../errors.ts";

/** The name of the schema for our tables, separate from everything else in the database. */
export const SCHEMA = "touchstone";

/** A database's address, without user and password. */
export function placeOf(url: string): string {
  const { host, pathname } = databaseUrl(url);
  return `postgresql://${host}${pathname}`;
}

/**
 * Returns the URL of a PostgreSQL database.
 *
 * @throws ActivityError `BAD_STORE` if the text is not a URL of a PostgreSQL database. The error quotes no part of
 *   it: it may contain a password.
 */
export function databaseUrl(url: string): URL {
  let parsed: URL | undefined;
  try {
    parsed = new URL(url);
  } catch {
    // Reported below, together with URLs of other protocols.
  }
  if (parsed !== undefined && /^postgres(ql)?:$/.test(parsed.protocol)) return parsed;
  throw new ActivityError(
    "BAD_STORE",
    "The activity store is not a URL of a PostgreSQL database. Give it as " +
      "postgresql://USER:PASSWORD@HOST:5432/DATABASE, or leave it out to use the data directory.",
  );
}

/** PostgreSQL's code for missing rights. */
export const UNDEFINED_TABLE: string = "42P01";
export const INSUFFICIENT_PRIVILEGE: string = "42501";

/** The rights that a gateway needs on the tables. */
export const ALL_RIGHTS: string = "SELECT, INSERT, UPDATE, DELETE";

export type AttemptedAccess = "read" | "write" | "remove";

/** What was attempted: the words for its failure, and the rights that it needs on the tables. */
const TRIED: Readonly<
  Record<AttemptedAccess, { readonly failed: string; readonly rights: string }>
> = {
  read: { failed: "Activity could not be read from", rights: "SELECT" },
  write: { failed: "Activity could not be recorded in", rights: ALL_RIGHTS },
  remove: { failed: "Activity could not be removed from", rights: "SELECT, UPDATE, DELETE" },
};

/** Returns an error that explains a failure of the server or the connection to an operator. */
export function storeFault(error: unknown, place: string, doing: AttemptedAccess): ActivityError {
  if (error instanceof ActivityError) return error;
  const code = codeOf(error);
  const text = messageOf(error) || code;
  // 08: connection; 28: authorization; 57P: shutdown; 3D: no such database; 53: resources, but a full disk.
  if (/^(08|28|57P|3D|53(?!100))/.test(code) || !/^[0-9A-Z]{5}$/.test(code)) {
    return new ActivityError(
      "STORE_UNREACHABLE",
      `The activity store ${place} does not answer: ${text}. Check that the server runs, and the ` +
        "user, password and database in activity.store.",
      { cause: error },
    );
  }
  const { failed, rights } = TRIED[doing];
  const hint =
    code === INSUFFICIENT_PRIVILEGE
      ? ` The user that the store is opened as lacks a right. As the owner of the tables, run ${grantStatements(rights)}.`
      : "";
  return new ActivityError(
    doing === "read" ? "DATABASE_UNREADABLE" : "WRITE_FAILED",
    `${failed} ${place}: ${text}.${hint}`,
    { cause: error },
  );
}

/** Returns the statements that grant a user the rights on our tables. */
export function grantStatements(rights: string): string {
  return (
    `GRANT USAGE ON SCHEMA ${SCHEMA} TO USER and ` +
    `GRANT ${rights} ON ALL TABLES IN SCHEMA ${SCHEMA} TO USER`
  );
}
