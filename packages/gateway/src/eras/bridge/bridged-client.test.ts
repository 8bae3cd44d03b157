import { decodeUtf8 } from "@touchstone/core/advanced";
import {
  judgeMessage,
  LATEST,
  REVISIONS,
  readFrame,
  revisionOf,
} from "@touchstone/protocol/advanced";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { BridgedClient } from "./bridged-client.ts";

const frameOf = (text: string) => readFrame(Buffer.from(text));
const INFO = '{"name":"é", "version":"1.0"}';
const initialize = (version = "2025-11-25", more = "") =>
  `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"${version}","capabilities":{"roots":{}},"clientInfo":${INFO}${more}}}`;
const CONTEXT = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}},"io.modelcontextprotocol/clientInfo":${INFO}`;
const DISCOVERED =
  '{"jsonrpc":"2.0","id":"d","result":{"supportedVersions":["2026-07-28"],"capabilities":{"logging":{},"tools":{"listChanged":true},"extensions":{"x":{}}},"instructions":"h\\u00e9","ttlMs":1,"cacheScope":"public","resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"version":"2", "name":"s"}}}}';

function clientOf(version?: string): BridgedClient {
  const client = BridgedClient.of(frameOf(initialize(version)));
  if (client === undefined) throw new Error("it does not begin a session");
  return client;
}
function onward(client: BridgedClient, text: string): string | undefined {
  const { onward: bytes } = client.fromClient(frameOf(text));
  return bytes && decodeUtf8(bytes);
}
function back(client: BridgedClient, text: string): string | undefined {
  const { back: bytes } = client.fromClient(frameOf(text));
  return bytes && decodeUtf8(bytes);
}
async function shown(client: BridgedClient, text: string): Promise<string> {
  const { messages } = await client.shown(Buffer.from(text));
  return messages.map((bytes) => decodeUtf8(bytes)).join("\n");
}
const request = (method: string, params = "") =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}"${params}}`;
const result = (members: string) => `{"jsonrpc":"2.0","id":1,"result":{${members}}}`;

describe("a session", () => {
  it.each(REVISIONS.filter(({ handshake }) => handshake).map(({ version }) => version))(
    "begins with %s and the client's own revision",
    (version) => {
      const client = clientOf(version);
      expect(client.pair).toBe(`${version}>2026-07-28`);
      const response = client.initialized("0", frameOf(DISCOVERED), "name");
      expect(response && decodeUtf8(response)).toBe(
        `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"${version}","capabilities":{"logging":{},"tools":{"listChanged":true}},"serverInfo":{"version":"2", "name":"s"},"instructions":"h\\u00e9"}}`,
      );
      const check = judgeMessage(readFrame(response ?? Buffer.of()), {
        ...{ sender: "server", revision: revisionOf(version), requestMethod: "initialize" },
      });
      expect(check.errors).toEqual([]);
    },
  );

  it("begins with the newest of them for a client of an unknown revision", () => {
    expect(clientOf("2099-01-01").pair).toBe("2025-11-25>2026-07-28");
  });

  it.each([
    ["another request", request("ping")],
    [
      "a notification",
      '{"jsonrpc":"2.0","method":"initialize","params":{"protocolVersion":"2025-11-25"}}',
    ],
    ["no revision", '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}'],
    ["the server's revision", initialize("2026-07-28")],
    ["a revision in _meta", initialize("2025-11-25", `,"_meta":{${CONTEXT}}`)],
  ])("does not begin with %s", (_, text) => {
    expect(BridgedClient.of(frameOf(text))).toBeUndefined();
  });

  it("names a server that does not name itself", () => {
    const discovered =
      '{"jsonrpc":"2.0","id":"d","result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}';
    const response = clientOf().initialized("0", frameOf(discovered), "files");
    expect(JSON.parse(decodeUtf8(response ?? Buffer.of())).result).toEqual({
      protocolVersion: "2025-11-25",
      capabilities: {},
      serverInfo: { name: "files", version: "unknown" },
    });
  });

  it.each([
    ["an error", '{"jsonrpc":"2.0","id":"d","error":{"code":-32601,"message":"no"}}'],
    ["no revisions", '{"jsonrpc":"2.0","id":"d","result":{"capabilities":{}}}'],
    ["other revisions", '{"jsonrpc":"2.0","id":"d","result":{"supportedVersions":["2027-01-01"]}}'],
  ])("does not begin if server/discover returns %s", (_, text) => {
    expect(clientOf().initialized("0", frameOf(text), "name")).toBeUndefined();
  });
});

