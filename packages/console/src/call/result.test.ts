import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readResult } from "./result.ts";

const PIXEL = "iVBORw0KGgo=";
const item = (content: unknown) => readResult(JSON.stringify({ content: [content] }))?.content[0];

describe("readResult", () => {
  it("keeps structured content digit for digit", () => {
    const text =
      '{"structuredContent": {"b": 1.0, "a": 9007199254740993},"content":[],"isError":true}';
    expect(readResult(text)).toEqual({
      isError: true,
      content: [],
      structured: '{"b": 1.0, "a": 9007199254740993}',
    });
  });

  it.each(["null", "0", "false", '""', "[]"])("accepts %s as structured content", (value) => {
    expect(readResult(`{"content":[],"structuredContent":${value}}`)?.structured).toBe(value);
  });

  it("returns the trace id", () => {
    expect(readResult('{"content":[],"_meta":{"_trace_id":"t1"}}')?.traceId).toBe("t1");
    expect(readResult('{"content":[],"_meta":{"_trace_id":1}}')).not.toHaveProperty("traceId");
  });

  it("shows only known kinds of images and audio", () => {
    expect(item({ type: "image", data: PIXEL, mimeType: "image/PNG" })).toEqual({
      kind: "image",
      mimeType: "image/png",
      source: `data:image/png;base64,${PIXEL}`,
    });
    expect(item({ type: "audio", data: "AAAA", mimeType: "audio/wav" })).toMatchObject({
      kind: "audio",
    });
  });

  it.each([
    [{ type: "image", data: PIXEL, mimeType: "image/svg+xml" }, "image of a type"],
    [{ type: "image", data: PIXEL, mimeType: "text/html" }, "image of a type"],
    [{ type: "image", data: PIXEL, mimeType: "image/png;base64,x" }, "image of a type"],
    [{ type: "image", data: '"><script>', mimeType: "image/png" }, "not base64"],
    [{ type: "image", data: "abc", mimeType: "image/png" }, "not base64"],
    [{ type: "image", mimeType: "image/png" }, "not base64"],
    [{ type: "audio", data: 1, mimeType: "audio/wav" }, "not base64"],
    ["text", "no content block"],
    [null, "no content block"],
  ])("shows %j as text", (content, why) => {
    expect(item(content)).toMatchObject({ kind: "other", json: JSON.stringify(content, null, 2) });
    expect(item(content)).toHaveProperty("why", expect.stringContaining(why));
  });

  it("shows unknown content as JSON", () => {
    const link = { type: "resource_link", uri: "javascript:alert(1)", name: "x" };
    expect(item(link)).toEqual({
      kind: "other",
      type: "resource_link",
      json: JSON.stringify(link, null, 2),
    });
    expect(item({ type: "text", text: 1 })).toMatchObject({ kind: "other", type: "text" });
  });

  it.each(["", "{", "[]", "null", "{}", '{"content":{}}', '{"error":"Unauthorized"}'])(
    "finds no result in %j",
    (text) => {
      expect(readResult(text)).toBeUndefined();
    },
  );

  it("never throws", () => {
    expect(readResult(`{"content":${"[".repeat(100_000)}`)).toBeUndefined();
    expect(readResult(`{"content":${"[".repeat(5000)}${"]".repeat(5000)}}`)).toBeUndefined();
    const content = fc.array(fc.oneof(fc.jsonValue(), fc.object()));
    fc.assert(
      fc.property(content, fc.jsonValue(), (blocks, structuredContent) => {
        const text = JSON.stringify({ content: blocks, structuredContent });
        const view = readResult(text);
        expect(view?.content.length).toBe(JSON.parse(text).content.length);
        expect(JSON.parse(view?.structured ?? "")).toEqual(
          JSON.parse(JSON.stringify(structuredContent)),
        );
      }),
    );
  });
});
