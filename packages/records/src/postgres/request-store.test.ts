import { expect, it, onTestFinished } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { PostgresRegistry } from "../../../gateway/src/fleet/postgres-registry.ts";
import { query } from "../../../gateway/src/fleet/testing/gateways.ts";
import type { StoredRequest } from "../request-store.ts";
import { useDatabases } from "../testing/databases.ts";
import { CALL } from "../testing/fixtures.ts";
import { closing } from "../testing/places.ts";
import { openPostgresPruner, openPostgresStore } from "./open.ts";

const database = useDatabases();
const OF = { server: "s", session: "sha256:s" };
const KEY = { ...OF, id: "sha256:1" };
const OUTPUT = { hash: "sha256:o", text: Buffer.from('{"type":"object"}') };

async function opened(skip: (reason: string) => never) {
  const url = await database(skip);
  const store = closing(await openPostgresStore({ url }));
  const { requests } = store;
  if (requests === undefined) throw new Error("PostgreSQL keeps requests");
  const keep = (request: StoredRequest) => requests.keep(OF, new Map([[KEY.id, request]]));
  return { url, store, requests, keep };
}

it("returns a request unchanged until some minutes after its response", long, async ({ skip }) => {
  const { url, requests, keep } = await opened(skip);
  await keep({ request: '{"tool":"\\u0000"}', requestId: "r1", output: OUTPUT });
  const kept = await query(url, "SELECT until > now() + interval '23 hours' AS day FROM requests");
  expect(kept).toEqual([{ day: true }]);
  for (let i = 0; i < 2; i += 1) {
    const found = await requests.find(KEY);
    expect(found).toEqual({
      request: '{"tool":"\\u0000"}',
      requestId: "r1",
      output: OUTPUT,
      recorded: false,
      elapsedMs: expect.any(Number),
    });
    expect(found?.elapsedMs).toBeGreaterThanOrEqual(0);
  }
  const answered = await query(
    url,
    "SELECT until BETWEEN now() + interval '4 minutes' AND now() + interval '5 minutes' AS soon FROM requests",
  );
  expect(answered).toEqual([{ soon: true }]);
  for (const other of [{ server: "t" }, { session: "sha256:t" }, { id: "sha256:2" }]) {
    expect(await requests.find({ ...KEY, ...other })).toBeUndefined();
  }
  // The id is now used for another request.
  await keep({ request: "{}" });
  const again = await requests.find(KEY);
  expect([again?.request, again?.requestId, again?.output]).toEqual(["{}", undefined, undefined]);
  await requests.answered(KEY);
  await query(url, "UPDATE requests SET until = now()");
  expect(await requests.find(KEY)).toBeUndefined();
  const registry = new PostgresRegistry(url, { listChanged: () => {} });
  onTestFinished(() => registry.leave("nobody"));
  await registry.forgetOld();
  expect(await query(url, "SELECT * FROM requests")).toEqual([]);
});

it("knows whether a call has a record, whichever gateway wrote it", async ({ skip }) => {
  const { url, store, requests, keep } = await opened(skip);
  await keep({ request: "{}", requestId: "r1" });
  await store.append([
    { ...CALL, request_id: "r2" },
    { type: "policy_decision", source: "gateway", request_id: "r1" },
  ]);
  expect(await requests.isRecorded("r1")).toBe(false);
  expect(await requests.find(KEY)).toMatchObject({ recorded: false });
  const other = closing(await openPostgresStore({ url }));
  await other.append([{ ...CALL, request_id: "r1" }]);
  expect(await requests.isRecorded("r1")).toBe(true);
  expect(await requests.find(KEY)).toMatchObject({ recorded: true });
});

it("keeps a schema as long as a request refers to it", async ({ skip }) => {
  const { url, requests, keep } = await opened(skip);
  const pruner = closing(await openPostgresPruner({ url }));
  await keep({ request: "{}", output: OUTPUT });
  await keep({ request: "{}", output: OUTPUT });
  await pruner.prune({});
  expect(await requests.find(KEY)).toMatchObject({ output: OUTPUT });
  await query(url, "DELETE FROM requests");
  await pruner.prune({});
  expect(await query(url, "SELECT hash FROM schemas")).toEqual([]);
  // If its schema is gone, the response cannot be checked.
  await query(url, "INSERT INTO requests VALUES ('s', 'sha256:s', 'sha256:1', '{}', null, 'gone')");
  expect(await requests.find(KEY)).toBeUndefined();
});
