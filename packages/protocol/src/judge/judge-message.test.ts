import { describeIssue, encodeUtf8 } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { readFrame } from "../read.ts";
import { answer, bytes, faults, fromServer, legacy, request } from "../testing/judged.ts";
import { type JudgeOptions, judgeMessage } from "./judge-message.ts";

const ODD: readonly (readonly [string, unknown])[] = [
  ["null", null],
  ["undefined", undefined],
  ["a number", 1],
  ["a text", "x"],
  ["a boolean", true],
  ["a symbol", Symbol("s")],
  ["a bigint", 10n],
  ["a function", () => 1],
  ["an object", {}],
  ["a list", []],
];

describe.each(ODD.map(([name, odd]) => [name, odd as never]))(
  "%s from an untyped caller",
  (_, odd) => {
    it("counts as invalid JSON in place of a message", () => {
      const { valid, errors } = judgeMessage(odd, { revision: "2025-11-25", sender: "client" });
      expect(valid).toBe(false);
      expect(errors[0]).toMatchObject({ path: "", rule: "protocol" });
      expect(readFrame(odd)).toMatchObject({ kind: "invalid", id: undefined, method: undefined });
      expect(readFrame(odd, { outline: true }).faults).toHaveLength(1);
    });

    it("counts as no options, so only JSON-RPC's rules apply", () => {
      const bytes = encodeUtf8('{"jsonrpc":"2.0","id":1,"method":"tools/call"}');
      expect(judgeMessage(bytes, odd).valid).toBe(true);
      expect(readFrame(bytes, odd).kind).toBe("request");
    });
  },
);

describe("messages of issues", () => {
  const said = (message: object): readonly string[] =>
    judgeMessage(bytes(message), {
      revision: "2025-11-25",
      sender: "server",
      requestMethod: "tools/call",
    }).errors.map((issue) => describeIssue(JSON.parse(JSON.stringify(issue)), "the message"));
  const image = { type: "image", mimeType: "image/png", data: "data:image/png;base64,QQ==" };

  it.each<[object, string]>([
    [{ id: 1, result: {} }, "/jsonrpc is required"],
    [{ jsonrpc: "1.0", id: 1, result: { content: [] } }, '/jsonrpc must be "2.0"'],
    [
      { jsonrpc: "2.0", id: 1.5, result: { content: [] } },
      "/id must be a string or an integer (got a number)",
    ],
    [{ jsonrpc: "2.0", id: 1, error: "failed" }, "/error must be an object (got a string)"],
    [{ jsonrpc: "2.0", id: 1, error: { message: "x" } }, "/error/code is required"],
    [
      { jsonrpc: "2.0", id: 1, error: { code: "E", message: "x" } },
      "/error/code must be an integer (got a string)",
    ],
    [{ jsonrpc: "2.0", id: 1, error: { code: 1 } }, "/error/message is required"],
    [
      { jsonrpc: "2.0", id: 1, result: { content: [image] } },
      "/result/content/0/data must be base64 with the standard alphabet and padding (RFC 4648, section 4), without data: or line breaks",
    ],
  ])("match their paths: %j", (message, sentence) => {
    expect(said(message)).toContain(sentence);
  });
});

