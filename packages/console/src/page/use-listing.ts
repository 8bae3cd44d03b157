import { useCallback, useEffect, useRef, useState } from "react";
import { messageOf } from "../api/gateway.ts";
import { useLoaded } from "./use-loaded.ts";

/** A page of a listing, with the cursor of the next one. */
export interface Page<T> {
  readonly rows: readonly T[];
  readonly next: string | null;
}

/** A listing that grows as further pages load. */
export interface Listing<T, P extends Page<T> = Page<T>> {
  /** The first page; undefined until it has loaded. */
  readonly first: P | undefined;
  /** Undefined until the first page has loaded. */
  readonly rows: readonly T[] | undefined;
  /** Why the first page could not be loaded. */
  readonly error: string | undefined;
  /** Why the next page could not be loaded. */
  readonly moreError: string | undefined;
  readonly hasMore: boolean;
  /** Loads the first page again. Further pages load on request if the first page has changed. */
  reload(): void;
  /** Loads the next page, unless it is loading. */
  more(): void;
}

/** Loads a listing page by page. @param load keep it with `useCallback` */
export function useListing<T, P extends Page<T>>(
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<P & Page<T>>,
): Listing<T, P> {
  const ask = useCallback((signal: AbortSignal) => load(undefined, signal), [load]);
  const [{ value: first, error }, reload] = useLoaded(ask);
  const [further, setFurther] = useState<readonly Page<T>[]>([]);
  const [moreError, setMoreError] = useState<string>();
  const asking = useRef<AbortController>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another first page has other pages after it
  useEffect(() => {
    setFurther([]);
    setMoreError(undefined);
    return () => {
      asking.current?.abort();
      asking.current = null;
    };
  }, [first]);
  const next = first === undefined ? null : (further.at(-1) ?? first).next;
  const more = async (): Promise<void> => {
    if (next === null || asking.current !== null) return;
    const stop = new AbortController();
    asking.current = stop;
    setMoreError(undefined);
    try {
      const page = await load(next, stop.signal);
      if (!stop.signal.aborted) setFurther((known) => [...known, page]);
    } catch (thrown) {
      if (!stop.signal.aborted) setMoreError(messageOf(thrown));
    } finally {
      if (asking.current === stop) asking.current = null;
    }
  };
  return {
    first,
    rows: first && [first, ...further].flatMap(({ rows }) => rows),
    error,
    moreError,
    hasMore: next !== null,
    reload,
    more: () => void more(),
  };
}
