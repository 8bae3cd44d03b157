import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { long } from "../../../../core/src/testing/sample.ts";
import { FAULTY_SERVER } from "../../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import {
  type HttpUpstreamServer,
  modern,
  post,
  request,
  startHttpUpstream,
} from "../../testing/http.ts";

const FAULTY = { command: process.execPath, args: [FAULTY_SERVER] };
const ISSUER = "https://issuer.example";
const AUDIENCE = "https://gateway.example/mcp/{server}";
const FOR = (server: string): string => `https://gateway.example/mcp/${server}`;

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const ed = generateKeyPairSync("ed25519");
const next = generateKeyPairSync("rsa", { modulusLength: 2048 });
const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 });
const publicKey = (key: KeyObject, kid: string): object => ({
  ...key.export({ format: "jwk" }),
  kid,
});

const encoded = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url");
const now = (): number => Math.floor(Date.now() / 1000);
const claims = (more: object = {}): object => ({
  iss: ISSUER,
  aud: [FOR("faulty"), FOR("web")],
  sub: "alice",
  exp: now() + 600,
  ...more,
});

type Signer = (text: string) => Buffer;
const rs256 =
  (key: KeyObject): Signer =>
  (text) =>
    sign("sha256", Buffer.from(text), key);
const es256: Signer = (text) =>
  sign("sha256", Buffer.from(text), { key: ec.privateKey, dsaEncoding: "ieee-p1363" });
const eddsa: Signer = (text) => sign(null, Buffer.from(text), ed.privateKey);

/** Makes a token with any header and claims. */
function token(
  payload: unknown = claims(),
  header: object = {},
  signer: Signer = rs256(rsa.privateKey),
): string {
  const text = `${encoded({ alg: "RS256", kid: "one", ...header })}.${encoded(payload)}`;
  return `${text}.${signer(text).toString("base64url")}`;
}

/** The issuer's key set, which the test can change, break, or have redirect. */
let keys: object[] = [];
let mode: "keys" | "down" | "redirect" | "large" | "text" = "keys";
let fetched = 0;
let issuer: Server;
let other: Server;
let jwksUrl = "";
let touchstone: TestGateway;
let web: HttpUpstreamServer;
let challenges = 0;

const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
};

beforeAll(async () => {
  keys = [
    publicKey(rsa.publicKey, "one"),
    publicKey(ec.publicKey, "two"),
    publicKey(ed.publicKey, "three"),
  ];
  other = createServer(
    (_, response) =>
      void response.end(JSON.stringify({ keys: [publicKey(stranger.publicKey, "one")] })),
  );
  const elsewhere = await listening(other);
  issuer = createServer((_, response) => {
    fetched += 1;
    if (mode === "redirect")
      response.writeHead(302, { location: `http://127.0.0.1:${elsewhere}/` }).end();
    else if (mode === "down") response.writeHead(500).end();
    else if (mode === "text") response.end("<html>");
    else if (mode === "large") response.end(JSON.stringify({ keys, pad: "x".repeat(2_000_000) }));
    else response.setHeader("content-type", "application/json").end(JSON.stringify({ keys }));
  });
  jwksUrl = `http://127.0.0.1:${await listening(issuer)}/jwks`;
  web = await startHttpUpstream(({ body }, response) => {
    const { id } = JSON.parse(body || "{}");
    if (challenges > 0) {
      challenges -= 1;
      response
        .writeHead(401, { "www-authenticate": 'Bearer resource_metadata="https://evil.example"' })
        .end();
      return;
    }
    if (id === undefined) response.writeHead(202).end();
    else {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({
          jsonrpc: "2.0",
          id,
          result: { tools: [], resultType: "complete", ttlMs: 0, cacheScope: "private" },
        }),
      );
    }
  });
  touchstone = await startTestGateway({
    mcpServers: {
      faulty: FAULTY,
      web: { url: web.url, headers: { authorization: "Bearer of-the-gateway" } },
      other: FAULTY,
    },
    auth: {
      keys: [{ name: "bob", key: "key-of-bob" }],
      jwt: { issuer: ISSUER, audience: AUDIENCE, jwks_url: jwksUrl, role: "viewer", clock_skew: 5 },
    },
  });
});
afterAll(async () => {
  await touchstone.close();
  await web.close();
  issuer.close();
  other.close();
});

