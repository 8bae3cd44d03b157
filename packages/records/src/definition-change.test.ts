import { describe, expect, it, vi } from "vitest";
import { long } from "../../core/src/testing/sample.ts";
import { turnsDuring } from "../../util/src/testing/turns.ts";
import { changeMeaning } from "./change-meaning.ts";
import { ChangeMeaningThread } from "./change-meaning-thread.ts";
import { changeSince, definitionChange } from "./definition-change.ts";
import type { Side } from "./definition-version.ts";
import type { ActivityEntry } from "./record.ts";
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
  // On this thread, the comparison would leave only a few turns, one of which would take most of the time.
  expect(turns).toBeGreaterThan(100);
});

const pair = { tool: "t", direction: null, kind: "tool" as const };
/** Tools with patterns that are matched against every member of each value, and that take long to match. */
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

describe("two versions of a tool", () => {
  const texts = new Map<string, { kind: "schema" | "tool"; text: string }>();
  /** Stores a schema, or a whole definition, under its name. */
  const kept = (hash: string, value: object, kind: "schema" | "tool" = "schema"): string => {
    texts.set(hash, { kind, text: JSON.stringify(value) });
    return hash;
  };
  const [in1, in2, in3, out1, out2] = ["in1", "in2", "in3", "out1", "out2"].map((name) =>
    kept(name, { title: name }),
  );
  const whole = (hash: string, input: string) =>
    kept(hash, { name: "t", description: hash, inputSchema: { title: input } }, "tool");
  const of = { type: "schema_change", source: "gateway", server: "s", tool: "t" } as const;
  const input = { ...of, direction: "input" } as const;
  const output = { ...of, direction: "output" } as const;
  const pinned = { ...of, mode: "strict" } as const;

  const changed = async (
    entries: readonly ActivityEntry[],
    [from, side, to]: readonly [number, Side, number],
  ): Promise<DefinitionChange | undefined> => {
    const store = await openTemp();
    const records = [];
    for (const entry of entries) records.push(...(await store.append([entry])));
    const reader = {
      declaredTexts: async () => texts,
      list: (...filter: Parameters<typeof store.list>) => store.list(...filter),
    };
    const [record, earlier] = [records[to], records[from]];
    if (record === undefined || earlier === undefined) throw new Error("no record");
    const found = await changeSince(reader, record, earlier.id, side);
    await store.close();
    return found;
  };
  const lines = (change: DefinitionChange | undefined): readonly string[] | undefined =>
    change?.diff?.split("\n").filter((line) => /^[+-]/.test(line));

  const three = [
    { ...input, previous_schema_hash: in1, schema_hash: in2 },
    { ...output, previous_schema_hash: out1, schema_hash: out2 },
    { ...input, previous_schema_hash: in2, schema_hash: in3 },
  ];
  it.each([
    [
      [0, "before", 2],
      ["in1", "in3", "out1", "out2"],
    ],
    [
      [0, "after", 2],
      ["in2", "in3", "out1", "out2"],
    ],
    [
      [1, "after", 2],
      ["in2", "in3"],
    ],
    [
      [0, "before", 1],
      ["in1", "in2", "out1", "out2"],
    ],
    [[2, "after", 2], []],
  ] as const)("differ by the schemas of all changes between them: %j", async (asked, expected) => {
    const found = await changed(three, asked);
    const shown = (mark: string, at: number) =>
      expected.filter((_, index) => index % 2 === at).map((name) => `${mark}"title":"${name}"`);
    expect(lines(found)?.map((line) => line.replaceAll(" ", ""))).toEqual(
      expected.length === 2 || expected.length === 0
        ? [...shown("-", 0), ...shown("+", 1)]
        : expected.map((name, index) => `${index % 2 === 0 ? "-" : "+"}"title":"${name}"`),
    );
    expect(found).toMatchObject({ server: "s", tool: "t", kind: "tool" });
  });

  it("are whole definitions if both are known so, and otherwise their schemas", async () => {
    const entries = [
      { ...pinned, schema_hash: whole("w1", "in1") },
      { ...pinned, previous_schema_hash: "w1", schema_hash: whole("w2", "in2") },
      { ...input, previous_schema_hash: in2, schema_hash: in3 },
    ];
    expect(lines(await changed(entries, [0, "after", 1]))).toEqual(
      expect.arrayContaining(['-  "description": "w1",', '+  "description": "w2",']),
    );
    expect((await changed(entries, [0, "before", 1]))?.diff).not.toMatch(/^-/m);
    const mixed = await changed(entries, [0, "after", 2]);
    expect(lines(mixed)).toEqual(['-    "title": "in1"', '+    "title": "in3"']);
  });

  it("are unknown if a text is not kept, or the other is not of the same tool", async () => {
    const gone = [
      { ...input, previous_schema_hash: in1, schema_hash: in2 },
      { ...input, previous_schema_hash: in2, schema_hash: "forgotten" },
    ];
    expect(await changed(gone, [0, "before", 1])).toMatchObject({ diff: null, changes: null });
    const other = [{ ...input, tool: "u", schema_hash: in1 }, ...gone];
    expect(await changed(other, [0, "before", 1])).toBeUndefined();
    // Only an earlier change can be compared with.
    expect(await changed(gone, [1, "before", 0])).toBeUndefined();
  });

  it("show a tool that was gone in between as new or gone", async () => {
    const entries = [
      { ...of, previous_schema_hash: in1, reason: "tool removed" },
      { ...of, schema_hash: in2, reason: "tool added" },
      { ...input, previous_schema_hash: in2, schema_hash: in3 },
    ];
    const added = await changed(entries, [0, "after", 2]);
    expect(lines(added)?.every((line) => line.startsWith("+"))).toBe(true);
    expect(lines(await changed(entries, [0, "before", 2]))).toEqual([
      '-    "title": "in1"',
      '+    "title": "in3"',
    ]);
  });
});
