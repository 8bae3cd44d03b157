import { useCallback, useEffect, useRef, useState } from "react";
import { useSignedIn } from "../access/reload.ts";
import { type Api, ApiError } from "../api/client.ts";
import type { ToolSummary } from "../api/tool-summary.ts";

export interface ToolsState {
  /** Absent until loaded. */
  readonly tools?: readonly ToolSummary[];
  /** Why loading or reloading failed. */
  readonly error?: string;
}

/**
 * Returns a server's tools, and a function that reloads them. The old list stays until the new one arrives; if
 * requests overlap, the latest one wins.
 */
export function useTools(api: Api): readonly [state: ToolsState, reload: () => void] {
  const [state, setState] = useState<ToolsState>({});
  const running = useRef<AbortController>(null);
  const load = useCallback(async (): Promise<void> => {
    running.current?.abort();
    const stop = new AbortController();
    running.current = stop;
    try {
      const tools = await api.list({ signal: stop.signal });
      if (!stop.signal.aborted) setState({ tools });
    } catch (thrown) {
      if (stop.signal.aborted) return;
      const error = thrown instanceof ApiError ? thrown.message : "The list cannot be read.";
      setState((before) => ({ ...before, error }));
    }
  }, [api]);
  useEffect(() => {
    void load();
    return () => running.current?.abort();
  }, [load]);
  const reload = (): void => void load();
  useSignedIn(reload);
  return [state, reload];
}
