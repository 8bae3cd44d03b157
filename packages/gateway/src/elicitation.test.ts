import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { LATEST } from "@touchstone/protocol/advanced";
import { describe, expect, it, onTestFinished } from "vitest";
import { eachOf } from "../../core/src/testing/sample.ts";
import { startTestGateway } from "./testing/gateway.ts";
import { modern, post, request, startHttpUpstream } from "./testing/http.ts";
import { wrapped } from "./testing/wrapped.ts";

/** A value that must be in no log and in no record. */
const SECRET = "hunter2-of-the-user";
const FORM = {
  type: "object",
  properties: {
    yes: { type: "boolean" },
    age: { type: "integer", minimum: 0, maximum: 150 },
    mail: { type: "string", format: "email" },
    color: { type: "string", enum: ["red", "blue"] },
    sizes: { type: "array", items: { type: "string", enum: ["s", "m"] }, maxItems: 1 },
  },
  required: ["yes"],
};
const accept = (content?: unknown): object => ({
  action: "accept",
  ...(content === undefined ? {} : { content }),
});

/** What a user's response may be, and what is wrong with it; undefined if nothing is. */
const RESPONSES: readonly (readonly [string, object, string | undefined])[] = [
  ["a match", accept({ yes: true, age: 5, mail: "a@b.example", color: "red" }), undefined],
  ["another member", accept({ yes: true, more: "x" }), undefined],
  ["decline", { action: "decline" }, undefined],
  ["cancel", { action: "cancel" }, undefined],
  ["a wrong type", accept({ yes: SECRET }), "/content/yes"],
  ["a missing member", accept({}), "/content/yes is required"],
  ["no content", accept(), "/content/yes is required"],
  ["a number below its bound", accept({ yes: true, age: -5 }), "/content/age"],
  ["a fraction", accept({ yes: true, age: 1.5 }), "/content/age"],
  ["a wrong format", accept({ yes: true, mail: SECRET }), "/content/mail"],
  ["another choice", accept({ yes: true, color: SECRET }), "/content/color"],
  ["too many choices", accept({ yes: true, sizes: ["s", "m"] }), "/content/sizes"],
];

/** A server over stdio whose tool `ask` sends the form and returns the response that it got. */
const asking = (form: unknown): string => `
  const out = (m) => console.log(JSON.stringify({ jsonrpc: "2.0", ...m }));
  let call;
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const m = JSON.parse(line);
    if (m.method === undefined) {
      out({ id: call, result: { content: [{ type: "text", text: JSON.stringify(m.result ?? m.error) }] } });
    } else if (m.method === "initialize") {
      const serverInfo = { name: "e", version: "1" };
      out({ id: m.id, result: { protocolVersion: m.params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
    } else if (m.method === "tools/list") {
      out({ id: m.id, result: { tools: [{ name: "ask", inputSchema: { type: "object" } }] } });
    } else if (m.method === "tools/call") {
      call = m.id;
      out({ id: "e1", method: "elicitation/create", params: { message: "Sure?", requestedSchema: ${JSON.stringify(form)} } });
    }
  });`;

async function begun(
  mode: "off" | "warn" | "strict",
  form: unknown = FORM,
  version = "2025-11-25",
) {
  const client = wrapped(["-e", asking(form)], { protocolMode: mode });
  const capabilities = { elicitation: {} };
  const clientInfo = { name: "t", version: "1" };
  client.send(request(1, "initialize", { protocolVersion: version, capabilities, clientInfo }));
  await client.line(1);
  client.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  client.send(request(2, "tools/call", { name: "ask", arguments: {} }));
  return client;
}

async function answered(
  mode: "off" | "warn" | "strict",
  response: object,
  form?: unknown,
  version?: string,
) {
  const client = await begun(mode, form, version);
  await client.received.find((line) => line.includes("elicitation/create"));
  client.send({ jsonrpc: "2.0", id: "e1", result: response });
  const { result } = JSON.parse(await client.line(2));
  await client.close();
  const records = await client.records();
  return {
    got: result.content[0].text as string,
    decisions: records.filter(({ type }) => type === "policy_decision"),
    told: JSON.stringify(records) + client.log.lines.join("\n"),
  };
}

