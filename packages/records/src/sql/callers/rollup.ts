import { isRecordId } from "../../cursor.ts";
import { idTime } from "../../ids.ts";
import { type Database, plainQuery, type RunQuery } from "../database.ts";
import type { ErasedCounts } from "../kept-part.ts";
import { countInto, LAST_REMOVED_ID_SQL } from "../rollup.ts";

/** The columns by which calls are counted. Absent and empty values are `""`. */
export const CALLER_KEY = ["slot", "caller", "client", "server", "tool"] as const;
/** The counts: of all calls, and by status. */
export const CALLER_COUNTS = [
  ...["calls", "blocked", "warning", "error", "denied", "held", "out_of_bounds", "limited"],
] as const;

/** A row of `caller_rollup`. */
export type CallerCell = Readonly<
  Record<(typeof CALLER_KEY)[number] | "first" | "last", string> & Record<CallerCount, number>
>;
export type CallerCount =
  | "calls"
  | "blocked"
  | "warning"
  | "error"
  | "denied"
  | "held"
  | "out_of_bounds"
  | "limited";

/** The length of a slot. Calls of one slot are never further apart than {@link SESSION_GAP_MS}. */
export const SLOT_MS = 30 * 60_000;
/**
 * A session ends if its client sends no call for this long. A slot is not longer than this, so slots show every such
 * gap.
 */
export const SESSION_GAP_MS = 30 * 60_000;

/** SQL for the slot of a time: its hour, and `0` or `3` for the first or second half. */
export const SLOT =
  "substr(time, 1, 14) || CASE WHEN substr(time, 15, 1) < '3' THEN '0' ELSE '3' END";

/** Returns the slot of a time: `2026-08-31T09:0` for 09:00 to 09:29. */
export function slotOf(time: Date): string {
  const floor = new Date(Math.floor(time.getTime() / SLOT_MS) * SLOT_MS);
  return floor.toISOString().slice(0, "2026-08-31T09:0".length);
}

/** Returns the time at which a slot begins. */
export function slotTime(slot: string): Date {
  return new Date(`${slot}0:00.000Z`);
}

const isOf = (...statuses: readonly string[]): string =>
  `CASE WHEN status IN (${statuses.map((one) => `'${one}'`).join(", ")}) THEN 1 ELSE 0 END`;
/** SQL that counts one record for each count. `limited` includes calls for which the gateway had no capacity. */
const COUNT_OF: Readonly<Record<CallerCount, string>> = {
  calls: "1",
  blocked: isOf("blocked"),
  warning: isOf("warning"),
  error: isOf("error"),
  denied: isOf("denied"),
  held: isOf("held"),
  out_of_bounds: isOf("out_of_bounds"),
  limited: isOf("limited", "rejected"),
};
const NAMES = CALLER_KEY.slice(1).map((name) => `coalesce(${name}, '') AS ${name}`);
/** SQL for the columns of a single call as a cell, from table `activity`. */
export const CALL_AS_CELL: string = [
  `${SLOT} AS slot`,
  ...NAMES,
  ...Object.entries(COUNT_OF).map(([name, one]) => `${one} AS ${name}`),
  ...["time AS first", "time AS last"],
].join(", ");
/** SQL that counts the calls in a range of a chain. */
export const CALLER_CELLS: string = `SELECT ${SLOT} AS slot, ${NAMES.join(", ")},
    ${Object.entries(COUNT_OF)
      .map(([name, one]) => `sum(${one}) AS ${name}`)
      .join(", ")}, min(time) AS first, max(time) AS last
  FROM activity WHERE chain = $1 AND seq >= $2 AND seq < $3 AND type = 'tool_call'
  GROUP BY 1, 2, 3, 4, 5`;

const COLUMNS = [...CALLER_KEY, ...CALLER_COUNTS, "first", "last"];
const ADD = `INSERT INTO caller_rollup (${COLUMNS.join(", ")})
  VALUES (${COLUMNS.map((_, at) => `$${at + 1}`).join(", ")})
  ON CONFLICT (${CALLER_KEY.join(", ")}) DO UPDATE SET
    ${CALLER_COUNTS.map((name) => `${name} = caller_rollup.${name} + excluded.${name}`).join(", ")},
    first = CASE WHEN excluded.first < caller_rollup.first THEN excluded.first ELSE caller_rollup.first END,
    last = CASE WHEN excluded.last > caller_rollup.last THEN excluded.last ELSE caller_rollup.last END`;

/** Adds new calls to `caller_rollup`: see `countInto`. */
export function rollUpCallers(db: Database, chain?: string): Promise<boolean> {
  return countInto(db, "caller_rollup_chains", chain, async (ask, ranges) => {
    for (const { chain: own, from, to } of ranges) {
      for (const cell of await ask<Record<string, unknown>>(CALLER_CELLS, [own, from, to])) {
        await ask(
          ADD,
          COLUMNS.map((name) => cell[name]),
        );
      }
    }
  });
}

/** Removes the counts of the slots from which retention has removed records. They are no longer read. */
export async function sweepCallers(db: Database): Promise<void> {
  await db.write("rollup", async (run) => {
    const [removed] = await run<{ readonly id: string | null }>(plainQuery(LAST_REMOVED_ID_SQL));
    const slot = cutSlot(removed?.id ?? null);
    if (slot === undefined) return;
    const remove = `DELETE FROM caller_rollup WHERE slot <= ${db.dialect === "sqlite" ? "?" : "$1"}`;
    await run(plainQuery(remove, [slot]));
  });
}

/** Returns the last slot from which retention may have removed records. @param removed the last removed id */
export function cutSlot(removed: string | null): string | undefined {
  if (removed === null || !isRecordId(removed)) return undefined;
  return slotOf(new Date(idTime(removed)));
}

/** Removes all counts, because they may contain erased names. The gateway then counts the remaining records again. */
export async function removeCallers(run: RunQuery): Promise<void> {
  await run(plainQuery("DELETE FROM caller_rollup"));
  await run(plainQuery("DELETE FROM caller_rollup_chains"));
}

/** Removes all counts, including those that a gateway added during the erasure. */
export async function eraseCallers(
  db: Database,
  _: unknown,
  dryRun: boolean,
): Promise<ErasedCounts> {
  if (!dryRun) await db.write("rollup", removeCallers);
  return {};
}
