import { describe, expect, it } from "vitest";
import { exceededResultLimit, type LevelLimits } from "../features/limits.ts";
import {
  ADD,
  all,
  call,
  Harness,
  LEGACY,
  MODERN,
  parse,
  request,
  result,
} from "./testing/harness.ts";

const limit = (level: LevelLimits["level"], resultBytes: number): LevelLimits => ({
  level,
  resultBytes,
});

interface Given {
  readonly mode?: "off" | "warn" | "strict";
  readonly server?: LevelLimits;
  readonly tool?: LevelLimits;
  readonly caller?: number;
  readonly revision?: string;
}

async function limited(given: Given): Promise<Harness> {
  const { mode = "strict", server, tool = server, caller, revision = LEGACY } = given;
  const base = all(mode);
  const h = new Harness({
    revision,
    settings: { ...base, ...(server && { limits: [server] }) },
    tools: {
      add: {
        ...base,
        ...(tool && { limits: server === undefined || server === tool ? [tool] : [server, tool] }),
      },
    },
    ...(caller === undefined ? {} : { caller: { name: "ci", limits: { resultBytes: caller } } }),
  });
  await h.list([ADD]);
  return h;
}

/** The text of a result of this many bytes, in UTF-8. */
function resultOf(size: number, revision: string = LEGACY): string {
  const type = revision === MODERN ? '"resultType":"complete",' : "";
  const [start, end] = [
    `{${type}"content":[{"type":"text","text":"é`,
    '"}],"structuredContent":{"sum":5}}',
  ];
  return start + "x".repeat(size - Buffer.byteLength(start + end)) + end;
}

