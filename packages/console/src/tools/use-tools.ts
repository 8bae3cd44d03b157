import { useCallback, useEffect, useRef, useState } from "react";
import { type Api, ApiError } from "../api/client.ts";
import type { ToolSummary } from "../api/tool-summary.ts";
import { useAskedAnew } from "../page/asked-anew.ts";

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
export function useTools(
  api: Api,
  authorization: string | undefined,
): readonly [state: ToolsState, reload: () => void] {
  const [state, setState] = useState<ToolsState>({});
  const running = useRef<AbortController>(null);
  const load = useCallback(async (): Promise<void> => {
    running.current?.abort();
    const stop = new AbortController();
    running.current = stop;
    try {
      const tools = await api.list({ authorization, signal: stop.signal });
      if (!stop.signal.aborted) setState({ tools });
    } catch (thrown) {
      if (stop.signal.aborted) return;
      const error = thrown instanceof ApiError ? thrown.message : "The list cannot be read.";
      setState((before) => ({ ...before, error }));
    }
  }, [api, authorization]);
  // Typing a token does not cause requests: the list loads once, and again on request.
  const [first] = useState(() => load);
  useEffect(() => {
    void first();
    return () => running.current?.abort();
  }, [first]);
  const reload = (): void => void load();
  useAskedAnew(reload);
  return [state, reload];
}
