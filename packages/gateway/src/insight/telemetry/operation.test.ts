import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { long } from "../../../../core/src/testing/sample.ts";
import { rememberSecret } from "../../../../util/src/known-secrets.ts";
import {
  ADD,
  all,
  call,
  Harness,
  type HarnessOptions,
  initializeParams,
  LEGACY,
  MODERN,
  request,
  structured,
  toolResult,
} from "../../pipeline/testing/harness.ts";
import type { FactBatch, OperationFact } from "./facts.ts";
import { Recorder } from "./recorder.ts";

/** A pipeline that has listed its tools, with the operations that are reported from then on. */
async function told(options: HarnessOptions = {}) {
  const batches: FactBatch[] = [];
  let clock = 0;
  const recorder = new Recorder({
    send: (batch) => {
      batches.push(batch);
      recorder.taken();
    },
    now: () => (clock += 1),
  });
  const h = new Harness({ settings: all("strict"), ...options, telemetry: recorder.server("srv") });
  await h.list([ADD]);
  recorder.flush();
  batches.length = 0;
  const flushed = (): FactBatch => {
    recorder.flush();
    const [batch, ...more] = batches.splice(0);
    expect(more).toEqual([]);
    if (batch === undefined) throw new Error("nothing was told");
    return batch;
  };
  return { h, flushed, operations: (): readonly OperationFact[] => flushed().operations };
}

const FAILED = [{ direction: "protocol", outcome: "violation", mode: "strict" }];

it.each([
  ["client", "strict", FAILED],
  ["client", "off", []],
  ["server", "strict", FAILED],
  ["server", "off", []],
] as const)(
  "counts an unreadable frame of the %s as a failed check in mode %s: %j",
  async (side, mode, failed) => {
    const { h, flushed } = await told({ settings: all(mode) });
    // For the server, it is the response to a call.
    if (side === "server") await h.client(call("a-2", "add", '{"a":1}'));
    await h[side](side === "server" ? '{"jsonrpc":"2.0","id":"a-2","result":' : '{"jsonrpc":');
    // Makes sure that at least one operation is reported.
    await h.client(call("a-1", "add", '{"a":1}'));
    await h.server(structured("a-1", '{"sum":1}'));
    const checks = flushed().checks.filter(({ outcome }) => outcome === "violation");
    expect(checks).toMatchObject(failed);
    expect(checks).toHaveLength(failed.length);
  },
);

/** The differences between the order of an operation's times and the expected order. */
const moments = ({ began, sent = 0, answered = 0, ended }: OperationFact): number[] =>
  [began, sent, answered, ended].map((at, i, all) => all.toSorted((a, b) => a - b).indexOf(at) - i);

