import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AdminError } from "./errors.ts";
import { readModeChange } from "./modes-body.ts";

const read = (text: string) => readModeChange(Buffer.from(text));

describe("readModeChange", () => {
  it("takes some modes, and null", () => {
    expect(read('{"input":"strict","protocol":null}')).toEqual({ input: "strict", protocol: null });
  });

  it.each([
    ["", /a value is expected/],
    ["{", /expected/],
    ["[]", /no object/],
    ["null", /no object/],
    ["{}", /sets nothing/],
    ['{"imput":"off"}', /"imput" is not known — did you mean "input"\? Send/],
    ['{"input":"Strict"}', /"input" is no mode.*"off", "warn", "strict" or null/],
    ['{"input":1}', /no mode/],
    ['{"input":"off","input":"strict"}', /"input" stands there twice/],
    ['{"__proto__":"off","input":"off"}', /__proto__/],
  ])("refuses %j", (text, words) => {
    expect(() => read(text)).toThrow(words);
  });

  it("throws nothing but its own error, on any bytes", () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), fc.json().map(Buffer.from)), (bytes) => {
        try {
          readModeChange(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(AdminError);
          expect(error).toMatchObject({ code: "BAD_REQUEST", status: 400 });
        }
      }),
    );
  });
});