const bearer = (text: string): Record<string, string> => ({ authorization: `Bearer ${text}` });
const list = modern("tools/list");
const send = (url: string, headers: Record<string, string>) =>
  post(url, list.body, { ...list.headers, ...headers });
const base = (): string => `http://127.0.0.1:${touchstone.gateway.port}`;

const good = token();
const [head = "", body = ""] = good.split(".");
const hmac =
  (key: string | Buffer): Signer =>
  (text) =>
    createHmac("sha256", key).update(text).digest();
const pem = rsa.publicKey.export({ type: "spki", format: "pem" }).toString();
const jwk = JSON.stringify(rsa.publicKey.export({ format: "jwk" }));

/** Types that access tokens do not have (RFC 8725, section 3.11). */
const OTHER_TYPES: readonly unknown[] = [
  ...["logout+jwt", "dpop+jwt", "secevent+jwt", "token-introspection+jwt", "id_token", "JWS", ""],
  ...["application/logout+jwt", "text/jwt", "at+jwt ", "at-jwt", "jwt+at", "application/"],
  ...[5, null, ["JWT"], { typ: "JWT" }],
];

/** None of these tokens is accepted. */
const REFUSED: readonly (readonly [
  name: string,
  token: () => string,
  code: string,
  said: RegExp,
])[] = [
  ["text that is no token", () => "s3cret", "TOKEN_INVALID", /not a signed JSON Web Token/],
  ["a token without a signature", () => `${head}.${body}.`, "TOKEN_INVALID", /signature/],
  ["two parts", () => `${head}.${body}`, "TOKEN_INVALID", /not a signed/],
  [
    "five parts, as of an encrypted one",
    () => `${head}..${body}.${head}.${body}`,
    "TOKEN_INVALID",
    /not a signed/,
  ],
  ["claims that are not JSON", () => token("x", {}), "TOKEN_INVALID", /not a signed/],
  [
    "another signature",
    () => token(claims(), {}, rs256(stranger.privateKey)),
    "TOKEN_INVALID",
    /signature/,
  ],
  [
    "changed claims",
    () => `${head}.${encoded(claims({ sub: "adam" }))}.${good.split(".")[2]}`,
    "TOKEN_INVALID",
    /signature/,
  ],
  ["expired", () => token(claims({ exp: now() - 60 })), "TOKEN_EXPIRED", /has expired \(exp\)/],
  ["no exp", () => token(claims({ exp: undefined })), "TOKEN_INVALID", /claim exp is missing/],
  ["exp as a text", () => token(claims({ exp: "never" })), "TOKEN_INVALID", /claim exp is invalid/],
  [
    "exp that no date is",
    () => {
      const text = `${encoded({ alg: "RS256", kid: "one" })}.${Buffer.from(JSON.stringify(claims({ exp: 7 })).replace(":7", ":1e999")).toString("base64url")}`;
      return `${text}.${rs256(rsa.privateKey)(text).toString("base64url")}`;
    },
    "TOKEN_INVALID",
    /\(exp\) is not a date/,
  ],
  [
    "not yet valid",
    () => token(claims({ nbf: now() + 600 })),
    "TOKEN_INVALID",
    /not valid yet \(nbf\)/,
  ],
  [
    "issued in the future",
    () => token(claims({ iat: now() + 600 })),
    "TOKEN_INVALID",
    /issued in the future \(iat\)/,
  ],
  ["iat as a text", () => token(claims({ iat: "now" })), "TOKEN_INVALID", /claim iat is invalid/],
  ...OTHER_TYPES.map(
    (typ) =>
      [
        `the type ${JSON.stringify(typ)}`,
        () => token(claims(), { typ }),
        "TOKEN_INVALID",
        /its type \(typ\) must be JWT or at\+jwt, or absent/,
      ] as const,
  ),
  [
    "another audience",
    () => token(claims({ aud: "https://gateway.example" })),
    "TOKEN_INVALID",
    /another audience \(aud\)/,
  ],
  ["no audience", () => token(claims({ aud: undefined })), "TOKEN_INVALID", /claim aud is missing/],
  [
    "an audience that begins alike",
    () => token(claims({ aud: `${FOR("faulty")}/` })),
    "TOKEN_INVALID",
    /audience/,
  ],
  [
    "the audience in another case",
    () => token(claims({ aud: FOR("faulty").replace("gateway", "Gateway") })),
    "TOKEN_INVALID",
    /audience/,
  ],
  [
    "an audience with a part percent-encoded",
    () => token(claims({ aud: FOR("f%61ulty") })),
    "TOKEN_INVALID",
    /audience/,
  ],
  [
    "the audience of another server",
    () => token(claims({ aud: FOR("other") })),
    "TOKEN_INVALID",
    /audience/,
  ],
  [
    "another issuer",
    () => token(claims({ iss: `${ISSUER}/` })),
    "TOKEN_INVALID",
    /another issuer \(iss\)/,
  ],
  ["no issuer", () => token(claims({ iss: undefined })), "TOKEN_INVALID", /claim iss is missing/],
  [
    "alg none",
    () => `${encoded({ alg: "none", kid: "one" })}.${encoded(claims())}.`,
    "TOKEN_INVALID",
    /algorithm \(alg\) must be RS256, ES256, EdDSA/,
  ],
  [
    "alg None, in another case",
    () => `${encoded({ alg: "None", kid: "one" })}.${encoded(claims())}.`,
    "TOKEN_INVALID",
    /algorithm/,
  ],
  ["no alg", () => `${encoded({ kid: "one" })}.${encoded(claims())}.x`, "TOKEN_INVALID", /refused/],
  [
    "HS256 with the public key as PEM",
    () => token(claims(), { alg: "HS256" }, hmac(pem)),
    "TOKEN_INVALID",
    /algorithm/,
  ],
  [
    "HS256 with the public key as JWK",
    () => token(claims(), { alg: "HS256" }, hmac(jwk)),
    "TOKEN_INVALID",
    /algorithm/,
  ],
  [
    "HS256 with the public key as DER",
    () =>
      token(
        claims(),
        { alg: "HS256" },
        hmac(rsa.publicKey.export({ type: "spki", format: "der" })),
      ),
    "TOKEN_INVALID",
    /algorithm/,
  ],
  [
    "an algorithm that is not configured",
    () => token(claims(), { alg: "PS256" }),
    "TOKEN_INVALID",
    /algorithm/,
  ],
  [
    "a key of another type",
    () => token(claims(), { alg: "ES256", kid: "one" }, es256),
    "TOKEN_INVALID",
    /key \(kid\)/,
  ],
  ["another kid", () => token(claims(), { kid: "unknown" }), "TOKEN_INVALID", /key \(kid\)/],
  [
    "a kid that is a path",
    () => token(claims(), { kid: "../../one" }),
    "TOKEN_INVALID",
    /key \(kid\)/,
  ],
  ["a kid that is no text", () => token(claims(), { kid: ["one"] }), "TOKEN_INVALID", /refused/],
  [
    "its own key in jwk",
    () =>
      token(
        claims(),
        { kid: "mine", jwk: publicKey(stranger.publicKey, "mine") },
        rs256(stranger.privateKey),
      ),
    "TOKEN_INVALID",
    /key \(kid\)/,
  ],
  [
    "its own key in jwk, under a known kid",
    () =>
      token(claims(), { jwk: publicKey(stranger.publicKey, "one") }, rs256(stranger.privateKey)),
    "TOKEN_INVALID",
    /signature/,
  ],
  [
    "its own keys at jku",
    () => token(claims(), { jku: "http://127.0.0.1:1/" }, rs256(stranger.privateKey)),
    "TOKEN_INVALID",
    /signature/,
  ],
  [
    "its own certificate at x5u",
    () => token(claims(), { x5u: "http://127.0.0.1:1/" }, rs256(stranger.privateKey)),
    "TOKEN_INVALID",
    /signature/,
  ],
  [
    "a critical extension that is unknown",
    () => token(claims(), { crit: ["x"], x: 1 }),
    "TOKEN_INVALID",
    /refused/,
  ],
  ["no name", () => token(claims({ sub: undefined })), "TOKEN_INVALID", /claim sub is not a name/],
  [
    "a name that is no text",
    () => token(claims({ sub: { name: "alice" } })),
    "TOKEN_INVALID",
    /claim sub is not a name/,
  ],
  [
    "a name with a line break",
    () => token(claims({ sub: "alice\nadmin" })),
    "TOKEN_INVALID",
    /claim sub is not a name/,
  ],
  [
    "a name that looks like that of a caller with a key",
    () => token(claims({ sub: "bob\u200b" })),
    "TOKEN_INVALID",
    /claim sub is not a name of 1 to 128 visible characters/,
  ],
  [
    "the name of a caller with a key",
    () => token(claims({ sub: "bob" })),
    "TOKEN_INVALID",
    /name of a caller that has a key/,
  ],
  [
    "over 16 KiB",
    () => token(claims({ pad: "x".repeat(16_000) })),
    "TOKEN_TOO_LARGE",
    /over 16384 characters/,
  ],
];

