/** What a list has: a call, or a record. */
export interface Row {
  readonly id: string;
  /** RFC 3339. */
  readonly time: string;
}

/** A page of a listing, newest first. */
export interface Part<R extends Row> {
  readonly rows: readonly R[];
  /** How many there are in all; null if nobody has counted them. */
  readonly total: number | null;
  /** Gives the page after this one; absent on the last. */
  readonly next?: string;
}

/** More than these are not kept: whoever looks for older ones has filters. */
export const MAX_KEPT = 10_000;

/** The rows on the page, and how far the list has come. */
export interface ListState<R extends Row> {
  readonly phase: "loading" | "ready" | "failed";
  /** Newest first. */
  readonly rows: readonly R[];
  /** Came while somebody was reading further down; newest first. */
  readonly held: readonly R[];
  /** Null if nobody has counted them. */
  readonly total: number | null;
  /** Gives the next page; absent where all are here. */
  readonly next?: string;
  readonly error?: string;
  /** Whether the end of the list was let go, so that new records have room. */
  readonly isCut: boolean;
}

export type ListAction<R extends Row> =
  | { readonly do: "ask" }
  /** The first page, that was asked for since `ask`. */
  | { readonly do: "begin"; readonly part: Part<R> }
  | { readonly do: "append"; readonly part: Part<R> }
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

/** Those of `rows` that are not among `known`, each once. */
function unknownOf<R extends Row>(
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

/** The same rows, those that came again as they came last. */
function renewed<R extends Row>(rows: readonly R[], came: readonly R[]): readonly R[] {
  const latest = new Map(came.map((row) => [row.id, row]));
  if (!rows.some(({ id }) => latest.has(id))) return rows;
  return rows.map((row) => latest.get(row.id) ?? row);
}

/** Puts rows in front, and lets the end go where the list has become too long. */
function inFront<R extends Row>(state: ListState<R>, front: readonly R[]): ListState<R> {
  const rows = [...front, ...state.rows];
  if (rows.length <= MAX_KEPT) return { ...state, rows };
  const { next: _next, ...rest } = state;
  return { ...rest, rows: rows.slice(0, MAX_KEPT), isCut: true };
}

const plus = (total: number | null, more: number): number | null =>
  total === null ? null : total + more;

/**
 * What becomes of the list: a row that comes twice, by a page and by the feed, is in it once, as it came last.
 */
export function listReducer<R extends Row>(
  state: ListState<R>,
  action: ListAction<R>,
): ListState<R> {
  switch (action.do) {
    case "ask":
      return EMPTY;
    case "begin": {
      const { rows, total, next } = action.part;
      // The feed was open before the list was asked for: what it reported may not be in the list yet.
      const early = unknownOf([...state.held, ...state.rows], rows);
      return {
        ...EMPTY,
        phase: "ready",
        rows: [...early, ...rows],
        total: plus(total, early.length),
        ...(next === undefined ? {} : { next }),
      };
    }
    case "append": {
      const { rows, next } = action.part;
      const { next: _next, ...rest } = state;
      const all = [...state.rows, ...unknownOf(rows, state.rows, state.held)];
      const isCut = all.length >= MAX_KEPT && next !== undefined;
      return { ...rest, rows: all, isCut, ...(next === undefined || isCut ? {} : { next }) };
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
