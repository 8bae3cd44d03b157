import type { Call, Session } from "@touchstone/gateway/api";
import { REFUSED_STATUSES } from "../activity/call.ts";
import { writeFilters } from "../activity/filter.ts";
import { hashOf } from "../page/route.ts";
import { durationText, spanText } from "../text/duration.ts";

/** Used in the address instead of an MCP session's id, before the filters of a timeline. */
export const TIMELINE = "timeline";

/** A call of a conversation, with details derived from earlier calls. */
export interface Turn {
  readonly call: Call;
  /** Milliseconds since the first call. */
  readonly since: number;
  /** Milliseconds since the previous call, if that was long ago. */
  readonly pause: number | null;
  /** Whether the client got an error for its previous call of the same tool. */
  readonly isRetry: boolean;
}

/** The shortest pause that is shown between two calls. */
const LONG_MS = 60_000;
/** Statuses after which a client tries again, because it received an error. A call with a warning was forwarded. */
const FAILED: ReadonlySet<string | null> = new Set(["blocked", "error", ...REFUSED_STATUSES]);

/** Returns the calls of a conversation as turns. @param calls oldest first */
export function sessionTurns(calls: readonly Call[]): readonly Turn[] {
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

/** Returns the filters for the calls of one caller with one client; if a name is missing, for the calls without it. */
export function agentFilters({
  caller,
  client,
}: Pick<Session, "caller" | "client">): Readonly<Record<string, string | undefined>> {
  const absent = caller === null ? "caller" : client === null ? "client" : undefined;
  return {
    caller: caller ?? undefined,
    client: client ?? undefined,
    without: caller === null && client === null ? "both" : absent,
  };
}

/** Returns the address of the timeline of a session. */
export function timelineHash(session: Session): string {
  // The gateway treats `until` as exclusive.
  const until = new Date(Date.parse(session.last) + 1).toISOString();
  const filters = { ...agentFilters(session), since: session.first, until };
  return hashOf("sessions", TIMELINE, writeFilters(filters));
}

/** Formats a length of time: exact below a minute, otherwise in its two largest units. */
export function lengthText(ms: number): string {
  return ms < 60_000 ? durationText(ms) : spanText(ms / 1000);
}
