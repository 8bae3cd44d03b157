import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildRecord } from "./build.ts";
import { CHAIN_START, sealRecord, type UnsealedRecord } from "./chain.ts";
import { createCommitQueue } from "./commit-queue.ts";
import { nextId } from "./ids.ts";
import type { ActivityRecord } from "./record.ts";
import { CALL } from "./testing/fixtures.ts";

const entry = (tool: string): UnsealedRecord =>
  buildRecord({ ...CALL, tool }, nextId(new Date()), new Date());
const sealed = (entries: readonly UnsealedRecord[]): readonly ActivityRecord[] =>
  entries.map((one) => sealRecord(CHAIN_START, one));
const tools = (records: readonly { readonly tool: string | null }[]) =>
  records.map(({ tool }) => tool);

/** A queue that notes its transactions; those with the given numbers fail. */
function noted(options: { readonly group?: boolean; readonly failing?: readonly number[] } = {}) {
  const { group = true, failing = [] } = options;
  const groups: (string | null)[][] = [];
  const queue = createCommitQueue({
    group,
    async write(entries) {
      groups.push(tools(entries));
      if (failing.includes(groups.length)) throw new Error(`transaction ${groups.length} failed`);
      return sealed(entries);
    },
  });
  return { queue, groups };
}

describe("createCommitQueue", () => {
  it("joins appends of one turn, and returns to each its own records", async () => {
    const { queue, groups } = noted();
    const added = [[entry("a"), entry("b")], [entry("c")]].map((entries) => queue.add(entries));
    expect((await Promise.all(added)).map(tools)).toEqual([["a", "b"], ["c"]]);
    expect(groups).toEqual([["a", "b", "c"]]);
  });

  it("joins appends that arrive during a transaction", async () => {
    const groups: (string | null)[][] = [];
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begun: () => void = () => {};
    const first = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const queue = createCommitQueue({
      group: true,
      async write(entries) {
        groups.push(tools(entries));
        begun();
        await held;
        return sealed(entries);
      },
    });
    const added = [queue.add([entry("a")])];
    await first;
    added.push(queue.add([entry("b")]), queue.add([entry("c")]));
    release();
    await Promise.all(added);
    expect(groups).toEqual([["a"], ["b", "c"]]);
  });

  it("fails every append of a transaction that fails, and no other", async () => {
    const { queue, groups } = noted({ failing: [1] });
    const results = await Promise.allSettled([queue.add([entry("a")]), queue.add([entry("b")])]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(tools(await queue.add([entry("c")]))).toEqual(["c"]);
    expect(groups).toEqual([["a", "b"], ["c"]]);
  });

  it("fails waiting appends if the store hung, and accepts later ones", async () => {
    let hang: (error: Error) => void = () => {};
    const groups: number[] = [];
    const queue = createCommitQueue({
      group: true,
      hungMs: 0,
      write(entries) {
        groups.push(entries.length);
        if (groups.length > 1) return Promise.resolve(sealed(entries));
        return new Promise((_, reject) => {
          hang = reject;
        });
      },
    });
    const first = queue.add([entry("a")]);
    await expect.poll(() => groups).toEqual([1]);
    // More appends than fit into one transaction.
    const behind = Array.from({ length: 600 }, () => queue.add([entry("b")]));
    hang(new Error("no answer"));
    const results = await Promise.allSettled([first, ...behind]);
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(["rejected"]));
    expect(tools(await queue.add([entry("c")]))).toEqual(["c"]);
    expect(groups).toEqual([1, 1]);
  });

  it("uses one transaction per append if configured", async () => {
    const { queue, groups } = noted({ group: false });
    await Promise.all([queue.add([entry("a"), entry("b")]), queue.add([entry("c")])]);
    expect(groups).toEqual([["a", "b"], ["c"]]);
  });

  it("keeps the order, never splits an append, and bounds a transaction", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 12 }),
        async (sizes) => {
          const { queue, groups } = noted();
          const template = entry("");
          let n = 0;
          const appends = sizes.map((size) =>
            Array.from({ length: size }, () => ({ ...template, tool: `t${n++}` })),
          );
          const results = await Promise.all(appends.map((entries) => queue.add(entries)));
          expect(results.map(tools)).toEqual(appends.map(tools));
          expect(groups.flat()).toEqual(appends.flat().map(({ tool }) => tool));
          expect(groups.every((group) => group.length <= 512)).toBe(true);
        },
      ),
      { numRuns: 20 },
    );
  });

  it("bounds the bytes in a transaction, but accepts a single larger append", async () => {
    const { queue, groups } = noted();
    const half = { ...entry("half"), result: "x".repeat(8_000_000) };
    const more = { ...entry("more"), arguments: "x".repeat(20_000_000) };
    await Promise.all([half, half, half, more, half].map((one) => queue.add([one])));
    expect(groups).toEqual([["half", "half"], ["half"], ["more"], ["half"]]);
  });

  it("is idle when nothing is waiting", async () => {
    const { queue, groups } = noted();
    await queue.idle();
    void queue.add([entry("a")]);
    await queue.idle();
    expect(groups).toEqual([["a"]]);
  });
});
