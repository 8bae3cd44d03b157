import { expect, it } from "vitest";
import type { ChainFault } from "./fault.ts";
import { FaultList } from "./fault-list.ts";

const gap = (chain: string, until: number): ChainFault => {
  return { chain, kind: "removed", position: 0, id: null, message: "gone", until };
};
const edit = (chain: string, position: number): ChainFault => {
  return { chain, kind: "edited", position, id: "x", message: "changed" };
};

it("does not report pruned records, in any number of chains", () => {
  const list = new FaultList();
  const pruned = new Map<string, number>();
  for (let n = 0; n < 3000; n += 1) {
    list.add(gap(`C${n}`, 5));
    pruned.set(`C${n}`, 5);
  }
  expect(list.standing(pruned)).toEqual({ listed: [], count: 0 });
  list.add(edit("C1", 7));
  // Counted, although the list is full.
  list.add(gap("C1", 9));
  expect(list.standing(pruned)).toEqual({ listed: [edit("C1", 7)], count: 2 });
});

it("lists the first thousand in order, and counts all", () => {
  const list = new FaultList();
  for (let n = 0; n < 1500; n += 1) list.add(n % 2 === 0 ? edit("A", n) : gap("A", n));
  const { listed, count } = list.standing(new Map([["A", 3]]));
  expect(count).toBe(1498);
  expect(listed).toHaveLength(1000);
  expect(listed.slice(0, 4)).toEqual([edit("A", 0), edit("A", 2), edit("A", 4), gap("A", 5)]);
});
