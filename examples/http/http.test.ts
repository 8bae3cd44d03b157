import { afterEach, describe, expect, it } from "vitest";

interface Running {
  readonly url: string;
  close(): unknown;
}
interface Example {
  start(options: { port: number; user: string; password: string; limit: number }): Promise<Running>;
}

const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString("base64")}`;
const authorization = basic("ada:secret");

describe.each(["node", "express", "fastify", "hono"])("examples/http/with-%s.mjs", (name) => {
  let running: Running | undefined;
  afterEach(() => running?.close());

  async function start(limit: number) {
    const { start }: Example = await import(`./with-${name}.mjs`);
    running = await start({ port: 0, user: "ada", password: "secret", limit });
    const { url } = running;
    return (path: string, init: RequestInit = {}) => {
      const headers = { authorization, connection: "close", ...init.headers };
      return fetch(url + path, { ...init, headers });
    };
  }
  const post = (body: string) => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });

  it("lists, validates and runs tools with a password", async () => {
    const send = await start(100);
    const list = await (await send("tools")).json();
    expect(list).toMatchObject([{ name: "get_weather" }]);
    const page = await send("");
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const invalid = await send("tools/get_weather/validate", post('{"days":9007199254740993.5}'));
    const { valid, errors } = (await invalid.json()) as {
      valid: boolean;
      errors: { keyword: string }[];
    };
    expect([valid, errors.map(({ keyword }) => keyword)]).toEqual([
      false,
      ["required", "type", "maximum"],
    ]);
    const called = await send("tools/get_weather/call", post('{"city":"Oslo"}'));
    expect(await called.json()).toMatchObject({
      content: [{ type: "text", text: "get_weather: sunny in Oslo for 1 days" }],
      isError: false,
    });
    expect((await send("tools/%FF/validate", post("{}"))).status).toBe(404);
  });

  it("refuses requests without the password on every route", async () => {
    const send = await start(100);
    for (const wrong of ["", "Bearer x", basic("ada:wrong"), basic("eve:secret")]) {
      for (const path of ["", "tools", "tools/get_weather", "openapi.json"]) {
        const response = await send(path, { headers: { authorization: wrong } });
        expect(response.status).toBe(401);
        expect(response.headers.get("www-authenticate")).toContain("Basic");
      }
      const validate = post("{}");
      const headers = { ...validate.headers, authorization: wrong };
      const response = await send("tools/get_weather/validate", { ...validate, headers });
      expect(response.status).toBe(401);
    }
  });

  it("returns 429 over its rate limit", async () => {
    const send = await start(3);
    for (let i = 0; i < 3; i++) expect((await send("tools")).status).toBe(200);
    const response = await send("tools");
    expect(response.status).toBe(429);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await send("tools/get_weather/validate", post("{}"))).status).toBe(429);
  });
});