describe("a request of the client", () => {
  it.each([
    ["no params", "", `,"params":{"_meta":{${CONTEXT}}}`],
    ["empty params", ',"params":{ }', `,"params":{"_meta":{${CONTEXT}} }`],
    [
      "params",
      ',"params" : { "name":"t","arguments":{"n":1.0,"s":"\\u00e9"}}',
      `,"params" : {"_meta":{${CONTEXT}}, "name":"t","arguments":{"n":1.0,"s":"\\u00e9"}}`,
    ],
    [
      "_meta",
      ',"params":{"_meta":{"progressToken":1e0,"x":{}},"name":"t"}',
      `,"params":{"_meta":{${CONTEXT},"progressToken":1e0,"x":{}},"name":"t"}`,
    ],
    ["empty _meta", ',"params":{"_meta":{}}', `,"params":{"_meta":{${CONTEXT}}}`],
  ])("with %s keeps its bytes and gets its context", (_, params, expected) => {
    expect(onward(clientOf(), request("tools/call", params))).toBe(request("tools/call", expected));
  });

  it("is what the server's revision requires", () => {
    const sent = onward(clientOf(), request("tools/call", ',"params":{"name":"t"}'));
    const options = { sender: "client", revision: LATEST } as const;
    expect(judgeMessage(frameOf(sent ?? ""), options).errors).toEqual([]);
  });

  it("keeps every other byte, whatever it holds", () => {
    const value = fc.json({ maxDepth: 2 });
    const spaces = fc.constantFrom("", " ", "\t", " \n ");
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), value)), spaces, (members, space) => {
        const named = members.filter(([name]) => name !== "_meta" && name !== "task");
        const params = named.map(([name, text]) => `${JSON.stringify(name)}${space}:${text}`);
        const text = request(
          "tools/call",
          `,"params":{${space}${params.join(`${space},`)}${space}}`,
        );
        const written = onward(clientOf(), text) ?? "";
        const inserted = `"_meta":{${CONTEXT}}${params.length === 0 ? "" : ","}`;
        expect(written.replace(inserted, "")).toBe(text);
        expect(JSON.parse(written).params).toEqual({
          ...JSON.parse(text).params,
          _meta: JSON.parse(`{${CONTEXT}}`),
        });
      }),
    );
  });

  it.each([
    ["ping", "", "{}"],
    ["logging/setLevel", ',"params":{"level":"error"}', "{}"],
  ])("%s gets its response from the bridge", (method, params, expected) => {
    const client = clientOf();
    client.initialized("0", frameOf(DISCOVERED), "name");
    expect(back(client, request(method, params))).toBe(
      `{"jsonrpc":"2.0","id":1,"result":${expected}}`,
    );
  });

  it("carries the log level that was set", () => {
    const client = clientOf();
    client.initialized("0", frameOf(DISCOVERED), "name");
    back(client, request("logging/setLevel", ',"params":{"level":"\\u0065rror"}'));
    const sent = JSON.parse(onward(client, request("tools/list")) ?? "");
    expect(sent.params._meta["io.modelcontextprotocol/logLevel"]).toBe("error");
    expect(back(client, request("logging/setLevel", ',"params":{"level":"loud"}'))).toContain(
      "params.level must be one of debug",
    );
    expect(back(clientOf(), request("logging/setLevel"))).toContain("does not offer logging");
  });

  it.each([
    ["resources/subscribe", ',"params":{"uri":"a"}', -32601, /does not offer subscriptions/],
    ["resources/unsubscribe", ',"params":{"uri":"a"}', -32601, /does not offer subscriptions/],
    ["tasks/get", ',"params":{"taskId":"a"}', -32601, /tasks are an extension/],
    ["tasks/list", "", -32601, /tasks are an extension/],
    ["tasks/result", "", -32601, /tasks are an extension/],
    ["tasks/cancel", "", -32601, /tasks are an extension/],
    ["tools/call", ',"params":{"name":"t","task":{}}', -32602, /without `task`/],
    ["initialize", "", -32600, /the session has begun/],
    ["tools/list", ',"params":[1]', -32602, /are not an object/],
    ["tools/list", ',"params":{"_meta":1}', -32602, /are not an object/],
    ["tools/list", `,"params":{"_meta":{${CONTEXT}}}`, -32602, /the bridge writes that member/],
  ])("%s %s does not cross", (method, params, code, why) => {
    const { error } = JSON.parse(back(clientOf(), request(method, params)) ?? "");
    expect(error).toMatchObject({ code, data: { bridged: "2025-11-25>2026-07-28" } });
    expect(error.message).toMatch(why);
    expect(error.message).toMatch(
      /^touchstone: .* does not cross the bridge from 2025-11-25 to 2026-07-28: .*; use a client that speaks 2026-07-28/,
    );
  });
});

