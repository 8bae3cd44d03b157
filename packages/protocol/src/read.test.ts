import { encodeUtf8 } from "@touchstone/core/advanced";
import { describe, expect, it, vi } from "vitest";
import type { Frame, FrameKind, FrameRanges } from "./frame.ts";
import { readFrame } from "./read.ts";

const read = (text: string, duplicates = false): Frame =>
  readFrame(encodeUtf8(text), { duplicates });

describe("kind and faults", () => {
  const cases: [text: string, kind: FrameKind, faults: string[]][] = [
    ['{"jsonrpc":"2.0","id":1,"method":"ping"}', "request", []],
    ['{"jsonrpc":"2.0","id":"a","method":"x","params":[]}', "request", []],
    ['{"jsonrpc":"2.\\u0030","id":1.0,"method":"x","params":{}}', "request", []],
    ['{"jsonrpc":"2.0","method":"notifications/initialized"}', "notification", []],
    ['{"jsonrpc":"2.0","id":1,"result":{}}', "response", []],
    ['{"jsonrpc":"2.0","id":1,"result":null}', "response", []],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}', "error", []],
    ['{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no","data":1}}', "error", []],
    ['{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}', "error", []],
    ['[{"jsonrpc":"2.0","method":"x"}]', "batch", []],

    ['{"id":1,"method":"x"}', "request", ["/jsonrpc required"]],
    ['{"jsonrpc":"1.0","id":1,"method":"x"}', "request", ["/jsonrpc const"]],
    ['{"jsonrpc":2.0,"id":1,"method":"x"}', "request", ["/jsonrpc const"]],
    ['{"jsonrpc":"2.0","id":null,"method":"x"}', "request", ["/id type"]],
    ['{"jsonrpc":"2.0","id":1.5,"method":"x"}', "request", ["/id type"]],
    ['{"jsonrpc":"2.0","id":{},"method":"x"}', "request", ["/id type"]],
    ['{"jsonrpc":"2.0","id":true,"result":{}}', "response", ["/id type"]],
    ['{"jsonrpc":"2.0","id":null,"result":{}}', "response", ["/id type"]],
    ['{"jsonrpc":"2.0","result":{}}', "response", ["/id required"]],
    ['{"jsonrpc":"2.0","id":[1],"error":{"code":1,"message":""}}', "error", ["/id type"]],
    ['{"jsonrpc":"2.0","id":1,"method":7}', "request", ["/method type"]],
    ['{"jsonrpc":"2.0","method":null}', "notification", ["/method type"]],
    ['{"jsonrpc":"2.0","id":1,"method":"x","params":null}', "request", ["/params type"]],
    ['{"jsonrpc":"2.0","id":1,"method":"x","params":"y"}', "request", ["/params type"]],
    ['{"jsonrpc":"2.0","id":1,"method":"x","result":1}', "request", ["/result not"]],
    ['{"jsonrpc":"2.0","method":"x","error":{}}', "notification", ["/error not"]],
    [
      '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}',
      "response",
      ["/error not"],
    ],
    ['{"jsonrpc":"2.0","id":1}', "invalid", [" required"]],
    ["{}", "invalid", ["/jsonrpc required", " required"]],
    ['{"jsonrpc":"2.0","id":1,"error":"no"}', "error", ["/error type"]],
    [
      '{"jsonrpc":"2.0","id":1,"error":{}}',
      "error",
      ["/error/code required", "/error/message required"],
    ],
    [
      '{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":1}}',
      "error",
      ["/error/code type", "/error/message type"],
    ],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":""}}', "error", ["/error/code type"]],
    ["[ \n]", "batch", [" minItems"]],
    ["3", "invalid", [" type"]],
    ['"{}"', "invalid", [" type"]],
    ["null", "invalid", [" type"]],
    ["", "invalid", [" syntax"]],
    ['{"jsonrpc":"2.0","id":1,"result":', "invalid", [" syntax"]],
    ['{"jsonrpc":"2.0","id":1,"result":{}} {}', "invalid", [" trailing"]],
    ['\ufeff{"jsonrpc":"2.0","id":1,"result":{}}', "invalid", [" encoding"]],
  ];

  it.each(cases)("reads %s as %s with faults %j", (text, kind, faults) => {
    const frame = read(text, true);
    expect(frame.kind).toBe(kind);
    expect(frame.faults.map(({ path, keyword }) => `${path} ${keyword}`)).toEqual(faults);
    for (const { rule, message } of frame.faults) {
      expect(rule).toBe("protocol");
      expect(message).not.toMatch(/undefined|\[object/);
    }
  });

  it("names what was found and where", () => {
    expect(read('{"jsonrpc":"2.0","id":[],"method":"x"}').faults).toEqual([
      {
        path: "/id",
        message: "id must be a string or an integer, found array",
        rule: "protocol",
        keyword: "type",
        params: { type: ["string", "integer"], received: "array" },
      },
    ]);
    expect(read("{").faults).toEqual([
      {
        path: "",
        message: "Invalid JSON: Expected a key in double quotes, but the text ends, at byte 1",
        rule: "protocol",
        keyword: "syntax",
      },
    ]);
  });

  it("reports duplicate keys if requested", () => {
    const text = '{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":{"b/c":1,"b\\/c":2}},"id":2}';
    expect(read(text).faults).toEqual([]);
    const frame = read(text, true);
    expect(frame.faults.map(({ path, rule }) => [path, rule])).toEqual([
      ["/params/a/b~1c", "duplicate"],
      ["/id", "duplicate"],
    ]);
    expect(frame.id).toBe("2");
  });

  it("reads nesting far deeper than a check allows, up to a limit", () => {
    const deep = (levels: number): string =>
      `{"jsonrpc":"2.0","id":1,"result":{"structuredContent":${"[".repeat(levels)}${"]".repeat(levels)}}}`;
    expect(read(deep(900_000))).toMatchObject({ kind: "response", faults: [], id: "1" });
    expect(read(deep(1_000_000))).toMatchObject({
      kind: "invalid",
      id: "1",
      faults: [{ rule: "guard", keyword: "maxDepth" }],
    });
  });
});

