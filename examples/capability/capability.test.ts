import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ToolValidator, type ValidationClient } from "@touchstone/capability";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { split } from "../../packages/core/src/testing/sample.ts";

interface Job {
  readonly tool: string;
  readonly arguments: object;
}
interface SchedulerModule {
  createScheduler(validator: ToolValidator): { jobs: object[]; add(job: Job): Promise<void> };
}
interface DegradeModule {
  run(print: (line: string) => void): Promise<void>;
}

const info = { name: "test", version: "1.0.0" };
const CLIENTS: Record<
  string,
  (args: string[]) => Promise<ValidationClient & { close(): unknown }>
> = {
  "v1, 2025-11-25": async (args) => {
    const client = new ClientV1(info);
    await client.connect(new StdioV1({ command: process.execPath, args }));
    return client;
  },
  "v2, 2025-11-25": async (args) => {
    const client = new ClientV2(info);
    await client.connect(new StdioV2({ command: process.execPath, args }));
    return client;
  },
  "v2, the newest that the server speaks": async (args) => {
    const client = new ClientV2(info, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StdioV2({ command: process.execPath, args }));
    return client;
  },
};
const PAIRS = ["server.mjs", "server-v1.mjs"].flatMap((server) =>
  Object.keys(CLIENTS).map((client) => [server, client] as const),
);

let root = "";
const open: { close(): unknown }[] = [];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "capability-"));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
  await rm(root, { recursive: true });
});

async function start(server: string, kind: string): Promise<ToolValidator> {
  const client = await CLIENTS[kind]?.([fileURLToPath(new URL(server, import.meta.url)), root]);
  if (client === undefined) throw new Error(kind);
  open.push(client);
  return new ToolValidator({ desk: client });
}

for (const [pairs, options] of split(PAIRS, 1))
  describe.each(pairs)(
    "examples/capability/%s over stdio, with a client of %s",
    options,
    (server, kind) => {
      it("reports what a call would do without doing it", async () => {
        const validator = await start(server, kind);
        const write = (args: object) => ({ tool: "desk:write_file", arguments: args });
        const results = await validator.validateTools([
          write({ path: "a", content: "b" }),
          write({ path: "a", content: "" }),
          write({ path: "../a", content: "b" }),
          write({ path: ".", content: "b" }),
          write({ path: "no/such/folder", content: "b" }),
          write({ path: 1 }),
          { tool: "desk:remind", arguments: { text: "tea", at: "2020-01-01T00:00:00Z" } },
        ]);
        expect(results.map(({ method }) => method)).toEqual(new Array(7).fill("native"));
        expect(results.map(({ errors }) => errors)).toEqual([
          [],
          [],
          ["/path is outside of the folder"],
          ["/path is outside of the folder"],
          ["/path: cannot be written"],
          [expect.any(String), expect.any(String)],
          ["/at must be in the future"],
        ]);
        expect(results[1]?.warnings).toEqual(["empty content makes an empty file"]);
        expect(results[6]?.suggestions).toHaveLength(1);
        expect(await readdir(root)).toEqual([]);
      });

      it("refuses to schedule a job that would fail", async () => {
        const { createScheduler }: SchedulerModule = await import("./scheduler.mjs" as string);
        const scheduler = createScheduler(await start(server, kind));
        const remind = (at: string) => ({ tool: "desk:remind", arguments: { text: "tea", at } });
        await expect(scheduler.add(remind("2020-01-01T00:00:00Z"))).rejects.toThrow(
          "desk:remind would fail: /at must be in the future",
        );
        await scheduler.add(remind("9000-01-01T00:00:00Z"));
        expect(scheduler.jobs).toMatchObject([{ checkedBy: "native" }]);
      });
    },
  );

it("examples/capability/degrade.mjs names the server that it asked", async () => {
  const { run }: DegradeModule = await import("./degrade.mjs" as string);
  const lines: string[] = [];
  await run((line) => lines.push(line));
  expect(lines).toEqual([
    expect.stringMatching(/^note: faulty: calls are checked by their schemas only/),
    "not valid (native, ok) /path is outside of the folder",
    "not valid (native, ok) /content is required",
    expect.stringMatching(
      /^not valid \(schema, not_supported\) \/city must be a string \(got an integer\)/,
    ),
    expect.stringMatching(/^valid \(schema, not_supported\)/),
  ]);
});