describe("an access token", () => {
  it.each(["faulty", "web"])("grants its caller access to %s under its name", async (server) => {
    const answer = await send(touchstone.url(server), bearer(good));
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"tools"')]);
    expect(
      (await fetch(`${base()}/servers/${server}/tools`, { headers: bearer(good) })).status,
    ).toBe(200);
  });

  it.each<readonly [string, () => string]>([
    ["RS256", () => token(claims(), {}, rs256(rsa.privateKey))],
    ["RS256 without a kid, if one key fits", () => token(claims(), { kid: undefined })],
    ["ES256", () => token(claims(), { alg: "ES256", kid: "two" }, es256)],
    ["EdDSA", () => token(claims(), { alg: "EdDSA", kid: "three" }, eddsa)],
    ["one that expired within the clock's skew", () => token(claims({ exp: now() - 2 }))],
    ["one audience", () => token(claims({ aud: FOR("faulty") }))],
    ["issued within the clock's skew", () => token(claims({ iat: now() + 2 }))],
    ...["JWT", "jwt", "at+jwt", "AT+JWT", "application/at+jwt", "application/jwt"].map(
      (typ) => [`the type ${typ}`, () => token(claims(), { typ })] as const,
    ),
  ])("is accepted: %s", async (_, made) => {
    expect((await send(touchstone.url("faulty"), bearer(made()))).status).toBe(200);
  });

  it.each(REFUSED)("is refused: %s", async (name, made, code, said) => {
    const text = made();
    const before = touchstone.lines.length;
    const answer = await send(touchstone.url("faulty"), bearer(text));
    const { error } = JSON.parse(answer.text);
    expect([answer.status, error.data, error.message]).toEqual([
      401,
      { code },
      expect.stringMatching(said),
    ]);
    expect(error.message).toMatch(
      /Get a new access token from the issuer, and send it as a Bearer token\.$/,
    );
    const challenge = answer.headers.get("www-authenticate");
    expect(challenge).toContain(
      'resource_metadata="https://gateway.example/.well-known/oauth-protected-resource/mcp/faulty"',
    );
    expect(challenge).toContain('error="invalid_token"');
    // It is refused by all other endpoints, too; some of these are not about one server.
    if (name !== "the audience of another server") {
      for (const path of [
        "/servers/faulty/tools",
        "/tools",
        "/api/v1/activity",
        "/api/v1/settings",
      ]) {
        const response = await fetch(base() + path, { headers: bearer(text) });
        expect([path, response.status, JSON.parse(await response.text()).code]).toEqual([
          path,
          401,
          code,
        ]);
      }
    }
    // The end of a token is its signature, which is the secret part.
    const written = touchstone.lines.slice(before).join("\n") + answer.text + challenge;
    if (text.length > 40) expect(written).not.toContain(text.slice(-40));
  });

  it("is not recorded", async () => {
    const records = JSON.stringify(await touchstone.records());
    expect(records).not.toContain(good.slice(-40));
    expect(records).not.toContain("eyJ");
  });

  it("is not accepted in the query, in X-API-Key, or together with a wrong key", async () => {
    const url = touchstone.url("faulty");
    expect((await send(`${url}?access_token=${good}`, {})).status).toBe(401);
    expect((await send(url, { ...bearer(good), "x-api-key": "wrong" })).status).toBe(401);
    expect((await send(url, { "x-api-key": good })).status).toBe(401);
    expect((await send(url, { ...bearer(good), "x-api-key": "key-of-bob" })).status).toBe(200);
  });

  it("for another server is refused there, and that server is in no list", async () => {
    expect((await send(touchstone.url("other"), bearer(good))).status).toBe(401);
    const response = await fetch(`${base()}/servers/other/tools`, { headers: bearer(good) });
    expect(response.status).toBe(404);
    const all = await (await fetch(`${base()}/tools`, { headers: bearer(good) })).text();
    expect(all).not.toContain("other:");
  });

  it("is advertised to a client without one", async () => {
    const answer = await send(touchstone.url("faulty"), {});
    expect([answer.status, JSON.parse(answer.text).error.data]).toEqual([
      401,
      { code: "TOKEN_MISSING" },
    ]);
    const metadata = "https://gateway.example/.well-known/oauth-protected-resource/mcp/faulty";
    expect(answer.headers.get("www-authenticate")).toBe(`Bearer resource_metadata="${metadata}"`);
    const read = await fetch(base() + new URL(metadata).pathname);
    expect([read.status, await read.json()]).toEqual([
      200,
      {
        resource: FOR("faulty"),
        authorization_servers: [ISSUER],
        bearer_methods_supported: ["header"],
      },
    ]);
    // The response does not reveal which servers exist.
    expect((await fetch(`${base()}/.well-known/oauth-protected-resource/mcp/nobody`)).status).toBe(
      200,
    );
    expect((await send(`${base()}/mcp/nobody`, {})).status).toBe(401);
    expect((await fetch(`${base()}/.well-known/oauth-protected-resource`)).status).toBe(401);
  });

  it("is never sent to a server, and the server's challenge never reaches a client", async () => {
    challenges = 2;
    const call = modern("tools/call", { name: "x", arguments: {} });
    const answer = await post(touchstone.url("web"), call.body, {
      ...call.headers,
      ...bearer(good),
    });
    expect(answer.headers.get("www-authenticate")).toBeNull();
    expect(answer.status).not.toBe(401);
    const ping = modern("server/discover");
    challenges = 1;
    const other401 = await post(touchstone.url("web"), ping.body, {
      ...ping.headers,
      ...bearer(good),
    });
    challenges = 0;
    // A client that opens a connection reads the error only from a response with this status.
    expect(other401.status).toBe(200);
    expect(other401.text).toContain(
      "the server web refuses the gateway's own credentials (HTTP status 401",
    );
    expect(other401.text + JSON.stringify([...other401.headers])).not.toContain("evil.example");
    expect(new Set(web.seen.map(({ headers }) => headers.authorization))).toEqual(
      new Set(["Bearer of-the-gateway"]),
    );
    expect(JSON.stringify(web.seen)).not.toContain(good.slice(-40));
  });

  it(
    "ends a stream only when it expires, and a new one continues the caller's sessions",
    long,
    async () => {
      // Tokens are accepted until 5 s after they expire, which gives a busy machine enough time.
      const short = () => token(claims({ exp: now() }));
      const url = touchstone.url("faulty");
      const clientInfo = { name: "t", version: "1" };
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
      const begun = await post(url, request(0, "initialize", params), bearer(good));
      const session = {
        "mcp-session-id": begun.headers.get("mcp-session-id") ?? "",
        "mcp-protocol-version": "2025-11-25",
      };
      const expires = short();
      const streams = await Promise.all([
        fetch(url, { headers: { accept: "text/event-stream", ...session, ...bearer(expires) } }),
        fetch(`${base()}/api/v1/activity/events`, { headers: bearer(expires) }),
      ]);
      expect(streams.map(({ status }) => status)).toEqual([200, 200]);
      for (const stream of streams) await expect(stream.text()).rejects.toThrow();
      expect(
        (await post(url, request(1, "tools/list"), { ...session, ...bearer(expires) })).status,
      ).toBe(401);
      expect(
        (
          await post(url, request(1, "tools/list"), {
            ...session,
            ...bearer(token(claims({ jti: "2" }))),
          })
        ).status,
      ).toBe(200);
      const vera = bearer(token(claims({ sub: "vera" })));
      expect((await post(url, request(1, "tools/list"), { ...session, ...vera })).status).toBe(404);
    },
  );
});

