import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { AnsweredError } from "./answered-error.ts";
import { connect } from "./connect.ts";
import { reachError } from "./reach-error.ts";

it("a port where nothing listens, also below what a link says of it", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  const cause: unknown = await fetch(`http://127.0.0.1:${port}`).catch((error: unknown) => error);
  expect(reachError(cause).message).toMatch(/^nothing listens there/);
  const wrapped = new Error("cannot reach the server", { cause });
  expect(reachError(wrapped).message).toMatch(/^nothing listens there/);
});

it("a command that is not there", async () => {
  const [error] = await once(spawn("no-such-command-x"), "close").catch((fault) => [fault]);
  expect(reachError(error).message).toMatch(/^command not found; check/);
});

it.each([
  ["ends", "process.exitCode = 3", 30_000, /^it exited before it responded; run it/],
  ["says nothing", "setInterval(() => {}, 1e9)", 50, /^it did not respond in time; --timeout/],
])("a server that %s", async (_, code, timeout, reason) => {
  const upstream = {
    type: "stdio",
    command: process.execPath,
    args: ["-e", code],
    env: {},
  } as const;
  const stop = new AbortController().signal;
  const options = { timeout, stderr: () => {}, env: process.env, version: "1", stop };
  await expect(connect({ name: "s", upstream }, options)).rejects.toThrow(reason);
});

it("what else keeps fetch from a server, in the words of the first cause", async () => {
  const cause: unknown = await fetch("http://127.0.0.1:1").catch((error: unknown) => error);
  expect(reachError(cause).message).toBe("bad port");
  const certificate = Object.assign(new Error("self-signed certificate"), {
    code: "DEPTH_ZERO_SELF_SIGNED_CERT",
  });
  const failed = new TypeError("fetch failed", { cause: certificate });
  const wrapped = new Error("cannot reach the server", { cause: failed });
  expect(reachError(wrapped).message).toBe("self-signed certificate");
});

it("what the server itself has answered", () => {
  const answer = new AnsweredError('{"code":-32603,"message":"fetch failed"}');
  expect(reachError(answer).message).toBe("it answered with the error -32603: fetch failed");
  const aborted = AbortSignal.abort().reason;
  expect(reachError(aborted)).toBe(aborted);
});

it("any other error is as it was, however its causes run", () => {
  const round = new Error("round");
  round.cause = round;
  expect(reachError(round)).toBe(round);
  expect(reachError("text").message).toBe("text");
});
