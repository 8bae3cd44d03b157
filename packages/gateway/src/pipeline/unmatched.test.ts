import { describe, expect, it } from "vitest";
import type { Mode } from "../settings/validation.ts";
import {
  ADD,
  all,
  call,
  deferred,
  Harness,
  parse,
  structured,
  toolList,
} from "./testing/harness.ts";

const MODES: Mode[] = ["off", "warn", "strict"];
const ERROR = '{"code":-32000,"message":"it exploded"}';
const NULL = `{"jsonrpc":"2.0","id":null,"error":${ERROR}}`;
const ABSENT = `{"jsonrpc":"2.0","error":${ERROR}}`;

async function waiting(mode: Mode, ids: number[]): Promise<Harness> {
  const h = new Harness({ settings: all(mode), whole: true });
  await h.list([ADD]);
  for (const id of ids) await h.client(call(id, "add", '{"a":1}'));
  return h;
}

const decisions = (h: Harness): unknown[] =>
  h.records("policy_decision").map(({ decision, reason }) => [decision, reason]);

describe("an error without an id", () => {
  it.each(MODES.flatMap((mode) => [NULL, ABSENT].map((text) => [mode, text] as const)))(
    "ends the only pending request, in %s: %s",
    async (mode, text) => {
      const h = await waiting(mode, [7]);
      const { onward } = await h.server(text);
      const reason = expect.stringContaining(
        "the error has no id; it is treated as the response to",
      );
      if (mode === "strict") {
        expect(parse(onward)).toMatchObject({ id: 7, error: { code: -32603, message: reason } });
      } else {
        const message = expect.stringContaining("it exploded");
        expect(parse(onward)).toMatchObject({ id: 7, error: { code: -32000, message } });
      }
      expect(h.pipeline.pending).toBe(0);
      const decision = { off: [], warn: [["warning", reason]], strict: [["blocked", reason]] };
      expect(decisions(h)).toEqual(decision[mode]);
      expect(h.records("tool_call")).toHaveLength(1);
      expect(h.lines.join("").includes("has no id")).toBe(mode !== "off");
    },
  );

  it("ends the only pending request, also with a message of more than 1 MiB", async () => {
    const h = await waiting("warn", [7]);
    const long = NULL.replace("it exploded", "x".repeat(1_100_000));
    const { onward } = await h.server(long);
    expect(Buffer.from(onward ?? []).toString()).toBe(long.replace("null", "7"));
    expect(h.pipeline.pending).toBe(0);
    const reason = expect.stringContaining("the error has no id; it is treated as the response to");
    expect(decisions(h)).toEqual([["warning", reason]]);
  });

  it("is forwarded and recorded if several requests are pending", async () => {
    const ids = [1, 2];
    const h = await waiting("warn", ids);
    expect(Buffer.from((await h.server(NULL)).onward ?? []).toString()).toBe(NULL);
    const reason = expect.stringContaining("it is not clear which request it is about (1, 2)");
    expect(decisions(h)).toEqual([["warning", reason]]);
    expect(h.pipeline.pending).toBe(ids.length);
    const frame = h.read(structured(1, '{"sum":1}'));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
  });

  it("is forwarded and logged if no request is pending, because it may answer a notification", async () => {
    const h = await waiting("strict", []);
    expect(Buffer.from((await h.server(NULL)).onward ?? []).toString()).toBe(NULL);
    expect(h.activity.records).toEqual([]);
    expect(h.lines.at(-1)).toMatch(/the error has no id; .* code=-32000/);
  });

  it("ends one of the requests that the transport names", async () => {
    const h = await waiting("warn", [1, 2, 3]);
    const about = (answers: readonly string[]) => h.pipeline.fromServer(h.read(NULL), { answers });
    expect(parse((await about(["n2"])).onward)).toMatchObject({ id: 2, error: { code: -32000 } });
    expect(parse((await about(["n2", "n3"])).onward)).toMatchObject({ id: 3 });
    expect(parse((await about(["n2"])).onward)).toMatchObject({ id: null });
    expect(h.pipeline.pending).toBe(1);
  });

  it("ends none of several requests that the transport tracks itself", async () => {
    const h = await waiting("warn", [1, 2]);
    const place = { answers: ["n1", "n2"] };
    for (let i = 0; i < 3; i += 1) {
      const passage = await h.pipeline.fromServer(h.read(NULL), place);
      expect(Buffer.from(passage.onward ?? []).toString()).toBe(NULL);
      expect(passage.beside).toBeUndefined();
    }
    expect(h.pipeline.pending).toBe(2);
  });

  it("is final", async () => {
    const h = await waiting("strict", [1]);
    await h.server(NULL);
    expect(await h.server(structured(1, '{"sum":1}'))).toEqual({});
  });
});

