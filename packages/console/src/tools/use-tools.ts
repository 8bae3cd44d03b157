import { useCallback, useEffect, useState } from "react";
import { type Api, ApiError } from "../api/client.ts";
import type { ToolSummary } from "../api/tool-summary.ts";
import { useAskedAnew } from "../page/asked-anew.ts";

export interface ToolsState {
  /** Absent until they came. */
  readonly tools?: readonly ToolSummary[];
  /** Why they did not come. */
  readonly error?: string;
}

/** The tools of a server, and a function that asks for them again. */
export function useTools(
  api: Api,
  authorization: string | undefined,
): readonly [state: ToolsState, reload: () => void] {
  const [state, setState] = useState<ToolsState>({});
  const load = useCallback(
    async (signal?: AbortSignal): Promise<void> => {
      try {
        const tools = await api.list({
          authorization,
          ...(signal === undefined ? {} : { signal }),
        });
        setState({ tools });
      } catch (thrown) {
        if (signal?.aborted === true) return;
        const error = thrown instanceof ApiError ? thrown.message : "The list cannot be read.";
        setState({ error });
      }
    },
    [api, authorization],
  );
  // A token that is being typed asks for nothing: the list is asked for once, and when wanted again.
  const [first] = useState(() => load);
  useEffect(() => {
    const stop = new AbortController();
    void first(stop.signal);
    return () => stop.abort();
  }, [first]);
  const reload = (): void => void load();
  useAskedAnew(reload);
  return [state, reload];
}