describe("a result over limits.result_bytes", () => {
  it.each([
    ["off", LEGACY],
    ["warn", LEGACY],
    ["strict", LEGACY],
    ["strict", MODERN],
  ] as const)("is rejected in mode %s under %s, and recorded", async (mode, revision) => {
    const h = await limited({ mode, server: limit("top", 200), revision });
    await h.client(call("x", "add", '{"a":1}', "", revision));
    const { onward } = await h.server(result("x", resultOf(201, revision)));
    const reason =
      "the result of 201 bytes is over the limit of 200 bytes of this gateway (limits.result_bytes)";
    expect(parse(onward)).toEqual({
      jsonrpc: "2.0",
      id: "x",
      result: {
        ...(revision === MODERN ? { resultType: "complete" } : {}),
        content: [
          {
            type: "text",
            text: `The tool has run, but ${reason} and is withheld. If the call changed something, do not repeat it. Otherwise ask for less: use a filter, fewer fields or a smaller page.`,
          },
        ],
        isError: true,
      },
    });
    expect(h.records("policy_decision")).toMatchObject([
      {
        tool: "add",
        direction: "output",
        decision: "blocked",
        mode: "strict",
        reason,
        issues: [{ rule: "policy", keyword: "result_bytes" }],
        response_text: expect.stringContaining("ask for less"),
      },
    ]);
    expect(h.records("tool_call")).toMatchObject([{ tool: "add", status: "limited" }]);
  });

  it.each<[string, Given, string]>([
    ["the server", { server: limit("server", 200) }, "this server"],
    ["the tool", { server: limit("top", 900), tool: limit("tool", 200) }, "this tool"],
    ["the caller", { caller: 200 }, "this caller"],
    ["the caller, under a larger limit", { server: limit("top", 900), caller: 200 }, "this caller"],
    [
      "the server, under the caller's",
      { server: limit("server", 200), caller: 201 },
      "this server",
    ],
  ])("is measured by the smallest limit: that of %s", async (_, given, whose) => {
    const h = await limited(given);
    await h.client(call(1, "add", '{"a":1}'));
    const fits = h.read(result(1, resultOf(200)));
    expect((await h.server(fits)).onward).toBe(fits.bytes);
    await h.client(call(2, "add", '{"a":1}'));
    expect(parse((await h.server(result(2, resultOf(201)))).onward)).toMatchObject({
      result: { isError: true },
    });
    expect(h.records("policy_decision").at(-1)?.reason).toContain(`limit of 200 bytes of ${whose}`);
    expect(h.records("tool_call").map(({ status }) => status)).toEqual(["success", "limited"]);
  });

  it("is rejected without a schema check", async () => {
    const h = await limited({ server: limit("top", 20) });
    await h.client(call(1, "add", '{"a":1}'));
    await h.server(result(1, '{"content":[],"structuredContent":{"sum":"five"}}'));
    expect(h.records("policy_decision")).toMatchObject([{ issues: [{ keyword: "result_bytes" }] }]);
  });

  it("can be a tool error too, or a JSON-RPC error of a tool call", async () => {
    const h = await limited({ server: limit("top", 50) });
    await h.client(call(1, "add", '{"a":1}'));
    const failed = `{"content":[{"type":"text","text":"${"x".repeat(50)}"}],"isError":true}`;
    expect(parse((await h.server(result(1, failed))).onward)).toMatchObject({
      result: { content: [{ text: expect.stringContaining("limits.result_bytes") }] },
    });
    await h.client(call(2, "add", '{"a":1}'));
    const error = (id: number, size: number): string =>
      `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"${"x".repeat(size - 28)}"}}`;
    const fits = h.read(error(2, 50));
    expect((await h.server(fits)).onward).toBe(fits.bytes);
    await h.client(call(4, "add", '{"a":1}'));
    expect(parse((await h.server(error(4, 51))).onward)).toMatchObject({
      id: 4,
      result: {
        isError: true,
        content: [
          {
            text: expect.stringMatching(
              /^The call failed, and the error of 51 bytes is over the limit of 50 bytes of this gateway \(limits\.result_bytes\) and is withheld\./,
            ),
          },
        ],
      },
    });
    expect(h.records("tool_call").map(({ status }) => status)).toEqual([
      "limited",
      "error",
      "limited",
    ]);
    await h.client(request(3, "prompts/get", { name: "p" }, LEGACY));
    const other = h.read(result(3, `{"messages":[],"description":"${"x".repeat(90)}"}`));
    expect((await h.server(other)).onward).toBe(other.bytes);
  });

  it("is rejected where a task delivers it, not where the task is announced", async () => {
    const h = await limited({ server: limit("top", 30), revision: MODERN });
    await h.client(call(1, "add", '{"a":1}', ',"task":{}', MODERN));
    const announced = h.read(result(1, '{"resultType":"task","taskId":"t1","status":"working"}'));
    expect((await h.server(announced)).onward).toBe(announced.bytes);
    const done = (text: string): string =>
      `{"resultType":"complete","taskId":"t1","status":"completed","ttlMs":1,"result":{"content":[${text}]}}`;
    await h.client(request(2, "tasks/get", { taskId: "t1" }, MODERN));
    const small = h.read(result(2, done("")));
    expect((await h.server(small)).onward).toBe(small.bytes);
    await h.client(request(3, "tasks/get", { taskId: "t1" }, MODERN));
    const large = await h.server(result(3, done('{"type":"text","text":"x"}')));
    expect(parse(large.onward)["result"]).toMatchObject({
      taskId: "t1",
      status: "completed",
      result: {
        isError: true,
        content: [{ text: expect.stringContaining("limits.result_bytes") }],
      },
    });
  });
});

it.each([
  [undefined, 5, "tool"],
  [5, undefined, "gateway"],
  [5, 4, "tool"],
  [5, 5, "gateway"],
  [5, 6, "gateway"],
] as const)(
  "of the limits %j of the gateway and %j of a tool, the %s's applies",
  (top, tool, of) => {
    const levels: readonly LevelLimits[] = [
      { level: "top", resultBytes: top },
      { level: "tool", resultBytes: tool },
    ];
    const most = Math.min(top ?? 9, tool ?? 9);
    expect(exceededResultLimit(levels, "result", most)).toBeUndefined();
    expect(exceededResultLimit(levels, "result", most + 1)?.message).toContain(
      `${most} bytes of this ${of} (`,
    );
  },
);
