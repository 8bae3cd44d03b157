import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { type BodyReader, createNodeHandler, type ToolCallHandler } from "./index.ts";

const TOOLS = [{ name: "t", description: "", inputSchema: { type: "object" } }];
const PATHS = ["/tools/t/validate", "/tools/t/call", "/validate"];
const VALID = '{"calls":[]}';

/** Sends a body that the host reads, and returns the status and the text of each response. */
async function sentTo(readBody: BodyReader, handleCall: ToolCallHandler) {
  const options = { allowExecute: true, maxBodyBytes: 100, readBody };
  const server = createServer(createNodeHandler(TOOLS, handleCall, options));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return Promise.all(
    PATHS.map(async (path) => {
      const headers = { "content-type": "application/json" };
      const url = `http://127.0.0.1:${port}${path}`;
      const response = await fetch(url, { method: "POST", body: "{}", headers });
      return [response.status, response.headers.get("retry-after"), await response.text()];
    }),
  );
}

it.each<[string, BodyReader, readonly unknown[]]>([
  ["the bytes", async () => Buffer.from(VALID), [200, null, expect.any(String)]],
  [
    "a response that refuses the request",
    async () => new Response("full", { status: 503, headers: { "retry-after": "5" } }),
    [503, "5", "full"],
  ],
  ["nothing, as it is too large", async () => undefined, [413, null, expect.any(String)]],
  ["more than the limit", async () => Buffer.alloc(101), [413, null, expect.any(String)]],
  [
    "an error",
    async () => Promise.reject(new Error("/home/me/secret")),
    [400, null, expect.stringContaining("the body ended before it was whole")],
  ],
])("a host that reads bodies gives %s", async (_, readBody, expected) => {
  const handleCall = vi.fn<ToolCallHandler>(() => [[], false]);
  const read = vi.fn<BodyReader>(readBody);
  expect(await sentTo(read, handleCall)).toEqual(PATHS.map(() => expected));
  expect(read.mock.calls.map(([, limit]) => limit)).toEqual(PATHS.map(() => 100));
  expect(handleCall).toHaveBeenCalledTimes(expected[0] === 200 ? 1 : 0);
});
