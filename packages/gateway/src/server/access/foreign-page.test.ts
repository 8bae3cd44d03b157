import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { type HttpUpstreamServer, startHttpUpstream } from "../../testing/http.ts";

const PAGE = "<script>fetch('/api/v1/activity')</script>";

const CHALLENGES = [
  ["Basic realm=x", null],
  ["Bearer", "Bearer"],
  [
    'bearer realm="a, Basic b", error=invalid_token',
    'bearer realm="a, Basic b", error=invalid_token',
  ],
  ['Basic realm="a, Bearer b"', null],
  ["Digest nonce=1, Bearer realm=x, scope=y, Negotiate abc==", "Bearer realm=x, scope=y"],
  ['Basic realm="open, Bearer x', null],
] as const;

let upstream: HttpUpstreamServer;
let touchstone: TestGateway;

beforeAll(async () => {
  upstream = await startHttpUpstream(({ headers }, response) => {
    response.writeHead(headers["x-status"] === undefined ? 200 : Number(headers["x-status"]), {
      "content-type": "text/html",
      "content-security-policy": "script-src *",
      "X-Content-Type-Options": "none",
      "Set-Cookie": "session=1; Path=/",
      "Clear-Site-Data": '"*"',
      "Strict-Transport-Security": "max-age=99; includeSubDomains",
      "Alt-Svc": 'h3=":1"',
      "Service-Worker-Allowed": "/",
      "Reporting-Endpoints": 'default="https://evil.example"',
      Refresh: "0;url=https://evil.example",
      Link: "<https://evil.example>; rel=preload",
      "Content-Disposition": "attachment",
      Location: "https://evil.example",
      "X-Accel-Redirect": "/etc/passwd",
      "X-Sendfile": "/etc/passwd",
      "X-Frame-Options": "ALLOWALL",
      "Speculation-Rules": '"/rules.json"',
      "WWW-Authenticate": headers["x-challenge"] ?? [],
      "X-Own": "yes",
      "X-Request-Id": "7",
      "Retry-After": "3",
      "RateLimit-Remaining": "1",
      "Mcp-Own": "yes",
      "Cache-Control": "no-store",
    });
    response.end(PAGE);
  });
  touchstone = await startTestGateway({
    mcpServers: {
      page: { url: upstream.url },
      missing: { url: upstream.url, headers: { "X-Status": "404" } },
      ...Object.fromEntries(
        CHALLENGES.map(([given], i) => [
          `c${i}`,
          {
            url: upstream.url,
            headers: { "X-Challenge": given },
            touchstone: { forward_authorization: true },
          },
        ]),
      ),
    },
  });
});
afterAll(async () => {
  await touchstone.close();
  await upstream.close();
});

it.each(["page", "missing"])(
  "isolates a server's page from the console's origin: %s",
  async (server) => {
    const response = await fetch(touchstone.url(server));
    expect(await response.text()).toBe(PAGE);
    expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  },
);

it("drops a server's headers that affect the whole origin", async () => {
  const { headers } = await fetch(touchstone.url("page"));
  const passed = {
    "x-own": "yes",
    "x-request-id": "7",
    "retry-after": "3",
    "ratelimit-remaining": "1",
  };
  for (const [name, value] of Object.entries({
    ...passed,
    "mcp-own": "yes",
    "cache-control": "no-store",
  })) {
    expect([name, headers.get(name)]).toEqual([name, value]);
  }
  for (const name of [
    "set-cookie",
    "clear-site-data",
    "strict-transport-security",
    "alt-svc",
    "service-worker-allowed",
    "reporting-endpoints",
    "refresh",
    "link",
    "content-disposition",
    "location",
    "x-accel-redirect",
    "x-sendfile",
    "x-frame-options",
    "speculation-rules",
    "www-authenticate",
  ]) {
    expect([name, headers.get(name)]).toEqual([name, null]);
  }
});

it.each(CHALLENGES.map(([given, passed], i) => [given, passed, `c${i}`] as const))(
  "passes on OAuth challenges, but no others: %s",
  async (_given, passed, server) => {
    // The challenge is about the client's own token.
    const own = { headers: { authorization: "Bearer stale" } };
    const { headers } = await fetch(touchstone.url(server), own);
    expect(headers.get("www-authenticate")).toBe(passed);
  },
);