describe("a response to elicitation/create", () => {
  eachOf(RESPONSES, (_, index) => index % 4 === 0)(
    "is checked in strict: %s",
    async (_, response, wrong) => {
      const { got, decisions, told } = await answered("strict", response);
      if (wrong === undefined) {
        expect([JSON.parse(got), decisions]).toEqual([response, []]);
        return;
      }
      expect(JSON.parse(got)).toMatchObject({
        code: -32603,
        message: expect.stringContaining("does not match requestedSchema"),
      });
      expect(decisions).toMatchObject([{ decision: "blocked", direction: "protocol" }]);
      expect(decisions[0]?.reason).toContain(wrong);
      expect(got + told).not.toContain(SECRET);
    },
  );

  it.each(RESPONSES.slice(4, 7))("is recorded in warn: %s", async (_, response, wrong) => {
    const { got, decisions } = await answered("warn", response);
    expect(JSON.parse(got)).toEqual(response);
    expect(decisions).toMatchObject([{ decision: "warning" }]);
    expect(decisions[0]?.reason).toContain(wrong);
  });

  it("that takes long to check is blocked, with the reason", async () => {
    const fields = Array.from({ length: 250 }, (_, i) => [
      `p${i}`,
      { type: "string", pattern: `(a+)+$${i}` },
    ]);
    const form = { type: "object", properties: Object.fromEntries(fields) };
    const content = Object.fromEntries(fields.map(([name]) => [name, "a".repeat(200)]));
    const { got, decisions } = await answered("strict", accept(content), form);
    expect(got).toContain("takes more steps than the check of a form may take");
    expect(decisions).toMatchObject([{ decision: "blocked" }]);
  });

  it("is not checked in off", async () => {
    const { decisions } = await answered("off", accept({ yes: SECRET }));
    expect(decisions).toEqual([]);
  });

  it("is checked in 2025-06-18", async () => {
    const { decisions } = await answered(
      "strict",
      accept({ yes: "x" }),
      { type: "object", properties: { yes: { type: "boolean" } } },
      "2025-06-18",
    );
    expect(decisions).toMatchObject([{ decision: "blocked" }]);
  });

  it("with content and another action is noted", async () => {
    const { got, decisions } = await answered("strict", { action: "decline", content: {} });
    expect(JSON.parse(got)).toEqual({ action: "decline", content: {} });
    expect(decisions).toMatchObject([{ decision: "warning" }]);
  });

  it("whose request was not seen is forwarded, and recorded as not checked", async () => {
    const client = await begun("strict");
    await client.received.find((line) => line.includes("elicitation/create"));
    client.send({ jsonrpc: "2.0", id: "other", result: accept({ yes: 5 }) });
    const { result } = JSON.parse(await client.line(2));
    expect(JSON.parse(result.content[0].text)).toEqual(accept({ yes: 5 }));
    const [record] = (await client.records()).filter(({ type }) => type === "policy_decision");
    expect(record).toMatchObject({ decision: "warning" });
    expect(record?.reason).toContain("was not checked: this gateway has not seen the form");
  });

  it("of more than 1 MiB whose request was not seen is forwarded without a record", async () => {
    const client = await begun("strict");
    await client.received.find((line) => line.includes("elicitation/create"));
    const response = accept({ yes: 5, more: "x".repeat(1_048_576) });
    client.send({ jsonrpc: "2.0", id: "other", result: response });
    const { result } = JSON.parse(await client.line(2));
    expect(JSON.parse(result.content[0].text)).toEqual(response);
    expect((await client.records()).filter(({ type }) => type === "policy_decision")).toEqual([]);
  });

  it("is not forwarded a second time under an id that only looks like the first", async () => {
    const client = await begun("strict");
    await client.received.find((line) => line.includes("elicitation/create"));
    client.send({ jsonrpc: "2.0", id: " e1", result: accept({ yes: true }) });
    client.send({ jsonrpc: "2.0", id: "e1", result: accept({ yes: 5 }) });
    const { result } = JSON.parse(await client.line(2));
    expect(result.content[0].text).toBe('{"action":"accept","content":{"yes":true}}');
  });
});

/** Forms that servers may send, and what happens to each in strict mode. */
const field = (more: object) => ({ type: "object", properties: { a: more } });
const FORMS: readonly (readonly [string, unknown, "blocked" | "warning" | undefined, RegExp])[] = [
  ["a flat form", FORM, undefined, /^$/],
  ["a nested object", field({ type: "object", properties: {} }), "blocked", /properties\/a/],
  ["a broken pattern", field({ type: "string", pattern: "(" }), "blocked", /cannot be used/],
  [
    "a reference elsewhere",
    { type: "object", properties: {}, $ref: "https://evil.example/x" },
    ...(["blocked", /cannot be used/] as const),
  ],
  ["a composition", { ...field({ type: "string" }), allOf: [{}] }, "warning", /has allOf/],
  ["a reference in a field", field({ type: "string", $ref: "#" }), "warning", /has \$ref/],
  [
    "a large form",
    field({ type: "string", description: "x".repeat(20_000) }),
    ...(["blocked", /more than 16384 bytes/] as const),
  ],
];

