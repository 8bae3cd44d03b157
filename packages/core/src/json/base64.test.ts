import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isBase64, isBase64With } from "./base64.ts";
import { encodeUtf8 } from "./text.ts";
import { scriptOnlyScanner } from "./wasm/source.ts";

/** Checks a JSON string with its quotes. */
function verdict(quoted: string): boolean {
  const bytes = encodeUtf8(quoted);
  const found = isBase64(bytes, 1, bytes.length - 1);
  expect(isBase64With(bytes, 1, bytes.length - 1, scriptOnlyScanner)).toBe(found);
  return found;
}

const LONG = "QUJD".repeat(50_000);

describe("isBase64", () => {
  it.each([
    ["nothing", "", true],
    ["one byte", "QQ==", true],
    ["two bytes", "QUI=", true],
    ["three bytes", "QUJD", true],
    ["every letter of the alphabet", "+/09AZaz", true],
    ["bits behind the last byte", "QR==", true],
    ["no padding", "QQ", false],
    ["half of the padding", "QQ=", false],
    ["too much padding", "QUI==", false],
    ["padding alone", "====", false],
    ["padding of nothing", "==", false],
    ["a single letter", "Q", false],
    ["more behind the padding", "QQ==QUJD", false],
    ["padding inside", "Q=Q=", false],
    ["base64url", "_-8=", false],
    ["a data: URL", "data:image/png;base64,iVBORw0KGgo=", false],
    ["a space", "QUJD QUJD", false],
    ["what is not ASCII", "QUJDé", false],
    ["a letter in front of the alphabet", "@AAA", false],
    ["a letter behind it", "[AAA", false],
    ["a long text", LONG, true],
    ["a long text without its padding", `${LONG}QQ`, false],
    ["a long text with a dash at its end", `${LONG}QUI-`, false],
    ["a long text with a line break", `${LONG}\\n${LONG}`, false],
    ["an escaped slash", "QUJ\\/", true],
    ["an escaped slash in a long text", `${LONG}\\/${LONG}QUI`, true],
    ["escaped letters", "\\u0051\\u002b\\u002F\\u003D", true],
    ["an escaped dash", "QUJ\\u002d", false],
    ["an escape that is far from ASCII", "QUJ\\u0141", false],
    ["an escaped quote", 'QUJ\\"', false],
  ])("reports %s", (_, inside, expected) => {
    expect(verdict(`"${inside}"`)).toBe(expected);
  });

  it("accepts valid base64 of any length, and rejects any single wrong byte", () => {
    const data = fc
      .oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc.nat({ max: 110_000 }).map((n) => new Uint8Array(n)),
      )
      .map((bytes) => Buffer.from(bytes).toString("base64"));
    fc.assert(
      fc.property(data, fc.boolean(), fc.nat(), (text, slashes, at) => {
        const written = slashes ? text.replaceAll("/", "\\/") : text;
        expect(verdict(`"${written}"`)).toBe(true);
        const place = at % (text.length + 1);
        for (const wrong of ["-", "=", " ", "A"]) {
          const changed = `${text.slice(0, place)}${wrong}${text.slice(place)}`;
          expect(verdict(`"${changed}"`)).toBe(false);
        }
      }),
      { numRuns: 200 },
    );
  });
});
