import { once } from "node:events";
import { createServer, request as httpRequest, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { type HttpUpstreamServer, modern, post, startHttpUpstream } from "../../testing/http.ts";

let upstream: HttpUpstreamServer;
let proxy: Server;
let proxyPort: number;
let touchstone: TestGateway | undefined;
/** What the proxy was asked for, and with which authorization. */
let asked: string[];
let answer: "pass" | "authenticate" | "refuse";

/** A proxy that knows one server only, whatever its name. */
beforeEach(async () => {
  asked = [];
  answer = "pass";
  upstream = await startHttpUpstream(({ body, headers }, response) => {
    const { id } = JSON.parse(body) as { id: unknown };
    const result = { resultType: "complete", host: headers.host, own: headers["x-own"] };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  const { port } = new URL(upstream.url);
  proxy = createServer((incoming, response) => {
    asked.push(`${incoming.url} ${incoming.headers["proxy-authorization"]}`);
    if (answer === "authenticate") {
      response.writeHead(407, { "proxy-authenticate": "Basic" }).end("who are you?");
      return;
    }
    const { "proxy-authorization": _taken, ...headers } = incoming.headers;
    const { method } = incoming;
    const { pathname: path } = new URL(incoming.url ?? "");
    incoming.pipe(
      httpRequest({ host: "127.0.0.1", port, method, path, headers }, (from) => {
        response.writeHead(from.statusCode ?? 500, from.headers);
        from.pipe(response);
      }),
    );
  });
  proxy.on("connect", (incoming, socket) => {
    asked.push(`${incoming.url} ${incoming.headers["proxy-authorization"]}`);
    if (answer === "refuse") {
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      return;
    }
    const far = connect(Number(port), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(far).pipe(socket);
    });
    for (const side of [far, socket]) side.on("error", () => {});
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  proxyPort = (proxy.address() as AddressInfo).port;
});
afterEach(async () => {
  await touchstone?.close();
  await upstream.close();
  proxy.close().closeAllConnections();
});

async function ask(url: string, env: Record<string, string>): Promise<string> {
  touchstone = await startTestGateway(
    { mcpServers: { web: { url, headers: { "X-Own": "mine" } } } },
    undefined,
    { env },
  );
  const { body, headers } = modern("server/discover");
  return (await post(touchstone.url("web"), body, headers)).text;
}

it("sends the absolute URL to the proxy for an http server", async () => {
  const text = await ask("http://tools.example/mcp", {
    HTTP_PROXY: `http://user:p%40ss@127.0.0.1:${proxyPort}`,
  });
  expect(text).toContain('"host":"tools.example","own":"mine"');
  const basic = Buffer.from("user:p@ss").toString("base64");
  expect(asked).toEqual([`http://tools.example/mcp Basic ${basic}`]);
  expect(upstream.seen.map(({ headers }) => headers["proxy-authorization"])).toEqual([undefined]);
});

it("tunnels through the proxy to an https server, and speaks TLS in the tunnel", async () => {
  const text = await ask("https://tools.example/mcp", { https_proxy: `127.0.0.1:${proxyPort}` });
  // The server behind speaks none.
  expect(text).toContain(`cannot reach the server at https://tools.example/mcp through the proxy`);
  expect(text).toMatch(/SSL|TLS/i);
  expect(asked[0]).toBe("tools.example:443 undefined");
});

it("bypasses the proxy for NO_PROXY and for this machine", async () => {
  const env = { HTTP_PROXY: `http://127.0.0.1:${proxyPort}`, NO_PROXY: "nowhere.invalid" };
  expect(await ask(upstream.url, env)).toContain('"own":"mine"');
  await touchstone?.close();
  expect(await ask("http://nowhere.invalid/mcp", env)).toContain("cannot reach the server");
  expect(asked).toEqual([]);
});

it.each([
  ["http", "authenticate", "Proxy Authentication Required (407)"],
  ["https", "refuse", "(403)"],
] as const)("reports why a proxy refuses: %s", async (scheme, how, text) => {
  answer = how;
  const at = `http://user:s3cret@127.0.0.1:${proxyPort}`;
  const told = await ask(`${scheme}://tools.example/mcp`, { HTTP_PROXY: at, HTTPS_PROXY: at });
  expect(told).toContain(`through the proxy http://127.0.0.1:${proxyPort}`);
  expect(told).toContain(text);
  expect(touchstone?.lines.join("")).not.toContain("s3cret");
});

it("reports that a variable is not a proxy URL", async () => {
  const told = await ask("https://tools.example/mcp", { HTTPS_PROXY: "socks5://u:s3cret@p:1" });
  expect(told).toContain("the variable HTTPS_PROXY names no http:// or https:// URL of a proxy");
});