/** Starts another gateway, which has not fetched the keys yet. */
async function gatewayWith(jwt: object, more: object = {}): Promise<TestGateway> {
  const gateway = await startTestGateway({
    mcpServers: { faulty: FAULTY },
    auth: { jwt: { issuer: ISSUER, audience: "gateway", ...jwt } },
    ...more,
  });
  onTestFinished(() => gateway.close());
  return gateway;
}
const plain = (more: object = {}, header: object = {}, signer?: Signer): string =>
  token(claims({ aud: "gateway", ...more }), header, signer);

describe("the issuer's keys", () => {
  it.each<[typeof mode, RegExp]>([
    ["down", /HTTP status 500/],
    ["redirect", /HTTP status 302/],
    ["large", /larger than 1048576 bytes/],
    ["text", /JSON/],
  ])(
    "give no one access if they cannot be fetched (%s), and the log says why",
    async (how, why) => {
      mode = how;
      onTestFinished(() => {
        mode = "keys";
      });
      const gateway = await gatewayWith({ jwks_url: jwksUrl });
      await gateway.line(why);
      for (const signer of [rsa, stranger]) {
        const answer = await send(
          gateway.url("faulty"),
          bearer(plain({}, {}, rs256(signer.privateKey))),
        );
        expect([answer.status, JSON.parse(answer.text).error.data]).toEqual([
          503,
          { code: "TOKEN_UNVERIFIABLE" },
        ]);
        expect(answer.headers.get("retry-after")).toBe("5");
        expect(answer.text).not.toContain("127.0.0.1");
      }
    },
  );

  it("are fetched again for an unknown key, at most once a minute", async () => {
    const gateway = await gatewayWith({ jwks_url: jwksUrl });
    const ask = async (text: string) => (await send(gateway.url("faulty"), bearer(text))).status;
    expect(await ask(plain())).toBe(200);
    const before = fetched;
    keys = [...keys, publicKey(next.publicKey, "next")];
    const rotated = plain({}, { kid: "next" }, rs256(next.privateKey));
    // The keys were fetched less than a minute ago, so they are not fetched again.
    expect(await ask(rotated)).toBe(401);
    for (let at = 0; at < 20; at += 1)
      expect(await ask(plain({}, { kid: randomUUID() }))).toBe(401);
    expect(fetched).toBe(before);
  });

  it("can be set in the configuration", async () => {
    const gateway = await gatewayWith({ jwks: { keys: [publicKey(rsa.publicKey, "one")] } });
    expect((await send(gateway.url("faulty"), bearer(plain()))).status).toBe(200);
    expect(
      (await send(gateway.url("faulty"), bearer(plain({}, {}, rs256(stranger.privateKey))))).status,
    ).toBe(401);
  });
});

