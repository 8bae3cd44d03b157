import fc from "fast-check";
import { expect, it } from "vitest";
import { fromBase64, toBase64 } from "./base64.ts";

it("decodes what it encodes", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(fromBase64(toBase64(bytes))).toEqual(bytes);
    }),
  );
});

it.each(["Zh==", "Zm9=", "Zg=", "Zg", "Z===", "Zg==\n"])("is not canonical: %j", (text) => {
  expect(fromBase64(text)).toBeUndefined();
});