describe("a call", () => {
  it("is reported when it is answered, with the id of its record", async () => {
    const { h, operations } = await told();
    await h.client(call("a-1", "add", '{"a":1}'));
    expect(operations()).toEqual([]);
    await h.server(structured("a-1", '{"sum":1}'));
    const [fact, ...more] = operations();
    expect(more).toEqual([]);
    expect(fact).toMatchObject({
      server: "srv",
      from: "client",
      method: "tools/call",
      target: "add",
      known: true,
      id: '"a-1"',
      revision: "2025-11-25",
      ending: {},
      answer: {},
      requestId: h.records("tool_call")[0]?.request_id,
      decision: "allowed",
      outcome: "pass",
    });
    expect(fact && moments(fact)).toEqual([0, 0, 0, 0]);
  });

  it.each<[string, string, object]>([
    [
      "arguments that are blocked",
      '{"a":"x"}',
      { ending: { toolError: true }, decision: "blocked" },
    ],
    [
      "a message that is blocked",
      '{"a":1,"a":2}',
      { ending: { code: -32602 }, decision: "blocked" },
    ],
  ])("ends in the gateway with %s", async (_, args, wanted) => {
    const { h, operations } = await told();
    await h.client(call(1, "add", args));
    const [fact] = operations();
    expect(fact).toMatchObject(wanted);
    expect(fact?.sent).toBeUndefined();
    expect(fact?.answer).toBeUndefined();
  });

  it.each<[string, string, object]>([
    [
      "a result that is blocked",
      structured(1, '{"sum":"x"}'),
      { ending: { toolError: true }, answer: {}, decision: "blocked", direction: "output" },
    ],
    [
      "an error of the tool's",
      toolResult(1, ',"isError":true'),
      { ending: { toolError: true }, answer: { toolError: true }, decision: "allowed" },
    ],
    [
      "an error of the server's",
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"visit \\u0041"}}',
      {
        ending: { code: -32000, message: "visit A" },
        answer: { code: -32000, message: "visit A" },
      },
    ],
  ])("ends with %s", async (_, answer, wanted) => {
    const { h, operations } = await told();
    await h.client(call(1, "add", '{"a":1}'));
    await h.server(answer);
    expect(operations()).toMatchObject([wanted]);
  });

  it("ends once, when it is canceled", async () => {
    const { h, operations } = await told();
    await h.client(call(1, "add", '{"a":1}'));
    const params = { requestId: 1 };
    await h.client({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    await h.server(structured(1, '{"sum":1}'));
    expect(operations()).toMatchObject([
      { ending: { failure: "cancelled" }, answer: { failure: "cancelled" } },
      { method: "notifications/cancelled", ending: {} },
    ]);
  });

  it("ends when the connection ends", async () => {
    const { h, operations } = await told();
    await h.client(call(1, "add", '{"a":1}'));
    await h.pipeline.end("the server has left");
    expect(operations()).toMatchObject([
      { ending: { code: -32603 }, answer: { failure: "connection_lost" } },
    ]);
  });

  it("ends with a response that is too large", async () => {
    const { h, operations } = await told();
    await h.client(call(1, "add", '{"a":1}'));
    const head = Buffer.from('{"jsonrpc":"2.0","id":1,"result":{');
    await h.pipeline.oversize("server", { head, tail: Buffer.from("}}"), size: 1e9 }, 1000);
    expect(operations()).toMatchObject([{ answer: { failure: "too_large" } }]);
  });

  it("ends with an error if its record cannot be stored", async () => {
    const { h, operations } = await told();
    h.activity.gate = () => Promise.reject(new Error("disk full"));
    await h.client(call(1, "add", '{"a":"x"}'));
    expect(operations()).toMatchObject([{ ending: { code: -32603 } }]);
  });

  it("counts as unknown if its tool is not listed, whatever the server answers", async () => {
    const { h, operations } = await told({ settings: all("warn") });
    for (const id of [1, 2]) await h.client(call(id, `other-${id}`, "{}"));
    await h.server(toolResult(1));
    await h.server(toolResult(2, ',"isError":true'));
    expect(operations()).toMatchObject([
      { target: "other-1", known: false },
      { target: "other-2", known: false },
    ]);
  });

  it("counts as known if the gateway answers it itself, even with an error", async () => {
    const { h, operations } = await told({ addsValidation: true });
    await h.client(request(1, "initialize", initializeParams(), LEGACY));
    await h.server(
      '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}',
    );
    operations();
    await h.client(call(2, "validate", '{"tool":"add","arguments":{}}'));
    await h.client(call(3, "validate", "{}"));
    await h.client(call(4, "validate_tool_call", "{}"));
    expect(operations()).toMatchObject([
      { target: "validate", known: true },
      { target: "validate", known: true },
      { target: "validate_tool_call", known: true },
    ]);
  });

  it("carries the text of a _meta with a trace, but no other", async () => {
    const { h, operations } = await told();
    const meta = '{"traceparent":"00-x","k":1}';
    await h.client(call(1, "add", '{"a":1}', `,"_meta":${meta}`));
    await h.client(call(2, "add", '{"a":1}', ',"_meta":{"k":1}'));
    await h.client(call(3, "add", '{"a":1}', `,"_meta":{"traceparent":"${"x".repeat(9_000)}"}`));
    await h.pipeline.end("gone");
    expect(operations().map((fact) => fact.meta)).toEqual([meta, undefined, undefined]);
  });
});

