import { QueryClient, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../api/client.ts";
import { messageOf } from "../api/gateway.ts";

/** What was asked for. */
export interface Loaded<T> {
  /** Absent until it came; the last one while it is asked for again, also without success, unless it is refused. */
  readonly value?: T;
  /** Why it did not come. */
  readonly error?: string;
  /** Whether it is asked for, other than by itself from time to time. */
  readonly isLoading: boolean;
}

/** Returns whether asking again by itself would bring the same refusal. */
function isRefusal(thrown: unknown): boolean {
  const { status = 0 } = thrown instanceof ApiError ? thrown : {};
  return status >= 400 && status < 500;
}

/** How long what came is treated as current, in milliseconds, when another part of the page asks for it. */
const FRESH_MS = 1_000;

/** Returns what keeps what was asked for, for as long as the page is open. */
export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // A gateway on this machine is there without a network; the page says why something failed, and offers to retry.
      queries: { retry: false, networkMode: "always", staleTime: FRESH_MS },
    },
  });
}

type Load<T> = (signal: AbortSignal) => Promise<T>;

const ids = new WeakMap<object, number>();
let lastId = 0;

/** Returns a name for a function: what asks in another way has another response. */
function idOf(load: object): number {
  const id = ids.get(load) ?? ++lastId;
  ids.set(load, id);
  return id;
}

/**
 * Asks for something, and again whenever `load` is another function, which `useCallback` keeps the same, or when a
 * token was entered.
 * @param everyMs asks again so often, without a word, while the page can be seen and nothing is refused
 * @param key names what is asked for, so that it is there at once when it is shown again; else it is kept by `load`
 * @returns with it a function that asks again
 */
export function useLoaded<T>(
  load: Load<T>,
  everyMs?: number,
  key?: readonly unknown[],
): readonly [loaded: Loaded<T>, reload: () => void] {
  const [isAsked, setIsAsked] = useState(false);
  const query = useQuery({
    queryKey: key ?? ["by", idOf(load)],
    queryFn: ({ signal }) => load(signal),
    gcTime: key === undefined ? 0 : 300_000,
    refetchInterval: ({ state: { error } }) =>
      everyMs === undefined || isRefusal(error) ? false : everyMs,
    refetchOnWindowFocus: everyMs !== undefined,
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
      isLoading: (isPending && isFetching) || isAsked,
    },
    reload,
  ];
}
