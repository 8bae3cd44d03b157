/** A row of the list: a call or a record. */
export interface ActivityListRow {
  readonly id: string;
  /** RFC 3339. */
  readonly time: string;
}

/** A page of a listing, newest first. */
export interface ListPage<R extends ActivityListRow> {
  readonly rows: readonly R[];
  /** The total number; null if it was not counted. */
  readonly total: number | null;
  /** Cursor for the next page; absent on the last page. */
  readonly next?: string;
  /** How much was searched, if the search stopped before the page was full. */
  readonly searched?: Searched;
}

/** How many of the calls of a time range were searched, the newest first. */
export interface Searched {
  readonly calls: number;
  readonly of: number;
  /** Whether a search index was used. */
  readonly indexed: boolean;
}

/** Rows kept at most; use filters to find older ones. */
export const MAX_KEPT = 10_000;

/** The rows on the page, and the state of loading. */
export interface ListState<R extends ActivityListRow> {
  readonly phase: "loading" | "ready" | "failed";
  /** Newest first. */
  readonly rows: readonly R[];
  /** Rows that arrived while the user was reading further down; newest first. */
  readonly held: readonly R[];
  /** Null if not counted. */
  readonly total: number | null;
  /** Cursor for the next page; absent if everything is loaded. */
  readonly next?: string;
  /** As in a page; absent if everything before `next` was searched and is listed. */
  readonly searched?: Searched;
  readonly error?: string;
  /** Whether the oldest rows were dropped to make room for new ones. */
  readonly isCut: boolean;
}

export type ListAction<R extends ActivityListRow> =
  | { readonly do: "ask" }
  /** The first page, requested since `ask`. */
  | { readonly do: "begin"; readonly part: ListPage<R> }
  | { readonly do: "append"; readonly part: ListPage<R> }
  | { readonly do: "arrive"; readonly rows: readonly R[]; readonly hold: boolean }
  | { readonly do: "release" }
  | { readonly do: "fail"; readonly error: string };

export const EMPTY: ListState<never> = {
  phase: "loading",
  rows: [],
  held: [],
  total: 0,
  isCut: false,
};

/** Returns the `rows` that are not in `known`, without duplicates. */
function unknownOf<R extends ActivityListRow>(
  rows: readonly R[],
  ...known: readonly (readonly R[])[]
): readonly R[] {
  const ids = new Set(known.flatMap((list) => list.map(({ id }) => id)));
  return rows.filter(({ id }) => {
    const isNew = !ids.has(id);
    ids.add(id);
    return isNew;
  });
}

/** Returns the same rows, replacing those that arrived again with their latest version. */
function renewed<R extends ActivityListRow>(rows: readonly R[], came: readonly R[]): readonly R[] {
  const latest = new Map(came.map((row) => [row.id, row]));
  if (!rows.some(({ id }) => latest.has(id))) return rows;
  return rows.map((row) => latest.get(row.id) ?? row);
}

/** Adds rows at the front, and drops rows at the end if the list is too long. */
function inFront<R extends ActivityListRow>(
  state: ListState<R>,
  front: readonly R[],
): ListState<R> {
  const rows = [...front, ...state.rows];
  if (rows.length <= MAX_KEPT) return { ...state, rows };
  const { next: _next, ...rest } = state;
  return { ...rest, rows: rows.slice(0, MAX_KEPT), isCut: true };
}

const plus = (total: number | null, more: number): number | null =>
  total === null ? null : total + more;

/**
 * Returns the next state of the list. A row that arrives twice, from a page and from the feed, appears once, in its
 * latest version.
 */
export function listReducer<R extends ActivityListRow>(
  state: ListState<R>,
  action: ListAction<R>,
): ListState<R> {
  switch (action.do) {
    case "ask":
      return EMPTY;
    case "begin": {
      const { rows, total, next, searched } = action.part;
      // The feed opened before the list was requested, so the list may not contain everything the feed reported.
      const early = unknownOf([...state.held, ...state.rows], rows);
      return {
        ...EMPTY,
        phase: "ready",
        rows: [...early, ...rows],
        total: plus(total, early.length),
        ...(next === undefined ? {} : { next }),
        ...(searched === undefined ? {} : { searched }),
      };
    }
    case "append": {
      const { rows, next, searched } = action.part;
      const { next: _next, searched: _searched, ...rest } = state;
      const all = [...state.rows, ...unknownOf(rows, state.rows, state.held)];
      const isCut = all.length >= MAX_KEPT && next !== undefined;
      if (next === undefined || isCut) return { ...rest, rows: all, isCut };
      return { ...rest, rows: all, isCut, next, ...(searched === undefined ? {} : { searched }) };
    }
    case "arrive": {
      const came = action.rows.toReversed();
      const fresh = unknownOf(came, state.rows, state.held);
      const rows = renewed(state.rows, came);
      const held = renewed(state.held, came);
      if (fresh.length === 0 && rows === state.rows && held === state.held) return state;
      const counted = { ...state, rows, held, total: plus(state.total, fresh.length) };
      if (!action.hold) return inFront({ ...counted, held: [] }, [...fresh, ...held]);
      return { ...counted, held: [...fresh, ...held].slice(0, MAX_KEPT) };
    }
    case "release":
      return inFront({ ...state, held: [] }, state.held);
    case "fail":
      return { ...state, phase: "failed", error: action.error };
  }
}
