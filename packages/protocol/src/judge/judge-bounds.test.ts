import { encodeUtf8 } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFrame } from "../read.ts";
import { fixturesOf } from "../testing/fixtures.ts";
import { answer, bytes, faults, fromServer, legacy, request } from "../testing/judged.ts";
import { messageParts, messageText } from "../testing/messages.ts";
import { type JudgeOptions, judgeMessage } from "./judge-message.ts";

describe("judgeMessage, beyond a single message", () => {
  it("separates faults in list items from faults in the list", () => {
    const tools = [
      { name: "a", inputSchema: { type: "object" } },
      { name: 5, inputSchema: 1 },
    ];
    const check = judgeMessage(answer({ tools }), fromServer("tools/list"));
    expect(check).toMatchObject({ valid: true, outcome: "pass", errors: [] });
    expect(check.items).toMatchObject([
      {
        item: 1,
        path: "/result/tools/1",
        issues: [
          { path: "/result/tools/1/name", keyword: "type", rule: "protocol" },
          { path: "/result/tools/1/inputSchema", keyword: "type" },
        ],
      },
    ]);
    const list = judgeMessage(answer({ tools: {}, nextCursor: 1 }), fromServer("tools/list"));
    expect(list.errors.map(({ path }) => path)).toEqual(["/result/tools", "/result/nextCursor"]);
    expect(list.items).toEqual([]);
  });

  it("keeps a fault of the list, however many items are invalid", () => {
    const tools = Array.from({ length: 5_000 }, () => 1);
    const check = judgeMessage(answer({ tools, nextCursor: 1 }), fromServer("tools/list"));
    expect(check.errors.map(({ path }) => path)).toEqual(["/result/nextCursor"]);
    const items = judgeMessage(answer({ tools }), fromServer("tools/list"));
    expect(items.valid).toBe(true);
    expect(items.items).toHaveLength(1_000);
  });

  it("reports a duplicate key in an item as a fault of that item", () => {
    const tools = '[{"name":"a","inputSchema":{"type":"object"}},{"name":5,"x":1,"x":2}]';
    const message = (more: string): Uint8Array =>
      encodeUtf8(`{"jsonrpc":"2.0","id":1,"result":{"tools":${tools}${more}}}`);
    const check = judgeMessage(message(',"_meta":{"7":{"y":1,"y":2}}'), fromServer("tools/list"));
    expect(check.errors).toMatchObject([{ path: "/result/_meta/7/y", rule: "duplicate" }]);
    expect(check.items).toMatchObject([
      {
        item: 1,
        path: "/result/tools/1",
        issues: [
          { path: "/result/tools/1/x", rule: "duplicate" },
          { path: "/result/tools/1/inputSchema", keyword: "required" },
          { path: "/result/tools/1/name", rule: "protocol" },
        ],
      },
    ]);
    for (const options of [
      fromServer("tools/list", "2020-01-01"),
      { ...fromServer("tools/list"), maxBytes: 1 },
    ]) {
      const { errors, items } = judgeMessage(message(""), options);
      expect(errors).toEqual([]);
      expect(items.map(({ path }) => path)).toEqual(["/result/tools/1"]);
    }
    expect(faults(message(""), fromServer("tools/call"))[0]).toBe("/result/tools/1/x undefined");
    const again = encodeUtf8('{"jsonrpc":"2.0","id":1,"result":{"tools":[],"tools":[]}}');
    expect(faults(again, fromServer("tools/list"))).toEqual(["/result/tools undefined"]);
  });

  it("reports a place once that violates both JSON-RPC and MCP", () => {
    const message = bytes({ jsonrpc: "2.0", id: 1, method: "tools/call", params: 5 });
    expect(judgeMessage(message, legacy)).toMatchObject({
      errors: [{ path: "/params", message: expect.stringContaining("an object or an array") }],
      counts: { protocol: 1 },
    });
    const twice = encodeUtf8(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5,"name":6}}',
    );
    expect(faults(twice, legacy)).toEqual(["/params/name undefined", "/params/name type"]);
  });

  it("examines a list even if an item is very deep", () => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const message = encodeUtf8(
      `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":5,"inputSchema":{"type":"object"},"x":${deep}}]}}`,
    );
    const check = judgeMessage(message, fromServer("tools/list"));
    expect(check.items.map(({ path }) => path)).toEqual(["/result/tools/0"]);
  });

  it("checks the items of a batch, each by its own method, in 2025-03-26", () => {
    const batch = bytes([
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: {} },
      { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} },
      [],
      { jsonrpc: "2.0", id: 3, result: {} },
    ]);
    const requestMethod = (): string => "tools/list";
    const options: JudgeOptions = { revision: "2025-03-26", sender: "client", requestMethod };
    expect(faults(batch, options)).toEqual(["/0/params/name required", "/2 type"]);
    const answers = { ...options, sender: "server" } as const;
    expect(faults(batch, answers)).toEqual(["/2 type", "/3/result/tools required"]);
    const long = bytes(Array.from({ length: 1_001 }, () => ({ jsonrpc: "2.0", method: "x" })));
    const check = judgeMessage(long, options);
    expect(check).toMatchObject({ outcome: "guard", guard: { limit: 1_000, actual: 1_001 } });
  });

  it("says that it checks only the envelope if the message is too large", () => {
    const message = request("tools/call", { name: 5, arguments: { a: "x".repeat(100) } });
    const looked = '{"name":5,"arguments":{}}'.length;
    const check = judgeMessage(message, { ...legacy, maxBytes: looked - 1 });
    expect(check).toMatchObject({ valid: true, unchecked: "maxBytes" });
    expect(judgeMessage(message, { ...legacy, maxBytes: looked }).valid).toBe(false);
  });

  it("examines 1,048,576 bytes of a message by default", () => {
    const prompts = (length: number): Uint8Array => {
      const text = JSON.stringify({ text: "", type: "text" });
      const messages = [{ role: "user", content: JSON.parse(text) }];
      const looked = `{"messages":${JSON.stringify(messages)},"temperature":`.length;
      const number = `0.${"1".repeat(length - looked - 3)}`;
      const params = JSON.stringify({ messages, temperature: 0 }).replace(":0}", `:${number}}`);
      return encodeUtf8(
        `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":${params}}`,
      );
    };
    const server: JudgeOptions = { ...legacy, sender: "server" };
    expect(judgeMessage(prompts(1_048_576), server).errors).toMatchObject([
      { path: "/params/maxTokens" },
    ]);
    expect(judgeMessage(prompts(1_048_577), server)).toMatchObject({
      valid: true,
      unchecked: "maxBytes",
    });
  });

  it("checks the parts around long arguments, and the arguments' type", () => {
    const call = (text: string): Uint8Array =>
      encodeUtf8(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${text}}`);
    const args = JSON.stringify({ a: "x".repeat(500), b: [{ name: 5 }] });
    expect(faults(call(`{"arguments" : ${args} , "name":"t"}`), legacy)).toEqual([]);
    expect(faults(call(`{"arguments":${args},"name":5}`), legacy)).toEqual(["/params/name type"]);
    expect(faults(call(`{"name":"t","arguments":[${args}]}`), legacy)).toEqual([
      "/params/arguments type",
    ]);
    const prompt = call(`{"name":"t","arguments":${args}}`);
    const named = encodeUtf8(new TextDecoder().decode(prompt).replace("tools/call", "prompts/get"));
    expect(faults(named, legacy)).toEqual(["/params/arguments/b type"]);
  });

  it("does not count the size of a valid message against the limit", () => {
    const content = Array.from({ length: 9_000 }, () => ({ type: "text", text: "" }));
    const check = judgeMessage(answer({ content }), fromServer("tools/call"));
    expect(check.valid && check.unchecked === undefined).toBe(true);
    const wrong = content.with(8_999, { type: "text", text: 1 } as never);
    const found = judgeMessage(answer({ content: wrong }), fromServer("tools/call"));
    expect(found.errors).toMatchObject([{ path: "/result/content/8999/text", keyword: "type" }]);
  });

  it("limits the listed faults and counts the rest", () => {
    const content = Array.from({ length: 3_000 }, () => 5);
    const check = judgeMessage(answer({ content }), fromServer("tools/call"));
    expect(check.errors.length).toBeLessThanOrEqual(1_000);
    expect(check.errors.length + (check.truncated ?? 0)).toBe(3_000);
    expect(check.counts).toEqual({ protocol: 3_000 });
    const few = judgeMessage(answer({ content }), { ...fromServer("tools/call"), maxIssues: 2 });
    expect(few.errors).toHaveLength(2);
  });

  it("finds duplicate keys in bytes, and in frames parsed with that option", () => {
    const twice = encodeUtf8('{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":1,"a":2}}');
    expect(judgeMessage(twice, legacy).counts).toEqual({ duplicate: 1 });
    expect(judgeMessage(readFrame(twice), legacy).valid).toBe(true);
  });

  it("checks numbers by their text", () => {
    const progress = (token: string): Uint8Array =>
      encodeUtf8(
        `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":1}}`,
      );
    expect(faults(progress("9007199254740993"), legacy)).toEqual([]);
    expect(faults(progress("9007199254740993.5"), legacy)).toEqual(["/params/progressToken type"]);
  });

  it("never throws", () => {
    const methods = fixturesOf("2025-11-25").flatMap(({ message }) => String(message["method"]));
    const text = fc.oneof(
      messageParts.map(messageText),
      fc.json(),
      fc.string(),
      fc
        .record({ method: fc.constantFrom(...methods), params: fc.jsonValue() })
        .map((part) => JSON.stringify({ jsonrpc: "2.0", id: 1, ...part })),
    );
    const revision = fc.constantFrom("2024-11-05", "2025-03-26", "2025-11-25", "2026-07-28", "x");
    const sender = fc.constantFrom("client" as const, "server" as const);
    fc.assert(
      fc.property(text, revision, sender, fc.constantFrom(...methods), (raw, at, by, method) => {
        const options = { revision: at, sender: by, requestMethod: method };
        const check = judgeMessage(encodeUtf8(raw), options);
        expect(check.valid).toBe(check.errors.length === 0);
        expect(judgeMessage(encodeUtf8(`[${raw}]`), options).valid).toBeTypeOf("boolean");
      }),
      { numRuns: 300 },
    );
  });
});
