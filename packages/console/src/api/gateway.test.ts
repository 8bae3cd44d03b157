import { OPERATIONS, type OperationId } from "@touchstone/gateway/api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGatewayApi, messageOf } from "./gateway.ts";
import { operationUrl, responseProblem } from "./operations.ts";
import { queryOf } from "./url.ts";

const ROOT = "http://localhost/";
const asked: { url: string; init: RequestInit }[] = [];
function answering(status: number, body: string) {
  asked.length = 0;
  return createGatewayApi(ROOT, async (url, init) => {
    asked.push({ url, init });
    return new Response(body, { status });
  });
}
const header = (name: string) => new Headers(asked[0]?.init.headers).get(name);

const MODES = { input: "warn", output: "off", protocol: "strict" };
const SERVER = {
  ...{ transport: "stdio", command: "node s.mjs", env: [], name: "a", disabled: false },
  ...{ state: "idle", endpoint: "mcp/a", revisions: [], sessions: 0, children: 0, modes: MODES },
  ...{
    capability: "add",
    tools: null,
    schemaFaults: null,
    unreadSchemas: null,
    unusableTools: null,
    toolModes: {},
  },
};
const servers = (...more: readonly object[]): string =>
  JSON.stringify(more.map((each) => ({ ...SERVER, ...each })));

describe("the client of the gateway's API", () => {
  it("returns the JSON of an operation", async () => {
    const api = answering(200, servers({}));
    expect(await api.get("listServers", {})).toEqual([SERVER]);
    expect(asked[0]).toMatchObject({
      url: "http://localhost/api/v1/servers",
      init: { method: "GET" },
    });
  });

  it("returns URLs below the root", () => {
    expect(answering(200, "{}").address("mcp/a%20b")).toBe("http://localhost/mcp/a%20b");
  });

  it("fills the path and the query of an operation", () => {
    const view = { server: "a/b ü", client: "c/1", caller: "", tool: undefined };
    expect(operationUrl(ROOT, "getClientView", view)).toBe(
      "http://localhost/api/v1/servers/a%2Fb%20%C3%BC/view?client=c%2F1",
    );
    const lone = { server: "\ud800", tool: "{server}" };
    expect(operationUrl(ROOT, "changeToolModes", lone)).toBe(
      "http://localhost/api/v1/servers/%EF%BF%BD/tools/%7Bserver%7D/modes",
    );
  });

  it("sends changes as JSON, with the operation's method", async () => {
    const changed = JSON.stringify({ modes: MODES, overridden: [], changes: [] });
    await answering(200, changed).send("changeModes", {}, { input: null });
    expect(asked[0]?.init).toMatchObject({ method: "PATCH", body: '{"input":null}' });
    expect(header("content-type")).toBe("application/json");
    const edit = { id: "1", hash: "h", diff: "", changes: [], overridden: [] };
    await answering(200, JSON.stringify(edit)).send("undoEdit", { id: "1" }, {});
    expect(asked[0]).toMatchObject({
      url: "http://localhost/api/v1/config/edits/1/undo",
      init: { method: "POST" },
    });
  });

  it("finds the tools of any server", async () => {
    const api = answering(200, '{"name":"a","n":1.0}');
    expect(await api.describeTool("a/b", "\ud800?")).toBe('{"name":"a","n":1.0}');
    expect(asked[0]?.url).toBe(
      "http://localhost/api/v1/tools-api/servers/a%2Fb/tools/%EF%BF%BD%3F",
    );
    await answering(200, "[]").listTools("ü");
    expect(asked[0]?.url).toBe("http://localhost/api/v1/tools-api/servers/%C3%BC/tools");
  });

  it.each([
    [400, '{"error":"no such filter","code":"BAD_FILTER"}', "no such filter"],
    [401, '{"error":"a key is needed"}', /^a key is needed$/],
    [401, '{"error":{"message":"a key is required"}}', /^a key is required$/],
    [502, "<html>", "The server responded with 502 and something"],
    [200, "<html>", "The server responded with 200 and something"],
    [200, "{}", "does not understand the gateway's response: the value must be an array"],
    [200, '[{"name":"a"}]', "does not understand the gateway's response"],
    [200, servers({ tools: "3" }), /response: \/0\/tools .*reload the page\.$/],
  ])("explains %i %s", async (status, body, message) => {
    await expect(answering(status, body).get("listServers", {})).rejects.toThrow(message);
  });

  it("takes what a newer gateway adds", async () => {
    const newer = servers({ state: "draining", mood: "good", modes: { ...MODES, more: "warn" } });
    expect(await answering(200, newer).get("listServers", {})).toEqual(JSON.parse(newer));
  });

  it("reads an event as the response of an operation", async () => {
    const api = answering(200, "");
    await expect(api.read("getActivityRecord", '{"id":"1"}')).rejects.toThrow(
      "does not understand",
    );
    await expect(api.read("getHealth", "no JSON")).rejects.toThrow("something that is not part");
    expect(await api.read("getHealth", '{"status":"ok"}')).toEqual({ status: "ok" });
  });

  it("reports an unreachable gateway, and passes an abort on", async () => {
    const failing = createGatewayApi(ROOT, () => Promise.reject(new TypeError("failed")));
    await expect(failing.get("listServers", {})).rejects.toThrow("The gateway cannot be reached");
    const aborted = createGatewayApi(ROOT, (_url, { signal }) => Promise.reject(signal?.reason));
    const asking = aborted.get("listServers", {}, AbortSignal.abort());
    await expect(asking).rejects.toHaveProperty("name", "AbortError");
  });
});

describe("the check of a response", () => {
  const ids = Object.keys(OPERATIONS) as OperationId[];
  const typed = ids.filter((id) => JSON.stringify(OPERATIONS[id].responses[200]).includes("$ref"));

  it("refuses JSON of another shape for every operation that a page calls", () => {
    expect(typed.length).toBeGreaterThan(25);
    for (const id of typed) {
      for (const value of [null, 1, "x", [1], [[]]]) {
        expect(responseProblem(id, value), `${id} ${JSON.stringify(value)}`).toBeTypeOf("string");
      }
      const isList = responseProblem(id, []) === undefined;
      expect(responseProblem(id, isList ? [{}] : {}), id).toBeTypeOf("string");
    }
  });

  it("never throws, whatever arrives", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ids), fc.jsonValue(), (id, value) => {
        expect(["string", "undefined"]).toContain(typeof responseProblem(id, value));
      }),
    );
  });
});

describe("helpers", () => {
  it("build a query string", () => {
    expect(queryOf({ a: "1 2", b: "", c: undefined, d: "é&" })).toBe("?a=1+2&d=%C3%A9%26");
    expect(queryOf({})).toBe("");
    expect(messageOf(new Error("internal"))).toBe("The response cannot be read.");
  });
});