describe("a message of the client without a response", () => {
  it.each(["roots/list_changed", "progress"])("notifications/%s ends there", (name) => {
    const text = `{"jsonrpc":"2.0","method":"notifications/${name}"}`;
    expect(clientOf().fromClient(frameOf(text))).toEqual({});
  });

  it.each([
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
    '{"jsonrpc":"2.0","method":"notifications/x"}',
    "not JSON",
  ])("%s crosses as it came", (text) => {
    expect(onward(clientOf(), text)).toBe(text);
  });
});

describe("a message of the server", () => {
  it.each([
    [
      "tools/list",
      '"resultType":"complete","tools":[],"ttlMs":5,"cacheScope":"public"',
      '"tools":[]',
    ],
    ["tools/list", ' "ttlMs":5 , "cacheScope":"public" , "resultType":"complete" ', "  "],
    [
      "prompts/list",
      '"prompts":[],"x":1.0,"resultType":"complete","ttlMs":0',
      '"prompts":[],"x":1.0',
    ],
    ["resources/read", '"cacheScope":"private","contents":[],"ttlMs":0', '"contents":[]'],
    ["prompts/get", '"messages":[],"ttlMs":0,"resultType":"complete"', '"messages":[],"ttlMs":0'],
    ["x/y", '"resultType":"complete","ttlMs":0', '"ttlMs":0'],
    ["tools/call", '"content":[],"resultType":"complete"', '"content":[]'],
    ["tools/call", '"structuredContent":{"a":1.0}', '"structuredContent":{"a":1.0}'],
    [
      "tools/call",
      '"structuredContent":[1.0 ],"resultType":"complete"',
      '"structuredContent":{"result":[1.0 ]}',
    ],
    ["tools/call", '"structuredContent":null', '"structuredContent":{"result":null}'],
  ])("%s: %s is shown without the envelope", async (method, members, expected) => {
    const client = clientOf();
    client.fromClient(frameOf(request(method)));
    expect(await shown(client, result(members))).toBe(result(expected));
  });

  it("keeps every other byte, whatever it holds", async () => {
    const own = ["resultType", "ttlMs", "cacheScope"];
    const value = fc.json({ maxDepth: 2 });
    const member = fc.oneof(
      fc.tuple(
        fc.string().filter((name) => ![...own, "prompts", "tools"].includes(name)),
        value,
      ),
      fc.constantFrom<[string, string]>(
        ["resultType", '"complete"'],
        ["ttlMs", "1"],
        ["cacheScope", '"public"'],
      ),
    );
    const members = fc.uniqueArray(member, { selector: ([name]) => name });
    const spaces = fc.constantFrom("", " ", "\n\t");
    await fc.assert(
      fc.asyncProperty(members, spaces, async (all, space) => {
        const text = (each: readonly (readonly [string, string])[]) =>
          each.map(([name, held]) => `${space}${JSON.stringify(name)}:${held}${space}`).join(",");
        const client = clientOf();
        client.fromClient(frameOf(request("prompts/list")));
        const left = await shown(client, result(text(all)));
        const kept = all.filter(([name]) => !own.includes(name));
        expect(left.replace(/\s+/g, "")).toBe(result(text(kept)).replace(/\s+/g, ""));
        expect(JSON.parse(left)).toEqual(JSON.parse(result(text(kept))));
      }),
    );
  });

  it.each([
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}',
    '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}',
    "not JSON",
  ])("%s crosses as it came", async (text) => {
    expect(await shown(clientOf(), text)).toBe(text);
  });

  it.each([
    ["task", /takes a result for the end/],
    ["input_required", /Multi Round-Trip Requests/],
  ])("of the type %s is an error", async (type, why) => {
    const client = clientOf();
    client.fromClient(frameOf(request("tools/call")));
    const { id, error } = JSON.parse(await shown(client, result(`"resultType":"${type}"`)));
    expect([id, error.code]).toEqual([1, -32603]);
    expect(error.message).toMatch(why);
  });
});

