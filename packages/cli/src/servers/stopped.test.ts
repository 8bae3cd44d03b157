import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, it, type TestContext } from "vitest";
import { long, split } from "../../../core/src/testing/sample.ts";
import { tempDir, touchstone } from "../testing/touchstone.ts";

/** The lines that a server prints about itself, and whether its process is gone. */
interface Told {
  readonly line: string;
  readonly gone: Promise<unknown>;
}

/** A port to which the servers of a test connect: the connection of a process closes when it ends. */
async function tellingPort({ onTestFinished }: TestContext) {
  const told: Told[] = [];
  let more = (): void => {};
  const listener = createServer((socket: Socket) => {
    const gone = once(socket, "close");
    socket.on("error", () => {});
    socket.setEncoding("utf8").on("data", (text: string) => {
      for (const line of text.split("\n").filter(Boolean)) told.push({ line, gone });
      more();
    });
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const sockets = new Set<Socket>();
  listener.on("connection", (socket) => sockets.add(socket));
  onTestFinished(() => {
    listener.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = listener.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    port,
    async seen(line: string): Promise<Told> {
      for (;;) {
        const found = told.find((one) => one.line === line);
        if (found) return found;
        await new Promise<void>((resolve) => {
          more = resolve;
        });
      }
    },
  };
}

/**
 * Returns the source of a server that continues when its input has ended, and when signals arrive; it responds to
 * some methods.
 */
const stubborn = (port: number | undefined, answers: readonly string[]): string => `
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
  const told = require("node:net").connect(${port}, "127.0.0.1", () => told.write("runs\\n"));
  // The end of the test.
  told.on("close", () => process.exit()).on("error", () => {});
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    told.write(method + "\\n");
    if (!${JSON.stringify(answers)}.includes(method)) return;
    const result = {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "stubborn", version: "1" },
      tools: [{ name: "wait", description: "Waits.", inputSchema: { type: "object" } }],
    };
    const error = { code: -32601, message: "Method not found" };
    const answer = method === "server/discover" ? { error } : { result };
    console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  });`;

const OLD = ["server/discover", "initialize"];
const LISTS = [...OLD, "tools/list"];

/** The command lines that start this server. */
const COMMANDS = {
  check: (code: string) => ["check", "--", process.execPath, "-e", code],
  lint: (code: string) => ["lint", "--for", "openai", "--", process.execPath, "-e", code],
  call: (code: string) => ["call", "wait", "{}", "--", process.execPath, "-e", code],
  doctor: (code: string, context: TestContext) => {
    const file = join(tempDir(context), "touchstone.json");
    const stays = { command: process.execPath, args: ["-e", code] };
    const fails = { command: "touchstone-no-such-command" };
    writeFileSync(file, JSON.stringify({ mcpServers: { stays, fails } }));
    return ["doctor", "--config", file];
  },
} as const;

const STOPS = [
  { command: "check", at: "server/discover", answers: [], signal: "SIGTERM", status: 143 },
  { command: "check", at: "tools/list", answers: OLD, signal: "SIGTERM", status: 143 },
  {
    command: "lint",
    at: "initialize",
    answers: ["server/discover"],
    signal: "SIGINT",
    status: 130,
  },
  { command: "call", at: "tools/call", answers: LISTS, signal: "SIGINT", status: 130 },
  { command: "doctor", at: "tools/list", answers: OLD, signal: "SIGHUP", status: 129 },
] as const;

// The tests wait for the time that a server has to exit, so they run at the same time.
for (const [stops, options] of split(STOPS, 1))
  it.concurrent.for(stops)(
    "$command stops its server when it gets $signal at $at",
    { timeout: 60_000, ...options },
    async (given, context) => {
      const { command, at, answers, signal, status } = given;
      const { port, seen } = await tellingPort(context);
      const run = touchstone(COMMANDS[command](stubborn(port, answers), context), { context });
      const { gone } = await seen(at);
      run.child.kill(signal);
      expect(await run.ended).toBe(status);
      await gone;
      expect(run.stderr()).toBe(`touchstone: stopped by ${signal}\n`);
      expect(run.stdout()).toBe("");
    },
  );

it.concurrent("stops a server that lingers after its work at once on a signal", {
  ...long,
  timeout: 60_000,
}, async (context) => {
  const { port, seen } = await tellingPort(context);
  const run = touchstone(COMMANDS.call(stubborn(port, [...LISTS, "tools/call"])), { context });
  const { gone } = await seen("tools/call");
  await run.seen("stdout", /\}\n$/);
  run.child.kill("SIGINT");
  expect(await run.ended).toBe(130);
  await gone;
});

it.concurrent("exits even if a process that the server left behind is still running", {
  ...long,
  timeout: 60_000,
}, async (context) => {
  const { port, seen } = await tellingPort(context);
  const left = `
    const told = require("node:net").connect(${port}, "127.0.0.1");
    told.write("left behind\\n");
    told.on("close", () => process.exit());`;
  const code = `
    require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(left)}], {
      stdio: "inherit",
    }).unref();
    process.stdin.on("end", () => process.exit());
    ${stubborn(port, LISTS)}`;
  const run = touchstone(COMMANDS.check(code), { context });
  await seen("left behind");
  expect(await run.ended).toBe(0);
});
