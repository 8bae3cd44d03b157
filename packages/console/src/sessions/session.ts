import { type Call, readCall } from "../activity/call.ts";
import { numberOf, readList, textOf, textsOf } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";
import type { Page } from "../page/use-listing.ts";

/** A conversation, as `GET /api/v1/sessions` returns it. */
export interface Session {
  /** The value of the `session` filter for its calls. */
  readonly session: string;
  readonly client: string | null;
  readonly servers: readonly string[];
  readonly first: string;
  readonly last: string;
  readonly calls: number;
  readonly blocked: number;
  readonly warning: number;
  readonly error: number;
}

function readSession(item: unknown): Session | undefined {
  const [session, first, last] = ["session", "first", "last"].map((name) => textOf(item, name));
  if (!isObject(item) || session == null || first == null || last == null) return undefined;
  const count = (name: string): number => numberOf(item, name) ?? 0;
  return {
    session,
    client: textOf(item, "client"),
    servers: textsOf(item["servers"]) ?? [],
    first,
    last,
    calls: count("calls"),
    blocked: count("blocked"),
    warning: count("warning"),
    error: count("error"),
  };
}

function readPage<T>(
  answer: unknown,
  member: string,
  read: (item: unknown) => T | undefined,
): Page<T> | undefined {
  const rows = isObject(answer) ? readList(answer[member], read) : undefined;
  return rows === undefined ? undefined : { rows, next: textOf(answer, "next_cursor") };
}

/** Reads the response of `GET /api/v1/sessions`; undefined if it is not one. */
export const readSessions = (answer: unknown): Page<Session> | undefined =>
  readPage(answer, "sessions", readSession);

/** Reads the response of `GET /api/v1/calls`; undefined if it is not one. */
export const readCalls = (answer: unknown): Page<Call> | undefined =>
  readPage(answer, "calls", readCall);

/** A call of a conversation, with details derived from earlier calls. */
export interface Turn {
  readonly call: Call;
  /** Milliseconds since the first call. */
  readonly since: number;
  /** Milliseconds since the previous call, if that was long ago. */
  readonly pause: number | null;
  /** Whether the previous call of the same tool did not succeed. */
  readonly isRetry: boolean;
}

/** The shortest pause that is shown between two calls. */
const LONG_MS = 60_000;
const FAILED: ReadonlySet<string | null> = new Set(["blocked", "rejected", "error", "warning"]);

/** Returns the calls of a conversation as turns. @param calls oldest first */
export function turnsOf(calls: readonly Call[]): readonly Turn[] {
  const start = Date.parse(calls[0]?.time ?? "");
  const last = new Map<string, string | null>();
  return calls.map((call, index): Turn => {
    const key = JSON.stringify([call.server, call.tool]);
    const isRetry = last.has(key) && FAILED.has(last.get(key) ?? null);
    last.set(key, call.status);
    const at = Date.parse(call.time);
    const pause = index === 0 ? 0 : at - Date.parse(calls[index - 1]?.time ?? "");
    return { call, since: at - start, pause: pause >= LONG_MS ? pause : null, isRetry };
  });
}

/** Returns a short name of a session: the first digits of its hash, or its process. */
export function sessionName(session: string): string {
  const name = session.replace(/^(?:sha256|process):/, "");
  return name.length > 12 ? name.slice(0, 12) : name;
}
