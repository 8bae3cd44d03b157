import { ActivityError } from "../errors.ts";

/** Where a database is, without user and password. */
export function placeOf(url: string): string {
  const { host, pathname } = parseUrl(url);
  return `postgresql://${host}${pathname}`;
}

/**
 * @throws ActivityError `BAD_STORE` for a text that is no URL of a PostgreSQL database. It names no
 *   part of the text: it may hold a password.
 */
export function parseUrl(url: string): URL {
  let parsed: URL | undefined;
  try {
    parsed = new URL(url);
  } catch {
    // Told below, together with other protocols.
  }
  if (parsed !== undefined && /^postgres(ql)?:$/.test(parsed.protocol)) return parsed;
  throw new ActivityError(
    "BAD_STORE",
    "The activity store is no URL of a PostgreSQL database. Give it as " +
      "postgresql://USER:PASSWORD@HOST:5432/DATABASE, or leave it out to use the data directory.",
  );
}

/** What a failure of the server or of the way to it means to an operator. */
export function storeFault(error: unknown, place: string, doing: "read" | "write"): ActivityError {
  if (error instanceof ActivityError) return error;
  const code = codeOf(error);
  const text = error instanceof Error ? error.message || code : String(error);
  // Class 08: connection; 28: authorization; 57P: shutdown; 3D: no such database; 53: resources.
  if (/^(08|28|57P|3D|53)/.test(code) || !/^[0-9A-Z]{5}$/.test(code)) {
    return new ActivityError(
      "STORE_UNREACHABLE",
      `The activity store ${place} does not answer: ${text}. Check that the server runs, and the ` +
        "user, password and database in activity.store.",
      { cause: error },
    );
  }
  return doing === "write"
    ? new ActivityError("WRITE_FAILED", `Activity could not be recorded in ${place}: ${text}.`, {
        cause: error,
      })
    : new ActivityError("DATABASE_UNREADABLE", `The activity store ${place}: ${text}.`, {
        cause: error,
      });
}

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}
