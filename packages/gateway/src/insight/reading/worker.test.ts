import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import { long } from "../../../../core/src/testing/sample.ts";
import type { ActivityOperation } from "../../../../records/src/api/api.ts";
import type { FilterInput } from "../../../../records/src/filter.ts";
import { openActivityStore } from "../../../../records/src/open-sqlite.ts";
import type { ActivityStore } from "../../../../records/src/store.ts";
import { CALL } from "../../../../records/src/testing/fixtures.ts";
import { tempDir } from "../../../../records/src/testing/temp-dir.ts";
import type { ActivityWorker } from "../../../../records/src/worker/client.ts";
import { startActivityWorker } from "./worker.ts";

async function started(
  count: number,
): Promise<{ readonly store: ActivityStore; readonly worker: ActivityWorker }> {
  const dataDir = tempDir();
  const store = await openActivityStore({ dataDir, sync: "normal" });
  await store.append(Array.from({ length: count }, (_, n) => ({ ...CALL, tool: `t${n}` })));
  const worker = startActivityWorker({ place: { dataDir } });
  onTestFinished(async () => {
    await worker.close();
    await store.close();
  });
  return { store, worker };
}

const ask = (
  worker: ActivityWorker,
  operation: ActivityOperation,
  input: FilterInput = {},
): Promise<Response> => worker.ask({ operation, input });

/** The threads that are started while a test runs. */
function startedThreads(): readonly Worker[] {
  const threads: Worker[] = [];
  const note = (thread: Worker): void => void threads.push(thread);
  process.on("worker", note);
  onTestFinished(() => void process.off("worker", note));
  return threads;
}

