import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { eachOf } from "../../../core/src/testing/sample.ts";
import { connect } from "./connect.ts";
import { JsonRpcResponseError } from "./json-rpc-error.ts";
import { unreachableError } from "./reach-error.ts";

it("says that nothing listens on the port, even if the error is wrapped", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  const cause: unknown = await fetch(`http://127.0.0.1:${port}`).catch((error: unknown) => error);
  expect(unreachableError(cause).message).toMatch(/^nothing listens there/);
  const wrapped = new Error("cannot reach the server", { cause });
  expect(unreachableError(wrapped).message).toMatch(/^nothing listens there/);
});

it("says that a command was not found", async () => {
  const [error] = await once(spawn("no-such-command-x"), "close").catch((fault) => [fault]);
  expect(unreachableError(error).message).toMatch(/^command not found; check/);
});

eachOf(
  [
    ["ends", "process.exitCode = 3", 30_000, /^it exited before it responded; run it/],
    ["says nothing", "setInterval(() => {}, 1e9)", 50, /^it did not respond in time; --timeout/],
  ],
  1,
)("explains why a server that %s cannot be reached", async (_, code, timeout, reason) => {
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

it("says in one line that a port serves plain HTTP", async () => {
  const server = createServer((_request, response) => void response.end("hello"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const cause: unknown = await fetch(`https://127.0.0.1:${port}`).catch((error: unknown) => error);
  expect(unreachableError(cause).message).toMatch(
    /^it does not respond with TLS; if it serves plain HTTP, use http:\/\/ in its URL \(ERR_SSL_\w+\)$/,
  );
});

it("uses the first cause of any other fetch error", async () => {
  const cause: unknown = await fetch("http://127.0.0.1:1").catch((error: unknown) => error);
  expect(unreachableError(cause).message).toBe("bad port");
  const certificate = Object.assign(new Error("self-signed certificate"), {
    code: "DEPTH_ZERO_SELF_SIGNED_CERT",
  });
  const failed = new TypeError("fetch failed", { cause: certificate });
  const wrapped = new Error("cannot reach the server", { cause: failed });
  expect(unreachableError(wrapped).message).toMatch(
    /^self-signed certificate: its certificate is not trusted here\. Set NODE_EXTRA_CA_CERTS to a PEM file/,
  );
});

it("passes on the error that the server returned", () => {
  const answer = new JsonRpcResponseError('{"code":-32603,"message":"fetch failed"}');
  expect(unreachableError(answer).message).toBe("it responded with the error -32603: fetch failed");
  const aborted = AbortSignal.abort().reason;
  expect(unreachableError(aborted)).toBe(aborted);
});

it("returns any other error unchanged, even if its causes form a cycle", () => {
  const round = new Error("round");
  round.cause = round;
  expect(unreachableError(round)).toBe(round);
  expect(unreachableError("text").message).toBe("text");
});
