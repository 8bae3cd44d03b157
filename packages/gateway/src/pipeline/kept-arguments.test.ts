import { describe, expect, it } from "vitest";
import { FAILED_ARGUMENTS_READ_BYTES } from "../../../records/src/bounds.ts";
import type { ValidationSettings } from "../settings/validation.ts";
import {
  ADD,
  all,
  call,
  Harness,
  type HarnessOptions,
  modes,
  result,
  structured,
  toolResult,
} from "./testing/harness.ts";

const OPEN = {
  name: "open",
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
};

async function keeping(
  settings: ValidationSettings,
  options: Partial<HarnessOptions> = {},
): Promise<Harness> {
  const h = new Harness({ settings, bodies: "failed", ...options });
  await h.list([ADD, OPEN]);
  return h;
}

const kept = (h: Harness): (string | undefined)[] =>
  h.records("tool_call").map((record) => record.arguments);

const input = (changes: Partial<ValidationSettings["input"]>): ValidationSettings => ({
  ...all("strict"),
  input: { ...all("strict").input, ...changes },
});
const narrow = { properties: { path: { const: "/a" } } };

/** Settings, a call, and the response to it if it is forwarded. */
type Case = [what: string, settings: ValidationSettings, sent: string, reply?: string];

const ADD_1 = call(1, "add", '{"a":1}');
const SUM = structured(1, '{"sum":1}');

