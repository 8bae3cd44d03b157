import { parseRepairs, REPAIR_NAMES } from "@touchstone/core";
import type { IncomingRequest } from "../call-types.ts";
import type { ReadBody } from "./body.ts";

/** A request as the API sees it, whichever server it came through. */
export interface ApiRequest {
  /** In upper case. */
  readonly method: string;
  /** Percent-encoded and without query, as the client wrote it; begins with a slash. */
  readonly path: string;
  /** The same before a framework cut from it what it is mounted under. */
  readonly clientPath: string;
  /** Without the question mark. */
  readonly query: string;
  readonly read: ReadBody;
  readonly incoming: IncomingRequest;
}

/** The value of a header; of several, the first. */
export function header({ incoming }: ApiRequest, name: string): string | undefined {
  const value = incoming.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Whether the client says that it takes server-sent events (RFC 9110, section 12.5.1). A range such as any type does not. */
export function takesEvents(request: ApiRequest): boolean {
  return (header(request, "accept") ?? "").split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return type === "text/event-stream" && !parameters.some((part) => /^q=0(?:\.0*)?$/.test(part));
  });
}

/** Whether the client asked for `?detail=full`. */
export function wantsDetail({ query }: ApiRequest): boolean {
  return new URLSearchParams(query).get("detail") === "full";
}

/**
 * The kinds of repair that the client asked for with `?repair=safe`, as a comma list; none by default.
 * @returns the kinds, or the first word that names none
 */
export function wantedRepairs({ query }: ApiRequest): ReturnType<typeof parseRepairs> {
  const lists = new URLSearchParams(query).getAll("repair");
  return lists.length === 0 ? { kinds: [] } : parseRepairs(lists.join(","));
}

/** Says of a word of `?repair=` that it names no repair. */
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
