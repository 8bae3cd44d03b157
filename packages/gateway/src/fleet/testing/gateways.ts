import pg from "pg";
import { onTestFinished } from "vitest";
import { parseActivityFilter } from "../../../../records/src/filter.ts";
import { openPostgresReader } from "../../../../records/src/postgres/open.ts";
import type { ActivityRecord } from "../../../../records/src/record.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";

/** Runs a statement on the tables of a store. */
export async function query(url: string, sql: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("SET search_path TO touchstone");
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

/** The records of a type, newest first. */
export async function records(url: string, type: string): Promise<readonly ActivityRecord[]> {
  const reader = await openPostgresReader({ url });
  const page = await reader.list(parseActivityFilter({ type, limit: "1000" }, new Date()));
  await reader.close();
  return page.activities;
}

/** Starts a gateway for the running test. */
export async function startGateway(config: object): Promise<TestGateway> {
  const gateway = await startTestGateway(config);
  onTestFinished(() => gateway.close());
  return gateway;
}
