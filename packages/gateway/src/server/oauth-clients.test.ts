import { randomUUID } from "node:crypto";
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
  UnauthorizedError as UnauthorizedV2,
} from "@modelcontextprotocol/client";
import {
  type OAuthDiscoveryState,
  UnauthorizedError as UnauthorizedV1,
} from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type {
  OAuthClientInformationMixed,
  OAuthTokens,
} from "@modelcontextprotocol/sdk/shared/auth.js";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { freePort } from "../../../util/src/testing/free-port.ts";
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from "../testing/authorization-server.ts";
import { FAULTY_SERVER } from "../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../testing/gateway.ts";

const FAULTY = { command: process.execPath, args: [FAULTY_SERVER] };
const METADATA = "/.well-known/oauth-protected-resource";
const PAGE = "https://app.example";
const REDIRECT = "http://127.0.0.1:9/callback";
const CALL = { name: "echo", arguments: { text: "hello" } };

let authorization: AuthorizationServer;
let touchstone: TestGateway;

beforeAll(async () => {
  // The second SDK warns of each refresh token that is refused.
  vi.spyOn(console, "warn").mockImplementation(() => {});
  authorization = await startAuthorizationServer("alice");
  // The audience names the gateway's address, so it must be known before the gateway starts.
  const address = `127.0.0.1:${await freePort()}`;
  touchstone = await startTestGateway({
    listen: { address, allowed_origins: [PAGE] },
    mcpServers: { faulty: FAULTY, other: FAULTY },
    auth: {
      jwt: {
        issuer: authorization.issuer,
        audience: `http://${address}/mcp/{server}`,
        jwks_url: authorization.jwksUrl,
        clock_skew: 0,
      },
    },
  });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await touchstone.close();
  await authorization.close();
});
beforeEach(() => {
  authorization.lifetime = 600;
  authorization.seen.length = 0;
});

/** The data that an application keeps for a client of an SDK, and the user's browser. */
class Application {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = {
    client_name: "test",
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: "none",
  };
  /** The URL to which the SDK sent the user; undefined if it has not done so yet. */
  sentTo: URL | undefined;
  #client: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #discovered: OAuthDiscoveryState | undefined;
  #verifier = "";
  #state = "";

  state = (): string => {
    this.#state = randomUUID();
    return this.#state;
  };
  clientInformation = (): OAuthClientInformationMixed | undefined => this.#client;
  saveClientInformation = (client: OAuthClientInformationMixed): void => {
    this.#client = client;
  };
  tokens = (): OAuthTokens | undefined => this.#tokens;
  saveTokens = (tokens: OAuthTokens): void => {
    this.#tokens = tokens;
  };
  saveCodeVerifier = (verifier: string): void => {
    this.#verifier = verifier;
  };
  codeVerifier = (): string => this.#verifier;
  saveDiscoveryState = (state: OAuthDiscoveryState): void => {
    this.#discovered = state;
  };
  discoveryState = (): OAuthDiscoveryState | undefined => this.#discovered;
  redirectToAuthorization = (url: URL): void => {
    this.sentTo = url;
  };
  invalidateCredentials = (): void => {
    this.#tokens = undefined;
  };

  /** Makes the next request use another access token. The refresh token stays. */
  async holds(resource: string, lifetime?: number): Promise<void> {
    const token = await authorization.token(resource, lifetime);
    this.#tokens = { token_type: "Bearer", ...this.#tokens, access_token: token };
  }

  /** Follows the redirect, and returns the parameters of the application's callback. */
  async agree(): Promise<URLSearchParams> {
    const response = await fetch(this.sentTo ?? "", { redirect: "manual" });
    const callback = new URL(response.headers.get("location") ?? "");
    expect(callback.href.startsWith(`${REDIRECT}?`)).toBe(true);
    expect(callback.searchParams.get("state")).toBe(this.#state);
    this.sentTo = undefined;
    return callback.searchParams;
  }
}

/** A client that has not connected. */
interface Connection {
  connect(): Promise<void>;
  finishAuth(callback: URLSearchParams): Promise<void>;
  tools(): Promise<string[]>;
  call(): Promise<unknown>;
  close(): Promise<void>;
}
type Open = (application: Application, fetch: typeof globalThis.fetch) => Connection;

const INFO = { name: "test", version: "1" };
const contentText = (result: object): unknown =>
  (result as { content?: { text?: string }[] }).content?.[0]?.text;

const openV1: Open = (authProvider, fetch) => {
  const client = new ClientV1(INFO);
  const transport = new TransportV1(new URL(touchstone.url("faulty")), { authProvider, fetch });
  return {
    connect: () => client.connect(transport as Parameters<typeof client.connect>[0]),
    finishAuth: (callback) => transport.finishAuth(callback.get("code") ?? ""),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async () => contentText(await client.callTool(CALL)),
    close: () => client.close(),
  };
};
const openV2 =
  (mode: "legacy" | "auto"): Open =>
  (authProvider, fetch) => {
    const client = new ClientV2(INFO, { versionNegotiation: { mode } });
    const transport = new TransportV2(new URL(touchstone.url("faulty")), { authProvider, fetch });
    return {
      connect: () => client.connect(transport),
      finishAuth: (callback) => transport.finishAuth(callback),
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async () => contentText(await client.callTool(CALL)),
      close: () => client.close(),
    };
  };

describe.each<[string, Open, new (message?: string) => Error]>([
  ["SDK 1", openV1, UnauthorizedV1],
  ["SDK 2", openV2("legacy"), UnauthorizedV2],
  ["SDK 2, without sessions", openV2("auto"), UnauthorizedV2],
])("an OAuth client of %s", (_, open, Unauthorized) => {
  let application: Application;
  const exchanged: string[] = [];
  const fetchAndNote: typeof globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init);
    const url = new URL(String(input));
    if (url.port === String(touchstone.gateway.port)) {
      exchanged.push(`${init?.method ?? "GET"} ${url.pathname} ${response.status}`);
    }
    return response;
  };
  const opened = (): Connection => open(application, fetchAndNote);
  const calls = () => touchstone.records({ type: "tool_call", server: "faulty" });
  beforeEach(() => {
    application = new Application();
    exchanged.length = 0;
  });

