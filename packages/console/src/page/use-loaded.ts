import { useEffect, useState } from "react";
import { messageOf } from "../api/gateway.ts";

/** What was asked for. */
export interface Loaded<T> {
  /** Absent until it came; the last one while it is asked for again. */
  readonly value?: T;
  /** Why it did not come. */
  readonly error?: string;
  readonly isLoading: boolean;
}

/**
 * Asks for something, and again whenever `load` is another function: keep it the same with
 * `useCallback`.
 * @returns with it a function that asks again
 */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
): readonly [loaded: Loaded<T>, reload: () => void] {
  const [state, setState] = useState<Loaded<T> & { readonly of?: unknown }>({ isLoading: true });
  const [times, setTimes] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asking again is what `times` is for
  useEffect(() => {
    const stop = new AbortController();
    setState((old) => (old.of === load ? { ...old, isLoading: true } : { isLoading: true }));
    load(stop.signal).then(
      (value) => {
        if (!stop.signal.aborted) setState({ value, isLoading: false, of: load });
      },
      (thrown: unknown) => {
        if (!stop.signal.aborted) setState({ error: messageOf(thrown), isLoading: false });
      },
    );
    return () => stop.abort();
  }, [load, times]);
  return [state, () => setTimes((old) => old + 1)];
}
