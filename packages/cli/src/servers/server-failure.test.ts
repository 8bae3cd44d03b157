import { EventEmitter } from "node:events";
import { expect, it, onTestFinished, vi } from "vitest";
import { outcomeOf } from "../testing/touchstone.ts";
import { withConnection } from "./server-failure.ts";

/**
 * The source of a server that answers each request except the first with an error, and whose output on stderr does
 * not end with a line feed.
 */
const UNWILLING = `
const { createInterface } = require("node:readline");
const serverInfo = { name: "it", version: "1" };
const result = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo };
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const answer = method === "initialize" ? { result } : { error: { code: -32603, message: "no" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
});
process.stderr.write("at your ");
setTimeout(() => process.stderr.write(Buffer.from([0xc3])), 1);
setTimeout(() => process.stderr.write(Buffer.from([0xa9])), 30);
`;

it.each([["check"], ["call", "a_tool"]])(
  "%s prints the server's error on a line of its own",
  async (...args) => {
    const { code, err } = await outcomeOf([...args, "--", process.execPath, "-e", UNWILLING]);
    expect(code).toBe(3);
    expect(err).toMatch(
      /at your .*\ntouchstone: .* cannot be reached: it responded with the error -32603: no\n$/s,
    );
    expect(err).not.toContain("\ufffd");
  },
);

it.each([
  [true, "\r\u001b[Kasking it …\r\u001b[K[it] starting\n\r\u001b[Klooking\r\u001b[K"],
  [false, "[it] starting\n"],
])("shows on a terminal (%j) that it is waiting, and erases that again", async (isTTY, wanted) => {
  let said = "";
  const write = (text: string): void => {
    said += text;
  };
  const outside = { stderr: { write, isTTY }, signals: new EventEmitter(), now: () => new Date() };
  const io = { ...outside, env: process.env, version: "1" } as never;
  const code = `console.error("starting"); ${UNWILLING.replace(/process\.stderr.*/s, "")}`;
  const args = ["-e", code];
  const upstream = { type: "stdio", command: process.execPath, args, env: {} } as const;
  await withConnection({ name: "it", upstream }, { timeout: 30 }, io, async (_, progress) => {
    progress.show("looking");
  });
  expect(said).toBe(wanted);
});

it("stops at once on a signal, whatever its task waits for", async () => {
  // Without fake timers, a task that is abandoned after some time would end the test as well.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const signals = new EventEmitter();
  const stderr = { write: () => true };
  const io = { stderr, signals, now: () => new Date(), env: process.env, version: "1" } as never;
  const args = ["-e", UNWILLING.replace(/process\.stderr.*/s, "")];
  const upstream = { type: "stdio", command: process.execPath, args, env: {} } as const;
  const ended = withConnection({ name: "it", upstream }, { timeout: 30 }, io, () => {
    signals.emit("SIGINT");
    return new Promise<never>(() => {});
  });
  await expect(ended).rejects.toMatchObject({ code: 130, message: "stopped by SIGINT" });
});

it("stops on a signal that comes between the connection and the task", async () => {
  // Without fake timers, a task that is abandoned after some time would end the test as well.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const signals = new EventEmitter();
  const write = (text: string): void => {
    // The command is connected, and has erased its message about waiting.
    if (text === "\r\u001b[K") signals.emit("SIGINT");
  };
  const outside = { stderr: { write, isTTY: true }, signals, now: () => new Date() };
  const io = { ...outside, env: process.env, version: "1" } as never;
  const args = ["-e", UNWILLING.replace(/process\.stderr.*/s, "")];
  const upstream = { type: "stdio", command: process.execPath, args, env: {} } as const;
  const never = () => new Promise<never>(() => {});
  const ended = withConnection({ name: "it", upstream }, { timeout: 30 }, io, never);
  await expect(ended).rejects.toMatchObject({ code: 130, message: "stopped by SIGINT" });
});

it("escapes control characters in a server's stderr, but keeps colors", async () => {
  const code = `console.error("\\x1b[31mred\\x1b[2J\\x1b]0;x\\x07\\u202e"); ${UNWILLING.replace(/process\.stderr.*/s, "")}`;
  const ended = await outcomeOf(["check", "--", process.execPath, "-e", code]);
  expect(ended.code).toBe(3);
  expect(ended.err).toContain("] \u001b[31mred\\u{1b}[2J\\u{1b}]0;x\\u{7}\\u{202e}\u001b[0m\n");
});
