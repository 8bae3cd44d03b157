import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { long, split } from "../../../core/src/testing/sample.ts";
import { SCRIPTED_SERVER, TOUCHSTONE, tempDir } from "../testing/touchstone.ts";

/** Lines of noise: 400 KB, more than the buffers of a pipe hold. */
const LINES = 8_000;
/** A server that first writes them to stderr. */
const SERVER = [
  "sh",
  "-c",
  `yes "a line of noise from a server that logs too much" | head -n ${LINES} >&2; exec "$0" "$@"`,
  ...[process.execPath, SCRIPTED_SERVER, "--on", "ping=exit:7"],
];

const message = (id: number, method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const INITIALIZE = message(1, "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "client", version: "1" },
});

/** Starts a command whose stderr is not read. */
function start(args: readonly string[], context: TestContext) {
  const child = spawn(process.execPath, [TOUCHSTONE, ...args], {
    env: { ...process.env, TOUCHSTONE_DATA_DIR: tempDir(context) },
    stdio: "pipe",
  });
  child.stdin.on("error", () => {});
  let out = "";
  child.stdout.on("data", (piece) => {
    out += piece;
  });
  const ended = once(child, "exit").then(([code, signal]) => code ?? signal);
  context.onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const writes = async (wanted: RegExp): Promise<void> => {
    while (!wanted.test(out)) await once(child.stdout, "data");
  };
  return { child, ended, writes, out: () => out };
}

interface Ending {
  readonly by: string;
  readonly end: (child: ChildProcess) => unknown;
  readonly status: number;
}

const ENDINGS: readonly Ending[] = [
  { by: "the end of its stdin", end: ({ stdin }) => stdin?.end(), status: 0 },
  { by: "SIGTERM", end: (child) => child.kill("SIGTERM"), status: 0 },
  { by: "SIGHUP", end: (child) => child.kill("SIGHUP"), status: 0 },
  {
    by: "SIGINT, twice",
    end: (child) => child.kill("SIGINT") && child.kill("SIGINT"),
    status: 0,
  },
  {
    by: "the end of its server",
    end: ({ stdin }) => stdin?.write(`${message(2, "ping")}\n`),
    status: 7,
  },
];

/** Commands, each with the output that shows that it has finished. */
const COMMANDS: Readonly<
  Record<string, readonly [(context: TestContext) => readonly string[], RegExp]>
> = {
  call: [() => ["call", "work", '{"n":1}', "--", ...SERVER], /work/],
  check: [() => ["check", "--", ...SERVER], /work/],
  doctor: [(context) => ["doctor", "--config", configuration(context)], /, 1 tool, /],
};

function configuration(context: TestContext): string {
  const [command, ...args] = SERVER;
  const file = join(tempDir(context), "touchstone.json");
  const listen = { address: "127.0.0.1:0" };
  writeFileSync(file, JSON.stringify({ listen, mcpServers: { noisy: { command, args } } }));
  return file;
}

// Each test waits a second at its end, so they run at the same time.
const options = { concurrent: true, timeout: 120_000 };
describe.runIf(process.platform !== "win32")("a stderr that nobody reads", options, () => {
  for (const [endings, own] of split(ENDINGS, 0))
    it.for(endings)("does not keep wrap after $by", own, async ({ end, status }, context) => {
      const { child, ended, writes, out } = start(["wrap", "--", ...SERVER], context);
      child.stdin.write(`${INITIALIZE}\n`);
      await writes(/"id":1\D/);
      end(child);
      expect(await ended).toBe(status);
      // The call that the server did not answer gets an error.
      if (status === 7) expect(out()).toMatch(/"id":2,"error"/);
    });

  for (const [commands, own] of split(Object.keys(COMMANDS), 1))
    it.for(commands)("does not keep %s", own, async (command, context) => {
      const [args, printed] = COMMANDS[command] ?? [() => [], /never/];
      const { ended, out } = start(args(context), context);
      expect(await ended).toBe(0);
      expect(out()).toMatch(printed);
    });

  it("does not keep serve, or a request to it", long, async (context) => {
    const { child, ended } = start(["serve", "--config", configuration(context)], context);
    const url = await new Promise<string>((resolve) => {
      let text = "";
      child.stderr.on("data", (piece) => {
        text += piece;
        const [, found] = /noisy: (http:\S+)/.exec(text) ?? [];
        if (found === undefined) return;
        child.stderr.pause();
        resolve(found);
      });
    });
    const accept = "application/json, text/event-stream";
    const headers = { accept, "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body: INITIALIZE });
    expect(await response.text()).toContain('"serverInfo"');
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });
});
