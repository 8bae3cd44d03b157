import type { ActivityPart, ActivityRecord } from "./record.ts";

/** More than these are not kept: whoever looks for older ones has filters. */
export const MAX_KEPT = 5000;

/** The records on the page, and how far the list has come. */
export interface ListState {
  readonly phase: "loading" | "ready" | "failed";
  /** Newest first. */
  readonly records: readonly ActivityRecord[];
  /** Came while somebody was reading further down; newest first. */
  readonly held: readonly ActivityRecord[];
  readonly total: number;
  /** Gives the next page; absent where all are here. */
  readonly next?: string;
  readonly error?: string;
  /** Whether the end of the list was let go, so that new records have room. */
  readonly isCut: boolean;
}

export type ListAction =
  | { readonly do: "ask" }
  /** The first page, that was asked for since `ask`. */
  | { readonly do: "begin"; readonly part: ActivityPart }
  | { readonly do: "append"; readonly part: ActivityPart }
  | { readonly do: "arrive"; readonly records: readonly ActivityRecord[]; readonly hold: boolean }
  | { readonly do: "release" }
  | { readonly do: "fail"; readonly error: string };

export const EMPTY: ListState = {
  phase: "loading",
  records: [],
  held: [],
  total: 0,
  isCut: false,
};

/** Those of `records` that are not among `known`, each once. */
function unknownOf(
  records: readonly ActivityRecord[],
  ...known: readonly (readonly ActivityRecord[])[]
): readonly ActivityRecord[] {
  const ids = new Set(known.flatMap((list) => list.map(({ id }) => id)));
  return records.filter(({ id }) => {
    const isNew = !ids.has(id);
    ids.add(id);
    return isNew;
  });
}

/** Puts records in front, and lets the end go where the list has become too long. */
function inFront(state: ListState, front: readonly ActivityRecord[]): ListState {
  const records = [...front, ...state.records];
  if (records.length <= MAX_KEPT) return { ...state, records };
  const { next: _next, ...rest } = state;
  return { ...rest, records: records.slice(0, MAX_KEPT), isCut: true };
}

/** What becomes of the list: a record that comes twice, by a page and by the feed, stands in it once. */
export function listReducer(state: ListState, action: ListAction): ListState {
  switch (action.do) {
    case "ask":
      return EMPTY;
    case "begin": {
      const { records, total, next } = action.part;
      // The feed was open before the list was asked for: what it told of may not be in the list yet.
      const early = unknownOf([...state.held, ...state.records], records);
      return {
        ...EMPTY,
        phase: "ready",
        records: [...early, ...records],
        total: total + early.length,
        ...(next === undefined ? {} : { next }),
      };
    }
    case "append": {
      const { records, next } = action.part;
      const { next: _next, ...rest } = state;
      const all = [...state.records, ...unknownOf(records, state.records, state.held)];
      const isCut = all.length >= MAX_KEPT && next !== undefined;
      return { ...rest, records: all, isCut, ...(next === undefined || isCut ? {} : { next }) };
    }
    case "arrive": {
      const fresh = unknownOf(action.records, state.records, state.held).toReversed();
      if (fresh.length === 0) return state;
      const counted = { ...state, total: state.total + fresh.length };
      if (!action.hold) return inFront({ ...counted, held: [] }, [...fresh, ...state.held]);
      return { ...counted, held: [...fresh, ...state.held].slice(0, MAX_KEPT) };
    }
    case "release":
      return inFront({ ...state, held: [] }, state.held);
    case "fail":
      return { ...state, phase: "failed", error: action.error };
  }
}
