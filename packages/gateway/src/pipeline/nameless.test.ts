import { describe, expect, it } from "vitest";
import type { Mode } from "../policy/settings.ts";
import { ADD, all, call, Harness, parse, structured } from "./testing/harness.ts";

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
    "answers the only request that waits, in %s: %s",
    async (mode, text) => {
      const h = await waiting(mode, [7]);
      const { onward } = await h.server(text);
      const reason = expect.stringContaining("the error has no id; it is taken to be about");
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

  it("is forwarded and recorded if several requests wait", async () => {
    const ids = [1, 2];
    const h = await waiting("warn", ids);
    expect(Buffer.from((await h.server(NULL)).onward ?? []).toString()).toBe(NULL);
    const reason = expect.stringContaining("it is not clear which request it is about");
    expect(decisions(h)).toEqual([["warning", reason]]);
    expect(h.pipeline.pending).toBe(ids.length);
    const frame = h.read(structured(1, '{"sum":1}'));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
  });

  it("is forwarded and logged if no request waits: it may answer a notification", async () => {
    const h = await waiting("strict", []);
    expect(Buffer.from((await h.server(NULL)).onward ?? []).toString()).toBe(NULL);
    expect(h.activity.records).toEqual([]);
    expect(h.lines.at(-1)).toMatch(/the error has no id; .* code=-32000/);
  });

  it("is about one of the requests that the transport names", async () => {
    const h = await waiting("warn", [1, 2, 3]);
    const about = (answers: readonly string[]) => h.pipeline.fromServer(h.read(NULL), { answers });
    expect(parse((await about(["n2"])).onward)).toMatchObject({ id: 2, error: { code: -32000 } });
    expect(parse((await about(["n2", "n3"])).onward)).toMatchObject({ id: 3 });
    expect(parse((await about(["n2"])).onward)).toMatchObject({ id: null });
    expect(h.pipeline.pending).toBe(1);
  });

  it("is the last word", async () => {
    const h = await waiting("strict", [1]);
    await h.server(NULL);
    expect(await h.server(structured(1, '{"sum":1}'))).toEqual({});
  });
});

describe("a result without an id", () => {
  it.each(MODES)("becomes an error of the only request that waits, in %s", async (mode) => {
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

describe("the response to a cancelled request", () => {
  const cancel = (id: number) => ({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: id },
  });

  it.each(MODES)("is left out in %s", async (mode) => {
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
    expect(h.lines.join("")).toContain("a response to a cancelled request is left out");
    const frame = h.read(structured(2, '{"sum":1}'));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
  });

  it("is forwarded if the cancellation could not be recorded, so that the server never heard of it", async () => {
    const h = await waiting("warn", [1]);
    h.activity.gate = () => Promise.reject(new Error("disk full"));
    await h.client(cancel(1));
    h.activity.gate = async () => {};
    const frame = h.read(structured(1, '{"sum":1}'));
    expect((await h.server(frame)).onward).toBe(frame.bytes);
  });

  it("is forwarded if it is that of initialize, which cannot be cancelled", async () => {
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