describe("a result without an id", () => {
  it.each(MODES)("becomes an error for the only pending request, in %s", async (mode) => {
    for (const id of ['"id":null,', ""]) {
      const h = await waiting(mode, [7]);
      const { onward } = await h.server(`{"jsonrpc":"2.0",${id}"result":{"content":[]}}`);
      const message = expect.stringContaining("the response has no id");
      expect(parse(onward)).toMatchObject({ id: 7, error: { code: -32603, message } });
      expect(decisions(h)).toHaveLength(mode === "off" ? 0 : 1);
      expect(await h.server(structured(7, '{"sum":1}'))).toEqual({});
    }
  });
});

describe("a response with an id that no request has", () => {
  const IDS = ["0", '"0"', '"other"', "99", "{}", "true"];

  it.each(MODES.flatMap((mode) => IDS.map((id) => [mode, id] as const)))(
    "ends the only pending request, in %s: %s",
    async (mode, id) => {
      const h = await waiting(mode, [7]);
      const { onward } = await h.server(`{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}`);
      const message = expect.stringContaining(
        `no request with the id ${id} waits for a response; it is treated as the response to the only pending request, 7`,
      );
      expect(parse(onward)).toMatchObject({ id: 7, error: { code: -32603, message } });
      expect(h.pipeline.pending).toBe(0);
      expect(decisions(h)).toEqual(mode === "off" ? [] : [["blocked", message]]);
      expect(h.records("tool_call")).toMatchObject([{ status: "blocked" }]);
      expect(await h.server(structured(7, '{"sum":1}'))).toEqual({});
    },
  );

  it("passes a server error on to the only pending request", async () => {
    const h = await waiting("warn", [7]);
    const { onward } = await h.server(`{"jsonrpc":"2.0","id":0,"error":${ERROR}}`);
    expect(parse(onward)).toMatchObject({ id: 7, error: { message: "it exploded" } });
    expect(decisions(h)).toEqual([["warning", expect.stringContaining("with the id 0")]]);
  });

  it.each(["warn", "strict"] as const)(
    "is recorded with the pending requests, in %s",
    async (mode) => {
      const h = await waiting(mode, [1, 2, 3, 4, 5, 6, 7]);
      const frame = h.read(`{"jsonrpc":"2.0","id":99,"result":{"content":[]}}`);
      expect((await h.server(frame)).onward).toBe(mode === "warn" ? frame.bytes : undefined);
      const named = "the id 99 waits for a response; it is not clear which request it is about";
      const reason = expect.stringContaining(`${named} (1, 2, 3, 4, 5 and 2 more)`);
      expect(decisions(h)).toEqual([[mode === "warn" ? "warning" : "blocked", reason]]);
      expect(h.records("policy_decision")[0]?.issues).toHaveLength(1);
      expect(h.pipeline.pending).toBe(7);
    },
  );

  it("ends all pending requests once as many such responses came", async () => {
    const h = await waiting("warn", [1, 2, 3]);
    const unmatched = (id: string) => h.server(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
    for (const id of ["null", "0"]) expect((await unmatched(id)).onward).toBeDefined();
    const { onward, beside = [] } = await unmatched("0");
    expect(onward).toBeUndefined();
    const error = {
      code: -32603,
      message: expect.stringContaining("so they were treated as the responses to these"),
    };
    expect(beside.map(parse)).toMatchObject([1, 2, 3].map((id) => ({ id, error })));
    expect(h.pipeline.pending).toBe(0);
    expect(h.records("tool_call").map(({ status }) => status)).toEqual(Array(3).fill("blocked"));
    await h.client(call(4, "add", '{"a":1}'));
    expect(parse((await unmatched("0")).onward)).toMatchObject({ id: 4, error: { code: -32603 } });
  });

  it("ends the last pending request once the others have their responses", async () => {
    const h = await waiting("strict", [1, 2, 3]);
    expect(await h.server('{"jsonrpc":"2.0","id":"?","result":{}}')).toEqual({});
    await h.client(call(4, "add", '{"a":1}'));
    expect((await h.server(structured(1, '{"sum":1}'))).beside).toBeUndefined();
    const frame = h.read(structured(3, '{"sum":1}'));
    const { onward, beside = [] } = await h.server(frame);
    expect(onward).toBe(frame.bytes);
    expect(beside.map(parse)).toMatchObject([{ id: 2, error: { code: -32603 } }]);
    expect(h.pipeline.pending).toBe(1);
  });

  it("ends no request if it may have been meant for a canceled one", async () => {
    const h = await waiting("strict", [1, 2]);
    expect(await h.server('{"jsonrpc":"2.0","id":"?","result":{}}')).toEqual({});
    const params = { requestId: 1 };
    await h.client({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    expect(h.pipeline.pending).toBe(1);
    const frame = h.read(structured(2, '{"sum":1}'));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
  });

  it.each([
    ["was answered already", "9000"],
    ["was answered, as some clients read it", '"9000"'],
  ])("ends no other request if its own %s", async (_, id) => {
    const h = await waiting("strict", [7]);
    expect(await h.server(`{"jsonrpc":"2.0","id":${id},"result":{"tools":[]}}`)).toEqual({});
    const reason = `no request with the id ${id} waits for a response; pending requests: 7`;
    expect(decisions(h)).toEqual([["blocked", expect.stringContaining(reason)]]);
    const frame = h.read(structured(7, '{"sum":1}'));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
  });

  it("ends no request if part of the conversation was not seen", async () => {
    const h = new Harness({ settings: all("warn") });
    await h.list([ADD]);
    await h.client(call(7, "add", '{"a":1}'));
    const frame = h.read(structured(99, "{}"));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
    expect(h.pipeline.pending).toBe(1);
  });

  it("ends no request in a batch, which may contain the right response", async () => {
    const h = await waiting("off", [7]);
    const batch = `[${structured(99, '{"sum":1}')},${structured(7, '{"sum":1}')}]`;
    expect(Buffer.from((await h.server(batch)).onward ?? []).toString()).toBe(batch);
  });
});

describe("a response that may be meant for a notification", () => {
  const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };
  const MISSING = '{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no such method"}}';
  const EMPTY = '{"jsonrpc":"2.0","id":null,"result":{}}';

  it.each([MISSING, EMPTY])("leaves a later request pending: %s", async (text) => {
    const h = new Harness({ settings: all("warn"), whole: true });
    await h.client(INITIALIZED);
    await h.client({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect(Buffer.from((await h.server(text)).onward ?? []).toString()).toBe(text);
    const reason = expect.stringContaining(
      "not clear which request it is about (1; notifications/initialized, which takes no response)",
    );
    expect(decisions(h)).toContainEqual(["warning", reason]);
    const list = h.read({ jsonrpc: "2.0", id: 1, result: toolList([ADD]) });
    expect((await h.server(list)).onward).toBe(list.bytes);
    // After this request, an unmatched response can no longer be about the notification.
    await h.client({ jsonrpc: "2.0", id: 2, method: "ping" });
    expect(parse((await h.server(text)).onward)).toMatchObject({ id: 2 });
  });

  it("ends the request if the transport names it", async () => {
    const h = new Harness({ settings: all("warn"), whole: true });
    await h.client(INITIALIZED);
    await h.client({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const { onward } = await h.pipeline.fromServer(h.read(MISSING), { answers: ["n1"] });
    expect(parse(onward)).toMatchObject({ id: 1, error: { code: -32601 } });
  });

  it("ends the request if no notification is answered like that", async () => {
    const h = new Harness({ settings: all("warn"), whole: true });
    await h.client(INITIALIZED);
    await h.client({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect(parse((await h.server(NULL)).onward)).toMatchObject({ id: 1, error: { code: -32000 } });
  });
});

describe("a response with another id to the gateway's own request", () => {
  const UNMATCHED = [
    '"id":0,"result":{"tools":[]}',
    '"id":null,"result":{"tools":[]}',
    '"result":{"tools":[]}',
    '"id":"other","error":{"code":-32603,"message":"no"}',
    '"id":null,"error":{"code":-32603,"message":"no"}',
  ];
  const texts = UNMATCHED.map((rest) => `{"jsonrpc":"2.0",${rest}}`);

  it.each(
    MODES.flatMap((mode) => (mode === "off" ? [] : texts.map((text) => [mode, text] as const))),
  )("fails the request after one retry, in %s: %s", async (mode, text) => {
    const h = new Harness({ settings: all(mode), whole: true });
    let asked = deferred<void>();
    h.ask = () => {
      asked.resolve();
      return new Promise(() => {});
    };
    const passage = h.client(call(1, "add", '{"a":1}'));
    for (const more of [true, false]) {
      await asked.promise;
      asked = deferred();
      expect(await h.server(text)).toEqual({});
      if (more) await asked.promise;
    }
    const { onward, back } = await passage;
    expect(h.asked.map(({ method }) => method)).toEqual(["tools/list", "tools/list"]);
    const why = /while the gateway waited for the response to tools\/list/;
    if (mode === "strict") {
      const { result } = parse(back?.[0]) as { result?: { content: { text: string }[] } };
      expect(result?.content[0]?.text ?? JSON.stringify(parse(back?.[0]))).toMatch(why);
    } else expect(onward).toBeDefined();
    expect(h.lines.join("")).toMatch(why);
    const own = expect.stringContaining(
      "it is treated as the response to the gateway's own tools/list",
    );
    const decision = mode === "strict" ? "blocked" : "warning";
    expect(decisions(h)).toEqual(
      expect.arrayContaining([
        [decision, own],
        [decision, own],
      ]),
    );
  });

  it("is not taken for the response to a client's request", async () => {
    const h = new Harness({ settings: all("warn"), whole: true });
    const answers = [deferred<Uint8Array>(), deferred<Uint8Array>()];
    let count = 0;
    const again = deferred<void>();
    h.ask = () => {
      if (count === 1) again.resolve();
      return answers[count++]?.promise ?? Promise.reject(new Error("asked too often"));
    };
    await h.client({ jsonrpc: "2.0", id: 1, method: "ping" });
    const passage = h.client(call(2, "add", '{"a":1}'));
    const { onward } = await h.server(NULL);
    expect(Buffer.from(onward ?? []).toString()).toBe(NULL);
    expect(decisions(h)).toEqual([
      ["warning", expect.stringContaining("(1; the gateway's own tools/list)")],
    ]);
    await again.promise;
    const list = { jsonrpc: "2.0", id: "x", result: toolList([ADD]) };
    answers[1]?.resolve(Buffer.from(JSON.stringify(list)));
    expect((await passage).onward).toBeDefined();
    expect(h.records("policy_decision")).toHaveLength(1);
    const pong = h.read('{"jsonrpc":"2.0","id":1,"result":{}}');
    expect((await h.server(pong)).onward).toBe(pong.bytes);
  });
});

describe("a response to a canceled request", () => {
  const cancel = (id: number) => ({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: id },
  });

  it.each(MODES)("is dropped in %s", async (mode) => {
    const h = await waiting(mode, [1, 2]);
    await h.client(cancel(1));
    for (const text of [
      structured(1, '{"sum":"x"}'),
      structured(1, '{"sum":1}').replace(":1,", ':"1",'),
    ]) {
      if (text.includes('"1"'))
        await h.client(call(1, "add", '{"a":1}')).then(() => h.client(cancel(1)));
      expect(await h.server(text)).toEqual({});
    }
    expect(h.lines.join("")).toContain("a response to a canceled request is dropped");
    const frame = h.read(structured(2, '{"sum":1}'));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
  });

  it("is forwarded if the cancellation could not be recorded and so never reached the server", async () => {
    const h = await waiting("warn", [1]);
    h.activity.gate = () => Promise.reject(new Error("disk full"));
    await h.client(cancel(1));
    h.activity.gate = async () => {};
    const frame = h.read(structured(1, '{"sum":1}'));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
  });

  it("is forwarded if it answers initialize, which cannot be canceled", async () => {
    const h = new Harness({ settings: all("warn"), revision: undefined });
    await h.client({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "c", version: "1" },
      },
    });
    await h.client(cancel(1));
    const frame = h.read(
      '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}',
    );
    expect((await h.server(frame)).onward).toBe(frame.bytes);
  });
});
