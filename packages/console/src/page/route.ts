import { queryOf } from "../api/url.ts";

/** The names of the pages, in listing order. `pages.tsx` defines the pages. */
export const PAGES = [
  "problems",
  "activity",
  "sessions",
  "callers",
  "tools",
  "servers",
  "rollout",
  "repairs",
  "drift",
  "changes",
  "pins",
  "settings",
] as const;
export type PageName = (typeof PAGES)[number];

/** The pages that cover a range of time, which the navigation keeps when the user moves between them. */
export const TIMED_PAGES: ReadonlySet<PageName> = new Set([
  "problems",
  "activity",
  "sessions",
  "callers",
  "rollout",
  "repairs",
]);

/** What the address names after its `#`. */
export interface Route {
  /** Undefined if the page does not exist. */
  readonly page: PageName | undefined;
  /** The item open on the page: a tool's or server's name (a lone surrogate as U+FFFD), or a record's id. */
  readonly item?: string;
  /** The parameters after the `?`, unchanged. */
  readonly query: string;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The name of a page in older links. */
const OLDER: readonly (readonly [was: string, is: PageName])[] = [["overview", "problems"]];

/** Returns a path with the name that its page has now. */
function renamed(path: string): string {
  const found = OLDER.find(([was]) => path === `#/${was}` || path.startsWith(`#/${was}/`));
  return found === undefined ? path : `#/${found[1]}${path.slice(`#/${found[0]}`.length)}`;
}

const HOME: ReadonlySet<string> = new Set(["", "#", "#/"]);

/**
 * Reads the fragment of an address. Never throws.
 * @param home the page for an empty fragment
 */
export function readRoute(hash: string, home: PageName): Route {
  const mark = hash.indexOf("?");
  const path = renamed(mark < 0 ? hash : hash.slice(0, mark));
  const query = mark < 0 ? "" : hash.slice(mark + 1);
  const page = PAGES.find((name) => path === `#/${name}` || path.startsWith(`#/${name}/`));
  if (page === undefined) return { page: HOME.has(path) ? home : undefined, query };
  const item = decoded(path.slice(`#/${page}/`.length));
  return item === undefined || item === "" ? { page, query } : { page, item, query };
}

/**
 * Returns the fragment that {@link readRoute} reads back as these values.
 * @param parameters the text after the `?`, or what is written there
 */
export function hashOf(
  page: PageName,
  item = "",
  parameters: string | Parameters<typeof queryOf>[0] = "",
): string {
  const query = typeof parameters === "string" ? parameters : queryOf(parameters).slice(1);
  const path = item === "" ? `#/${page}` : `#/${page}/${encodeURIComponent(item.toWellFormed())}`;
  return query === "" ? path : `${path}?${query}`;
}

/**
 * Returns the fragment of a server's tool in the list of all servers' tools, where the server's name precedes the
 * tool's.
 */
export function serverToolHash(server: string, tool: string): string {
  return toolHash(`${server}:${tool}`);
}

/** Returns the fragment of a tool. */
export function toolHash(name: string): string {
  return `#/tools/${encodeURIComponent(name.toWellFormed())}`;
}