  /** Connects, which sends the user to the authorization server, and completes the sign-in with the issued code. */
  async function signIn(): Promise<void> {
    const connection = opened();
    await expect(connection.connect()).rejects.toBeInstanceOf(Unauthorized);
    await connection.finishAuth(await application.agree());
    await connection.close();
  }

  /** The status of each request that was sent to a server. */
  const posted = (): string[] =>
    exchanged.filter((one) => one.startsWith("POST /mcp/")).map((one) => one.slice(-3));

  it("finds the issuer, registers, gets consent, and calls a tool under the user's name", async () => {
    const before = (await calls()).length;
    await signIn();
    expect(exchanged).toEqual(["POST /mcp/faulty 401", `GET ${METADATA}/mcp/faulty 200`]);
    expect(authorization.seen).toEqual([
      "GET /.well-known/oauth-authorization-server",
      "POST /register",
      "GET /authorize",
      "POST /token authorization_code",
    ]);
    const connection = opened();
    await connection.connect();
    expect(await connection.tools()).toContain("echo");
    expect(await connection.call()).toContain("hello");
    await connection.close();
    const made = (await calls()).slice(before);
    expect(made).toEqual([expect.objectContaining({ tool: "echo", caller: "alice" })]);
    expect(JSON.stringify(made)).not.toContain(application.tokens()?.access_token.slice(-40));
  });

  it("refreshes an expired token, before and during a connection", async () => {
    await signIn();
    await application.holds(touchstone.url("faulty"), -1);
    const connection = opened();
    await connection.connect();
    await application.holds(touchstone.url("faulty"), -1);
    expect(await connection.call()).toContain("hello");
    await connection.close();
    expect(authorization.seen.filter((one) => one.endsWith("refresh_token"))).toHaveLength(2);
    expect(application.sentTo).toBeUndefined();
  });

  it.each([
    ["has expired and cannot be refreshed", "faulty", -1],
    ["is for another server", "other", 600],
  ])("asks for consent again if its token %s", async (_, server, lifetime) => {
    const before = (await calls()).length;
    await signIn();
    authorization.revoke();
    await application.holds(touchstone.url(server), lifetime);
    exchanged.length = 0;
    await signIn();
    expect(posted()).toEqual(["401"]);
    expect((await calls()).length).toBe(before);
    const connection = opened();
    await connection.connect();
    expect(await connection.call()).toContain("hello");
    await connection.close();
  });

  it("is refused if even its new tokens have expired", async () => {
    authorization.lifetime = -1;
    await signIn();
    exchanged.length = 0;
    const connection = opened();
    await expect(connection.connect()).rejects.toThrow();
    await connection.close();
    expect(posted()).toEqual(["401", "401"]);
  });
});

describe("a web page", () => {
  it("may read the challenge and the metadata", async () => {
    const asked = { "access-control-request-method": "GET" };
    const fields = { "access-control-request-headers": "mcp-protocol-version" };
    const url = `http://127.0.0.1:${touchstone.gateway.port}${METADATA}/mcp/faulty`;
    const preflight = await fetch(url, {
      method: "OPTIONS",
      headers: { origin: PAGE, ...asked, ...fields },
    });
    expect(preflight.headers.get("access-control-allow-headers")).toContain("mcp-protocol-version");
    const metadata = await fetch(url, { headers: { origin: PAGE } });
    expect([metadata.status, metadata.headers.get("access-control-allow-origin")]).toEqual([
      200,
      PAGE,
    ]);
    const challenge = await fetch(touchstone.url("faulty"), {
      method: "POST",
      headers: { origin: PAGE },
    });
    expect([challenge.status, challenge.headers.get("access-control-allow-origin")]).toEqual([
      401,
      PAGE,
    ]);
    expect(challenge.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
    expect(challenge.headers.get("www-authenticate")).toBe(`Bearer resource_metadata="${url}"`);
  });
});
