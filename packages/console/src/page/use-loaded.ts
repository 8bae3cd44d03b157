import { useEffect, useState } from "react";
import { ApiError } from "../api/client.ts";
import { pause } from "../api/feed.ts";
import { messageOf } from "../api/gateway.ts";
import { useAskedAnew } from "./asked-anew.ts";
import { whileVisible } from "./while-visible.ts";

/** What was asked for. */
export interface Loaded<T> {
  /** Absent until it came; the last one while it is asked for again. */
  readonly value?: T;
  /** Why it did not come. */
  readonly error?: string;
  readonly isLoading: boolean;
}

/** Whether asking again by itself would bring the same refusal. */
function isRefusal(thrown: unknown): boolean {
  const { status = 0 } = thrown instanceof ApiError ? thrown : {};
  return status >= 400 && status < 500;
}

/**
 * Asks for something, and again whenever `load` is another function, which is to be kept the same with
 * `useCallback`, or a token was entered.
 * @param everyMs asks again so often, without a word, while the page can be seen and nothing is refused
 * @returns with it a function that asks again
 */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  everyMs?: number,
): readonly [loaded: Loaded<T>, reload: () => void] {
  const [state, setState] = useState<Loaded<T> & { readonly of?: unknown }>({ isLoading: true });
  const [times, setTimes] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asking again is what `times` is for
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    setState((old) => (old.of === load ? { ...old, isLoading: true } : { isLoading: true }));
    const ask = async (): Promise<boolean> => {
      try {
        const value = await load(signal);
        if (!signal.aborted) setState({ value, isLoading: false, of: load });
        return true;
      } catch (thrown) {
        if (!signal.aborted) setState({ error: messageOf(thrown), isLoading: false });
        return !isRefusal(thrown);
      }
    };
    void ask().then((goesOn) => {
      if (everyMs === undefined || !goesOn) return;
      return whileVisible(everyMs, pause, ask, signal);
    });
    return () => stop.abort();
  }, [load, everyMs, times]);
  const reload = (): void => setTimes((old) => old + 1);
  useAskedAnew(reload);
  return [state, reload];
}