describe("a call that times out", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("ends at its timeout", async () => {
    const { h, operations } = await told({ callTimeoutMs: 100 });
    await h.client(call(1, "add", '{"a":1}'), () => {});
    await vi.advanceTimersByTimeAsync(100);
    expect(operations()).toMatchObject([
      { ending: { code: -32603 }, answer: { failure: "timeout" } },
    ]);
  });
});

describe("other messages", () => {
  it("are reported, whichever side sends them", async () => {
    const { h, operations } = await told();
    await h.client({ jsonrpc: "2.0", method: "notifications/initialized" });
    const log = { level: "info", data: 1 };
    await h.server({ jsonrpc: "2.0", method: "notifications/message", params: log });
    await h.server({ jsonrpc: "2.0", id: 5, method: "roots/list" });
    await h.client({ jsonrpc: "2.0", id: 5, result: { roots: [] } });
    await h.client({ jsonrpc: "2.0", id: 6, method: "resources/read", params: { uri: "x://u" } });
    await h.server({ jsonrpc: "2.0", id: 6, error: { code: -32002, message: "no" } });
    expect(operations()).toMatchObject([
      { from: "client", method: "notifications/initialized", ending: {} },
      { from: "server", method: "notifications/message" },
      { from: "server", method: "roots/list", id: "5", answer: {}, ending: {} },
      { from: "client", method: "resources/read", uri: "x://u", ending: { code: -32002 } },
    ]);
  });

  it("carry the listed prompts, unless the list is too long", async () => {
    const { h, operations } = await told();
    const list = (prompts: unknown) => ({ jsonrpc: "2.0", id: 7, result: { prompts } });
    for (const prompts of [[{ name: "greet" }], [{ name: "x".repeat(300_000) }]]) {
      await h.client({ jsonrpc: "2.0", id: 7, method: "prompts/list" });
      await h.server(list(prompts));
    }
    expect(operations().map(({ listed }) => listed)).toEqual([
      '{"prompts":[{"name":"greet"}]}',
      undefined,
    ]);
  });

  it("report the revision that initialize negotiated", async () => {
    const { h, operations } = await told({ revision: undefined });
    await h.client(request(1, "initialize", initializeParams(), ""));
    const result = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: {} };
    await h.server({ jsonrpc: "2.0", id: 1, result });
    expect(operations()).toMatchObject([{ method: "initialize", revision: "2025-06-18" }]);
  });

  it("report the revision in their own _meta", async () => {
    const { h, operations } = await told({ revision: MODERN });
    await h.client(call(1, "add", '{"a":1}', "", MODERN));
    await h.server(structured(1, '{"sum":1}', MODERN));
    expect(operations()).toMatchObject([{ revision: MODERN, decision: "allowed" }]);
  });

  it("are reported one by one if they come in a batch", async () => {
    const { h, operations } = await told({ revision: "2025-03-26" });
    await h.client(`[${call(1, "add", '{"a":1}')},${call(2, "add", '{"a":"x"}')}]`);
    await h.server(`[${structured(1, '{"sum":1}')}]`);
    expect(operations().map(({ id, decision }) => [id, decision])).toEqual([
      ["2", "blocked"],
      ["1", "allowed"],
    ]);
  });
});

