import { setImmediate as turn } from "node:timers/promises";
import { isRecordId } from "../../cursor.ts";
import { idTime } from "../../ids.ts";
import { type ProblemKey, problemId } from "../../problems/problem.ts";
import type { ReadDatabase, RunQuery } from "../database.ts";
import { hourOf } from "../hours.ts";
import type { CanReadTables, KeptCheck } from "../kept-part.ts";
import { LAST_REMOVED_ID_SQL } from "../rollup.ts";
import { numberedQueries, OTHERS, sightingsIn } from "./fold.ts";

/** How many records are counted at a time: on SQLite, each statement blocks the event loop until it ends. */
const STEP = 2_000;
const TABLES = ["problems", "problem_hours", "problem_callers", "problem_chains"] as const;
const AGAIN =
  "Delete all rows of problems, problem_hours, problem_callers and problem_chains: a gateway counts them again";

/**
 * Compares problems with a recount of the records: no problem may be counted more often than records show, or have a
 * caller that no record has. A lower count is not evidence of tampering, because only a limited number of problems is
 * kept. Hours from which retention has removed records are not compared.
 */
export async function checkProblems(
  { dialect }: ReadDatabase,
  run: RunQuery,
  may: CanReadTables,
): Promise<KeptCheck> {
  if (!may(TABLES)) return { faults: [] };
  const ask = numberedQueries(dialect, run);
  const faults: string[] = [];
  const problems = await ask<ProblemKey & { readonly id: string }>(
    "SELECT id, server, tool, direction, place, rule, keyword FROM problems ORDER BY id",
  );
  const changed = problems.filter((problem) => problemId(problem) !== problem.id);
  if (changed.length > 0) {
    faults.push(
      `table problems: ${rowsText(changed.length)} another server, tool or place. ${AGAIN}`,
    );
  }
  const removed = (await ask<{ id: string | null }>(LAST_REMOVED_ID_SQL))[0]?.id ?? null;
  const from = removed !== null && isRecordId(removed) ? hourOf(new Date(idTime(removed))) : "";
  const counts = new Map<string, { calls: number; blocked: number }>();
  const callers = new Set<string>();
  const others = new Map<string, { calls: number; blocked: number }>();
  const chains = await ask<{
    chain: string;
    records: number;
    pruned: number;
    appended: number | null;
  }>(
    `SELECT r.chain AS chain, r.records AS records, coalesce(c.pruned, 0) AS pruned, c.records AS appended
     FROM problem_chains r LEFT JOIN chains c ON c.chain = r.chain ORDER BY r.chain`,
  );
  for (const { chain, records, pruned, appended } of chains) {
    if (appended === null || records > appended || records < 0) {
      faults.push(
        `table problem_chains: the row of chain ${JSON.stringify(chain.slice(0, 64))} counts ${records} records of ${appended ?? 0}. ${AGAIN}`,
      );
      continue;
    }
    for (let at = pruned; at < records; at += STEP) {
      const found = await sightingsIn(dialect, ask, [chain, at, Math.min(records, at + STEP)]);
      for (const [id, { hours, callers: own }] of found.problems) {
        for (const [hour, { calls, blocked }] of hours)
          add(counts, `${id} ${hour}`, calls, blocked);
        for (const caller of own.keys()) callers.add(JSON.stringify([id, caller]));
      }
      for (const { hour, blocked } of found.decisions) add(others, hour, 1, blocked);
      await turn();
    }
  }
  let wrong = 0;
  for (const row of await ask<{ problem: string; hour: string; calls: number; blocked: number }>(
    "SELECT problem, hour, calls, blocked FROM problem_hours WHERE hour > $1",
    [from],
  )) {
    const { problem, hour } = row;
    const most = problem === OTHERS ? others.get(hour) : counts.get(`${problem} ${hour}`);
    const [calls, blocked] = [Number(row.calls), Number(row.blocked)];
    if (!(calls <= (most?.calls ?? 0) && blocked <= (most?.blocked ?? 0) && blocked >= 0))
      wrong += 1;
  }
  if (wrong > 0)
    faults.push(`table problem_hours: ${rowsText(wrong)} more calls than records. ${AGAIN}`);
  const strangers = (
    await ask<{ problem: string; caller: string }>(
      "SELECT problem, caller FROM problem_callers WHERE last > $1",
      // As a text, the hour itself sorts before the times in it.
      [from === "" ? "" : `${from}~`],
    )
  ).filter(({ problem, caller }) => !callers.has(JSON.stringify([problem, caller])));
  if (strangers.length > 0) {
    faults.push(
      `table problem_callers: ${rowsText(strangers.length)} a caller whom no record has. ${AGAIN}`,
    );
  }
  return { faults };
}

function rowsText(count: number): string {
  return count === 1 ? "a row has" : `${count} rows have`;
}

function add(
  to: Map<string, { calls: number; blocked: number }>,
  key: string,
  calls: number,
  blocked: number,
): void {
  const known = to.get(key) ?? { calls: 0, blocked: 0 };
  to.set(key, { calls: known.calls + calls, blocked: known.blocked + blocked });
}
