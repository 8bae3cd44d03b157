import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createProxy } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, connect, type Server } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { tempDir, touchstone } from "../testing/touchstone.ts";

const TOOL = {
  name: "add",
  description: "Adds two numbers and gives their sum.",
  inputSchema: { type: "object", properties: { a: { type: "integer", description: "A" } } },
};

async function listening(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A server at `https://tools.example` that can only be reached through a proxy. */
async function behindProxy() {
  const dir = tempDir();
  const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
  const subject = ["-subj", "/CN=tools.example", "-addext", "subjectAltName=DNS:tools.example"];
  execFileSync(
    "openssl",
    // biome-ignore format: one option a line says less
    ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", ...subject, "-keyout", key, "-out", cert],
    { stdio: "ignore" },
  );
  const server = createServer(
    { key: readFileSync(key), cert: readFileSync(cert) },
    async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const text = Buffer.concat(parts).toString();
      const { id, method } = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
      const serverInfo = { name: "tools", version: "1" };
      const results: Record<string, object> = {
        initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo },
        "tools/list": { tools: [TOOL] },
        "tools/call": { content: [{ type: "text", text: "3" }] },
      };
      const result = results[String(method)];
      if (id === undefined) response.writeHead(request.method === "POST" ? 202 : 405).end();
      else {
        const error = { code: -32601, message: "Method not found" };
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }));
      }
    },
  );
  const port = await listening(server);
  const asked: string[] = [];
  const proxy = createProxy();
  proxy.on("connect", (request, near) => {
    asked.push(request.url ?? "");
    const far = connect(port, "127.0.0.1", () => {
      near.write("HTTP/1.1 200 Connection established\r\n\r\n");
      near.pipe(far).pipe(near);
    });
    for (const side of [near, far]) side.on("error", () => {});
  });
  const HTTPS_PROXY = `http://127.0.0.1:${await listening(proxy)}`;
  return { asked, env: { HTTPS_PROXY, NO_PROXY: "", NODE_EXTRA_CA_CERTS: cert } };
}

it("reaches an https server through the proxy of the environment", long, async () => {
  const { asked, env } = await behindProxy();
  const url = "https://tools.example/mcp";
  const checked = touchstone(["check", url], { env });
  const open = "1 tool, 1 open to undeclared arguments\n";
  expect([await checked.ended, checked.stderr()]).toEqual([0, open]);
  const called = touchstone(["call", url, "add", '{"a":1}'], { env });
  expect([await called.ended, called.stdout()]).toEqual([0, expect.stringContaining("3")]);
  const wrapped = touchstone(["wrap", "--url", url], { env });
  const clientInfo = { name: "t", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const begin = { jsonrpc: "2.0", id: 1, method: "initialize", params };
  wrapped.child.stdin.write(`${JSON.stringify(begin)}\n`);
  await wrapped.seen("stdout", /"name":"tools"/);
  wrapped.child.stdin.end();
  expect(await wrapped.ended).toBe(0);
  expect(new Set(asked)).toEqual(new Set(["tools.example:443"]));
  const untrusted = { ...env, NODE_EXTRA_CA_CERTS: "" };
  const refused = touchstone(["check", url], { env: untrusted });
  expect([await refused.ended, refused.stderr()]).toEqual([
    3,
    expect.stringContaining("Set NODE_EXTRA_CA_CERTS to a PEM file"),
  ]);
  const strange = touchstone(["wrap", "--url", url], { env: untrusted });
  strange.child.stdin.write(`${JSON.stringify(begin)}\n`);
  await strange.seen("stdout", /self-signed certificate: .*Set NODE_EXTRA_CA_CERTS/);
  strange.child.stdin.end();
  await strange.ended;
  const past = touchstone(["check", url], { env: { ...env, NO_PROXY: ".example" } });
  expect(await past.ended).toBe(3);
  expect(past.stderr()).toContain("no host has this name");
});
