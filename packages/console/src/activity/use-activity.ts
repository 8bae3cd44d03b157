import { useCallback, useEffect, useReducer, useRef, useState } from "react";
import { type FeedState, follow, pause } from "../api/feed.ts";
import { type GatewayApi, messageOf, queryOf, unexpectedAnswer } from "../api/gateway.ts";
import { useAskedAnew } from "../page/asked-anew.ts";
import { type Filters, readFilters } from "./filter.ts";
import { EMPTY, type ListState, listReducer } from "./list-state.ts";
import { type ActivityPart, readPart, readRecord } from "./record.ts";

/** Records of one page of the API. */
const LIMIT = "200";

export interface Activity {
  readonly list: ListState;
  /** Absent where nothing is followed. */
  readonly feed?: FeedState;
  /** Why following ended. */
  readonly feedError?: string;
  /** Asks for the list again. */
  reload(): void;
  /** Asks for the next page, unless it is on its way. */
  more(): void;
  /** Shows what was held back. */
  release(): void;
}

async function ask(
  api: GatewayApi,
  filters: Filters,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ActivityPart> {
  const query = queryOf({ ...filters, limit: LIMIT, cursor });
  const part = readPart(await api.get(`activity${query}`, signal));
  if (part === undefined) throw unexpectedAnswer();
  return part;
}

/**
 * The records that meet the filters, page by page, and new ones as they are written.
 * @param query the filters, as `writeFilters` gives them
 * @param isLive whether new ones are followed
 * @param holds whether somebody reads further down, so that new ones are held back
 */
export function useActivity(
  api: GatewayApi,
  query: string,
  isLive: boolean,
  holds: () => boolean,
): Activity {
  const [list, dispatch] = useReducer(listReducer, EMPTY);
  const [feed, setFeed] = useState<{ readonly state?: FeedState; readonly error?: string }>({});
  const [times, setTimes] = useState(0);
  const running = useRef<AbortController>(null);
  const isAsking = useRef(false);
  const { next } = list;

  const load = useCallback(
    async (cursor: string | undefined, signal: AbortSignal): Promise<void> => {
      isAsking.current = true;
      try {
        const part = await ask(api, readFilters(query), cursor, signal);
        if (!signal.aborted) dispatch({ do: cursor === undefined ? "begin" : "append", part });
      } catch (thrown) {
        if (!signal.aborted) dispatch({ do: "fail", error: messageOf(thrown) });
      } finally {
        if (!signal.aborted) isAsking.current = false;
      }
    },
    [api, query],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: asking again is what `times` is for
  useEffect(() => {
    const stop = new AbortController();
    running.current = stop;
    dispatch({ do: "ask" });
    setFeed({});
    if (!isLive) {
      void load(undefined, stop.signal);
      return () => stop.abort();
    }
    const scope = queryOf(readFilters(query));
    const following = follow(
      {
        open: (lastId, signal) => api.events(`activity/events${scope}`, lastId, signal),
        onState: (state) => !stop.signal.aborted && setFeed({ state }),
        // Only from now on nothing is missed: the list is asked for once new records are told of.
        onOpen: (resumed) => {
          if (resumed) return;
          dispatch({ do: "ask" });
          void load(undefined, stop.signal);
        },
        onData: (data) => {
          const record = readRecord(parsed(data));
          if (record === undefined || stop.signal.aborted) return;
          dispatch({ do: "arrive", records: [record], hold: holds() });
        },
        pause,
      },
      stop.signal,
    );
    following.catch((thrown: unknown) => {
      if (stop.signal.aborted) return;
      setFeed({ error: messageOf(thrown) });
      void load(undefined, stop.signal);
    });
    return () => stop.abort();
  }, [api, query, isLive, holds, load, times]);

  const reload = (): void => setTimes((old) => old + 1);
  useAskedAnew(reload);
  return {
    list,
    ...(feed.state === undefined ? {} : { feed: feed.state }),
    ...(feed.error === undefined ? {} : { feedError: feed.error }),
    reload,
    more: () => {
      const { current } = running;
      if (next === undefined || isAsking.current || current === null) return;
      void load(next, current.signal);
    },
    release: () => dispatch({ do: "release" }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
