import { expect, it } from "vitest";
import { LastToolList } from "./last-tool-list.ts";

const at = new Date("2026-01-01T00:00:00Z");
const page = (text: string) => Buffer.from(text);
const textsOf = ({ list }: LastToolList) => list?.pages.map((one) => Buffer.from(one).toString());

it("collects the pages of the list that started last, per reader", () => {
  const last = new LastToolList(() => at);
  const [one, other] = [{}, {}];
  expect(last.list).toBeUndefined();
  last.take(one, page("[1]"), true);
  last.take(other, page("[2]"), true);
  last.take(one, page("[3]"), false);
  last.take(other, page("[4]"), false);
  expect(textsOf(last)).toEqual(["[2]", "[4]"]);
  last.take(one, page("[5]"), true);
  expect([textsOf(last), last.list?.at, last.list?.isCut]).toEqual([["[5]"], at, false]);
});

it("keeps copies, and at most 4 MiB of a list", () => {
  const last = new LastToolList();
  const reader = {};
  const first = page("[1]");
  last.take(reader, first, true);
  first.fill(0);
  last.take(reader, Buffer.alloc(4_194_304), false);
  last.take(reader, page("[2]"), false);
  expect([textsOf(last), last.list?.isCut]).toEqual([["[1]"], true]);
  last.take(reader, Buffer.alloc(4_194_305), true);
  expect([textsOf(last), last.list?.isCut]).toEqual([[], true]);
});
