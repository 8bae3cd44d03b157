import type { Call } from "@touchstone/gateway/api";
import { REFUSED } from "../activity/call.ts";

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
/** Statuses after which a client tries again: it got an error. A call with a warning was forwarded. */
const FAILED: ReadonlySet<string | null> = new Set(["blocked", "error", ...REFUSED]);

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
