import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { describeOf } from "../../core/src/testing/sample.ts";
import type { Fault, ToolCallHandler } from "./index.ts";
import { type Client, openClient } from "./testing/client.ts";
import { DOORS, isFirst, type Served } from "./testing/doors.ts";
import { missing, post, TOOLS } from "./testing/fixtures.ts";

describeOf(DOORS, isFirst)("validation in $name", ({ open, server, rawSlashes }) => {
  const handleCall = vi.fn<ToolCallHandler>(() => [[], false]);
  const authHook = vi.fn(() => {
    throw new Error("nobody may pass");
  });
  const faults: Fault[] = [];
  let api: Served;
  let send: Client["send"];

  beforeAll(async () => {
    const onFault = (fault: Fault) => void faults.push(fault);
    const options = { authHook, onFault, maxBodyBytes: 100_000 };
    ({ api, send } = await openClient(open, TOOLS, handleCall, options));
  });
  afterAll(async () => {
    // None of these validations has called the handler or the hook.
    expect(handleCall).not.toHaveBeenCalled();
    expect(authHook).not.toHaveBeenCalled();
    expect(faults).toEqual([]);
    await api.close();
  });

  const validate = (tool: string, text: string | Uint8Array<ArrayBuffer>, query = "") =>
    send(`/tools/${encodeURIComponent(tool)}/validate${query}`, post(text));

  it("returns exactly {valid:true} if the arguments match the schema", async () => {
    const { status, text } = await validate("get_weather", '{"city":"Oslo","count":1.0}');
    expect([status, text]).toEqual([200, '{"valid":true}']);
  });

  it("points to the missing property", async () => {
    const { status, body } = await validate("get_weather", "{}");
    expect(status).toBe(200);
    expect(body).toEqual({ valid: false, errors: [missing("city")] });
  });

  it("lists all issues in the engine's order", async () => {
    const { status, body } = await validate("get_weather", '{"count":"5"}');
    const type = { path: "/count", message: "must be integer", keyword: "type" };
    expect(status).toBe(200);
    expect(body).toEqual({ valid: false, errors: [missing("city"), type] });
  });

  const unknown = ["nothing", "toString", "x".repeat(2000), ...(rawSlashes ? [""] : [])];
  it.each(unknown)("does not know a tool %.20j", async (tool) => {
    const { status, body } = await validate(tool, "no JSON either");
    expect(status).toBe(404);
    expect(body).toEqual({ error: `Tool not found: ${tool}` });
  });

  it.each([
    ["not JSON", "text"],
    ["an empty body", ""],
    ["a cut text", '{"city":"Os'],
    ["two values", "{} {}"],
    ["a byte order mark", "\ufeff{}"],
    ["a comment", "{} // x"],
    ["NaN", "NaN"],
  ])("returns 400 for %s", async (_, text) => {
    const { status, body } = await validate("get_weather", text);
    expect(status).toBe(400);
    expect(body).toEqual({
      valid: false,
      errors: [{ path: "", message: expect.stringMatching(/^Invalid JSON: ./), keyword: "format" }],
    });
  });

  it("returns 400 for bytes that are not text, even for a tool without a schema", async () => {
    const bytes = Uint8Array.from([0x22, 0xff, 0xfe, 0x00, 0x22]);
    expect((await validate("get_weather", bytes)).status).toBe(400);
    expect((await validate("open", bytes)).status).toBe(400);
  });

  it.each(["open", "null_schema", "empty_schema"])(
    "accepts any JSON value for %s",
    async (tool) => {
      for (const text of ["{}", "[]", "null", '"x"', "1e400"]) {
        expect((await validate(tool, text)).text).toBe('{"valid":true}');
      }
    },
  );

  it("checks any JSON value as the arguments", async () => {
    for (const text of ["null", "[]", '"{}"', "7", "true"]) {
      const { status, body } = await validate("get_weather", text);
      expect(status).toBe(200);
      expect(body.errors).toEqual([{ path: "", message: "must be object", keyword: "type" }]);
    }
    expect((await validate("array", "[]")).text).toBe('{"valid":true}');
    expect((await validate("never", "{}")).body.valid).toBe(false);
  });

  it("checks numbers by their text", async () => {
    expect((await validate("draft7", '{"n":9007199254740993.5}')).body.errors[0].keyword).toBe(
      "type",
    );
    expect((await validate("draft7", '{"n":1e400}')).text).toBe('{"valid":true}');
  });

  it.each(["broken", "remote"])("reports that the schema of %s is unusable", async (tool) => {
    const { status, body } = await validate(tool, "{}");
    expect(status).toBe(200);
    expect(body).toEqual({
      valid: false,
      errors: [
        { path: "", message: expect.stringMatching(/^Invalid schema: ./), keyword: "schema" },
      ],
    });
    expect((await validate(tool, "no JSON")).status).toBe(400);
  });

  it("reports that a check did not finish", async () => {
    const message = expect.stringContaining("ended without a result");
    const expected = {
      valid: false,
      checked: false,
      errors: [{ path: "", message, keyword: "budget" }],
    };
    expect((await validate("endless", "{}")).body).toEqual(expected);
    const detailed = await send("/tools/endless/validate?detail=full", post("{}"));
    expect(detailed.body).toMatchObject({ valid: false, checked: false });
    const batch = await send("/validate", post('{"calls":[{"tool":"endless"},{"tool":"draft7"}]}'));
    expect(batch.body.results[0]).toEqual(expected);
    // An invalid value and one over a limit were checked, so their results do not have `checked: false`.
    expect(batch.body.results[1]).not.toHaveProperty("checked");
    const deep = await validate("open", "[".repeat(70) + "]".repeat(70));
    expect(deep.body).not.toHaveProperty("checked");
  });

  it("keeps schemas with the same $id apart", async () => {
    expect((await validate("draft7", "{}")).body.errors).toEqual([missing("n")]);
    expect((await validate("same_id", "{}")).body.errors).toEqual([missing("m")]);
  });

  it.each([
    ["a/b", "in_a_b"],
    ["a/validate", "in_a_validate"],
    ["50%", "in_percent"],
    ["größe 🌡", "in_unicode"],
    ["__proto__", "in_proto"],
    ["constructor", "in_constructor"],
  ])("finds a tool named %s", async (tool, property) => {
    expect((await validate(tool, "{}")).body.errors).toEqual([missing(property)]);
    if (rawSlashes) {
      const raw = encodeURIComponent(tool).replaceAll("%2F", "/");
      const { body } = await send(`/tools/${raw}/validate`, post("{}"));
      expect(body.errors).toEqual([missing(property)]);
    }
  });

  it("does not repeat a long list of allowed values for each failure", async () => {
    const text = JSON.stringify(Array.from({ length: 1000 }, () => "red"));
    const { text: answer, body } = await validate("colours", text, "?detail=full");
    expect(answer.length).toBeLessThan(1_000_000);
    const [{ params }] = body.errors;
    expect(params.allowedValues.length + params.truncated).toBe(2000);
  });

  // Only for interfaces that allow raw slashes in tool names.
  if (rawSlashes) {
    it.each(["%", "%ZZ", "%FF", "a%2", "%C3%28"])(
      "finds no tool for the malformed name %s",
      async (name) => {
        const { status, body } = await send(`/tools/${name}/validate`, post("{}"));
        expect([status, body]).toEqual([404, { error: `Tool not found: ${name}` }]);
      },
    );
  }

  it("returns 413 over the limit before it looks at the content type", async () => {
    const fits = `"${"x".repeat(99_998)}"`;
    expect((await validate("open", fits)).text).toBe('{"valid":true}');
    const { status, body } = await validate("open", `${fits}}`);
    expect(status).toBe(413);
    expect(body).toEqual({ error: "The body is larger than the limit of 100000 bytes." });
    expect((await validate("nothing", `${fits}}`)).status).toBe(404);
  });

  it("returns 413 for a body without a declared length", async () => {
    const part = new TextEncoder().encode(" ".repeat(60_000));
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(part);
        controller.enqueue(part);
        controller.close();
      },
    });
    const init = { method: "POST", body, duplex: "half" } as RequestInit;
    expect((await api.send("/tools/open/validate", init)).status).toBe(413);
  });

  it("checks a deeply nested body without recursion", async () => {
    for (const depth of [65, 9_000, 49_000]) {
      const { status, body } = await validate("array", "[".repeat(depth) + "]".repeat(depth));
      expect(status).toBe(200);
      expect(body.errors).toEqual([{ path: "", message: expect.any(String), keyword: "maxDepth" }]);
    }
  });

  it("accepts any content type, or none", async () => {
    const init = { method: "POST", body: new TextEncoder().encode("{}") };
    expect((await send("/tools/open/validate", init)).text).toBe('{"valid":true}');
    const text = { ...init, headers: { "content-type": "text/plain" } };
    expect((await send("/tools/open/validate", text)).text).toBe('{"valid":true}');
  });

  it("proposes a repair with ?repair=, digit for digit, without applying it", async () => {
    const given = '{ "city":5,\t"count":"9007199254740993" }';
    const { status, text, body } = await validate("get_weather", given, "?repair=safe");
    expect(status).toBe(200);
    expect(body.valid).toBe(false);
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(["/city", "/count"]);
    expect(text).toContain(
      '"repair":{"arguments":{ "city":"5",\t"count":9007199254740993 },' +
        '"repairs":[{"kind":"coerce-scalars","path":"/city"},{"kind":"coerce-scalars","path":"/count"}],' +
        '"patch":[{"op":"replace","path":"/city","value":"5"},{"op":"replace","path":"/count","value":9007199254740993}]}}',
    );
    const full = await validate("get_weather", given, "?detail=full&repair=all");
    expect(full.body).toMatchObject({ suggestions: [{}], repair: { repairs: [{}, {}] } });
  });

  it.each([
    ["a valid text", "safe", '{"city":"Oslo"}'],
    ["another kind", "drop-nulls", '{"city":5}'],
    ["what no repair makes valid", "all", '{"city":5,"count":"x"}'],
    ["a duplicate key", "all", '{"city":5,"city":6}'],
  ])("proposes no repair for %s", async (_, kinds, given) => {
    const { status, body } = await validate("get_weather", given, `?repair=${kinds}`);
    expect(status).toBe(200);
    expect(body).not.toHaveProperty("repair");
  });

  it.each(["saff", "", "safe,none"])("refuses ?repair=%s as unknown", async (names) => {
    const { status, body } = await validate("get_weather", "{}", `?repair=${names}`);
    expect(status).toBe(400);
    expect(body.errors[0].message).toMatch(/^Invalid query: repair names ".*"; send a comma list/);
    expect((await validate("nothing", "{}", `?repair=${names}`)).status).toBe(404);
  });

  it("returns every detail with ?detail=full", async () => {
    const text = '{"citi":"Oslo","count":9007199254740993,"count":9007199254740993}';
    const { body } = await validate("get_weather", text, "?detail=full");
    expect(body.valid).toBe(false);
    expect(body.errors[0]).toMatchObject({
      path: "/city",
      rule: "required",
      instancePath: "",
      schemaPath: "#/required",
      params: { missingProperty: "city" },
    });
    expect(
      body.warnings.map(({ path, rule }: { path: string; rule: string }) => [path, rule]),
    ).toEqual([
      ["/count", "number"],
      ["/count", "duplicate"],
    ]);
    expect(body.suggestions.length).toBeGreaterThan(0);
    const long = JSON.stringify("x".repeat(5000));
    const twice = await validate(
      "get_weather",
      `{"city":"Oslo",${long}:1,${long}:2}`,
      "?detail=full",
    );
    const [duplicate] = twice.body.warnings.filter(
      ({ rule }: { rule: string }) => rule === "duplicate",
    );
    expect(duplicate.path).toBe(`/${"x".repeat(4094)}…`);
    const plain = await validate("get_weather", '{"city":"Oslo"}', "?detail=full");
    expect(plain.body).toEqual({ valid: true, warnings: [], suggestions: [] });
    const other = await validate("get_weather", "{}", "?detail=1");
    expect(Object.keys(other.body)).toEqual(["valid", "errors"]);
  });

  // Only for interfaces with a server, whose connections can be cut.
  if (server) {
    it("survives a client that leaves in the middle of its body", async () => {
      const leaving = new AbortController();
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode("{"));
        },
        pull: () => leaving.abort(),
      });
      const init = { method: "POST", body, signal: leaving.signal, duplex: "half" } as RequestInit;
      await expect(api.send("/tools/open/validate", init)).rejects.toThrow();
      expect((await validate("open", "{}")).text).toBe('{"valid":true}');
    });
  }
});