describe("a form", () => {
  it.each(FORMS)("is checked in strict: %s", async (_, form, decision, says) => {
    const client = await begun("strict", form);
    const line = await client.received.find(
      (text) => text.includes("elicitation/create") || /"id":2[,}]/.test(text),
    );
    expect(line.includes("elicitation/create")).toBe(decision !== "blocked");
    await client.close();
    const records = await client.records();
    const decisions = records.filter(({ type }) => type === "policy_decision");
    expect(decisions.map((record) => record.decision)).toEqual(decision ? [decision] : []);
    expect(decisions[0]?.reason ?? "").toMatch(says);
  });
});

/**
 * A server of 2026-07-28 whose tool asks for input in its result.
 * @param form the form, or a function that returns the form for each result
 * @param keys the keys of the requested inputs
 */
async function servingInput(
  mode: string,
  state: string | undefined = "s1",
  form: unknown = FORM,
  keys: readonly string[] = ["k1"],
) {
  const formNow = (): unknown => (typeof form === "function" ? form() : form);
  const upstream = await startHttpUpstream(({ body }, response) => {
    const { id, method, params } = JSON.parse(body);
    const asks = () => {
      const params = { message: "Sure?", requestedSchema: formNow() };
      return Object.fromEntries(keys.map((key) => [key, { method: "elicitation/create", params }]));
    };
    const result =
      method === "server/discover"
        ? {
            ...{ resultType: "complete", ttlMs: 60_000, cacheScope: "public" },
            ...{ supportedVersions: [LATEST.version], capabilities: { tools: {} } },
          }
        : method === "tools/list"
          ? {
              ...{ resultType: "complete", ttlMs: 60_000, cacheScope: "public" },
              tools: [{ name: "ask", inputSchema: { type: "object" } }],
            }
          : params.inputResponses === undefined
            ? {
                resultType: "input_required",
                inputRequests: asks(),
                ...(state && { requestState: state }),
              }
            : { resultType: "complete", content: [{ type: "text", text: "done" }] };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  onTestFinished(() => upstream.close());
  const start = async () => {
    const gateway = await startTestGateway({
      mcpServers: { s: { url: upstream.url } },
      protocol_validation: { mode },
    });
    onTestFinished(() => gateway.close());
    return gateway;
  };
  const gateway = await start();
  const call = (more: object, id: number, to = gateway) => {
    const meta = { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
    const params = { name: "ask", arguments: {}, ...more };
    const { body, headers } = modern("tools/call", params, { id, meta });
    return post(to.url("s"), body, headers);
  };
  const again = (response: object, id = 2, to = gateway, more: object = {}) =>
    call(
      { inputResponses: { k1: response }, ...(state && { requestState: state }), ...more },
      id,
      to,
    );
  return { gateway, call, again, start, upstream };
}

describe(`a response that comes with a call of ${LATEST.version}`, () => {
  eachOf(RESPONSES, 3)("is checked in strict: %s", async (_, response, wrong) => {
    const { gateway, call, again, upstream } = await servingInput("strict");
    expect((await call({}, 1)).text).toContain("input_required");
    const sent = upstream.seen.length;
    const answer = await again(response);
    const { result } = JSON.parse(answer.text);
    const decisions = await gateway.records({ type: "policy_decision" });
    if (wrong === undefined) {
      expect([result.content[0].text, decisions]).toEqual(["done", []]);
      return;
    }
    expect(upstream.seen).toHaveLength(sent);
    expect(result).toMatchObject({ resultType: "complete", isError: true });
    expect(result.content[0].text).toContain("the user's response does not match the form");
    expect(result.content[0].text).toContain(wrong);
    expect(decisions).toMatchObject([{ decision: "blocked", direction: "protocol", tool: "ask" }]);
    const told = JSON.stringify(await gateway.records()) + gateway.lines.join("\n") + answer.text;
    expect(told).not.toContain(SECRET);
  });

  it("is recorded in warn, and forwarded", async () => {
    const { gateway, call, again } = await servingInput("warn");
    await call({}, 1);
    expect((await again(accept({ yes: 5 }))).text).toContain("done");
    const decisions = await gateway.records({ type: "policy_decision" });
    expect(decisions).toMatchObject([{ decision: "warning" }]);
  });

  it("is found without a state, too", async () => {
    const { call, again } = await servingInput("strict", undefined);
    await call({}, 1);
    expect((await again(accept({ yes: 5 }))).text).toContain('"isError":true');
  });

  it.each([
    ["after a restart", async (start: () => ReturnType<typeof startTestGateway>) => start(), {}],
    ["with another state", undefined, { requestState: "s2" }],
  ])("whose request was not seen is forwarded, and recorded: %s", async (_, other, more) => {
    const { gateway, call, again, start } = await servingInput("strict");
    await call({}, 1);
    const to = other === undefined ? gateway : await other(start);
    expect((await again(accept({ yes: 5 }), 2, to, more)).text).toContain("done");
    const [record] = await to.records({ type: "policy_decision" });
    expect(record).toMatchObject({ decision: "warning" });
    expect(record?.reason).toContain("this gateway has not seen the form");
  });

  it("under a key that was not asked for is recorded as not checked", async () => {
    const { gateway, call, again } = await servingInput("strict");
    await call({}, 1);
    const inputResponses = { other: accept({ yes: 5 }) };
    expect((await again({}, 2, gateway, { inputResponses })).text).toContain("done");
    const [record] = await gateway.records({ type: "policy_decision" });
    expect(record?.reason).toContain("has not seen the form");
  });

  it("may be sent twice", async () => {
    const { call, again } = await servingInput("strict");
    await call({}, 1);
    expect((await again(accept({ yes: 5 }), 2)).text).toContain('"isError":true');
    expect((await again(accept({ yes: true }), 3)).text).toContain("done");
    expect((await again(accept({ yes: true }), 4)).text).toContain("done");
  });

  const KEYS = Array.from({ length: 40 }, (_, index) => `k${index}`);
  it.each([
    [1_000, "done"],
    [2_000, "their contents have more than 65536 bytes together"],
  ])("is one of 40 of %d characters, which are checked together", async (length, says) => {
    const { call, again, gateway } = await servingInput("strict", "s1", FORM, KEYS);
    await call({}, 1);
    const content = { yes: true, more: "x".repeat(length) };
    const inputResponses = Object.fromEntries(KEYS.map((key) => [key, accept(content)]));
    expect((await again({}, 2, gateway, { inputResponses })).text).toContain(says);
  });

  it("is not checked by a form that was asked for before a result that was not read", async () => {
    const long = { ...FORM, description: "x".repeat(12_000) };
    let asked = 0;
    const form = () => (asked++ === 0 ? FORM : long);
    const { call, again, gateway } = await servingInput("warn", "s1", form, ["k1", "k2", "k3"]);
    await call({}, 1);
    await call({}, 2);
    expect((await again(accept({ yes: 5 }), 3)).text).toContain("done");
    const [large, unseen] = await gateway.records({ type: "policy_decision" });
    expect(large?.reason).toContain("the forms were not read");
    expect(unseen?.reason).toContain("has not seen the form");
  });

  it("is refused with the result that asks, if the form cannot be used", async () => {
    const { call } = await servingInput("strict", "s1", field({ type: "string", pattern: "(" }));
    const { error } = JSON.parse((await call({}, 1)).text);
    expect(error.message).toContain("requestedSchema cannot be used");
  });
});

describe("a client of an SDK", () => {
  const ASK = { name: "ask", arguments: {} };
  const capabilities = { elicitation: { form: {} } };
  const info = { name: "t", version: "1" };
  const versions = {
    async "1"(url: string, response: object) {
      const client = new ClientV1(info, { capabilities });
      client.setRequestHandler(ElicitRequestSchema, () => response as never);
      await client.connect(new TransportV1(new URL(url)) as never);
      onTestFinished(() => client.close());
      return client.callTool(ASK);
    },
    async "2"(url: string, response: object) {
      const client = new ClientV2(info, { capabilities });
      client.setRequestHandler("elicitation/create", () => response as never);
      await client.connect(new TransportV2(new URL(url)));
      onTestFinished(() => client.close());
      return client.callTool(ASK);
    },
    async "2 that speaks the latest revision"(url: string, response: object) {
      const client = new ClientV2(info, { capabilities, versionNegotiation: { mode: "auto" } });
      client.setRequestHandler("elicitation/create", () => response as never);
      await client.connect(new TransportV2(new URL(url)));
      onTestFinished(() => client.close());
      return client.callTool(ASK);
    },
  } as const;

  it.each(["1", "2", "2 that speaks the latest revision"] as const)(
    "gets an error for a wrong response of its user: SDK %s",
    async (version) => {
      const isModern = version.includes("latest");
      const { gateway } = isModern ? await servingInput("strict") : await servingForm();
      const call = (response: object) => versions[version](gateway.url("s"), response);
      const wrong = JSON.stringify(await call(accept({ yes: 5 })));
      expect(wrong).toContain(
        isModern ? "does not match the form" : "does not match requestedSchema",
      );
      const right = JSON.stringify(await call(accept({ yes: true })));
      expect(right).toContain(isModern ? "done" : "accept");
    },
  );
});

/** A strict gateway in front of the server over stdio. */
async function servingForm() {
  const server = { command: process.execPath, args: ["-e", asking(FORM)] };
  const gateway = await startTestGateway({
    mcpServers: { s: server },
    protocol_validation: { mode: "strict" },
  });
  onTestFinished(() => gateway.close());
  return { gateway };
}