describe("startActivityWorker", () => {
  it("responds like the API, from another thread", async () => {
    const { worker } = await started(3);
    expect(await (await ask(worker, "list", { tool: "t1" })).json()).toMatchObject({ total: 1 });
    const bad = await ask(worker, "list", { status: "x" });
    expect([bad.status, (await bad.json()).code]).toEqual([400, "BAD_FILTER"]);
  });

  it("streams a large export in chunks, and stops when the reader leaves", long, async () => {
    const { worker } = await started(1200);
    const text = await (await ask(worker, "export")).text();
    expect(text.trimEnd().split("\n")).toHaveLength(1200);
    const response = await ask(worker, "export");
    await response.body?.cancel();
    expect((await ask(worker, "list")).status).toBe(200);
  });

  it("returns a page of records whose bodies exceed the thread's memory", {
    ...long,
    timeout: 120_000,
  }, async () => {
    const dataDir = tempDir();
    const bodies = { maxBytes: 65_536 };
    const store = await openActivityStore({ dataDir, sync: "normal", bodies });
    const body = Buffer.from(JSON.stringify("x ".repeat(32_700)));
    const entry = { ...CALL, arguments: body, result: body };
    for (let at = 0; at < 10; at += 1) await store.append(Array(100).fill(entry));
    const worker = startActivityWorker({ place: { dataDir } });
    onTestFinished(async () => {
      await worker.close();
      await store.close();
    });
    const response = await ask(worker, "list", { limit: "1000" });
    expect(response.status).toBe(200);
    let bytes = 0;
    for await (const piece of response.body ?? []) bytes += piece.length;
    expect(bytes).toBeGreaterThan(1000 * 2 * 65_000);
  });

  it("streams events of records that other processes append", async () => {
    const { store, worker } = await started(1);
    const reader = (await ask(worker, "events")).body?.getReader();
    await reader?.read();
    await store.append([{ ...CALL, tool: "new" }]);
    const { value } = (await reader?.read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toContain('"tool":"new"');
    await reader?.cancel();
  });

  it("prunes while the relay's store keeps working", long, async () => {
    const { store, worker } = await started(300);
    const pruned = worker.prune({ maxRecords: 10 });
    await store.append([{ ...CALL, tool: "meanwhile" }]);
    expect((await pruned).removed).toBeGreaterThanOrEqual(290);
    expect((await (await ask(worker, "list")).json()).total).toBeLessThanOrEqual(11);
  });

  it("refuses too many streams at once", async () => {
    const { worker } = await started(1);
    const responses = await Promise.all(Array.from({ length: 70 }, () => ask(worker, "events")));
    const codes = responses.map(({ status }) => status);
    expect(codes.filter((status) => status === 200)).toHaveLength(64);
    const refused = responses.filter(({ status }) => status === 503);
    expect(refused.map(({ headers }) => headers.get("retry-after"))).toEqual(Array(6).fill("2"));
    const bodies = await Promise.all(refused.map((response) => response.json()));
    expect(new Set(bodies.map(({ code }) => code))).toEqual(new Set(["READER_BUSY"]));
    // A reader that follows the records must not keep old ones from being pruned.
    expect(await worker.prune({ maxRecords: 0 })).toEqual({ removed: 1 });
    for (const { status, body } of responses) if (status === 200) await body?.cancel();
    expect((await ask(worker, "list")).status).toBe(200);
  });

  it("keeps no place for a client that left before it was asked", async () => {
    const { worker } = await started(1);
    const events = { operation: "events", input: {} } as const;
    const left = Array.from({ length: 64 }, () =>
      worker.ask(events, undefined, AbortSignal.abort()),
    );
    const codes = await Promise.all(left.map(async (each) => (await (await each).json()).code));
    expect(new Set(codes)).toEqual(new Set(["CLOSED"]));
    expect((await ask(worker, "list")).status).toBe(200);
  });

  it("reports an unusable database, and that it is closed", async () => {
    const dataDir = join(tempDir(), "dir");
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, "activity.db"), "not a database\n".repeat(1000));
    const worker = startActivityWorker({ place: { dataDir } });
    const broken = await ask(worker, "list");
    expect([broken.status, (await broken.json()).code]).toEqual([503, "DATABASE_UNREADABLE"]);
    await expect(worker.prune({})).rejects.toMatchObject({ code: "DATABASE_UNREADABLE" });
    await worker.close();
    const closed = await ask(worker, "list");
    expect([closed.status, (await closed.json()).code]).toEqual([503, "CLOSED"]);
  });

  it("fails pending requests if its thread dies, and starts another", long, async () => {
    const threads = startedThreads();
    const { worker } = await started(3);
    const body = (await ask(worker, "events")).body?.getReader();
    await body?.read();
    expect(threads).toHaveLength(1);
    // Requests from now on wait for a thread that no longer responds.
    void threads[0]?.terminate();
    const waiting = [ask(worker, "summary"), ask(worker, "list", { limit: "1" })];
    const ended = { code: "READER_ENDED" };
    await Promise.all([
      expect(body?.read()).rejects.toMatchObject(ended),
      expect(worker.prune({ maxRecords: 1 })).rejects.toMatchObject(ended),
    ]);
    for (const response of await Promise.all(waiting)) {
      expect(response.status).toBe(503);
      expect(await response.json()).toEqual({
        code: "READER_ENDED",
        error: expect.stringMatching(/has ended: .*Try again; it is restarted\.$/),
      });
    }
    expect((await (await ask(worker, "list")).json()).total).toBe(3);
    expect(threads).toHaveLength(2);
  });

  it.runIf(process.platform === "linux")(
    "runs its thread at a lower priority than the relay",
    async () => {
      const { worker } = await started(1);
      await ask(worker, "list");
      // The 19th field of a thread's stat is its nice value (proc_pid_stat(5)).
      const nice = readdirSync("/proc/self/task").map((id) => {
        const stat = readFileSync(`/proc/self/task/${id}/stat`, "utf8");
        return stat.slice(stat.lastIndexOf(")")).split(" ")[17];
      });
      expect(nice).toContain(`${Math.min(getPriority() + 10, 19)}`);
    },
  );

  it.each([0, 1])(
    "starts retention %d ms after startup, and reports if it cannot",
    async (retentionDelayMs) => {
      const dataDir = tempDir();
      const told = new Promise((resolve) => {
        const worker = startActivityWorker({
          place: { dataDir },
          retention: { maxRecords: 1 },
          retentionDelayMs,
          onRetentionError: resolve,
        });
        onTestFinished(() => worker.close());
      });
      expect(await told).toMatchObject({ code: "DATA_DIR_UNREADABLE" });
    },
  );
});
