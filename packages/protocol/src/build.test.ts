import { decodeUtf8 } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  errorFrame,
  notificationFrame,
  requestFrame,
  resultFrame,
  toolErrorFrame,
} from "./build.ts";
import { ERROR_CODES } from "./codes.ts";
import { readFrame } from "./read.ts";

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;

describe("frames written by the gateway", () => {
  it("have exactly the expected bytes", () => {
    expect(decodeUtf8(requestFrame('"\\u0061"', "tools/list"))).toBe(
      '{"jsonrpc":"2.0","id":"\\u0061","method":"tools/list"}',
    );
    expect(decodeUtf8(requestFrame("1", "tools/list", '{"cursor":1.0}'))).toBe(
      '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":1.0}}',
    );
    expect(decodeUtf8(notificationFrame("notifications/cancelled", '{"requestId":1}'))).toBe(
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
    );
    expect(decodeUtf8(notificationFrame("x"))).toBe('{"jsonrpc":"2.0","method":"x"}');
    expect(decodeUtf8(resultFrame("9007199254740993", "{}"))).toBe(
      '{"jsonrpc":"2.0","id":9007199254740993,"result":{}}',
    );
    expect(decodeUtf8(errorFrame(null, ERROR_CODES.parseError, "no"))).toBe(
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}',
    );
    expect(decodeUtf8(errorFrame("7", ERROR_CODES.internalError, 'a\n"b"', { c: [1] }))).toBe(
      '{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"a\\n\\"b\\"","data":{"c":[1]}}}',
    );
    expect(decodeUtf8(toolErrorFrame("7", "no", { modern: false }))).toBe(
      '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"no"}],"isError":true}}',
    );
    expect(decodeUtf8(toolErrorFrame("7", "no", { modern: true, meta: { a: 1 } }))).toBe(
      '{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[{"type":"text","text":"no"}],"isError":true,"_meta":{"a":1}}}',
    );
  });

  it("are valid and on one line, whatever the texts are", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(text, fc.jsonValue(), fc.boolean(), (message, data, modern) => {
        const frames = [
          requestFrame("1", message),
          notificationFrame(message),
          errorFrame("1", -32603, message, data),
          toolErrorFrame("1", message, { modern, meta: { data } }),
        ];
        for (const bytes of frames) {
          const frame = readFrame(bytes, { duplicates: true });
          expect(frame.faults).toEqual([]);
          expect(decodeUtf8(bytes)).not.toMatch(/[\r\n]/);
          expect(frame.resultType).toBe(bytes === frames[3] && modern ? "complete" : undefined);
        }
        expect(frames.map((bytes) => readFrame(bytes).kind)).toEqual([
          "request",
          "notification",
          "error",
          "response",
        ]);
      }),
    );
  });

  it("leave out what has no JSON form", () => {
    for (const data of [cyclic, 1n, undefined, () => 1, { toJSON: () => cyclic }]) {
      expect(decodeUtf8(errorFrame("1", 1, "m", data))).toBe(
        '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}',
      );
    }
    expect(readFrame(toolErrorFrame("1", "m", { modern: false, meta: cyclic })).faults).toEqual([]);
  });
});