describe("the members of a frame", () => {
  const texts = (frame: Frame): Partial<Record<keyof FrameRanges, string>> =>
    Object.fromEntries(
      Object.entries(frame.ranges).flatMap(([name, range]) =>
        range === undefined ? [] : [[name, frame.text(range)]],
      ),
    );

  it("reads a tool call", () => {
    const frame = read(
      '{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"\\u0061dd",' +
        '"arguments":{"a": 1.0,"name":"x"},"_meta":{"progressToken":"t",' +
        '"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}',
    );
    expect(frame).toMatchObject({
      kind: "request",
      jsonrpc: "2.0",
      id: "9007199254740993",
      method: "tools/call",
      toolName: "add",
      name: "add",
      protocolVersion: "2026-07-28",
      progressTokenKey: "st",
      hasCursor: false,
      isError: false,
      announcesTask: false,
    });
    expect(texts(frame)).toMatchObject({
      id: "9007199254740993",
      arguments: '{"a": 1.0,"name":"x"}',
      progressToken: '"t"',
    });
    expect(texts(frame)).not.toHaveProperty("requestId");
  });

  it("reads the tool name from tools/call only", () => {
    const frame = read('{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"p"}}');
    expect([frame.name, frame.toolName]).toEqual(["p", undefined]);
  });

  it("reads other requests", () => {
    expect(read('{"id":1,"method":"tools/list","params":{"cursor":null}}').hasCursor).toBe(true);
    expect(read('{"id":1,"method":"resources/read","params":{"uri":"a:b"}}').uri).toBe("a:b");
    expect(read('{"id":1,"method":"tasks/get","params":{"taskId":"t"}}').taskId).toBe("t");
    const initialize =
      '{"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"c"}}}';
    expect(read(initialize).initializeVersion).toBe("2025-11-25");
    const info = read(initialize).range("/params/clientInfo");
    expect(info && read(initialize).text(info)).toBe('{"name":"c"}');
  });

  it("reads what notifications refer to", () => {
    const cancelled = read('{"method":"notifications/cancelled","params":{"requestId":1.0}}');
    expect(cancelled.requestIdKey).toBe("n1");
    expect(texts(cancelled).requestId).toBe("1.0");
    const progress = read(
      '{"method":"notifications/progress","params":{"progressToken":7,"_meta":{"progressToken":8}}}',
    );
    expect(progress.progressTokenKey).toBe("n7");
    expect(texts(progress).progressToken).toBe("7");
    const listed = read(
      '{"method":"x","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}',
    );
    expect(listed.subscriptionIdKey).toBe("ss");
    const answer = read('{"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":5}}}');
    expect(answer.subscriptionIdKey).toBe("n5");
  });

  it("reads results", () => {
    const frame = read(
      '{"id":"x","result":{"structuredContent":null,"isError":true,"resultType":"complete","nextCursor":"n","tools":[]}}',
    );
    expect(frame).toMatchObject({ isError: true, resultType: "complete", nextCursor: "n" });
    expect(texts(frame)).toMatchObject({ structuredContent: "null", tools: "[]" });
    expect(read('{"id":1,"result":{"isError":"true","resultType":1}}')).toMatchObject({
      isError: false,
      resultType: undefined,
    });
    expect(read('{"id":1,"result":{"task":{"taskId":"t"}}}')).toMatchObject({
      announcesTask: true,
      taskId: "t",
    });
    expect(read('{"id":1,"result":{"resultType":"task","taskId":"u"}}')).toMatchObject({
      announcesTask: true,
      taskId: "u",
    });
    expect(read('{"id":1,"result":{"protocolVersion":"2024-11-05"}}').initializeVersion).toBe(
      "2024-11-05",
    );
  });

  it.each([
    ["-32601", -32601],
    ["-32601.0", -32601],
    ["0", 0],
    ["1.5", undefined],
    ["1e-400", undefined],
    ["9007199254740993", undefined],
    ['"1"', undefined],
    ["[1]", undefined],
    ["null", undefined],
    ["true", undefined],
  ])("reads error.code %s as %s", (text, code) => {
    expect(read(`{"id":1,"error":{"code":${text},"message":""}}`).errorCode).toBe(code);
  });

  it.each(["1", '{"a":1}', "null", "[]", "true"])(
    "ignores %s where a string is expected",
    (other) => {
      const frame = read(
        `{"jsonrpc":${other},"method":${other},"params":{"name":${other},"uri":${other},"taskId":${other}},"result":{"resultType":${other},"nextCursor":${other}}}`,
      );
      expect([frame.jsonrpc, frame.method, frame.name, frame.uri, frame.taskId]).toEqual(
        Array(5).fill(undefined),
      );
      expect([frame.resultType, frame.nextCursor]).toEqual([undefined, undefined]);
    },
  );

  it("reads the id of a response that broke off", () => {
    const frame = read('{"jsonrpc":"2.0","id":"\\u0061","result":{"content":[{"type":"te');
    expect([frame.kind, frame.id, frame.idKey]).toEqual(["invalid", '"\\u0061"', "sa"]);
  });
});

