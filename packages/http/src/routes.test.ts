import { describe, expect, it, vi } from "vitest";
import { buildUIRoutes, type ParsedRequest, type Route, type ToolCallHandler } from "./index.ts";
import { TOOLS } from "./testing/fixtures.ts";

const handleCall = vi.fn<ToolCallHandler>(() => [[], false]);
const routes = buildUIRoutes(TOOLS, handleCall, { allowExecute: true });
const find = (pattern: string): Route["handler"] => {
  const route = routes.find((candidate) => candidate.pattern === pattern);
  if (route === undefined) throw new Error(`no route ${pattern}`);
  return route.handler;
};
const validate = async (request: ParsedRequest, name = "draft7") => {
  const response = await find("/tools/:name/validate")(request, { name });
  return { status: response.status, body: await response.json() };
};

describe("buildUIRoutes", () => {
  it("returns the routes with their methods, longer paths first", () => {
    expect(routes.map(({ method, pattern }) => `${method} ${pattern}`)).toEqual([
      "GET /",
      "GET /tools",
      "GET /openapi.json",
      "GET /assets/:name",
      "POST /validate",
      "POST /tools/:name/validate",
      "POST /tools/:name/call",
      "GET /tools/:name",
    ]);
  });

  it("checks bodies in any form", async () => {
    const bytes = new TextEncoder().encode('{"n":1.0}');
    for (const body of ['{"n":1}', bytes, Buffer.from(bytes), { n: 1 }]) {
      expect(await validate({ headers: {}, body })).toEqual({ status: 200, body: { valid: true } });
    }
    expect((await validate({ headers: {}, body: null })).body.errors[0].keyword).toBe("type");
    expect((await validate({ headers: {}, body: '{"n":9007199254740993.5}' })).body.valid).toBe(
      false,
    );
  });

  it("returns 400 for a missing or unparsed body", async () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    for (const request of [
      {},
      { body: "" },
      { body: {}, bodyParseError: true },
      { body: cycle },
      { body: Symbol("x") },
    ]) {
      expect((await validate({ headers: {}, ...request })).status).toBe(400);
    }
  });

  it("runs tools for a framework's request", async () => {
    const headers = { "content-type": "application/json", authorization: "x" };
    const request = { method: "POST", url: "/tools/open/call", headers, body: { a: 1 } };
    const response = await find("/tools/:name/call")(request, { name: "open" });
    expect(response.status).toBe(200);
    expect(handleCall.mock.calls[0]?.[1]).toEqual({ a: 1 });
    expect(handleCall.mock.calls[0]?.[2]).toMatchObject({ headers, raw: request });
  });

  it("returns 404 for a tool without a name", async () => {
    const response = await find("/tools/:name")({ headers: {} });
    expect(response.status).toBe(404);
  });
});
