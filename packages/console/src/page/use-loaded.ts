import { useEffect, useState } from "react";
import { ApiError } from "../api/client.ts";
import { pause } from "../api/feed.ts";
import { messageOf } from "../api/gateway.ts";
import { useAskedAnew } from "./asked-anew.ts";
import { whileVisible } from "./while-visible.ts";

/** What was asked for. */
export interface Loaded<T> {
  /** Absent until it came; the last one while it is asked for again, also in vain, unless it is refused. */
  readonly value?: T;
  /** Why it did not come. */
  readonly error?: string;
  readonly isLoading: boolean;
}

interface State<T> extends Loaded<T> {
  /** By what the value was loaded. */
  readonly of?: unknown;
}

/** What is left of a state while it is asked for anew: another question has another answer. */
function keptOf<T>({ value, of }: State<T>, load: unknown): Partial<State<T>> {
  return of === load && value !== undefined ? { value, of } : {};
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
  const [state, setState] = useState<State<T>>({ isLoading: true });
  const [times, setTimes] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asking again is what `times` is for
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    setState((old) => ({ ...keptOf(old, load), isLoading: true }));
    const ask = async (): Promise<boolean> => {
      try {
        const value = await load(signal);
        if (!signal.aborted) setState({ value, isLoading: false, of: load });
        return true;
      } catch (thrown) {
        if (signal.aborted) return false;
        const isRefused = isRefusal(thrown);
        // What somebody has begun in what is shown outlives a gateway that is started anew.
        setState((old) => ({
          ...(isRefused ? {} : keptOf(old, load)),
          error: messageOf(thrown),
          isLoading: false,
        }));
        return !isRefused;
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
