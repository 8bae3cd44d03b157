import { useCallback, useEffect, useRef, useState } from "react";
import { type Api, ApiError } from "../api/client.ts";
import type { ToolSummary } from "../api/tool-summary.ts";
import { useAskedAnew } from "../page/asked-anew.ts";

export interface ToolsState {
  /** Absent until they came. */
  readonly tools?: readonly ToolSummary[];
  /** Why they did not come, or not again. */
  readonly error?: string;
}

/**
 * Returns the tools of a server, and a function that asks for them again. What was there stays until others come, and of
 * two responses the one counts that was asked for last.
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
  // A token that is being typed asks for nothing: the list is asked for once, and when wanted again.
  const [first] = useState(() => load);
  useEffect(() => {
    void first();
    return () => running.current?.abort();
  }, [first]);
  const reload = (): void => void load();
  useAskedAnew(reload);
  return [state, reload];
}
