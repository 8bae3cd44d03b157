import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readDetail } from "./detail.ts";

describe("readDetail", () => {
  it("reads a tool, its schemas and the form's initial value", () => {
    const detail = readDetail(
      '{"name":"a","description":"b","inputSchema":{"required":["n"],"properties":{"n":{"default":9007199254740993}}},"outputSchema":{"minimum":1.0}}',
    );
    expect(detail?.summary).toEqual({ name: "a", description: "b" });
    expect(detail?.prefill).toBe('{\n  "n": 9007199254740993\n}');
    expect(detail?.output?.text).toBe('{\n  "minimum": 1.0\n}');
    expect(detail?.input.compiled.validateText("{}").valid).toBe(false);
  });

  it("treats a tool without a schema as accepting anything", () => {
    const detail = readDetail('{"name":"a"}');
    expect(detail?.input.compiled.validateText("1").valid).toBe(true);
    expect(detail?.output).toBeUndefined();
    expect(detail?.prefill).toBe("{}");
  });

  it("keeps a schema that is nested too deep, with its fault", () => {
    const deep = `${'{"not":'.repeat(500)}{}${"}".repeat(500)}`;
    const detail = readDetail(`{"name":"a","inputSchema":${deep}}`);
    expect(detail?.input.text).toBe(deep);
    expect(detail?.input.compiled.error).toBeDefined();
  });

  it.each(["", "[]", "null", '{"name":1}', "{", "[".repeat(5000)])("refuses %.20s", (text) => {
    expect(readDetail(text)).toBeUndefined();
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.json(), fc.json(), (input, output) => {
        readDetail(`{"name":"a","inputSchema":${input},"outputSchema":${output}}`);
      }),
    );
  });
});