describe("the arguments of a call", () => {
  it.each<Case>([
    ["its arguments are a violation, in warn", all("warn"), call(1, "add", '{"a":"x"}'), SUM],
    ["its arguments are a violation, in strict", all("strict"), call(1, "add", '{"a":"x"}')],
    ["its result is a violation, in warn", all("warn"), ADD_1, structured(1, "{}")],
    ["its result is a violation, in strict", all("strict"), ADD_1, structured(1, "{}")],
    [
      "its arguments were repaired",
      input({ repair: ["coerce-scalars"] }),
      call(1, "add", '{"a":"1"}'),
      SUM,
    ],
    [
      "undeclared arguments count as a violation",
      input({ undeclared: "violation" }),
      call(1, "open", '{"x":1}'),
    ],
    [
      "it is blocked because its schema is unknown",
      input({ onUnknownSchema: "block" }),
      call(1, "none", '{"a":1}'),
    ],
    [
      "its arguments are out of bounds, in strict",
      input({ maxBytes: 8 }),
      call(1, "open", '{"path":"long"}'),
    ],
    [
      "its message breaks the protocol",
      all("strict"),
      ADD_1.replace('"arguments"', '"task":1,"arguments"'),
    ],
    ["its response breaks the protocol", all("strict"), ADD_1, result(1, '{"content":1}')],
  ])("are kept if %s", async (_, settings, sent, reply) => {
    const h = await keeping(settings);
    await h.client(sent);
    if (reply !== undefined) await h.server(reply);
    const given = (JSON.parse(sent) as { params: { arguments: object } }).params.arguments;
    expect(kept(h)).toEqual([JSON.stringify(given)]);
    expect(h.records("tool_call")[0]?.result).toBeUndefined();
    expect(h.activity.records.some(({ patch }) => patch !== undefined)).toBe(false);
    expect(h.heldArguments.bytes).toBe(0);
  });

  it.each<Case>([
    ["it is valid", all("strict"), ADD_1, SUM],
    [
      "it has an undeclared argument alone",
      all("strict"),
      call(1, "open", '{"x":1}'),
      toolResult(1),
    ],
    [
      "the server returns an error",
      all("strict"),
      ADD_1,
      '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}',
    ],
    [
      "policy denies the tool",
      {
        ...all("strict"),
        policy: { mode: "strict", levels: [{ level: "server", denyTools: ["add"] }] },
      },
      ADD_1,
    ],
    [
      "policy forbids the value",
      {
        ...all("strict"),
        policy: {
          mode: "strict",
          levels: [],
          narrow: { schema: narrow, written: narrow, secrets: [] },
        },
      },
      call(1, "open", '{"path":"/b"}'),
    ],
    [
      "it is over a limit",
      { ...all("strict"), limits: [{ level: "server", callsPerMinute: 0 }] },
      call(1, "add", '{"a":"x"}'),
    ],
    [
      "its result is over a limit",
      { ...all("strict"), limits: [{ level: "server", resultBytes: 10 }] },
      ADD_1,
      SUM,
    ],
    ["nothing is checked", all("off"), call(1, "add", '{"a":"x"}'), SUM],
    [
      "rules ignore its issues",
      input({ rules: { type: "ignore" } }),
      call(1, "add", '{"a":"x"}'),
      SUM,
    ],
    [
      "its arguments are out of bounds, in warn",
      modes({}, { maxBytes: 8 }),
      call(1, "open", '{"path":"long"}'),
      toolResult(1),
    ],
  ])("are not kept if %s", async (_, settings, sent, reply) => {
    const h = await keeping(settings, { tools: { open: settings, add: settings } });
    await h.client(sent);
    if (reply !== undefined) await h.server(reply);
    expect(kept(h)).toEqual([undefined]);
    expect(h.heldArguments.bytes).toBe(0);
  });

  it("are kept with the results of all calls by `all`, and not at all by `false`", async () => {
    for (const bodies of ["all", false] as const) {
      const h = await keeping(all("strict"), { bodies });
      await h.client(call(1, "add", '{"a":"x"}'));
      await h.client(call(2, "add", '{"a":2}'));
      await h.server(structured(2, '{"sum":2}'));
      const isAll = bodies === "all";
      expect(kept(h)).toEqual(isAll ? ['{"a":"x"}', '{"a":2}'] : [undefined, undefined]);
      expect(h.records("tool_call")[1]?.result !== undefined).toBe(isAll);
    }
  });

  it("are each call's own, however responses come", async () => {
    const h = await keeping(all("warn"));
    for (const id of [1, 2, "1", 3]) await h.client(call(id, "add", `{"a":${id}}`));
    await h.server(structured("1", "{}"));
    await h.server(structured(3, '{"sum":3}'));
    await h.server(structured(1, "{}"));
    await h.server(structured(2, '{"sum":3}'));
    expect(kept(h)).toEqual(['{"a":1}', undefined, '{"a":1}', undefined]);
  });

  it("are those of each call of a batch", async () => {
    const h = await keeping(all("strict"), { revision: "2025-03-26" });
    const calls = ['{"a":"x"}', '{"a":2}', '{"b":"y"}'].map((args, id) => call(id, "add", args));
    await h.client(`[${calls.join()}]`);
    await h.server(`[${structured(1, "{}")}]`);
    expect(kept(h)).toEqual(['{"a":"x"}', '{"b":"y"}', '{"a":2}']);
  });

  it("are redacted as they were sent, not as they were repaired", async () => {
    const inputSchema = {
      type: "object",
      properties: { password: { type: "string" }, n: { type: "integer" } },
    };
    const h = new Harness({ settings: input({ repair: ["coerce-scalars"] }), bodies: "failed" });
    await h.list([{ name: "login", inputSchema }]);
    await h.client(call(1, "login", '{"password":"hunter2","n":"5"}'));
    await h.client(call(2, "login", '{"password":12345678}'));
    for (const id of [1, 2]) await h.server(toolResult(id));
    const decisions = h.records("policy_decision").map(({ decision }) => decision);
    expect(decisions).toEqual(["repaired", "repaired"]);
    expect(kept(h)).toEqual(['{"password":"[redacted]","n":"5"}', '{"password":"[redacted]"}']);
    expect(JSON.stringify(h.activity.records)).not.toMatch(/hunter2|12345678/);
  });

  it("are gone with the record of a call that was canceled or ended", async () => {
    const h = await keeping(all("warn"));
    await h.client(call(1, "add", '{"a":"x"}'));
    await h.client(call(2, "add", '{"a":2}'));
    const params = { requestId: 1 };
    await h.client({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    await h.pipeline.end("gone");
    expect(kept(h)).toEqual(['{"a":"x"}', undefined]);
    expect(h.heldArguments.bytes).toBe(0);
  });

  it("are kept in part if they are long, and hold no more than that in the meantime", async () => {
    const h = await keeping(all("warn"));
    await h.client(call(1, "open", JSON.stringify({ a: 1, path: "é".repeat(500_000) })));
    expect(h.heldArguments.bytes).toBe(FAILED_ARGUMENTS_READ_BYTES);
    await h.server(structured(1, "{}").replace("[]", "1"));
    expect(kept(h)).toEqual(['{"a":1,"path":…']);
  });

  it("are forgotten of the oldest calls in flight beyond 8 MiB", async () => {
    const h = await keeping(all("warn"));
    const long = JSON.stringify("x".repeat(FAILED_ARGUMENTS_READ_BYTES));
    const many = Math.floor((8 * 1024 * 1024) / FAILED_ARGUMENTS_READ_BYTES);
    for (let id = 0; id <= many; id++) await h.client(call(id, "add", `{"a":${id},"b":${long}}`));
    expect(h.heldArguments.bytes).toBeLessThanOrEqual(8 * 1024 * 1024);
    for (const id of [0, 1]) await h.server(structured(id, '{"sum":1}'));
    expect(kept(h)).toEqual([undefined, '{"a":1,"b":…']);
  });
});
