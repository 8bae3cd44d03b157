import { describe, expect, it, vi } from "vitest";
import { wideTable } from "../packages/cli/src/activity/list-table.ts";
import { showText } from "../packages/cli/src/activity/show-text.ts";
import { documentOf } from "../packages/gateway/src/server/alerts/document.ts";
import { hasOwnHash } from "../packages/records/src/chain.ts";
import { EXPORTS } from "../packages/records/src/export/export.ts";
import type { ActivityEntry, ActivityRecord } from "../packages/records/src/record.ts";
import { ACTIVITY_RECORD } from "../packages/records/src/response-schemas.ts";
import { filter } from "../packages/records/src/testing/fixtures.ts";
import { closing, usePlaces } from "../packages/records/src/testing/places.ts";
import { verifyActivity } from "../packages/records/src/verify/verify.ts";

// "Add a record field" in CONTRIBUTING.md: a field is one declaration. These fields are declared only in this test.

const ADDED = vi.hoisted(
  () =>
    ({
      flavour: { schema: { type: "string", enum: ["sweet", "sour"] }, list: "wide" },
      origin: { schema: { type: "string", description: "Where it is from." }, label: "came from" },
      note: { schema: { type: "string" }, from: "prose" },
      attempts: { schema: { type: "integer", minimum: 0 }, ecs: ["event.sequence"] },
      share: { schema: { type: "number" }, unit: "%", ocsf: ["metadata.share"] },
      is_cached: { schema: { type: "boolean" } },
      draft: { schema: { type: "string" }, from: "body" },
    }) as const,
);

vi.mock("../packages/records/src/fields.ts", async (original) => {
  const { FIELDS } = await original<typeof import("../packages/records/src/fields.ts")>();
  return { FIELDS: { ...FIELDS, ...ADDED } };
});

const SECRET = `ghp_${"a1".repeat(18)}`;
/** What an entry contains, and the record that it becomes. */
const VALUES: readonly (readonly [name: keyof typeof ADDED, given: unknown, kept: unknown])[] = [
  ["flavour", "sour", "sour"],
  ["origin", "x".repeat(300), `${"x".repeat(255)}…`],
  ["note", `it has ${SECRET}`, "it has [redacted]"],
  ["attempts", 3, 3],
  ["share", 0.1 + 0.2, 0.1 + 0.2],
  ["is_cached", false, false],
  ["draft", Buffer.from('{"a":1}'), '{"a":1}'],
];
const CALL: ActivityEntry = { type: "tool_call", source: "gateway", server: "s", tool: "t" };
const given = Object.fromEntries(VALUES.map(([name, value]) => [name, value]));
const kept = Object.fromEntries(VALUES.map(([name, , value]) => [name, value]));

const places = usePlaces();

async function written(open: (typeof places)[number][1], skip: (reason: string) => never) {
  const place = await open(skip);
  const store = closing(await place.store({ bodies: { maxBytes: 1000 } }));
  const [record] = await store.append([{ ...CALL, ...given }]);
  const [without] = await store.append([CALL]);
  if (record === undefined || without === undefined) throw new Error("nothing was written");
  return { place, store, record, without };
}

describe.each(places)("a newly declared field in %s", (_kind, open) => {
  it("is in the record and its hash only if it is set", async ({ skip }) => {
    const { place, store, record, without } = await written(open, skip);
    expect(record).toMatchObject({ ...kept, redactions: 1 });
    expect(Object.keys(without).filter((name) => Object.hasOwn(ADDED, name))).toEqual([]);
    expect([hasOwnHash(record), hasOwnHash(without)]).toEqual([true, true]);
    for (const [name] of VALUES) {
      const { [name as keyof ActivityRecord]: _, ...rest } = record;
      expect(hasOwnHash(rest as ActivityRecord)).toBe(false);
    }
    const reader = closing(await place.reader());
    expect(await reader.readChain(store.chain)).toEqual([record, without]);
    expect(await reader.get(record.id)).toEqual(record);
    const { activities } = await reader.list(filter());
    expect(activities).toEqual([without, record]);
    expect(await verifyActivity(reader)).toMatchObject({ ok: true, records: 2 });
    expect(await place.query("SELECT extra FROM activity ORDER BY seq")).toEqual([
      { extra: expect.stringContaining('"attempts":3') },
      { extra: null },
    ]);
  });

  it.for([
    ["another value", `'{"flavour":"sweet"}'`],
    ["no value", "NULL"],
    ["no JSON", "'x'"],
    ["a value of another type", `'{"attempts":"3"}'`],
    ["the value of a field with a column", `'{"tool":"t"}'`],
  ])("fails verification if it was changed: %s", async ([_what, extra], { skip }) => {
    const { place, store, record } = await written(open, skip);
    const reader = closing(await place.reader());
    await reader.readChain(store.chain);
    await place.query(`UPDATE activity SET extra = ${extra} WHERE id = '${record.id}'`);
    const { faults } = await verifyActivity(reader);
    expect(faults).toMatchObject([{ kind: "edited", position: 0 }]);
  });
});

describe("a newly declared field", () => {
  it("is exported, documented and shown", async ({ skip }) => {
    const sqlite = places[0]?.[1];
    if (sqlite === undefined) throw new Error("no place");
    const { record, without } = await written(sqlite, skip);
    const line = (format: keyof typeof EXPORTS) => EXPORTS[format].line(record);
    expect(JSON.parse(line("jsonl"))).toEqual(record);
    expect(JSON.parse(line("ecs"))).toMatchObject({
      event: { sequence: 3 },
      touchstone: { flavour: "sour", is_cached: false, draft: '{"a":1}' },
    });
    expect(JSON.parse(line("ocsf"))).toMatchObject({
      metadata: { share: 0.1 + 0.2 },
      unmapped: { attempts: 3, note: "it has [redacted]" },
    });
    // A body is never sent with an alert.
    const alert = JSON.parse(documentOf(record));
    expect(alert).toMatchObject({ flavour: "sour" });
    expect(alert).not.toHaveProperty("draft");
    const [names = "", cells = ""] = [EXPORTS.csv.header, line("csv")];
    expect(names.trimEnd().split(",").slice(-VALUES.length)).toEqual(Object.keys(ADDED));
    expect(cells).toContain(",it has [redacted],3,0.30000000000000004,false,");

    const { required, properties } = ACTIVITY_RECORD.schema as {
      readonly required: readonly string[];
      readonly properties: Readonly<Record<string, unknown>>;
    };
    for (const [name, { schema }] of Object.entries(ADDED)) {
      expect(properties[name]).toEqual(schema);
      expect(required).not.toContain(name);
    }

    const related = { decisions: [] };
    const show = (one: ActivityRecord) =>
      showText(one, related, { ids: new Map(), colour: false, isWide: false });
    expect(show(record)).toMatch(/^came from +x+…$/m);
    expect(show(record)).toMatch(/^is cached +false$/m);
    expect(show(record)).toMatch(/^share +0\.30000000000000004 %$/m);
    expect(show(without)).not.toContain("came from");
    const [titles, row] = wideTable([record], false).split("\n");
    expect(titles).toContain("FLAVOUR");
    expect(row).toContain("sour");
  });
});