describe("claims", () => {
  const jwks = { keys: [publicKey(rsa.publicKey, "one")] };

  it("restrict the servers and tools that the configuration allows, never extend them", async () => {
    const gateway = await gatewayWith(
      {
        jwks,
        ...{ servers_claim: "srv", tools_claim: "tools", name_claim: "email" },
        ...{ servers: ["faulty", "web"], tools: ["get_*", "echo"] },
      },
      { mcpServers: { faulty: FAULTY, web: { url: web.url }, other: FAULTY } },
    );
    const toolsOf = async (more: object): Promise<string[] | number> => {
      const made = plain({ email: "a@x.example", ...more });
      const answer = await send(gateway.url("faulty"), bearer(made));
      if (answer.status !== 200) return answer.status;
      const { result } = JSON.parse(answer.messages[0] ?? answer.text);
      return result.tools.map(({ name }: { name: string }) => name);
    };
    expect(await toolsOf({ srv: ["faulty"], tools: ["get_weather", "lookup_order"] })).toEqual([
      "get_weather",
    ]);
    expect(await toolsOf({ srv: "faulty other", tools: "get_weather" })).toEqual(["get_weather"]);
    expect(await toolsOf({ srv: ["faulty"], tools: ["*", "?et_weather"] })).toEqual([]);
    expect(await toolsOf({ srv: ["faulty"], tools: ["get_*"] })).toEqual(["get_weather"]);
    expect(await toolsOf({ srv: ["web"], tools: ["get_weather"] })).toBe(404);
    expect(await toolsOf({ srv: [], tools: ["get_weather"] })).toBe(404);
    // If the settings require a claim and the token lacks it, nothing is allowed.
    expect(await toolsOf({ tools: ["get_weather"] })).toBe(401);
    expect(await toolsOf({ srv: ["faulty"], tools: [1] })).toBe(401);
    const wide = plain({ email: "a@x.example", srv: ["other"], tools: ["*"] });
    expect((await send(gateway.url("other"), bearer(wide))).status).toBe(404);
  });
});
