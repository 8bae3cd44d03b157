import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { type HttpUpstreamServer, startHttpUpstream } from "../../testing/http.ts";

const PAGE = "<script>fetch('/api/v1/activity')</script>";

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
      "X-Own": "yes",
    });
    response.end(PAGE);
  });
  touchstone = await startTestGateway({
    mcpServers: {
      page: { url: upstream.url },
      missing: { url: upstream.url, headers: { "X-Status": "404" } },
    },
  });
});
afterAll(async () => {
  await touchstone.close();
  await upstream.close();
});

it.each(["page", "missing"])(
  "gives a server's page no rights on the console's origin: %s",
  async (server) => {
    const response = await fetch(touchstone.url(server));
    expect(await response.text()).toBe(PAGE);
    expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  },
);

it("gives a server no say over all that is at that origin", async () => {
  const { headers } = await fetch(touchstone.url("page"));
  expect(headers.get("x-own")).toBe("yes");
  for (const name of [
    "set-cookie",
    "clear-site-data",
    "strict-transport-security",
    "alt-svc",
    "service-worker-allowed",
    "reporting-endpoints",
  ]) {
    expect([name, headers.get(name)]).toEqual([name, null]);
  }
});
