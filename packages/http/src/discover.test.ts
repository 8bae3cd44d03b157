import { afterEach, expect, it, vi } from "vitest";
import { describeOf } from "../../core/src/testing/sample.ts";
import type { Fault, Tool, ToolCallHandler } from "./index.ts";
import { conforms } from "./testing/conforms.ts";
import { DOORS, isFirst, type Served } from "./testing/doors.ts";
import { post, TOOLS } from "./testing/fixtures.ts";

const handleCall: ToolCallHandler = () => [[], false];

describeOf(DOORS, isFirst)("discovery in $name", ({ open, rawSlashes }) => {
  let api: Served | undefined;
  afterEach(() => api?.close());
  const start = async (...[tools, options = {}]: [Parameters<typeof open>[0], object?]) => {
    api = await open(tools, handleCall, options);
    return api;
  };
  const get = async (path: string) => {
    const response = await api?.send(path);
    const document = JSON.parse((await (await api?.send("/openapi.json"))?.text()) ?? "");
    const text = (await response?.text()) ?? "";
    conforms(document, ["GET", path], response?.status ?? 0, text);
    return { status: response?.status, body: JSON.parse(text) };
  };

  it("lists tools with all their members", async () => {
    await start(TOOLS);
    const { status, body } = await get("/tools");
    expect(status).toBe(200);
    expect(body.length).toBe(TOOLS.length);
    expect(body[0]).toEqual({
      name: "get_weather",
      description: "Tells the weather",
      title: "Weather",
      annotations: { readOnlyHint: true },
    });
    expect(body[1]).toEqual({ name: "open", description: "Takes anything" });
  });

  it.each([0, 250, 600])("lists %d tools, in parts if there are many", async (count) => {
    const many = Array.from({ length: count }, (_, i) => ({ name: `t${i}`, description: "é" }));
    await start(many);
    const response = await api?.send("/tools");
    const text = (await response?.text()) ?? "";
    expect(response?.headers.get("content-type")).toBe("application/json");
    expect(response?.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
    expect(JSON.parse(text)).toEqual(many);
  });

  it("describes a tool with its schemas", async () => {
    await start(TOOLS);
    expect((await get("/tools/get_weather")).body).toEqual(TOOLS[0]);
    expect((await get("/tools/null_schema")).body).toEqual({
      name: "null_schema",
      description: "",
      inputSchema: {},
    });
    expect((await get("/tools/a%2Fvalidate")).body.name).toBe("a/validate");
    if (rawSlashes) expect((await get("/tools/a/validate")).body.name).toBe("a/validate");
    expect(await get("/tools/nothing")).toEqual({
      status: 404,
      body: { error: "Tool not found: nothing" },
    });
  });

  it("calls the tools function on every request", async () => {
    const lists: Tool[][] = [[{ name: "one" }], [{ name: "two" }]];
    const tools = vi.fn(async () => lists.shift() ?? []);
    await start(tools);
    expect((await get("/tools")).body).toEqual([{ name: "one", description: "" }]);
    expect((await get("/tools/two")).status).toBe(200);
    expect((await get("/tools/two")).status).toBe(404);
    expect(tools).toHaveBeenCalledTimes(3);
  });

  it.each<[string, () => never]>([
    [
      "throws",
      () => {
        throw new Error("the database at 10.0.0.7 is down");
      },
    ],
    ["gives no list", () => "tools" as never],
  ])("reports that the tools function %s", async (_, tools) => {
    const faults: Fault[] = [];
    const onFault = (fault: Fault) => faults.push(fault);
    const { send } = await start(tools, { allowExecute: true, onFault });
    const error = "The list of tools is not available. Try again later.";
    for (const path of ["/tools", "/tools/x"]) {
      expect(await get(path)).toEqual({ status: 500, body: { error } });
    }
    expect((await send("/tools/x/call", post("{}"))).status).toBe(500);
    // A validation never responds with a 5xx status, and nothing is valid if its schema is not known.
    const verdict = await send("/tools/x/validate", post("{}"));
    const message = "Invalid schema: the list of tools is not available";
    const errors = [{ path: "", message, keyword: "schema" }];
    const result = { valid: false, errors, checked: false };
    expect([verdict.status, await verdict.json()]).toEqual([200, result]);
    const batch = await send("/validate", post('{"calls":[{"tool":"x"}]}'));
    expect([batch.status, await batch.json()]).toEqual([200, { results: [result] }]);
    expect(new Set(faults.map(({ code }) => code))).toEqual(new Set(["tools_unavailable"]));
    expect(await (await send("/")).text()).toContain("The list of tools is not available.");
  });

  it("shows schemas by their texts, and checks by them", async () => {
    const faults: Fault[] = [];
    const text = '{ "maximum": 9007199254740993 }';
    const maximum = Number("9007199254740993");
    const schemas = { inputSchema: { maximum }, outputSchema: { maximum } };
    const exact = { name: "exact", ...schemas, texts: { inputSchema: text, outputSchema: text } };
    const broken = { name: "broken", ...schemas, texts: { inputSchema: "{", outputSchema: "{" } };
    const none = { name: "none", texts: { inputSchema: text } };
    const odd = { name: "odd", inputSchema: {}, texts: 5 as never };
    const { send } = await start([exact, broken, none, odd], {
      onFault: (fault: Fault) => void faults.push(fault),
    });
    expect(await (await send("/tools/exact")).text()).toContain(
      `"inputSchema":${text},"outputSchema":${text}`,
    );
    const valid = async (tool: string, args: string): Promise<boolean> =>
      (await (await send(`/tools/${tool}/validate`, post(args))).json()).valid;
    expect(await valid("exact", "9007199254740993")).toBe(true);
    expect(await valid("exact", "9007199254740994")).toBe(false);
    expect((await get("/tools/broken")).body).toMatchObject({ inputSchema: false });
    expect(await valid("broken", "1")).toBe(false);
    expect(faults.map(({ code }) => code)).toEqual(["bad_declaration", "bad_declaration"]);
    expect((await get("/tools/none")).body).toMatchObject({ inputSchema: {} });
    expect(await valid("none", "9007199254740994")).toBe(true);
    expect((await get("/tools/odd")).body).toMatchObject({ inputSchema: {} });
  });

  it("leaves out invalid tools, and members without JSON text", async () => {
    const faults: Fault[] = [];
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const secretive = {
      name: "secretive",
      get inputSchema(): unknown {
        throw new Error("no");
      },
    };
    const tools = [null, 7, {}, { name: 5 }, secretive, { name: "a", annotations: cycle }];
    const good = { name: "good", description: 5, title: {}, annotations: null, icons: "x" };
    await start([...tools, good, { name: "b", inputSchema: cycle }] as never, {
      onFault: (fault: Fault) => void faults.push(fault),
    });
    expect((await get("/tools")).body).toEqual([
      { name: "a", description: "" },
      { name: "good", description: "" },
      { name: "b", description: "" },
    ]);
    expect(faults.map(({ code }) => code)).toEqual([
      ...Array(5).fill("bad_tool"),
      "bad_declaration",
    ]);
    // The schema is shown as `false`, because no arguments satisfy it.
    expect((await get("/tools/b")).body).toEqual({
      name: "b",
      description: "",
      inputSchema: false,
    });
    const verdict = await (await api?.send("/tools/b/validate", post("{}")))?.json();
    expect(verdict.errors[0].keyword).toBe("schema");
  });

  it("describes a tool with an invalid schema as one that accepts nothing", async () => {
    const faults: Fault[] = [];
    const schemas = { text: "object", list: [], bigint: { maximum: 1n }, call: () => ({}) };
    const tools = Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema }));
    await start(tools, { onFault: (fault: Fault) => void faults.push(fault) });
    for (const { name } of tools) {
      expect((await get(`/tools/${name}`)).body).toMatchObject({ inputSchema: false });
      const verdict = await (await api?.send(`/tools/${name}/validate`, post("{}")))?.json();
      expect(verdict).toMatchObject({ valid: false, errors: [{ keyword: "schema" }] });
    }
    expect(faults).toMatchObject(
      tools.map(({ name }) => ({ code: "bad_declaration", tool: name })),
    );
  });

  it("returns 404 for unknown paths", async () => {
    await start(TOOLS);
    for (const path of ["/nothing", "/tool", "/assets/nothing.js"]) {
      const response = await api?.send(path);
      expect(response?.status).toBe(404);
      if (rawSlashes) expect(await response?.json()).toEqual({ error: expect.any(String) });
    }
  });

  // Only for interfaces that allow raw slashes in tool names.
  if (rawSlashes) {
    it("returns 405 with the allowed methods", async () => {
      const { send } = await start(TOOLS);
      const READ = "GET, HEAD, OPTIONS";
      const WRITE = "POST, OPTIONS";
      for (const [method, path, allow] of [
        ["POST", "/", READ],
        ["DELETE", "/tools", READ],
        ["POST", "/tools/get_weather", READ],
        ["GET", "/tools/get_weather/validate", WRITE],
        ["GET", "/tools/get_weather/call", WRITE],
        ["HEAD", "/tools/get_weather/call", WRITE],
        ["PUT", "/tools/get_weather/validate", WRITE],
        ["GET", "/validate", WRITE],
        ["POST", "/openapi.json", READ],
      ] as const) {
        const response = await send(path, { method });
        expect([method, path, response.status]).toEqual([method, path, 405]);
        expect(response.headers.get("allow")).toBe(allow);
        if (method !== "HEAD") expect(await response.json()).toEqual({ error: expect.any(String) });
        const options = await send(path, { method: "OPTIONS" });
        expect([options.status, await options.text()]).toEqual([204, ""]);
        expect(options.headers.get("allow")).toBe(
          path.endsWith("validate") || path.endsWith("call") ? WRITE : READ,
        );
      }
    });
  }

  it("answers HEAD like GET, without a body", async () => {
    const { send } = await start(TOOLS);
    for (const path of ["/", "/tools", "/tools/get_weather", "/tools/nothing", "/openapi.json"]) {
      const [got, head] = [await send(path), await send(path, { method: "HEAD" })];
      expect([path, head.status, await head.text()]).toEqual([path, got.status, ""]);
      expect(got.status).toBe(path === "/tools/nothing" ? 404 : 200);
      for (const name of ["content-type", "content-security-policy"]) {
        expect(head.headers.get(name)).toBe(got.headers.get(name));
      }
    }
  });

  // Only for interfaces that allow raw slashes in tool names.
  if (rawSlashes) {
    it("is served at its path only", async () => {
      const { send, url } = await start(TOOLS);
      expect((await send("")).headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect((await send("/")).status).toBe(200);
      expect((await send("X/tools")).status).toBe(404);
      expect((await send("/tools/")).status).toBe(200);
      if (!url.startsWith("http://localhost")) {
        expect((await fetch(new URL("/tools", url))).status).toBe(404);
      }
    });
  }
});
