import { expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { useDatabases } from "../../../records/src/testing/databases.ts";
import { killGatewayUnderLoad, SAFE_TOOLS } from "../testing/fleet/kill-round.ts";

const database = useDatabases();

it("loses no record, and no call that is safe to retry, if a gateway is killed under load", {
  ...long,
  timeout: 120_000,
}, async ({ skip }) => {
  const round = { gateways: 3, clients: 4, before: 120, after: 200 };
  const outcome = await killGatewayUnderLoad(await database(skip), round);
  const { calls, retried, report, left } = outcome;

  expect(retried).toBeGreaterThan(0);
  expect(calls.length).toBeGreaterThanOrEqual(round.before + round.after);
  for (const generation of ["2026-07-28", "2025-11-25"]) {
    expect(calls.filter((call) => call.generation === generation).length).toBeGreaterThan(0);
  }

  const failed = calls.filter(({ failure }) => failure !== undefined);
  expect(failed.filter(({ tool }) => SAFE_TOOLS.has(tool))).toEqual([]);
  expect(failed.length).toBeLessThanOrEqual(round.clients * 2);
  expect(failed.filter(({ failure }) => !failure?.includes("may have run"))).toEqual([]);
  // Calls that must not run twice did not.
  expect(calls.filter(({ tool, ran }) => tool === "send" && ran > 1)).toEqual([]);

  // Each response has its record, and calls that were sent twice may have two.
  const answered = calls.filter(({ failure }) => failure === undefined);
  expect(answered.filter(({ records, attempts }) => records < 1 || records > attempts)).toEqual([]);
  expect(report).toMatchObject({ ok: true, faults: [] });

  // Gateways that stopped gracefully removed themselves from the list; the killed one could not.
  expect(left).toHaveLength(1);
});
