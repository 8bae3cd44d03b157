import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { long } from "../../../../core/src/testing/sample.ts";
import { startTestGateway } from "../../testing/gateway.ts";
import { initialize, modern, post, request, startHttpUpstream } from "../../testing/http.ts";

const TOOLS = [{ name: "work", inputSchema: { type: "object" } }];
const WORK = { name: "work", arguments: {} };
const CLIENT = { authorization: "Bearer client" };

/** Gateways to one upstream that says who asked; only `Bearer client` may list its tools. */
async function serving(config: object, entry: object = {}) {
  const upstream = await startHttpUpstream(({ method, body, headers }, response) => {
    const message = body === "" ? {} : JSON.parse(body);
    if (method !== "POST" || message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    if (headers.authorization === undefined) {
      response.writeHead(401, { "www-authenticate": 'Bearer realm="x"' }).end();
      return;
    }
    const result =
      message.method === "initialize"
        ? {
            protocolVersion: "2025-11-25",
            capabilities: {},
            serverInfo: { name: "u", version: "1" },
          }
        : message.method === "tools/list"
          ? { tools: TOOLS, resultType: "complete", ttlMs: 0, cacheScope: "private" }
          : { content: [], resultType: "complete" };
    const head = { "content-type": "application/json", "mcp-session-id": "s" };
    response.writeHead(200, head).end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
  });
  onTestFinished(() => upstream.close());
  const touchstone = await startTestGateway({
    ...config,
    mcpServers: { s: { url: upstream.url, ...entry } },
  });
  onTestFinished(() => touchstone.close());
  /** `METHOD AUTHORIZATION` of each message at the server. */
  const seen = () =>
    upstream.seen.map(({ body, headers }) => [JSON.parse(body).method, headers.authorization]);
  return { url: touchstone.url("s"), seen };
}

const call = modern("tools/call", WORK);

/** A server that takes one token, and answers others with a challenge, in one of the forms that servers choose. */
async function startOAuth(
  status: number,
  challenge: string | undefined,
  body: string,
  session = false,
) {
  const head = {
    "content-type": "application/json",
    ...(session ? { "mcp-session-id": "s" } : {}),
  };
  const upstream = await startHttpUpstream(({ method, body: sent, headers }, response) => {
    const message = sent === "" ? {} : JSON.parse(sent);
    if (method !== "POST" || message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    if (message.method !== "initialize" && headers.authorization !== "Bearer fresh") {
      const extra = challenge === undefined ? {} : { "www-authenticate": challenge };
      response.writeHead(status, { "content-type": "application/json", ...extra }).end(body);
      return;
    }
    const serverInfo = { name: "u", version: "1" };
    const result = {
      initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo },
      "tools/list": { tools: TOOLS, resultType: "complete", ttlMs: 0, cacheScope: "private" },
      "tools/call": { content: [], resultType: "complete" },
    }[message.method as "initialize"];
    response.writeHead(200, head).end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
  });
  onTestFinished(() => upstream.close());
  const touchstone = await startTestGateway({
    ...{ forward_authorization: true, input_validation: { mode: "strict" } },
    mcpServers: { s: { url: upstream.url } },
  });
  onTestFinished(() => touchstone.close());
  const methods = () => upstream.seen.map(({ body: sent }) => JSON.parse(sent).method);
  return { touchstone, url: touchstone.url("s"), methods };
}

const METADATA = 'Bearer resource_metadata="https://as.example/.well-known/x"';
const RPC_ERROR = '{"jsonrpc":"2.0","error":{"code":-32001,"message":"Unauthorized"},"id":null}';

describe("strict, if the server refuses its tool list to an Authorization", () => {
  it.each([
    ["401 with a text", 401, METADATA, "Unauthorized", METADATA],
    ["401 with an error of JSON-RPC", 401, METADATA, RPC_ERROR, METADATA],
    ["401 without a challenge", 401, undefined, "", null],
    [
      "403 with a challenge",
      403,
      `${METADATA}, error="insufficient_scope"`,
      "",
      `${METADATA}, error="insufficient_scope"`,
    ],
    ["a challenge that a browser would ask its user for", 401, 'Basic realm="x"', "", null],
  ])("passes the list's status on to the client: %s", async (_, status, challenge, body, told) => {
    const { touchstone, url, methods } = await startOAuth(status, challenge, body);
    const stale = { ...call.headers, authorization: "Bearer stale" };
    for (let i = 0; i < 2; i += 1) {
      const answer = await post(url, call.body, stale);
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([status, told]);
      expect(JSON.parse(answer.text)).toMatchObject({ id: 1, result: { isError: true } });
    }
    const fresh = { ...call.headers, authorization: "Bearer fresh" };
    expect((await post(url, call.body, fresh)).status).toBe(200);
    // No call went on unchecked.
    expect(methods()).toEqual(["tools/list", "tools/list", "tools/list", "tools/call"]);
    const records = await touchstone.records({ type: "tool_call" });
    expect(records.map(({ outcome }) => outcome).sort()).toEqual(["pass", "unknown", "unknown"]);
  });

  it("accepts a call in the same session as soon as the client has a new token", async () => {
    const { url } = await startOAuth(401, METADATA, RPC_ERROR, true);
    const headers = await initialize(url);
    const work = request(2, "tools/call", WORK);
    const stale = await post(url, work, { ...headers, authorization: "Bearer stale" });
    expect([stale.status, stale.headers.get("www-authenticate")]).toEqual([401, METADATA]);
    const fresh = await post(url, work, { ...headers, authorization: "Bearer fresh" });
    expect([fresh.status, JSON.parse(fresh.text).result.isError]).toEqual([200, undefined]);
  });

  it.each([
    ["403 without a challenge", 403],
    ["500", 500],
  ])("says in the response why the call cannot be checked: %s", async (_, status) => {
    const { url } = await startOAuth(status, undefined, "no");
    const answer = await post(url, call.body, call.headers);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(`HTTP status ${status}`);
  });
});

describe("a server that asks for a login", () => {
  const challenge = { "www-authenticate": METADATA };
  const token = { authorization: "Bearer stale" };
  const LOGIN = /asks for an OAuth login .* npx -y mcp-remote http:.*headers of the server's entry/;
  const OWN = /refuses the gateway's own credentials \(HTTP status 40[13](?:: no)?\)/;
  type Row = readonly [
    what: string,
    entry: object,
    sent: Record<string, string>,
    refusal: readonly [status: number, headers: Record<string, string>],
    becomes: number,
    says: RegExp,
  ];
  const FORWARDS = { touchstone: { forward_authorization: true } };
  const SET = { headers: { Authorization: "Bearer configured" } };

  it.each<Row>([
    ["by a challenge", {}, {}, [401, challenge], 502, LOGIN],
    ["without a challenge", {}, {}, [401, {}], 502, LOGIN],
    ["from a client whose token is not forwarded", {}, token, [401, challenge], 502, LOGIN],
    ["from a client without a token to forward", FORWARDS, {}, [401, challenge], 502, LOGIN],
    ["with a text", SET, token, [401, challenge], 502, /\(HTTP status 401: no\)/],
    ["although the entry has a token", SET, token, [401, challenge], 502, OWN],
    ["instead of the entry's token", { ...SET, ...FORWARDS }, token, [401, challenge], 502, OWN],
    ["of another scope", {}, {}, [403, challenge], 502, OWN],
    ["from a client whose token is forwarded", FORWARDS, token, [401, challenge], 401, /^no$/],
    ["of another scope than a forwarded token", FORWARDS, token, [403, challenge], 403, /^no$/],
    ["not: it refuses without a challenge", {}, {}, [403, {}], 403, /^no$/],
  ])("is reported once, %s", async (_, entry, sent, [status, headers], becomes, says) => {
    const upstream = await startHttpUpstream((_seen, response) => {
      response.writeHead(status, { "content-type": "text/plain", ...headers }).end("no");
    });
    onTestFinished(() => upstream.close());
    const gateway = await startTestGateway({
      mcpServers: { s: { url: upstream.url, ...entry } },
    });
    onTestFinished(() => gateway.close());
    const ping = modern("resources/list");
    const answer = await post(gateway.url("s"), ping.body, { ...ping.headers, ...sent });
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
      becomes,
      becomes === 502 ? null : (headers["www-authenticate"] ?? null),
    ]);
    const text = becomes === 502 ? JSON.parse(answer.text).error.message : answer.text;
    expect(text).toMatch(says);
    expect(answer.text).not.toContain("s3cret");
    const lines = gateway.lines.filter((line) => says.test(line));
    expect(lines).toHaveLength(becomes === 502 ? 1 : 0);
  });

  it("is reported although the server does not end its response", long, async () => {
    const upstream = await startHttpUpstream((_seen, response) => {
      response.writeHead(401, challenge).write("no");
    });
    onTestFinished(() => upstream.close());
    const gateway = await startTestGateway({ mcpServers: { s: { url: upstream.url } } });
    onTestFinished(() => gateway.close());
    const ping = modern("resources/list");
    expect((await post(gateway.url("s"), ping.body, ping.headers)).text).toMatch(LOGIN);
  });

  it("is named in the text about a call that waits for its tool list", async () => {
    const upstream = await startHttpUpstream((_seen, response) => {
      response.writeHead(401, challenge).end();
    });
    onTestFinished(() => upstream.close());
    const gateway = await startTestGateway({
      input_validation: { mode: "strict" },
      mcpServers: { s: { url: upstream.url } },
    });
    onTestFinished(() => gateway.close());
    const answer = await post(gateway.url("s"), call.body, call.headers);
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([200, null]);
    expect(JSON.parse(answer.text).result.content[0].text).toMatch(LOGIN);
  });

  const CLIENTS = {
    "1": (url: string, authProvider: object) =>
      new ClientV1({ name: "t", version: "1" }).connect(
        new TransportV1(new URL(url), { authProvider } as never) as never,
      ),
    "2": (url: string, authProvider: object) =>
      new ClientV2({ name: "t", version: "1" }).connect(
        new TransportV2(new URL(url), { authProvider } as never),
      ),
    "2, which tries the latest revision": (url: string, authProvider: object) =>
      new ClientV2({ name: "t", version: "1" }, {
        versionNegotiation: { mode: "auto" },
      } as never).connect(new TransportV2(new URL(url), { authProvider } as never)),
  } as const;
  const VERSIONS = Object.keys(CLIENTS) as (keyof typeof CLIENTS)[];

  it.each(
    VERSIONS.flatMap((version) => [
      [version, "by default", {}] as const,
      [version, "with forward_authorization", FORWARDS] as const,
    ]),
  )("is an error that a client of SDK %s shows, %s", async (version, _, entry) => {
    const upstream = await startHttpUpstream((_seen, response) => {
      response.writeHead(401, challenge).end();
    });
    onTestFinished(() => upstream.close());
    const gateway = await startTestGateway({ mcpServers: { s: { url: upstream.url, ...entry } } });
    onTestFinished(() => gateway.close());
    const asked: string[] = [];
    // What it would need for a login, which it must not begin.
    const authProvider = new Proxy(
      { redirectUrl: "http://127.0.0.1:9/", clientMetadata: { redirect_uris: [] } },
      {
        get: (target, name) => {
          if (name in target) return target[name as "redirectUrl"];
          if (name === "tokens" || name === "token" || name === "then") return undefined;
          asked.push(String(name));
          return () => undefined;
        },
      },
    );
    const provider = Object.assign(Object.create(authProvider), { tokens: () => undefined });
    await expect(CLIENTS[version](gateway.url("s"), provider)).rejects.toThrow(LOGIN);
    expect(asked.filter((name) => /^(?:redirectTo|save)/.test(name))).toEqual([]);
  });
});