describe("a request without a response", () => {
  it("is forgotten, and a late response has no shape of its own", async () => {
    const client = clientOf();
    client.fromClient(frameOf(request("prompts/list")));
    client.forget("n1");
    const late = await shown(client, result('"prompts":[],"ttlMs":1,"resultType":"complete"'));
    expect(late).toBe(result('"prompts":[],"ttlMs":1'));
  });
});

describe("output schemas", () => {
  const listOf = (tools: string) => result(`"tools":[${tools}],"resultType":"complete"`);
  async function listed(tool: string): Promise<string> {
    const client = clientOf();
    client.fromClient(frameOf(request("tools/list")));
    return (await shown(client, listOf(tool))).slice(result('"tools":[').length - 2, -3);
  }
  const WRAPPED = '{"type":"object","properties":{"result":';

  it.each([
    '{"name":"a","outputSchema":{"type":"object","$defs":{"x":{"$ref":"#"}}}}',
    '{"name":"a","outputSchema":{"type":"\\u006fbject"}}',
    '{"name":"a","outputSchema":true}',
    '{"name":7,"outputSchema":{"type":"object"}}',
    '{"name":"a"}',
    "7",
  ])("%s stays", async (tool) => {
    expect(await listed(tool)).toBe(tool);
  });

  it.each([
    ["an array", '{"type":"array", "maxItems":1.0}', '{"type":"array", "maxItems":1.0}', ""],
    ["no type", '{"anyOf":[{}]}', '{"anyOf":[{}]}', ""],
    [
      "a dialect",
      '{"$schema":"http://json-schema.org/draft-07/schema#","type":"string"}',
      '{"$schema":"http://json-schema.org/draft-07/schema#","type":"string"}',
      '"$schema":"http://json-schema.org/draft-07/schema#",',
    ],
    [
      "references",
      '{"items":{"$ref" : "#/$defs/a"},"$defs":{"a":{"anyOf":[{"$ref":"#"},{"$ref":"#b"},{"$ref":"x#/y"}]}},"default":{"$ref":"#"},"properties":{"const":{"$ref":"#/a"}}}',
      '{"items":{"$ref" : "#/properties/result/$defs/a"},"$defs":{"a":{"anyOf":[{"$ref":"#/properties/result"},{"$ref":"#b"},{"$ref":"x#/y"}]}},"default":{"$ref":"#"},"properties":{"const":{"$ref":"#/properties/result/a"}}}',
      "",
    ],
    [
      "an id",
      '{"$id":"https://x.example/a","items":{"$ref":"#"}}',
      '{"$id":"https://x.example/a","items":{"$ref":"#"}}',
      "",
    ],
    [
      "an id inside",
      '{"items":{"$id":"https://x.example/a","items":{"$ref":"#"}},"not":{"$ref":"#"}}',
      '{"items":{"$id":"https://x.example/a","items":{"$ref":"#"}},"not":{"$ref":"#/properties/result"}}',
      "",
    ],
    [
      "recursive references",
      '{"$schema":"https://json-schema.org/draft/2019-09/schema","items":{"$recursiveRef":"#"}}',
      '{"$schema":"https://json-schema.org/draft/2019-09/schema","items":{"$ref":"#/properties/result"}}',
      '"$schema":"https://json-schema.org/draft/2019-09/schema",',
    ],
  ])("with %s are those of a result in an object", async (_, schema, inner, head) => {
    const expected = `{${head}${WRAPPED.slice(1)}${inner}},"required":["result"]}`;
    expect(await listed(`{"name":"a","outputSchema": ${schema} }`)).toBe(
      `{"name":"a","outputSchema": ${expected} }`,
    );
  });

  it.each([
    ["too long", `{"const":"${"x".repeat(262_144)}"}`],
    [
      "that have two references at one place",
      '{"$schema":"https://json-schema.org/draft/2019-09/schema","items":{"$recursiveRef":"#","$ref":"#"}}',
    ],
  ])("%s are left out", async (_, schema) => {
    expect(await listed(`{"name":"a","outputSchema":${schema},"x":1}`)).toBe('{"name":"a","x":1}');
  });

  it("decide how the results of their tools are shown, by the list that the client got last", async () => {
    const client = clientOf();
    const list = async (schema: string): Promise<void> => {
      client.fromClient(frameOf(request("tools/list")));
      await shown(client, listOf(`{"name":"a","outputSchema":${schema}}`));
    };
    const called = async (): Promise<string> => {
      client.fromClient(frameOf(request("tools/call", ',"params":{"name":"a"}')));
      return shown(client, result('"structuredContent":{}'));
    };
    expect(await called()).toBe(result('"structuredContent":{}'));
    await list('{"anyOf":[{"type":"object"}]}');
    expect(await called()).toBe(result('"structuredContent":{"result":{}}'));
    await list('{"type":"object"}');
    expect(await called()).toBe(result('"structuredContent":{}'));
  });
});

