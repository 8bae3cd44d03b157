import { expect, it } from "vitest";
import { turnsDuring } from "../testing/turns.ts";
import { ChangeMeaningThread } from "./change-meaning-thread.ts";
import { type DefinitionChange, definitionChange } from "./definition-change.ts";
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

it("gives up on definitions that take too long, and continues with the next ones", async () => {
  const thread = new ChangeMeaningThread(1_000);
  // Each value has hundreds of members, and each of those is matched with all patterns again and again.
  const [before, after] = ["string", "number"].map((type) =>
    toolOf(600, "patternProperties", "^(a+)+N$", type),
  );
  const pair = { tool: "t", direction: null, kind: "tool" as const };
  const small = { ...pair, before: '{"name":"t","title":"a"}', after: '{"name":"t","title":"b"}' };
  const [first, second] = await Promise.all([
    thread.meaningOf({ ...pair, before, after }),
    thread.meaningOf(small),
  ]);
  expect([first, second]).toEqual([null, [expect.objectContaining({ path: "/title" })]]);
});
