import { describe, expect, it } from "vitest";
import { locateJson } from "./locate.ts";
import { parseJson } from "./parse.ts";
import { scanJson } from "./scan.ts";
import { encodeUtf8 } from "./text.ts";

const TEXT = '{"a":[1,{"b":"a text of more than thirty-two bytes"}]}';
const BYTES = encodeUtf8(TEXT);

/** Arguments from untyped callers that are neither bytes nor options. */
const ODD: readonly unknown[] = [null, 1, "x", true, Symbol("s"), 10n, () => 1];

describe.each(ODD.map((odd) => [typeof odd === "symbol" ? "a symbol" : `${odd}`, odd as never]))(
  "%s",
  (_, odd) => {
    it("counts as invalid JSON if passed as bytes", () => {
      const message = expect.stringContaining("not bytes");
      expect(scanJson(odd).error).toMatchObject({ code: "syntax", message, offset: 0 });
      expect(locateJson(odd).error).toMatchObject({ code: "syntax", message });
      if (typeof odd !== "string") expect(parseJson(odd)).toMatchObject({ ok: false, message });
    });

    it("counts as missing if passed as options", () => {
      expect(scanJson(BYTES, odd)).toEqual(scanJson(BYTES));
      expect(locateJson(BYTES, odd)).toEqual(locateJson(BYTES));
      expect(parseJson(TEXT, odd)).toEqual(parseJson(TEXT));
    });

    it.each(["members", "maxDepth"])("counts as missing if passed as %s", (name) => {
      // A number is a valid `maxDepth`.
      if (name === "maxDepth" && typeof odd === "number") return;
      const options = { [name]: odd };
      expect(scanJson(BYTES, options)).toEqual(scanJson(BYTES));
      expect(locateJson(BYTES, options)).toEqual(locateJson(BYTES));
    });
  },
);

it("NaN counts as a missing depth", () => {
  const deep = encodeUtf8("[".repeat(20_000) + "]".repeat(20_000));
  expect(scanJson(deep, { maxDepth: Number.NaN })).toEqual(scanJson(deep));
});
