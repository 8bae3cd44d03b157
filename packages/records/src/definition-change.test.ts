import { expect, it, vi } from "vitest";
import { long } from "../../core/src/testing/sample.ts";
import { turnsDuring } from "../../util/src/testing/turns.ts";
import { changeMeaning } from "./change-meaning.ts";
import { ChangeMeaningThread } from "./change-meaning-thread.ts";
import { definitionChange } from "./definition-change.ts";
import type { DefinitionChange } from "./response-schemas.ts";
import { openTemp } from "./testing/fixtures.ts";

/** A tool whose arguments have many members, all of one schema. */
function toolOf(count: number, keyword: string, name: string, type: string): string {
  const entries = Array.from({ length: count }, (_, n) => [name.replace("N", `${n}`), { type }]);
  const members = Object.fromEntries(entries);
  return JSON.stringify({ name: "t", inputSchema: { type: "object", [keyword]: members } });
}

it("does not block the event loop while it compares large definitions", async () => {
  const [old, now] = ["string", "number"].map((type) => toolOf(100, "properties", "mN", type));
  const texts = new Map([
    ["old", { kind: "tool" as const, text: old ?? "" }],
    ["now", { kind: "tool" as const, text: now ?? "" }],
  ]);
  const store = await openTemp();
  const [change] = await store.append([
    {
      ...{ type: "schema_change", source: "gateway", server: "s", tool: "t" },
      ...{ schema_hash: "now", previous_schema_hash: "old" },
    },
  ]);
  await store.close();
  if (change === undefined) throw new Error("no record");
  let found: DefinitionChange | undefined;
  const turns = await turnsDuring(async () => {
    found = await definitionChange({ declaredTexts: async () => texts }, change);
  });
  expect(found).toMatchObject({ id: change.id, changes: [{ class: "breaking" }] });
  expect(found?.diff).toContain('+        "type": "number"\n');
  // On this thread there would be a few turns, one of which would take most of the time.
  expect(turns).toBeGreaterThan(100);
});

const pair = { tool: "t", direction: null, kind: "tool" as const };
/** Tools with patterns that are matched with every member of each value, and take long to match. */
const slow = (count: number) => {
  const [before, after] = ["string", "number"].map((type) =>
    toolOf(count, "patternProperties", "^(a+)+N$", type),
  );
  return { ...pair, before, after };
};

it("compares definitions that take long to check within a number of steps", () => {
  const clock = vi.spyOn(performance, "now").mockReturnValue(0);
  try {
    expect(changeMeaning(slow(200))).toMatchObject([{ path: "/inputSchema" }]);
  } finally {
    clock.mockRestore();
  }
});

it(
  "gives up on definitions that take too long, and continues with the next ones",
  long,
  async () => {
    const thread = new ChangeMeaningThread(250);
    const small = {
      ...pair,
      before: '{"name":"t","title":"a"}',
      after: '{"name":"t","title":"b"}',
    };
    const [first, second] = await Promise.all([
      thread.meaningOf(slow(12_000)),
      thread.meaningOf(small),
    ]);
    expect([first, second]).toEqual([null, [expect.objectContaining({ path: "/title" })]]);
  },
);