describe("judgeMessage", () => {
  it.each<[string, Uint8Array, JudgeOptions, string[]]>([
    ["a good call", request("tools/call", { name: "t" }), legacy, []],
    [
      "a name that is not a string",
      request("tools/call", { name: 1 }),
      legacy,
      ["/params/name type"],
    ],
    ["no name", request("tools/call", {}), legacy, ["/params/name required"]],
    [
      "arguments in an array",
      request("tools/call", { name: "t", arguments: [] }),
      legacy,
      ["/params/arguments type"],
    ],
    ["no params", request("tools/call"), legacy, ["/params required"]],
    ["params that are not needed", request("tools/list"), legacy, []],
    ["params in an array", request("tools/list", []), legacy, ["/params type"]],
    ["an extension's method", request("vendor/x", [1]), legacy, []],
    ["a method that only servers send", request("roots/list", { _meta: 5 }), legacy, []],
    ["a method named like a member of Object", request("constructor", 1), legacy, ["/params type"]],
    [
      "a request without its id",
      bytes({ jsonrpc: "2.0", method: "tools/list" }),
      legacy,
      ["/id required"],
    ],
    ["a notification with an id", request("notifications/initialized"), legacy, ["/id not"]],
    [
      "an unknown notification",
      bytes({ jsonrpc: "2.0", method: "notifications/x", params: {} }),
      legacy,
      [],
    ],
    [
      "a result of the wrong shape",
      answer({}),
      fromServer("tools/call"),
      ["/result/content required"],
    ],
    ["a result that is not an object", answer(5), fromServer("tools/call"), ["/result type"]],
    [
      "an answer to an unknown request",
      answer(5),
      { revision: "2025-11-25", sender: "server" },
      [],
    ],
    [
      "a task of the extension that was not agreed on",
      answer({ resultType: "task", taskId: "t" }),
      fromServer("tools/call"),
      ["/result/content required"],
    ],
    [
      "a task of the extension",
      answer({ resultType: "task", taskId: "t" }),
      { ...fromServer("tools/call"), tasksExtension: true },
      [],
    ],
    [
      "a result beside the extension",
      answer({ resultType: "complete" }),
      { ...fromServer("tools/call"), tasksExtension: true },
      ["/result/content required"],
    ],
    [
      "a task's state as the extension has it",
      answer({ taskId: "t", ttlMs: 5 }),
      { ...fromServer("tasks/get"), tasksExtension: true },
      [],
    ],
    ["an answer to an extension's request", answer(5), fromServer("vendor/x"), []],
    [
      "a revision that is not known",
      request("tools/call", {}),
      { ...legacy, revision: "1999-01-01" },
      [],
    ],
    [
      "a block of an unknown type",
      answer({ content: [{ type: "x" }] }),
      fromServer("tools/call"),
      ["/result/content/0/type enum"],
    ],
    [
      "a block that lacks its text",
      answer({ content: [{ type: "text" }] }),
      fromServer("tools/call"),
      ["/result/content/0/text required"],
    ],
    [
      "a task instead of a result",
      answer({ task: { taskId: 5 } }),
      fromServer("tools/call"),
      [
        "/result/task/status required",
        "/result/task/createdAt required",
        "/result/task/lastUpdatedAt required",
        "/result/task/ttl required",
        "/result/task/taskId type",
      ],
    ],
    [
      "a type of the result that is not a string",
      answer({ content: [], resultType: null }),
      fromServer("tools/call", "2026-07-28"),
      ["/result/resultType type"],
    ],
    [
      "an extension's type of result",
      answer({ resultType: "task" }),
      fromServer("tools/call", "2026-07-28"),
      [],
    ],
    [
      "a request for input",
      answer({ resultType: "input_required", requestState: 5 }),
      fromServer("tools/call", "2026-07-28"),
      ["/result/requestState type"],
    ],
    [
      "a request for input where none is",
      answer({ resultType: "input_required" }),
      fromServer("completion/complete", "2026-07-28"),
      ["/result/resultType enum"],
    ],
    [
      "a request for input that asks for nothing",
      answer({ resultType: "input_required" }),
      fromServer("tools/call", "2026-07-28"),
      ["/result anyOf"],
    ],
    [
      "a request for input by its state alone",
      answer({ resultType: "input_required", requestState: "s" }),
      fromServer("prompts/get", "2026-07-28"),
      [],
    ],
    [
      "a request for input that is a result as well",
      answer({ resultType: "input_required", inputRequests: {}, structuredContent: null }),
      fromServer("tools/call", "2026-07-28"),
      ["/result/structuredContent not"],
    ],
    [
      "what asks for input in a revision that has none",
      answer({ content: [], resultType: "input_required" }),
      fromServer("tools/call", "2025-11-25"),
      [],
    ],
    [
      "a server's request in 2026-07-28",
      request("roots/list"),
      { revision: "2026-07-28", sender: "server" },
      ["/method not"],
    ],
    [
      "no _meta in 2026-07-28",
      request("tools/list", {}),
      { revision: "2026-07-28", sender: "client" },
      ["/params/_meta required"],
    ],
    ["a batch", bytes([]), legacy, [" minItems", " type"]],
    [
      "an error without an id",
      bytes({ jsonrpc: "2.0", error: { code: 1, message: "m" } }),
      legacy,
      [],
    ],
    [
      "an error without an id, before",
      bytes({ jsonrpc: "2.0", error: { code: 1, message: "m" } }),
      { ...legacy, revision: "2025-06-18" },
      ["/id required"],
    ],
    [
      "data of a known error",
      bytes({ jsonrpc: "2.0", id: 1, error: { code: -32022, message: "m" } }),
      fromServer("tools/list", "2026-07-28"),
      ["/error/data required"],
    ],
    ["no JSON", encodeUtf8("{"), legacy, [" syntax"]],
  ])("checks %s", (_, message, options, expected) => {
    expect(faults(message, options)).toEqual(expected);
    expect(judgeMessage(message, options).valid).toBe(expected.length === 0);
  });
});

describe("a result of 2026-07-28 without resultType", () => {
  const judged = (result: unknown, method = "tools/call") => {
    const check = judgeMessage(answer(result), fromServer(method, "2026-07-28"));
    const pairs = (issues: typeof check.errors) => issues.map((i) => `${i.path} ${i.keyword}`);
    return [check.valid, pairs(check.errors), pairs(check.warnings)];
  };
  const WARNING = ["/result/resultType required"];

  it.each<[string, unknown, string, unknown]>([
    ["is valid, with a warning", { content: [] }, "tools/call", [true, [], WARNING]],
    [
      "is checked for the rest",
      { content: [{ type: "text" }] },
      "tools/call",
      [false, ["/result/content/0/text required"], WARNING],
    ],
    [
      "is so for a list",
      { tools: [], ttlMs: 0, cacheScope: "public" },
      "tools/list",
      [true, [], WARNING],
    ],
    [
      "is so for an extension",
      { skills: 5 },
      "skills/list",
      [
        false,
        ["/result/ttlMs required", "/result/cacheScope required", "/result/skills type"],
        WARNING,
      ],
    ],
    [
      "is not what a result is that has it",
      { content: [], resultType: "complete" },
      "tools/call",
      [true, [], []],
    ],
  ])("%s", (_, result, method, expected) => {
    expect(judged(result, method)).toEqual(expected);
  });
});