describe("an outline of a frame", () => {
  const outline = (text: string): Frame => readFrame(encodeUtf8(text), { outline: true });

  it("has the message's members, even if their values are invalid", () => {
    const good = `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"a":[1,"]"]}}}`;
    const odd = good.replace(`1,"]"`, `1 "]" tru`);
    for (const text of [good, odd]) {
      const frame = outline(text);
      expect(frame).toMatchObject({ kind: "response", idKey: "n1", faults: [] });
      expect(frame.text(frame.range("/result/structuredContent") ?? { start: 0, end: 0 })).toBe(
        text.slice(text.indexOf('{"a"'), -2),
      );
    }
    expect(read(odd).kind).toBe("invalid");
  });

  it.each(['"\\x"', '"\\u12"', '"\u0001\\n"'])("ignores %s, which is not a JSON string", (odd) => {
    const frame = outline(
      `{"jsonrpc":${odd},"id":${odd},"method":${odd},"params":{"name":${odd},"uri":${odd},"requestId":${odd},"_meta":{"progressToken":${odd}}}}`,
    );
    const { jsonrpc, idKey, method, name, uri, progressTokenKey, kind } = frame;
    expect([jsonrpc, idKey, method, name, uri, progressTokenKey]).toEqual(Array(6).fill(undefined));
    expect(kind).toBe("request");
    expect(outline(`{"jsonrpc":"2.0","id":${odd},"result":{}}`).idKey).toBeUndefined();
  });

  it.each(["1e", "01", "-", "1.", "1e+", "-01", "1.5.2", "00", "1e5e", "1eabc"])(
    "finds no id in %s, which is not a JSON number",
    (odd) => {
      const token = `"_meta":{"progressToken":${odd}}`;
      const frame = outline(`{"jsonrpc":"2.0","id":${odd},"method":"x","params":{${token}}}`);
      expect([frame.idKey, frame.progressTokenKey]).toEqual([undefined, undefined]);
    },
  );

  it.each([
    ["12", "n12"],
    ["-0", "n0"],
    ["1.0", "n1"],
    ["1E+2", "n100"],
    ["1e400", "n1e400"],
  ])("reads the id %s as a full parse does", (id, key) => {
    const text = `{"jsonrpc":"2.0","id":${id},"method":"x"}`;
    expect([outline(text).idKey, read(text).idKey]).toEqual([key, key]);
  });

  it.each([
    '{"jsonrpc":"2.0","id":1,"result":{"a":[1}',
    '{"jsonrpc":"2.0","id":1 "result":{}}',
    '{"jsonrpc":"2.0","id":1,"result":{}} x',
    '{"jsonrpc":"2.0","id":1,"result":"\xff"}',
    "",
  ])("finds the fault in %s as a full parse does", (text) => {
    const { kind, faults, idKey } = outline(text);
    expect({ kind, faults, idKey }).toEqual(
      (({ kind, faults, idKey }) => ({ kind, faults, idKey }))(read(text)),
    );
  });
});

