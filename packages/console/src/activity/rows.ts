import type { ActivityRecord, Call } from "@touchstone/gateway/api";
import { useCallback, useEffect, useReducer, useRef, useState } from "react";
import { useSignedIn } from "../access/reload.ts";
import { delay, type FeedState, followEvents } from "../api/feed.ts";
import { type GatewayApi, messageOf } from "../api/gateway.ts";
import { coalesce } from "../ui/coalesce.ts";
import { type ActivityView, type Filters, parametersOf, readFilters } from "./filter.ts";
import {
  EMPTY,
  type ListAction,
  type ListPage,
  type ListState,
  listReducer,
} from "./list-state.ts";

/** Rows per page of the API. */
const LIMIT = "200";
/** How many requests a search that finds nothing makes before it asks whether to go on. */
const MOST_REQUESTS = 5;
/** How many milliseconds new calls are collected before they are shown. */
const GATHER_MS = 300;

/** A row of the list: a call or a record. */
export type ActivityRow = Call | ActivityRecord;

export interface Rows {
  readonly list: ListState<ActivityRow>;
  /** Absent if the list is not followed. */
  readonly feed?: FeedState;
  /** Why following stopped. */
  readonly feedError?: string;
  /** Requests the list again. */
  reload(): void;
  /** Requests the next page, unless a request is already running. */
  more(): void;
  /** Shows the rows that were held back. */
  release(): void;
}

async function ask(
  api: GatewayApi,
  view: ActivityView,
  filters: Filters,
  cursor: string | undefined,
  signal: AbortSignal,
  times = MOST_REQUESTS,
): Promise<ListPage<ActivityRow>> {
  const parameters = { ...parametersOf(view, filters), limit: LIMIT, cursor };
  const { rows, total, next, searched } = await rowsOf(api, view, parameters, signal);
  // A search stops before a page is full. One that has found nothing continues for some time.
  if (rows.length === 0 && next !== null && times > 1) {
    return ask(api, view, filters, next, signal, times - 1);
  }
  return {
    rows,
    total,
    ...(next === null ? {} : { next }),
    ...(searched === null ? {} : { searched }),
  };
}

type Parameters = Readonly<Record<string, string | undefined>>;

/** Requests the rows of a view. */
async function rowsOf(
  api: GatewayApi,
  view: ActivityView,
  parameters: Parameters,
  signal: AbortSignal,
) {
  if (view === "calls") {
    const { calls, total, next_cursor, searched } = await api.get("listCalls", parameters, signal);
    return { rows: calls, total, next: next_cursor, searched };
  }
  const { activities, total, next_cursor } = await api.get("listActivity", parameters, signal);
  return { rows: activities, total, next: next_cursor, searched: null };
}

/**
 * Returns the parameters of the feed. For calls, the feed reports anything that may be a call; the list then gives
 * the details.
 */
function feedFilters(view: ActivityView, filters: Filters): Parameters {
  if (view === "records") return parametersOf(view, filters);
  const { server, tool } = filters;
  const named = parametersOf("records", { server, tool });
  return { query: named.query, type: "tool_call,policy_decision" };
}

/**
 * Returns the rows that match the filters, page by page, and new ones as they are written.
 * @param query the filters, as returned by `writeFilters`
 * @param isLive whether to follow new rows
 * @param holds whether the user is reading further down, so that new rows are held back
 */
export function useRows(
  api: GatewayApi,
  view: ActivityView,
  query: string,
  isLive: boolean,
  holds: () => boolean,
): Rows {
  const [list, dispatch] = useReducer<ListState<ActivityRow>, [ListAction<ActivityRow>]>(
    listReducer,
    EMPTY,
  );
  const [feed, setFeed] = useState<{ readonly state?: FeedState; readonly error?: string }>({});
  const [times, setTimes] = useState(0);
  const running = useRef<AbortController>(null);
  const isAsking = useRef(false);
  const { next } = list;

  const load = useCallback(
    async (cursor: string | undefined, signal: AbortSignal): Promise<void> => {
      isAsking.current = true;
      try {
        const part = await ask(api, view, readFilters(query), cursor, signal);
        if (!signal.aborted) dispatch({ do: cursor === undefined ? "begin" : "append", part });
      } catch (thrown) {
        if (!signal.aborted) dispatch({ do: "fail", error: messageOf(thrown) });
      } finally {
        if (!signal.aborted) isAsking.current = false;
      }
    },
    [api, view, query],
  );

  /** Requests the newest page, which has new calls and updates to earlier ones. */
  const renew = useCallback(
    async (signal: AbortSignal): Promise<void> => {
      try {
        const { rows } = await ask(api, view, readFilters(query), undefined, signal);
        if (!signal.aborted) dispatch({ do: "arrive", rows: rows.toReversed(), hold: holds() });
      } catch {
        // The next event triggers another request.
      }
    },
    [api, view, query, holds],
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
    const gather = coalesce(GATHER_MS, () => renew(stop.signal), stop.signal);
    const onData = (data: string): void => {
      if (stop.signal.aborted) return;
      if (view === "calls") {
        gather();
        return;
      }
      const arrive = (row: ActivityRecord): void => {
        if (!stop.signal.aborted) dispatch({ do: "arrive", rows: [row], hold: holds() });
      };
      // A record that this page cannot read is left out; the list reports the error when it is loaded again.
      api.read("getActivityRecord", data).then(arrive, () => {});
    };
    const following = followEvents(
      {
        open: (lastId, signal) =>
          api.events("followActivity", feedFilters(view, readFilters(query)), lastId, signal),
        onState: (state) => !stop.signal.aborted && setFeed({ state }),
        // Request the list only now that new records are reported, so that nothing is missed.
        onOpen: (resumed) => {
          if (resumed) return;
          dispatch({ do: "ask" });
          void load(undefined, stop.signal);
        },
        onData,
        pause: delay,
      },
      stop.signal,
    );
    following.catch((thrown: unknown) => {
      if (stop.signal.aborted) return;
      setFeed({ error: messageOf(thrown) });
      void load(undefined, stop.signal);
    });
    return () => stop.abort();
  }, [api, view, query, isLive, holds, load, renew, times]);

  const reload = (): void => setTimes((old) => old + 1);
  useSignedIn(reload);
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
