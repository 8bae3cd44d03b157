import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readServerVerdict } from "./server-verdict.ts";

const SENT = '{\n"a":}';
const read = (text: string, status = 200) =>
  readServerVerdict({ status, text, milliseconds: 1 }, SENT);

describe("readServerVerdict", () => {
  const error = { path: "/a", message: "must be integer" };

  it.each<[string, number, string, object]>([
    ["valid", 200, '{"valid":true}', { kind: "valid" }],
    [
      "invalid",
      200,
      JSON.stringify({ valid: false, errors: [error, { path: 1 }], truncated: 3 }),
      { kind: "invalid", errors: [error], more: 4 },
    ],
    [
      "no JSON",
      400,
      JSON.stringify({ valid: false, errors: [error] }),
      { kind: "invalid", errors: [error], more: 0 },
    ],
    [
      "no JSON, at a byte",
      400,
      JSON.stringify({
        valid: false,
        errors: [{ path: "", message: "Invalid JSON: no value, at byte 6", keyword: "format" }],
      }),
      {
        kind: "invalid",
        errors: [{ path: "", message: "Invalid JSON: no value", place: "line 2, column 5" }],
        more: 0,
      },
    ],
    [
      "a property that speaks of bytes",
      200,
      JSON.stringify({ valid: false, errors: [{ path: "/a", message: "no, at byte 6" }] }),
      { kind: "invalid", errors: [{ path: "/a", message: "no, at byte 6" }], more: 0 },
    ],
    [
      "not checked",
      200,
      JSON.stringify({ valid: false, checked: false, errors: [{ path: "", message: "too much" }] }),
      { kind: "none", message: "too much" },
    ],
    [
      "too large",
      413,
      '{"error":"Too large"}',
      { kind: "none", message: expect.stringContaining("413: Too large") },
    ],
    ["another server", 502, "<html>", { kind: "none", message: expect.stringContaining("502") }],
  ])("%s", (_what, status, text, expected) => {
    expect(read(text, status)).toEqual(expected);
  });

  it("counts errors that it does not list: invalid ones, and those after the first 100", () => {
    const many = (errors: readonly unknown[], truncated?: unknown) =>
      read(JSON.stringify({ valid: false, errors, truncated }));
    expect(many([{ path: 1, message: "m" }, error])).toMatchObject({ errors: [error], more: 1 });
    expect(many([error], "some")).toMatchObject({ errors: [error], more: 0 });
    const long = many(Array(150).fill(error), 7);
    expect(long).toMatchObject({ errors: Array(100).fill(error), more: 57 });
  });

  it("never throws", () => {
    fc.assert(fc.property(fc.oneof(fc.json(), fc.string()), (text) => void read(text)));
  });
});
