import { setImmediate as turn } from "node:timers/promises";
import { canonicalDefinition } from "@touchstone/protocol/lock";
import { describe, expect, it } from "vitest";
import { split } from "../../core/src/testing/sample.ts";
import { decideApproval } from "./approvals.ts";
import type { ActivityStore } from "./store.ts";
import { CALL, filter } from "./testing/fixtures.ts";
import { closing, usePlaces } from "./testing/places.ts";
import { verifyActivity } from "./verify/verify.ts";

/** Appends to each store, and how many records are kept. */
const APPENDS = 60;
const KEPT = 40;
const { hash = "", text = "" } = canonicalDefinition('{"name":"t"}') ?? {};
const PIN = { kind: "tool", name: "t", hash, text } as const;

for (const [places, options] of split(usePlaces(), 1))
  describe.each(places)("retention beside writers on %s", options, (_kind, open) => {
    it("removes records while calls are written, and the chains verify", async (context) => {
      const at = await open((reason) => context.skip(reason));
      const stores = [closing(await at.store()), closing(await at.store())] as const;
      const [first] = stores;
      // The record of an approval is removed as well, and its evidence is recorded again.
      await first.pins.saw("s", [PIN]);
      const author = { actor: "user x" };
      await decideApproval(first, {
        server: "s",
        state: "approved",
        name: "t",
        author,
        source: "cli",
      });
      let writing = stores.length;
      const write = async (store: ActivityStore): Promise<void> => {
        for (let n = 0; n < APPENDS; n += 1) {
          const written = await store.append([CALL, { ...CALL, tool: `t${n}` }]);
          expect(written).toHaveLength(2);
          await turn();
        }
        writing -= 1;
      };
      let removed = 0;
      const prune = async (): Promise<void> => {
        const pruner = closing(await at.pruner());
        while (writing > 0) {
          removed += (await pruner.prune({ maxRecords: KEPT })).removed;
          // A verification during the pruning succeeds as well.
          const report = await verifyActivity(closing(await at.reader()));
          expect([report.ok, report.faults, report.store_faults]).toEqual([true, [], []]);
        }
        removed += (await pruner.prune({ maxRecords: KEPT })).removed;
      };
      await Promise.all([...stores.map(write), prune()]);
      const report = await verifyActivity(closing(await at.reader()));
      expect(report).toMatchObject({ ok: true, faults: [], store_faults: [], approvals: 1 });
      const { total } = await first.list(filter({}));
      expect(total).toBe(report.records);
      expect(removed).toBe(report.pruned);
      expect(removed).toBeGreaterThan(APPENDS);
      // No written record is missing: it exists, or is counted as removed.
      expect(report.records + report.pruned).toBeGreaterThanOrEqual(
        stores.length * APPENDS * 2 + 1,
      );
    });
  });