it("checks are counted by direction, mode, outcome, decision and rule", async () => {
  const { h, flushed } = await told({ settings: all("warn", { maxDepth: 3 }) });
  await h.client(call(1, "add", '{"a":1}'));
  await h.server(structured(1, '{"sum":"x"}'));
  await h.client(call(2, "add", '{"a":[[[1]]],"b":1}'));
  await h.server(toolResult(2));
  const counted = flushed().checks.map(
    ({ direction, mode, outcome, decision, rule, guard, durations }) => [
      direction,
      mode,
      outcome,
      decision,
      rule,
      guard,
      durations.length,
    ],
  );
  expect(counted).toEqual([
    ["protocol", "warn", "pass", "allowed", "none", undefined, 4],
    ["input", "warn", "pass", "allowed", "none", undefined, 1],
    ["output", "warn", "violation", "warning", "type", undefined, 1],
    ["input", "warn", "guard", "warning", "guard", "maxDepth", 1],
    ["output", "warn", "missing", "allowed", "none", undefined, 1],
  ]);
});

it("telemetry contains no secret of the configuration, whoever sent it", async () => {
  rememberSecret("known-s3cret");
  const { h, operations } = await told({ settings: all("off") });
  await h.client(call(9, "known-s3cret", "{}"));
  await h.client({
    ...{ jsonrpc: "2.0", id: "known-s3cret", method: "resources/read" },
    params: { uri: "file:///known-s3cret" },
  });
  await h.server({
    jsonrpc: "2.0",
    id: 9,
    error: { code: 1, message: "no known-s3cret, Bearer abcdefghijkl" },
  });
  await h.server({
    jsonrpc: "2.0",
    id: "known-s3cret",
    error: { code: 1, message: "known-s3cret" },
  });
  const text = JSON.stringify(operations());
  expect(text.match(/\[redacted\]/g)?.length).toBeGreaterThanOrEqual(5);
  expect(text).not.toMatch(/s3cret|abcdefghijkl/);
});

it("telemetry changes no message", long, async () => {
  const side = fc.constantFrom("client" as const, "server" as const);
  const id = fc.constantFrom("1", '"1"', "null", "2.0");
  const meta = fc.constantFrom("", ',"_meta":{"traceparent":"00-x-y-01"}', ',"_meta":5');
  const args = fc.constantFrom('{"a":1}', '{"a":"x"}', '{"a":1,"a":2}', "[]");
  const text = fc.oneof(
    fc
      .tuple(id, args, meta)
      .map(
        ([i, a, m]) =>
          `{"jsonrpc":"2.0","id":${i},"method":"tools/call","params":{"name":"add","arguments":${a}${m}}}`,
      ),
    fc
      .tuple(id, args)
      .map(
        ([i, a]) => `{"jsonrpc":"2.0","id":${i},"result":{"content":[],"structuredContent":${a}}}`,
      ),
    fc
      .tuple(id, meta)
      .map(([i, m]) => `{"jsonrpc":"2.0","id":${i},"method":"ping","params":{"k":1${m}}}`),
    id.map((i) => `{"jsonrpc":"2.0","id":${i},"error":{"code":1,"message":5}}`),
    id.map(
      (i) => `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${i}}}`,
    ),
    fc.string(),
  );
  const steps = fc.array(fc.record({ side, text }), { maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(steps, async (messages) => {
      const watched = (await told()).h;
      const alone = new Harness({ settings: all("strict") });
      await alone.list([ADD]);
      for (const { side, text } of messages) {
        const frame = watched.read(text);
        const passage = await watched[side](frame);
        expect(passage).toEqual(await alone[side](text));
        if (passage.onward !== undefined && passage.back === undefined) {
          // If no byte changed, the array must be the same object.
          const same = Buffer.compare(passage.onward, frame.bytes) === 0;
          expect(passage.onward === frame.bytes).toBe(same);
        }
      }
      expect(await watched.pipeline.end("gone")).toEqual(await alone.pipeline.end("gone"));
      expect(watched.records("tool_call").length).toBe(alone.records("tool_call").length);
    }),
    { numRuns: 200 },
  );
});