describe("a string of megabytes", () => {
  const FDFA = "\ufdfa".repeat(1_000_000);
  const message = (method: string, name: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"name":"${name}","uri":"${name}"}}`;

  it.each([
    ["ASCII", "A".repeat(3_000_000), "A"],
    ["characters of three bytes", FDFA, "\ufdfa"],
    ["escapes", "\\u00e9".repeat(500_000), "é"],
    ["surrogate pairs", "😀".repeat(500_000), "😀"],
  ])("is read only at its beginning: %s", (_, text, character) => {
    const decode = vi.spyOn(TextDecoder.prototype, "decode");
    for (const outline of [false, true]) {
      const frame = readFrame(encodeUtf8(message(text, text)), { outline });
      const beginning = `${character.repeat(16_384)}…`;
      expect(frame.kind).toBe("request");
      expect(frame.method === beginning).toBe(true);
      expect(frame.name === beginning).toBe(true);
      expect(frame.uri === beginning).toBe(true);
      expect(frame.toolName).toBeUndefined();
      expect(frame.faults).toEqual([]);
    }
    const lengths = decode.mock.calls.map(([bytes]) => bytes?.byteLength ?? 0);
    decode.mockRestore();
    expect(Math.max(0, ...lengths)).toBeLessThanOrEqual(6 * 16_384);
  });

  it("is read whole up to 16,384 characters, whatever their bytes", () => {
    for (const text of ["A", "\ufdfa", "\\u0041", "😀"]) {
      const frame = read(message("tools/call", text.repeat(16_384)));
      expect(frame.toolName === JSON.parse(`"${text.repeat(16_384)}"`)).toBe(true);
      const longer = read(message("tools/call", text.repeat(16_385)));
      expect(longer.toolName?.endsWith("…")).toBe(true);
    }
  });

  it("is undefined if an outline of it has an escape that JSON does not have", () => {
    const frame = readFrame(encodeUtf8(message("x", "\\q".repeat(20_000))), { outline: true });
    expect(frame.name).toBeUndefined();
  });

  it("is whole as a cursor or the id of a task, which are sent again", () => {
    const text = "A".repeat(20_000);
    const answer = read(`{"jsonrpc":"2.0","id":1,"result":{"nextCursor":"${text}"}}`);
    expect(answer.nextCursor === text).toBe(true);
    const asked = `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"${text}"}}`;
    expect(read(asked).taskId === text).toBe(true);
  });
});
