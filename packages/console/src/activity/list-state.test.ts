import { describe, expect, it } from "vitest";
import { EMPTY, type ListState, listReducer, MAX_KEPT } from "./list-state.ts";
import { type ActivityRecord, readRecord } from "./record.ts";

function record(id: number): ActivityRecord {
  const made = readRecord({ id: `${id}`, time: "2026-11-22T00:00:00Z", type: "tool_call" });
  if (made === undefined) throw new Error("no record");
  return made;
}
const records = (...ids: readonly number[]) => ids.map(record);
const ids = (list: readonly ActivityRecord[]) => list.map(({ id }) => Number(id));
const begun = (next?: string): ListState =>
  listReducer(EMPTY, {
    do: "begin",
    part: { records: records(9, 8, 7), total: 5, ...(next === undefined ? {} : { next }) },
  });

describe("the list of records", () => {
  it("goes on with the next page, and ends with the last", () => {
    const part = { records: records(7, 6, 5), total: 5 };
    const state = listReducer(begun("cursor"), { do: "append", part });
    expect(ids(state.records)).toEqual([9, 8, 7, 6, 5]);
    expect(state).not.toHaveProperty("next");
    expect(state.total).toBe(5);
  });

  it("has new records in front, each once, the newest first", () => {
    const state = listReducer(begun(), {
      do: "arrive",
      records: records(9, 10, 11, 11),
      hold: false,
    });
    expect(ids(state.records)).toEqual([11, 10, 9, 8, 7]);
    expect(state.total).toBe(7);
  });

  it("keeps what was told of while it was asked for", () => {
    const part = { records: records(9, 8, 7), total: 3 };
    const early = listReducer(EMPTY, { do: "arrive", records: records(9, 10), hold: false });
    const state = listReducer(early, { do: "begin", part });
    expect([ids(state.records), state.total, state.phase]).toEqual([[10, 9, 8, 7], 4, "ready"]);
    const held = listReducer(EMPTY, { do: "arrive", records: records(10), hold: true });
    expect(ids(listReducer(held, { do: "begin", part }).records)).toEqual([10, 9, 8, 7]);
  });

  it("holds new records back while somebody reads, and shows them when asked", () => {
    const once = listReducer(begun(), { do: "arrive", records: records(10), hold: true });
    const held = listReducer(once, { do: "arrive", records: records(10, 11), hold: true });
    expect([ids(held.records), ids(held.held), held.total]).toEqual([[9, 8, 7], [11, 10], 7]);
    const shown = listReducer(held, { do: "release" });
    expect([ids(shown.records), ids(shown.held)]).toEqual([[11, 10, 9, 8, 7], []]);
    const more = listReducer(held, { do: "arrive", records: records(12), hold: false });
    expect(ids(more.records)).toEqual([12, 11, 10, 9, 8, 7]);
  });

  it("lets its end go where it has become too long, and says so", () => {
    const many = records(...Array.from({ length: MAX_KEPT }, (_, i) => 100 + i));
    const state = listReducer(begun("cursor"), { do: "arrive", records: many, hold: false });
    expect(state.records).toHaveLength(MAX_KEPT);
    expect(state).toMatchObject({ isCut: true });
    expect(state).not.toHaveProperty("next");
    const part = { records: many, total: 9000, next: "more" };
    const appended = listReducer(begun("cursor"), { do: "append", part });
    expect(appended).toMatchObject({ isCut: true });
    expect(appended).not.toHaveProperty("next");
  });

  it("keeps what it has when more cannot be had, and nothing when others are asked for", () => {
    const failed = listReducer(begun("cursor"), { do: "fail", error: "down" });
    expect(failed).toMatchObject({ phase: "failed", error: "down", next: "cursor" });
    expect(ids(failed.records)).toEqual([9, 8, 7]);
    expect(listReducer(failed, { do: "ask" })).toEqual(EMPTY);
  });
});
