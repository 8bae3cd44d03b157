import type { ActivityRecord } from "@touchstone/gateway/api";
import { describe, expect, it } from "vitest";
import { recordWith } from "../testing/record.ts";
import { EMPTY, type ListState, listReducer, MAX_KEPT } from "./list-state.ts";

const record = (id: number): ActivityRecord => recordWith({ id: `${id}` });
const records = (...ids: readonly number[]) => ids.map(record);
const ids = (list: readonly ActivityRecord[]) => list.map(({ id }) => Number(id));
const begun = (next?: string): ListState<ActivityRecord> =>
  listReducer(EMPTY, {
    do: "begin",
    part: { rows: records(9, 8, 7), total: 5, ...(next === undefined ? {} : { next }) },
  });

describe("the list of records", () => {
  it("continues with the next page, and ends with the last", () => {
    const part = { rows: records(7, 6, 5), total: 5 };
    const state = listReducer(begun("cursor"), { do: "append", part });
    expect(ids(state.rows)).toEqual([9, 8, 7, 6, 5]);
    expect(state).not.toHaveProperty("next");
    expect(state.total).toBe(5);
  });

  it("adds new records in front, each once, newest first", () => {
    const state = listReducer(begun(), {
      do: "arrive",
      rows: records(9, 10, 11, 11),
      hold: false,
    });
    expect(ids(state.rows)).toEqual([11, 10, 9, 8, 7]);
    expect(state.total).toBe(7);
  });

  it("keeps records that arrive during a request", () => {
    const part = { rows: records(9, 8, 7), total: 3 };
    const early = listReducer(EMPTY, { do: "arrive", rows: records(9, 10), hold: false });
    const state = listReducer(early, { do: "begin", part });
    expect([ids(state.rows), state.total, state.phase]).toEqual([[10, 9, 8, 7], 4, "ready"]);
    const held = listReducer(EMPTY, { do: "arrive", rows: records(10), hold: true });
    expect(ids(listReducer(held, { do: "begin", part }).rows)).toEqual([10, 9, 8, 7]);
  });

  it("holds new records back while somebody reads, and shows them on request", () => {
    const once = listReducer(begun(), { do: "arrive", rows: records(10), hold: true });
    const held = listReducer(once, { do: "arrive", rows: records(10, 11), hold: true });
    expect([ids(held.rows), ids(held.held), held.total]).toEqual([[9, 8, 7], [11, 10], 7]);
    const shown = listReducer(held, { do: "release" });
    expect([ids(shown.rows), ids(shown.held)]).toEqual([[11, 10, 9, 8, 7], []]);
    const more = listReducer(held, { do: "arrive", rows: records(12), hold: false });
    expect(ids(more.rows)).toEqual([12, 11, 10, 9, 8, 7]);
  });

  it("drops its end when it is too long, and says so", () => {
    const many = records(...Array.from({ length: MAX_KEPT }, (_, i) => 100 + i));
    const state = listReducer(begun("cursor"), { do: "arrive", rows: many, hold: false });
    expect(state.rows).toHaveLength(MAX_KEPT);
    expect(state).toMatchObject({ isCut: true });
    expect(state).not.toHaveProperty("next");
    const part = { rows: many, total: 9000, next: "more" };
    const appended = listReducer(begun("cursor"), { do: "append", part });
    expect(appended).toMatchObject({ isCut: true });
    expect(appended).not.toHaveProperty("next");
  });

  it("keeps its rows if loading more fails, and drops them for a new filter", () => {
    const failed = listReducer(begun("cursor"), { do: "fail", error: "down" });
    expect(failed).toMatchObject({ phase: "failed", error: "down", next: "cursor" });
    expect(ids(failed.rows)).toEqual([9, 8, 7]);
    expect(listReducer(failed, { do: "ask" })).toEqual(EMPTY);
  });
});
