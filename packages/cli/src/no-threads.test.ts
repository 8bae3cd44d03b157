import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { long } from "../../core/src/testing/sample.ts";
import { FAULTY_SERVER, tempDir, touchstone } from "./testing/touchstone.ts";

/** More requests than may wait at a time. */
const MANY = 70;
const TOLD = /No thread can be started: EAGAIN\. .*ulimit -u/;

/** Simulates that the limit of processes and threads is reached, which a test cannot do for itself only. */
const NO_THREADS = `
  import threads from "node:worker_threads";
  import { syncBuiltinESMExports } from "node:module";
  threads.Worker = class { constructor() { throw new Error("EAGAIN"); } };
  syncBuiltinESMExports();
`;

function withoutThreads(): Record<string, string> {
  const file = join(tempDir(), "no-threads.mjs");
  writeFileSync(file, NO_THREADS);
  return { NODE_OPTIONS: `--import=${pathToFileURL(file).href}` };
}

describe("if no thread can be started", () => {
  it("wrap does not start a capture, and gives the reason", async () => {
    const capture = join(tempDir(), "capture.jsonl");
    const args = ["wrap", "--capture", capture, "--", process.execPath, FAULTY_SERVER];
    const { ended, stderr } = touchstone(args, { env: withoutThreads() });
    expect(await ended).toBe(3);
    expect(stderr()).toMatch(TOLD);
    expect(stderr()).not.toMatch(/\n +at /);
  });

  it(
    "serve answers every API request for records with the reason, and logs it for retention",
    long,
    async () => {
      const config = join(tempDir(), "touchstone.json");
      const server = { command: process.execPath, args: [FAULTY_SERVER] };
      writeFileSync(config, JSON.stringify({ mcpServers: { faulty: server } }));
      const args = ["serve", "--config", config, "--listen", "127.0.0.1:0"];
      const { seen } = touchstone(args, { env: withoutThreads() });
      const [, url = ""] = await seen("stderr", /faulty: (http:\S+)\/mcp\/faulty/);
      for (let i = 0; i < MANY; i += 1) {
        const response = await fetch(`${url}/api/v1/activity`);
        expect([response.status, await response.json()]).toEqual([
          503,
          { code: "READER_ENDED", error: expect.stringMatching(TOLD) },
        ]);
      }
      await seen("stderr", /old records could not be removed reason=.*No thread can be started/);
    },
  );
});