describe("a request for input", () => {
  const CALL =
    '{"jsonrpc":"2.0","id":1e0,"method":"tools/call","params":{"name":"t", "arguments":{"n":1.0,"s":"\\u00e9"} }}';
  const FORM =
    '{"message":"Who?","requestedSchema":{"type":"object","properties":{"n":{"type":"string"}}}}';
  const elicit = `{"method":"elicitation/create","params":${FORM}}`;
  const URL_PARAMS = '{"mode":"url","message":"Go","url":"https://x.example/"}';
  const asks = (requests: string, more = "", id = "1") =>
    `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"input_required","inputRequests":{${requests}}${more}}}`;
  function clientWith(capabilities: string, version = "2025-11-25"): BridgedClient {
    const text = initialize(version).replace('{"roots":{}}', capabilities);
    const client = BridgedClient.of(frameOf(text));
    if (client === undefined) throw new Error("it does not begin a session");
    return client;
  }
  async function asked(client: BridgedClient, text: string) {
    const { messages, again, isOpen } = await client.shown(Buffer.from(text));
    return {
      messages: messages.map((bytes) => decodeUtf8(bytes)),
      ids: messages.map((bytes) => readFrame(bytes).id ?? ""),
      again: again && decodeUtf8(again),
      isOpen,
    };
  }
  const ALL =
    '{"roots":{"listChanged":true},"sampling":{"tools":{}},"elicitation":{"form":{ },"url":{}},"x":1}';

  it("is sent for each entry, and all results go back with the bytes of the request", async () => {
    const client = clientWith(ALL);
    const sent = onward(client, CALL) ?? "";
    expect(sent).toContain(
      '"io.modelcontextprotocol/clientCapabilities":{"roots":{},"sampling":{"tools":{}},"elicitation":{"form":{ },"url":{}}}',
    );
    const SAMPLED = '{"model":"m","role":"assistant","content":{"type":"text","text":"x"} }';
    const SAMPLE = '{"messages":[],"maxTokens":1e1}';
    const requests = [
      `"a/\\u00e9":${elicit}`,
      `"b":{"method":"sampling/createMessage","params":${SAMPLE}}`,
      '"c":{"method":"roots/list"}',
      `"d":{"method":"elicitation/create","params":${URL_PARAMS}}`,
    ];
    const STATE = '"s\\u00e9\\/1"';
    const { messages, ids, isOpen } = await asked(
      client,
      asks(requests.join(","), `,"requestState": ${STATE}`),
    );
    const [a, b, c, d] = ids;
    expect(isOpen).toBe(true);
    expect(messages).toEqual([
      `{"jsonrpc":"2.0","id":${a},"method":"elicitation/create","params":${FORM}}`,
      `{"jsonrpc":"2.0","id":${b},"method":"sampling/createMessage","params":${SAMPLE}}`,
      `{"jsonrpc":"2.0","id":${c},"method":"roots/list"}`,
      `{"jsonrpc":"2.0","id":${d},"method":"elicitation/create","params":${URL_PARAMS.replace("{", `{"elicitationId":${d},`)}}`,
    ]);
    const answer = (id: string | undefined, text: string) =>
      `{"jsonrpc":"2.0","id":${id},"result":${text}}`;
    expect(client.fromClient(frameOf(answer(b, SAMPLED)))).toEqual({});
    expect(client.fromClient(frameOf(answer(a, '{ "action":"decline"}')))).toEqual({});
    expect(client.fromClient(frameOf(answer(d, '{"action":"accept"}')))).toEqual({});
    const last = client.fromClient(frameOf(answer(c, '{"roots":[]}')));
    expect(last.about).toBe(frameOf(CALL).idKey);
    const again = decodeUtf8(last.onward ?? Buffer.of());
    const { id } = frameOf(again);
    const input = `"inputResponses":{"a/é":{ "action":"decline"},"b":${SAMPLED},"c":{"roots":[]},"d":{"action":"accept"}},"requestState":${STATE},`;
    expect(again).toBe(
      sent.replace('"id":1e0', `"id":${id}`).replace('"params":{', `"params":{${input}`),
    );
    expect(new Set([...ids, id]).size).toBe(5);
    const options = { sender: "client", revision: LATEST } as const;
    expect(judgeMessage(frameOf(again), options).errors).toEqual([]);
    // The client gets the response to its own id.
    const done = `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"resultType":"complete"}}`;
    expect(await shown(client, done)).toBe('{"jsonrpc":"2.0","id":1e0,"result":{"content":[]}}');
  });

  it("without entries is the request again at once, at most ten times", async () => {
    const client = clientOf();
    let id = frameOf(onward(client, CALL) ?? "").id ?? "";
    for (let round = 1; round <= 10; round += 1) {
      const state = `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"input_required","requestState":"${round}"}}`;
      const { messages, again = "", isOpen } = await asked(client, state);
      expect([messages, isOpen]).toEqual([[], true]);
      expect(JSON.parse(again).params.requestState).toBe(String(round));
      id = frameOf(again).id ?? "";
    }
    const { messages, isOpen } = await asked(client, asks("", ',"requestState":"x"', id));
    expect(isOpen).toBeUndefined();
    expect(JSON.parse(messages[0] ?? "")).toMatchObject({
      id: 1,
      error: { code: -32603, message: expect.stringContaining("has asked for input 10 times") },
    });
  });

  it("of a later round is matched with the same request, whose errors have the client's id", async () => {
    const client = clientWith(ALL);
    onward(client, CALL);
    let id = "1";
    for (let round = 0; round < 2; round += 1) {
      const { ids } = await asked(client, asks(`"k":${elicit}`, "", id));
      const text = `{"jsonrpc":"2.0","id":${ids[0]},"result":{"action":"cancel"}}`;
      id = frameOf(onward(client, text) ?? "").id ?? "";
    }
    expect(
      await shown(client, `{"jsonrpc":"2.0","id":${id},"error":{"code":1,"message":"m"}}`),
    ).toBe('{"jsonrpc":"2.0","id":1e0,"error":{"code":1,"message":"m"}}');
  });

  it.each([
    [
      "no capability",
      "{}",
      `"k":${elicit}`,
      /capability elicitation, which it has not declared.*; use a client with the capability elicitation/,
    ],
    [
      "only forms",
      '{"elicitation":{}}',
      `"k":{"method":"elicitation/create","params":${URL_PARAMS}}`,
      /capability elicitation\.url/,
    ],
    [
      "no sampling",
      '{"elicitation":{}}',
      `"a":${elicit},"k":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`,
      /capability sampling/,
    ],
    ["no roots", "{}", '"k":{"method":"roots/list"}', /capability roots/],
    ["another method", ALL, '"k":{"method":"x/y"}', /form that cannot be read/],
    ["no method", ALL, '"k":{}', /form that cannot be read/],
    [
      "what its revision forbids",
      ALL,
      '"k":{"method":"elicitation/create","params":{}}',
      /does not allow this elicitation\/create/,
    ],
  ])("before a client with %s is an error", async (_, capabilities, requests, why) => {
    const client = clientWith(capabilities);
    onward(client, CALL);
    const { messages, isOpen } = await asked(client, asks(requests));
    expect(isOpen).toBeUndefined();
    expect(messages).toHaveLength(1);
    const { id, error } = JSON.parse(messages[0] ?? "");
    expect([id, error.code, error.data]).toEqual([1, -32603, { bridged: client.pair }]);
    expect(error.message).toMatch(why);
  });

  it("to which the client responds with an error ends its request, and cancels the others", async () => {
    const client = clientWith(ALL);
    onward(client, CALL);
    const { ids } = await asked(client, asks(`"a":${elicit},"b":{"method":"roots/list"}`));
    const text = `{"jsonrpc":"2.0","id":${ids[0]},"error":{"code":-1,"message":"not now"}}`;
    const { notices = [], back: response, about, onward: none } = client.fromClient(frameOf(text));
    expect(none).toBeUndefined();
    expect(about).toBe(frameOf(CALL).idKey);
    expect(notices.map((bytes) => decodeUtf8(bytes))).toEqual([
      `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${ids[1]}}}`,
    ]);
    expect(JSON.parse(decodeUtf8(response ?? Buffer.of())).error.message).toMatch(
      /responded to elicitation\/create with an error: not now; see the client's log/,
    );
  });

  it("ends with the cancellation of its request", async () => {
    const client = clientWith(ALL);
    onward(client, CALL);
    const { ids } = await asked(client, asks(`"a":${elicit}`));
    const cancel =
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"r"}}';
    const { notices = [], onward: none } = client.fromClient(frameOf(cancel));
    expect([notices.length, none]).toEqual([1, undefined]);
    const late = `{"jsonrpc":"2.0","id":${ids[0]},"result":{"action":"cancel"}}`;
    expect(client.fromClient(frameOf(late))).not.toHaveProperty("about");
  });

  it("does not keep the request from being canceled after it", async () => {
    const client = clientWith(ALL);
    onward(client, CALL);
    const { ids } = await asked(client, asks(`"a":${elicit}`));
    const again = onward(client, `{"jsonrpc":"2.0","id":${ids[0]},"result":{"action":"cancel"}}`);
    const { id } = frameOf(again ?? "");
    const cancel = (text: string) =>
      `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"r","requestId": ${text}}}`;
    expect(onward(client, cancel("1"))).toBe(cancel(id ?? ""));
  });

  it("ends after ten minutes", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const client = clientWith(ALL);
    const expired: (string | undefined)[] = [];
    client.onExpired = ({ back: bytes, about }) => {
      expired.push(about, bytes && JSON.parse(decodeUtf8(bytes)).error.message);
    };
    onward(client, CALL);
    await asked(client, asks(`"a":${elicit}`));
    vi.advanceTimersByTime(599_999);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(expired).toEqual([
      frameOf(CALL).idKey,
      expect.stringMatching(
        /has not responded to the request for input within 10 minutes; call again/,
      ),
    ]);
  });

  it.each(["inputResponses", "requestState"])("cannot be answered ahead by %s", (name) => {
    const text = request("tools/call", `,"params":{"name":"t","${name}":"x"}`);
    expect(back(clientOf(), text)).toContain("the bridge writes these members");
  });
});

