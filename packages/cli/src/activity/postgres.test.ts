import { writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { type ActivityStore, openPlace } from "@touchstone/gateway/activity";
import { expect, it, onTestFinished } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { useDatabases } from "../../../records/src/testing/databases.ts";
import { tempDir, touchstone } from "../testing/touchstone.ts";

const database = useDatabases();

const CALL = { type: "tool_call", source: "gateway", server: "s" } as const;

/** A store in a separate database, and the URL of the database. */
async function stored(skip: (reason: string) => never): Promise<readonly [ActivityStore, string]> {
  const url = await database(skip);
  const { openPostgresStore } = await import("../../../records/src/postgres/open.ts");
  const store = await openPostgresStore({ url });
  onTestFinished(() => store.close());
  return [store, url];
}

/** A proxy to a server that can be interrupted, and restored on the same port. */
async function cuttable(url: string): Promise<{
  readonly url: string;
  cut(): Promise<void>;
  mend(): Promise<void>;
}> {
  const { port } = new URL(url);
  const open = new Set<Socket>();
  let server: Server;
  let own = 0;
  const mend = (): Promise<void> =>
    new Promise((resolve) => {
      server = createServer((socket) => {
        const onward = connect(Number(port), "127.0.0.1");
        for (const end of [socket, onward]) {
          open.add(end);
          end.on("error", () => {});
          end.on("close", () => open.delete(end));
        }
        socket.pipe(onward).pipe(socket);
      });
      server.listen(own, "127.0.0.1", () => {
        const address = server.address();
        own = typeof address === "object" && address !== null ? address.port : 0;
        resolve();
      });
    });
  const cut = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of open) socket.destroy();
    });
  await mend();
  onTestFinished(cut);
  return { url: url.replace(`:${port}/`, `:${own}/`), cut, mend };
}

it("activity watch resumes when the database is reachable again", {
  ...long,
  timeout: 60_000,
}, async ({ skip }) => {
  const [store, url] = await stored(skip);
  const way = await cuttable(url);
  const args = ["activity", "watch", "--store", way.url, "-o", "jsonl"];
  await store.append([{ ...CALL, tool: "before" }]);
  const watch = touchstone(args, { dataDir: tempDir() });
  const first = setInterval(() => void store.append([{ ...CALL, tool: "first" }]), 200);
  await watch.seen("stdout", /"first"/);
  clearInterval(first);
  await way.cut();
  await watch.seen("stderr", /does not answer: .* Trying again\./);
  await store.append([{ ...CALL, tool: "meanwhile" }]);
  await way.mend();
  await watch.seen("stdout", /"meanwhile"/);
  expect(watch.stdout()).not.toContain('"before"');
  expect(watch.stderr()).not.toContain("secret-password");
  watch.child.kill("SIGINT");
  expect(await watch.ended).toBe(0);
});

it("the activity commands read a database by its URL", { ...long, timeout: 60_000 }, async ({
  skip,
}) => {
  const [store, url] = await stored(skip);
  await store.append([CALL, { ...CALL, tool: "t", status: "blocked" }]);
  const env = { TOUCHSTONE_STORE: url };
  const run = async (...args: readonly string[]) => {
    const command = touchstone(["activity", ...args], { dataDir: tempDir(), env });
    return { code: await command.ended, text: command.stdout(), told: command.stderr() };
  };
  const list = await run("list", "--status", "blocked", "-o", "json");
  expect(JSON.parse(list.text)).toMatchObject({ total: 1, activities: [{ tool: "t" }] });
  expect((await run("verify")).code).toBe(0);
  expect(JSON.parse((await run("summary", "-o", "json")).text)).toMatchObject({ records: 2 });
  expect(await run("show", "01ARZ3NDEKTSV4RRFFQ69G5FAV")).toMatchObject({
    code: 3,
    told: expect.stringContaining("in this store. touchstone activity list shows the ids; --store"),
  });
  const reader = await openPlace({ url }).reader();
  expect((await reader.chains()).map(({ records }) => records)).toEqual([2]);
  await reader.close();
});

it("activity reads the store that the file of --config names", {
  ...long,
  timeout: 60_000,
}, async ({ skip }) => {
  const [store, url] = await stored(skip);
  await store.append([{ ...CALL, tool: "kept" }]);
  const config = join(tempDir(), "touchstone.json");
  writeFileSync(config, `{ "activity": { "store": "\${STORE}" } }`);
  const list = async (args: string[], env: Record<string, string>) => {
    const run = touchstone(["activity", "list", "-o", "json", ...args], { env });
    const code = await run.ended;
    const tools = code === 0 ? JSON.parse(run.stdout()).activities : [];
    return { code, err: run.stderr(), tools: tools.map(({ tool }: { tool: string }) => tool) };
  };
  const elsewhere = "postgresql://127.0.0.1:1/none";
  const found = { code: 0, err: "", tools: ["kept"] };
  expect(await list(["--config", config], { STORE: url, TOUCHSTONE_STORE: elsewhere })).toEqual(
    found,
  );
  expect(await list(["--config", config, "--store", url], { STORE: elsewhere })).toEqual(found);
  const broken = await list(["--config", config], {});
  expect(broken).toMatchObject({
    code: 2,
    err: expect.stringMatching(/variable STORE is not set/),
  });
});
