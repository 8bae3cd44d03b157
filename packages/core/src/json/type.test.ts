import fc from "fast-check";
import { expect, it } from "vitest";
import { encodeUtf8 } from "./text.ts";
import { jsonTypeOf } from "./value.ts";

it("returns the type of any JSON text by its first byte", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
      expect(jsonTypeOf(encodeUtf8(JSON.stringify(value))[0])).toBe(type);
    }),
  );
});
