import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { CALL } from "../testing/fixtures.ts";
import { closing, usePlaces } from "../testing/places.ts";
import { plainQuery } from "./database.ts";
import type { KeptPart } from "./kept-part.ts";
import type { TableSet } from "./table.ts";

// Tests "Add or change a table" in CONTRIBUTING.md: a table and the store's operations on it are one declaration.
// This table is declared only here.

const FAVORITES_TABLES = {
  favorites: {
    columns: { caller: "text", tool: "text", since: "text" },
    key: ["caller", "tool"],
    indexes: [{ name: "favorites_since", columns: ["since"] }],
    verified: {
      by: "the names of tools",
      except: { columns: ["since"], why: "times of housekeeping" },
      mayLackRows: true,
    },
    isPersonal: true,
  },
} as const satisfies TableSet;

const favorites: KeptPart = {
  async check(_, run) {
    const rows = await run<{ tool: string }>(plainQuery("SELECT tool FROM favorites"));
    return { faults: rows.flatMap(({ tool }) => (tool === "" ? "a favorite has no tool" : [])) };
  },
  sweep: (db, now) =>
    db.write("sweep", async (run) => {
      await run(plainQuery(`DELETE FROM favorites WHERE since < '${now.toISOString()}'`));
    }),
  async erase(db, { column, value }, dryRun) {
    if (column !== "caller" || dryRun) return {};
    const { queryBuilder } = await import("./builder.ts");
    const gone = sql`DELETE FROM favorites WHERE caller = ${value}`;
    await db.write("sweep", (run) => run(gone.compile(queryBuilder(db.dialect))));
    return {};
  },
};

/** Imports everything that reads the lists. */
async function load() {
  return {
    ...(await import("../open-sqlite.ts")),
    ...(await import("../place.ts")),
    ...(await import("../postgres/open.ts")),
    ...(await import("../verify/verify.ts")),
  };
}

let records: Awaited<ReturnType<typeof load>>;
const kinds = usePlaces();

beforeAll(async () => {
  const { KEPT_TABLES } = await import("./kept-tables.ts");
  const { KEPT } = await import("./kept.ts");
  vi.resetModules();
  vi.doMock("./kept-tables.ts", () => ({ KEPT_TABLES: { ...KEPT_TABLES, ...FAVORITES_TABLES } }));
  vi.doMock("./kept.ts", () => ({ KEPT: [...KEPT, favorites] }));
  records = await load();
});

afterAll(() => {
  vi.doUnmock("./kept-tables.ts");
  vi.doUnmock("./kept.ts");
  vi.resetModules();
});

describe.each(kinds)("a table of a part that is only in the lists, in %s", (kind, open) => {
  /** Records one call, and adds three favorites. */
  async function filled(skip: (reason: string) => never) {
    const { at, query } = await open(skip);
    const store = closing(
      "url" in at
        ? await records.openPostgresStore(at)
        : await records.openActivityStore({ ...at, sync: "normal" }),
    );
    await store.append([{ ...CALL, caller: "ann" }]);
    for (const [caller, tool, since] of [
      ["ann", "a", "2000"],
      ["ann", "b", "3000"],
      ["bob", "c", "3000"],
    ]) {
      await query(
        `INSERT INTO favorites VALUES ('${caller}', '${tool}', '${since}') RETURNING caller`,
      );
    }
    return { ...records.openPlace(at), query };
  }
  type Filled = Awaited<ReturnType<typeof filled>>;
  const tools = async (place: Filled): Promise<readonly unknown[]> =>
    (await place.query("SELECT tool FROM favorites ORDER BY tool")).map((row) => Object(row).tool);
  const verified = async (place: Filled) => records.verifyActivity(closing(await place.reader()));

  it("is created, and verified", async ({ skip }) => {
    const place = await filled(skip);
    const report = await verified(place);
    expect(report).toMatchObject({ ok: true, store_faults: [] });
    expect(report.tables).toContainEqual({
      table: "favorites",
      checked: "the names of tools",
      not_covered: ["since"],
      removals_noticed: false,
      why: "times of housekeeping",
    });
    await place.query("UPDATE favorites SET tool = '' WHERE tool = 'c' RETURNING caller");
    expect(await verified(place)).toMatchObject({
      ok: false,
      store_faults: ["a favorite has no tool"],
    });
  });

  it("loses rows with old records", async ({ skip }) => {
    const place = await filled(skip);
    const pruner = closing(await place.pruner());
    await pruner.prune({ maxRecords: 10 });
    expect(await tools(place)).toEqual(["b", "c"]);
  });

  it("is erased with a caller's records", async ({ skip }) => {
    const place = await filled(skip);
    const eraser = closing(await place.eraser());
    const subject = { caller: "ann" };
    const request = { subject, author: { actor: "op" }, source: "cli" as const };
    await eraser.erase({ ...request, dryRun: true });
    expect(await tools(place)).toEqual(["a", "b", "c"]);
    const { remains } = await eraser.erase({ ...request, dryRun: false });
    expect(await tools(place)).toEqual(["c"]);
    const isNamed = remains.some((text) => text.includes("touchstone.favorites"));
    expect(isNamed).toBe(kind === "PostgreSQL");
  });
});
