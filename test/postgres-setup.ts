import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { startPostgres } from "../packages/records/src/testing/postgres.ts";

/**
 * Starts one PostgreSQL server for all tests of a run, when the first of them asks: making one takes seconds. `POST`
 * responds with the URL of a new database, or 503 and why there is none; `DELETE` removes it. Returns what ends the
 * server.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let started: ReturnType<typeof startPostgres> | undefined;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    try {
      started ??= startPostgres();
      const postgres = await started;
      if (typeof postgres === "string") response.writeHead(503).end(postgres);
      else if (request.method === "POST") response.end(await postgres.database());
      else {
        await postgres.drop(body);
        response.end();
      }
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  project.provide("postgres", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    const postgres = await started?.catch(() => undefined);
    if (typeof postgres === "object") await postgres.stop();
  };
}
