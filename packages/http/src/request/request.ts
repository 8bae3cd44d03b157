import { parseRepairs, REPAIR_NAMES } from "@touchstone/core/advanced";
import type { IncomingRequest } from "../call-types.ts";
import type { ReadBody } from "./body.ts";

/** A request as the API sees it, whichever server it came through. */
export interface ApiRequest {
  /** In upper case. */
  readonly method: string;
  /** Percent-encoded and without query, as the client wrote it; begins with a slash. */
  readonly path: string;
  /** The path before a framework removed the prefix under which the API is mounted. */
  readonly clientPath: string;
  /** The query, without the question mark. */
  readonly query: string;
  readonly read: ReadBody;
  readonly incoming: IncomingRequest;
}

/** Returns the value of a header; of several, the first. */
export function header({ incoming }: ApiRequest, name: string): string | undefined {
  const value = incoming.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * Whether the client accepts server-sent events by name (RFC 9110, section 12.5.1); a range such as any type does not
 * count.
 */
export function acceptsEvents(request: ApiRequest): boolean {
  return (header(request, "accept") ?? "").split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return type === "text/event-stream" && !parameters.some((part) => /^q=0(?:\.0*)?$/.test(part));
  });
}

/** Whether the client requested `?detail=full`. */
export function wantsDetail({ query }: ApiRequest): boolean {
  return new URLSearchParams(query).get("detail") === "full";
}

/**
 * Returns the kinds of repair in `?repair=safe`, a comma list; default: none.
 * @returns the kinds, or the first unknown word
 */
export function wantedRepairs({ query }: ApiRequest): ReturnType<typeof parseRepairs> {
  const lists = new URLSearchParams(query).getAll("repair");
  return lists.length === 0 ? { kinds: [] } : parseRepairs(lists.join(","));
}

/** Returns the text for a word of `?repair=` that is not the name of a repair. */
export function unknownRepair(word: string): string {
  const known = REPAIR_NAMES.join(", ");
  return `Invalid query: repair names ${JSON.stringify(word.slice(0, 64))}; send a comma list of ${known}`;
}

/** The path and the query of a request target (RFC 9112, section 3.2) or of a whole URL. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(target)?.[0] ?? "";
  const [rest = ""] = target.slice(origin.length).split("#", 1);
  const mark = rest.indexOf("?");
  const path = mark < 0 ? rest : rest.slice(0, mark);
  const query = mark < 0 ? "" : rest.slice(mark + 1);
  return { path: path.startsWith("/") ? path : `/${path}`, query };
}