describe("forward_authorization", () => {
  it.each([
    ["at the top", { forward_authorization: true }, {}],
    ["in the entry", {}, { touchstone: { forward_authorization: true } }],
  ])(
    "%s, sends a client's Authorization with its call and with requests made for it",
    async (_, config, entry) => {
      const { url, seen } = await serving(config, entry);
      const answer = await post(url, call.body, { ...call.headers, ...CLIENT });
      expect(answer.status).toBe(200);
      expect(seen()).toEqual([
        ["tools/list", "Bearer client"],
        ["tools/call", "Bearer client"],
      ]);
    },
  );

  it.each([
    ["by default", {}, {}],
    [
      "where the entry says no",
      { forward_authorization: true },
      { touchstone: { forward_authorization: false } },
    ],
  ])("%s, sends no Authorization, and says why no client can log in", async (_, config, entry) => {
    const { url, seen } = await serving(config, entry);
    const answer = await post(url, call.body, { ...call.headers, ...CLIENT });
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([502, null]);
    expect(answer.text).toContain("the server s cannot be used: it asks for an OAuth login");
    expect(seen().map(([, authorization]) => authorization)).toEqual([undefined, undefined]);
  });

  it("never sends the gateway's own key to a server", async () => {
    const config = { forward_authorization: true, auth: { api_key: "s3cret" } };
    const { url, seen } = await serving(config);
    const own = { ...call.headers, authorization: "bearer s3cret" };
    expect((await post(url, call.body, own)).text).toContain("asks for an OAuth login");
    const both = { ...call.headers, ...CLIENT, "x-api-key": "s3cret" };
    expect((await post(url, call.body, both)).status).toBe(200);
    const given = seen().map(([, authorization]) => authorization);
    expect(new Set(given)).toEqual(new Set([undefined, "Bearer client"]));
  });

  it("keeps configured credentials", async () => {
    const headers = { Authorization: "Bearer configured" };
    const { url, seen } = await serving({ forward_authorization: true }, { headers });
    await post(url, call.body, { ...call.headers, ...CLIENT });
    expect(seen().at(-1)).toEqual(["tools/call", "Bearer configured"]);
  });
});
