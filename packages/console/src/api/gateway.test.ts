import { describe, expect, it } from "vitest";
import { createGatewayApi, messageOf, queryOf, readList, textOf } from "./gateway.ts";

const asked: { url: string; init: RequestInit }[] = [];
function answering(status: number, body: string, token?: string) {
  asked.length = 0;
  const places = { base: "http://localhost/api/v1/", root: "http://localhost/" };
  return createGatewayApi(
    places,
    async (url, init) => {
      asked.push({ url, init });
      return new Response(body, { status });
    },
    () => token,
  );
}
const header = (name: string) => new Headers(asked[0]?.init.headers).get(name);

describe("the client of the gateway's API", () => {
  it("sends the current token with each request", async () => {
    expect(await answering(200, "[1]", "Bearer t").get("servers")).toEqual([1]);
    expect(asked[0]?.url).toBe("http://localhost/api/v1/servers");
    expect(header("authorization")).toBe("Bearer t");
    await answering(200, "{}").get("servers");
    expect(header("authorization")).toBeNull();
  });

  it("returns URLs below the root", () => {
    expect(answering(200, "{}").address("mcp/a%20b")).toBe("http://localhost/mcp/a%20b");
  });

  it("sends changes as JSON", async () => {
    await answering(200, "{}").patch("modes", { input: null });
    expect(asked[0]?.init).toMatchObject({ method: "PATCH", body: '{"input":null}' });
    expect(header("content-type")).toBe("application/json");
  });

  it("finds the tools of any server", async () => {
    const api = answering(200, '{"name":"a","n":1.0}');
    expect(await api.describeTool("a/b", "\ud800?")).toBe('{"name":"a","n":1.0}');
    expect(asked[0]?.url).toBe("http://localhost/servers/a%2Fb/tools/%EF%BF%BD%3F");
    await answering(200, "[]").listTools("ü");
    expect(asked[0]?.url).toBe("http://localhost/servers/%C3%BC/tools");
  });

  it.each([
    [400, '{"error":"no such filter","code":"BAD_FILTER"}', "no such filter"],
    [
      401,
      '{"error":"a token is needed"}',
      "a token is needed. Enter a token that the server accepts at the top",
    ],
    [401, '{"error":{"message":"a key is required"}}', "a key is required. Enter a token"],
    [502, "<html>", "The server answered 502 with something"],
    [200, "<html>", "The server answered 200 with something"],
  ])("explains %i %s", async (status, body, message) => {
    await expect(answering(status, body).get("x")).rejects.toThrow(message);
  });

  it("reports an unreachable gateway, and passes an abort on", async () => {
    const places = { base: "http://localhost/", root: "http://localhost/" };
    const down = createGatewayApi(
      places,
      () => Promise.reject(new TypeError("failed")),
      () => undefined,
    );
    await expect(down.get("x")).rejects.toThrow("The gateway cannot be reached");
    const aborted = createGatewayApi(
      places,
      (_url, { signal }) => Promise.reject(signal?.reason),
      () => undefined,
    );
    const asking = aborted.get("x", AbortSignal.abort());
    await expect(asking).rejects.toHaveProperty("name", "AbortError");
  });
});

describe("helpers", () => {
  it("build a query string", () => {
    expect(queryOf({ a: "1 2", b: "", c: undefined, d: "é&" })).toBe("?a=1+2&d=%C3%A9%26");
    expect(queryOf({})).toBe("");
  });

  it("read only values of the right type", () => {
    expect(readList({}, () => 1)).toBeUndefined();
    expect(readList([1, 2, 3], (n) => (n === 2 ? undefined : n))).toEqual([1, 3]);
    expect([textOf({ a: 1 }, "a"), textOf(null, "a"), textOf({}, "constructor")]).toEqual([
      null,
      null,
      null,
    ]);
    expect(messageOf(new Error("internal"))).toBe("The response cannot be read.");
  });
});
