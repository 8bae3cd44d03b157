import { describe, expect, it } from "vitest";
import { split } from "../../../core/src/testing/sample.ts";
import { idTime, nextId } from "../ids.ts";
import { tableNames } from "../sql/tables.ts";
import { A, B, C, fillTables, ignoreProblem, pinned } from "../testing/filled.ts";
import { CALL } from "../testing/fixtures.ts";
import { closing, type StoreUnderTest, usePlaces } from "../testing/places.ts";
import { type VerifyReport, verifyActivity } from "./verify.ts";

const HOUR_MS = 3_600_000;

/** Returns a time some hours after all ids of this process, including those of tests in other files. */
function hoursLater(): Date {
  return new Date(idTime(nextId(new Date())) + 3 * HOUR_MS);
}

async function verifiedAt(place: StoreUnderTest): Promise<VerifyReport> {
  const reader = closing(await place.reader());
  return verifyActivity(reader);
}

for (const [places, options] of split(usePlaces(), 1))
  describe.each(places)("verification of the tables of %s", options, (kind, open) => {
    const place = async (context: { skip: (reason: string) => never }): Promise<StoreUnderTest> => {
      const at = await open((reason) => context.skip(reason));
      const store = await at.store();
      await fillTables(store);
      await store.usage();
      const pruner = await at.pruner();
      await pruner.rollUp();
      await pruner.close();
      await ignoreProblem(store);
      await store.close();
      return at;
    };

    it("says what it has checked, and names every table", async (context) => {
      const report = await verifiedAt(await place(context));
      expect(report).toMatchObject({ ok: true, store_faults: [], unrecorded_approvals: 0 });
      expect(report).toMatchObject({ approvals: 3, first_uses: 1, lists: 2, unsealed_lists: 0 });
      const dialect = kind === "SQLite" ? "sqlite" : "postgres";
      expect(report.tables.map(({ table }) => table)).toEqual(tableNames(dialect));
    });

    it.for<readonly [what: string, change: readonly string[], words: RegExp]>([
      [
        "a forged approval",
        [
          `INSERT INTO pins (server, kind, name, hash, state, since, decided)
           SELECT server, kind, 'delete_file', hash, 'approved', since, decided FROM pins WHERE name = 'a'`,
          "UPDATE pin_versions SET version = version + 1",
        ],
        /table pins: the tool "delete_file" of "s".* approved, and no record.* approve it again or revoke/,
      ],
      [
        "a held definition that becomes approved",
        ["UPDATE pins SET state = 'approved' WHERE name = 'd'"],
        /table pins: the tool "d" .* no record says so/,
      ],
      [
        "a withdrawn approval that comes back",
        ["UPDATE pins SET state = 'approved' WHERE name = 'b'"],
        /the tool "b" .* is approved, but was last revoked in record \w{26}.*Decide again/,
      ],
      [
        "an approval that goes",
        ["UPDATE pins SET state = 'held' WHERE name = 'a'"],
        /the tool "a" .* is held, but was last approved/,
      ],
      [
        "another state",
        ["UPDATE pins SET state = 'maybe' WHERE name = 'a'"],
        /unknown state "maybe"/,
      ],
      [
        "another hash",
        [`UPDATE pins SET hash = '${C.hash}0' WHERE name = 'c'`],
        /no record says so/,
      ],
      [
        "another caller",
        ["UPDATE pins SET caller = 'bob' WHERE name = 'c'"],
        /by another caller than/,
      ],
      [
        "a removed approval",
        ["DELETE FROM pins WHERE name = 'a'"],
        /a row is missing of "s".*record/,
      ],
      [
        "removed approvals, so that there is a first use again",
        ["DELETE FROM pins", "DELETE FROM pin_first_uses"],
        /rows are missing of "s"/,
      ],
      ["a removed first use", ["DELETE FROM pin_first_uses"], /a row is missing|rows are missing/],
      [
        "a forged first use",
        ["INSERT INTO pin_first_uses (server, kind, since) VALUES ('s', 'prompt', 'x')"],
        /table pin_first_uses: no record says that .*"prompt" of "s"/,
      ],
      ["a removed version", ["DELETE FROM pin_versions"], /table pin_versions: "s" has approvals/],
      [
        "the list of another server",
        [
          `UPDATE list_scopes SET list = (SELECT list FROM list_scopes WHERE server = 'other')
           WHERE server = 's'`,
        ],
        /table list_scopes: the list of tools of "s" .* is not the one that it had. Delete the row/,
      ],
      [
        "counts of nothing",
        ["UPDATE rollup SET records = 0"],
        /table rollup: .* are not those|a count is not/,
      ],
      ["no counts", ["DELETE FROM rollup"], /table rollup: .*gateway counts them again/],
      ["records counted twice", ["UPDATE rollup_chains SET records = 0"], /table rollup: /],
      [
        "records counted too far",
        ["UPDATE rollup_chains SET records = 99"],
        /table rollup_chains: /,
      ],
      [
        "a changed count of a caller",
        ["UPDATE caller_rollup SET blocked = 7"],
        /table caller_rollup: a count is not .*Sessions and Callers.*gateway counts them again/,
      ],
      [
        "a changed name of a caller",
        ["UPDATE caller_rollup SET caller = 'mallory'"],
        /table caller_rollup: 2 counts are not/,
      ],
      [
        "a changed time of a caller",
        ["UPDATE caller_rollup SET last = '9'"],
        /table caller_rollup: /,
      ],
      ["no counts of callers", ["DELETE FROM caller_rollup"], /table caller_rollup: a count/],
      [
        "calls of callers counted too far",
        ["UPDATE caller_rollup_chains SET records = 99"],
        /table caller_rollup_chains: /,
      ],
    ])("reports %s", async ([_what, change, words], context) => {
      const at = await place(context);
      for (const statement of change) await at.query(statement);
      const { ok, store_faults } = await verifiedAt(at);
      expect(ok).toBe(false);
      expect(store_faults).toContainEqual(expect.stringMatching(words));
    });

    it("notices a first use that is made again after its rows were removed", async (context) => {
      const at = await place(context);
      await at.query("DELETE FROM pins");
      await at.query("DELETE FROM pin_first_uses");
      const later = hoursLater();
      const store = await at.store({ now: () => later });
      const withEvil = [A, B, C, pinned("evil", '{"name":"evil"}')];
      expect(await store.pins.firstUse("s", "tool", withEvil)).toBe(true);
      await store.close();
      const { store_faults } = await verifiedAt(at);
      expect(store_faults).toContainEqual(expect.stringMatching(/on first use again in record/));
    });

    it("keeps approvals verified after retention has removed their records", async (context) => {
      const at = await place(context);
      const later = hoursLater();
      const pruner = await at.pruner(() => later);
      expect((await pruner.prune({ maxAgeMs: HOUR_MS })).removed).toBeGreaterThan(5);
      await pruner.close();
      const report = await verifiedAt(at);
      expect(report).toMatchObject({ ok: true, approvals: 3, first_uses: 1 });
      await at.query("UPDATE pins SET state = 'approved' WHERE name = 'b'");
      expect((await verifiedAt(at)).ok).toBe(false);
    });

    it("does not carry on an approval that was forged before retention", async (context) => {
      const at = await place(context);
      await at.query("UPDATE pins SET state = 'approved' WHERE name = 'b'");
      const later = hoursLater();
      const pruner = await at.pruner(() => later);
      await pruner.prune({ maxAgeMs: HOUR_MS });
      await pruner.close();
      const { store_faults } = await verifiedAt(at);
      expect(store_faults).toContainEqual(expect.stringMatching(/the tool "b"/));
    });

    it("counts approvals of before as unrecorded, until they are taken over", async (context) => {
      const at = await open((reason) => context.skip(reason));
      const first = await at.store();
      await first.append([CALL]);
      await first.close();
      await at.query(
        `INSERT INTO pins (server, kind, name, hash, state, since) VALUES ('s', 'tool', 'a', 'h', 'approved', 'x')`,
      );
      await at.query("INSERT INTO pin_versions (server, version) VALUES ('s', 1)");
      await at.query("INSERT INTO pin_first_uses (server, kind, since) VALUES ('s', 'tool', 'x')");
      expect(await verifiedAt(at)).toMatchObject({
        ok: true,
        unrecorded_approvals: 2,
        approvals: 0,
      });
      const store = await at.store();
      await store.pins.begin();
      await store.close();
      expect(await verifiedAt(at)).toMatchObject({
        ok: true,
        unrecorded_approvals: 0,
        approvals: 1,
      });
      await at.query("UPDATE pins SET hash = 'g'");
      expect((await verifiedAt(at)).ok).toBe(false);
    });

    it("accepts first uses of gateways that started together", async (context) => {
      const at = await open((reason) => context.skip(reason));
      const stores = [await at.store(), await at.store()];
      await Promise.all(
        stores.map(({ pins }, n) => pins.firstUse("s", "tool", n === 0 ? [A, B] : [A, C])),
      );
      for (const store of stores) await store.close();
      expect(await verifiedAt(at)).toMatchObject({ ok: true, store_faults: [], first_uses: 1 });
    });
  });