describe("changes", () => {
  const listening = (capabilities: string): BridgedClient => {
    const client = clientOf();
    const discovered = DISCOVERED.replace(
      /"capabilities":.*,"instructions"/,
      () => `"capabilities":${capabilities},"instructions"`,
    );
    const response = client.initialized("0", frameOf(discovered), "name");
    offered = JSON.parse(decodeUtf8(response ?? Buffer.of())).result.capabilities;
    return client;
  };
  let offered: unknown;
  const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
  const ALL =
    '{"tools":{"listChanged":true},"prompts":{"listChanged":false},"resources":{"subscribe":true,"listChanged":true,"x":1}}';
  const subscribe = (uri: string, method = "resources/subscribe") =>
    request(method, `,"params":{"uri":"${uri}"}`);
  const texts = ({ request: asked, cancel }: ReturnType<BridgedClient["listen"]>) =>
    [asked, cancel].map((bytes) => bytes && decodeUtf8(bytes));

  it("are offered if the server announces them, and asked for after initialize", () => {
    const client = listening(ALL);
    expect(offered).toEqual({
      tools: { listChanged: true },
      prompts: {},
      resources: { listChanged: true, subscribe: true },
    });
    expect(client.fromClient(frameOf(INITIALIZED))).toEqual({ listens: true });
    const { request: asked = Buffer.of(), cancel } = client.listen();
    const options = { sender: "client", revision: LATEST } as const;
    expect(judgeMessage(asked, options).errors).toEqual([]);
    expect(JSON.parse(decodeUtf8(asked))).toMatchObject({
      method: "subscriptions/listen",
      params: { notifications: { toolsListChanged: true, resourcesListChanged: true } },
    });
    expect([cancel, client.mayListen]).toEqual([undefined, true]);
  });

  it("are not asked for if the server announces none", () => {
    const client = listening('{"tools":{},"resources":{"subscribe":false}}');
    expect(offered).toEqual({ tools: {}, resources: {} });
    expect([client.listen(), client.mayListen]).toEqual([{}, false]);
  });

  it("of resources are asked for by one subscription, which replaces the one before", () => {
    const client = listening('{"resources":{"subscribe":true}}');
    expect(client.listen()).toEqual({});
    const taken = client.fromClient(frameOf(subscribe("a://\\u00e9")));
    expect(taken).toMatchObject({ listens: true });
    expect(taken.back && decodeUtf8(taken.back)).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');
    const [first = "", none] = texts(client.listen());
    expect(none).toBeUndefined();
    expect(JSON.parse(first).params.notifications).toEqual({ resourceSubscriptions: ["a://é"] });
    // What is subscribed to already changes nothing.
    expect(client.fromClient(frameOf(subscribe("a://é")))).not.toHaveProperty("listens");
    client.fromClient(frameOf(subscribe("b")));
    const [second = "", cancel = ""] = texts(client.listen());
    expect(JSON.parse(second).params.notifications).toEqual({
      resourceSubscriptions: ["a://é", "b"],
    });
    expect(JSON.parse(cancel)).toEqual({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: JSON.parse(first).id },
    });
    for (const uri of ["a://é", "b"]) {
      client.fromClient(frameOf(subscribe(uri, "resources/unsubscribe")));
    }
    const [over, last = ""] = texts(client.listen());
    expect([over, JSON.parse(last).params.requestId]).toEqual([undefined, JSON.parse(second).id]);
  });

  it.each(['"uri":1', `"uri":"${"x".repeat(2049)}"`])("of %.10s are refused", (member) => {
    const client = listening(ALL);
    expect(back(client, request("resources/subscribe", `,"params":{${member}}`))).toContain(
      "params.uri must be a string of at most 2048 characters",
    );
  });

  it("are shown without the id of the subscription, whose beginning and end are not", async () => {
    const client = listening(ALL);
    const [asked = ""] = texts(client.listen());
    const { id } = frameOf(asked);
    const meta = `"io.modelcontextprotocol/subscriptionId":${id}`;
    const note = (method: string, members: string) =>
      `{"jsonrpc":"2.0","method":"notifications/${method}","params":{${members}}}`;
    const acknowledged = `"_meta":{${meta}},"notifications":{"toolsListChanged":true}`;
    expect(await shown(client, note("subscriptions/acknowledged", acknowledged))).toBe("");
    const updated = (own: string) =>
      note("resources/updated", `"uri":"a", "_meta":{"x":1.0${own}}`);
    expect(await shown(client, updated(`,${meta}`))).toBe(updated(""));
    const over = `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","_meta":{${meta}}}}`;
    expect(await shown(client, over)).toBe("");
  });
});
