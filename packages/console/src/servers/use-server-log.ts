import type { ShownServerLog } from "@touchstone/gateway/api";
import { useEffect, useState } from "react";
import { ApiError } from "../api/client.ts";
import { delay } from "../api/feed.ts";
import { type GatewayApi, messageOf } from "../api/gateway.ts";

/** Maximum number of lines to show; the gateway keeps as many. */
const MAX_LINES = 1_000;
/** How often to request further lines, in milliseconds. */
const EVERY_MS = 1_000;

/** A line with its number since the page was opened. */
export type NumberedLine = ShownServerLog["lines"][number] & { readonly at: number };

export interface ServerLogState {
  /** Absent until the first response. */
  readonly place?: ShownServerLog["place"];
  readonly lines: readonly NumberedLine[];
  /** How many lines were dropped between two responses, or before the first one. */
  readonly missed: number;
  /** Why the last request failed. */
  readonly error?: string;
}

const EMPTY: ServerLogState = { lines: [], missed: 0 };

/** Returns a log with the lines of a response. */
export function withLines(
  before: ServerLogState,
  { place, lines, missed }: ShownServerLog,
): ServerLogState {
  const first = (before.lines.at(-1)?.at ?? 0) + 1;
  const added = lines.map((line, index) => ({ ...line, at: first + index }));
  return {
    place,
    lines: added.length === 0 ? before.lines : [...before.lines, ...added].slice(-MAX_LINES),
    missed: before.missed + missed,
  };
}

/** Follows a server's log while the page is in view. @param isLive whether to request further lines */
export function useServerLog(api: GatewayApi, server: string, isLive: boolean): ServerLogState {
  const [state, setState] = useState<ServerLogState>(EMPTY);
  const [position] = useState<{ cursor?: string }>({});
  useEffect(() => {
    if (!isLive) return undefined;
    const stop = new AbortController();
    const { signal } = stop;
    const follow = async (): Promise<void> => {
      while (!signal.aborted) {
        try {
          if (!document.hidden) {
            const part = await api.get("getServerLog", { server, after: position.cursor }, signal);
            position.cursor = part.cursor;
            setState((before) => withLines(before, part));
          }
        } catch (thrown) {
          if (signal.aborted) return;
          setState((before) => ({ ...before, error: messageOf(thrown) }));
          // Another request would be refused, too.
          if (thrown instanceof ApiError && (thrown.status ?? 0) >= 400 && thrown.status !== 503) {
            return;
          }
        }
        await delay(EVERY_MS, signal);
      }
    };
    void follow();
    return () => stop.abort();
  }, [api, server, isLive, position]);
  return state;
}
