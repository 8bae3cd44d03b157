import type { Call } from "@touchstone/gateway/api";

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
