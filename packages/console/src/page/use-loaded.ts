import { keepPreviousData, QueryClient, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../api/client.ts";
import { messageOf } from "../api/gateway.ts";

/** What was requested. */
export interface Loaded<T> {
  /**
   * Absent until it has loaded. During a reload, and if one fails, the last value stays, unless the request is
   * refused.
   */
  readonly value?: T;
  /** Why loading failed. */
  readonly error?: string;
  /** Whether it does not exist: another try gets the same response. */
  readonly isMissing: boolean;
  /** Whether it is loading, except for periodic reloads. */
  readonly isLoading: boolean;
}

/** Returns whether an automatic retry would get the same refusal. */
function isRefusal(thrown: unknown): boolean {
  const { status = 0 } = thrown instanceof ApiError ? thrown : {};
  return status >= 400 && status < 500;
}

/** How long loaded data counts as fresh, in milliseconds, when another part of the page requests it. */
const FRESH_MS = 1_000;

/** Returns the cache of loaded data, kept as long as the page is open. */
export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // A gateway on this machine is reachable without a network. The page shows why a request failed and offers to
      // retry.
      queries: { retry: false, networkMode: "always", staleTime: FRESH_MS },
    },
  });
}

/** How often pages load again by themselves, in milliseconds. To do so, a page passes it to {@link useLoaded}. */
export const AUTO_REFRESH_MS = 10_000;

type Load<T> = (signal: AbortSignal) => Promise<T>;

const ids = new WeakMap<object, number>();
let lastId = 0;

/** Returns an id for a function: a different function loads different data. */
function idOf(load: object): number {
  const id = ids.get(load) ?? ++lastId;
  ids.set(load, id);
  return id;
}

/**
 * Loads something. Reloads it when `load` changes (keep it stable with `useCallback`) or when a token is entered.
 * @param everyMs interval of silent reloads, such as {@link AUTO_REFRESH_MS}: they pause in a hidden tab, and end if the request is
 * refused, as without a session (401), until somebody has signed in
 * @param key identifies the data, so that it is there at once when shown again; without a key, it is cached by `load`
 * @param keeps whether what was loaded last stays until something else is loaded, so that nothing moves, and what has the
 * focus stays
 * @returns the data, with a function that reloads it
 */
export function useLoaded<T>(
  load: Load<T>,
  everyMs?: number,
  key?: readonly unknown[],
  keeps = false,
): readonly [loaded: Loaded<T>, reload: () => void] {
  const [isAsked, setIsAsked] = useState(false);
  const query = useQuery<T>({
    queryKey: key ?? ["by", idOf(load)],
    queryFn: ({ signal }) => load(signal),
    gcTime: key === undefined ? 0 : 300_000,
    refetchInterval: ({ state: { error } }) =>
      everyMs === undefined || isRefusal(error) ? false : everyMs,
    refetchOnWindowFocus: everyMs !== undefined,
    ...(keeps ? { placeholderData: keepPreviousData } : {}),
  });
  const { data, error, isPending, isFetching, refetch } = query;
  const isRefused = isRefusal(error);
  const reload = (): void => {
    setIsAsked(true);
    void refetch().finally(() => setIsAsked(false));
  };
  return [
    {
      ...(data === undefined || isRefused ? {} : { value: data }),
      ...(error === null ? {} : { error: messageOf(error) }),
      isMissing: error instanceof ApiError && error.status === 404,
      isLoading: (isPending && isFetching) || isAsked,
    },
    reload,
  ];
}
