import { describe, expect, it } from "vitest";
import { scanJson } from "../scan.ts";
import { encodeUtf8 } from "../text.ts";
import { JsonScanner } from "./scanner.ts";

describe("JsonScanner", () => {
  it("tells of a fault as soon as it is there", () => {
    const scanner = new JsonScanner();
    scanner.push(encodeUtf8('{"a":1,'));
    expect(scanner.error).toBeUndefined();
    scanner.push(encodeUtf8(" x"));
    expect(scanner.error).toMatchObject({ code: "syntax", offset: 8 });
    scanner.push(encodeUtf8("}"));
    expect(scanner.finish().error).toEqual(scanner.error);
  });

  it("ends once", () => {
    const scanner = new JsonScanner();
    scanner.push(encodeUtf8("12"));
    const scan = scanner.finish();
    scanner.push(encodeUtf8("x"));
    expect(scanner.finish()).toBe(scan);
    expect(scan.root).toEqual({ start: 0, end: 2 });
  });

  it.each([
    ["nothing", ""],
    ["white space", " \n "],
    ["half a byte order mark", "\ufeff1"],
  ])("takes %s", (_, text) => {
    const bytes = encodeUtf8(text);
    for (let end = 0; end <= bytes.length; end++) {
      const scanner = new JsonScanner();
      for (const byte of bytes.subarray(0, end)) scanner.push(Uint8Array.of(byte));
      expect(scanner.finish()).toEqual(scanJson(bytes.subarray(0, end)));
    }
  });

  it("refuses a text that is too long to be read, as scanJson does", () => {
    const part = new Uint8Array(64 * 1024 * 1024);
    part.set(encodeUtf8('  {"a":1} x'));
    const options = { members: { a: true } } as const;
    const scanner = new JsonScanner(options);
    for (let count = 0; count < 8; count++) scanner.push(part);
    expect(scanner.error).toMatchObject({ code: "trailing" });
    const whole = new Uint8Array(8 * part.length);
    whole.set(part.subarray(0, 16));
    expect(scanner.finish()).toEqual(scanJson(whole, options));
  });

  it("takes a key and a number of 200,000 bytes, byte by byte", () => {
    const text = `{"${"k\\u0061".repeat(25_000)}":${"7".repeat(200_000)}}`;
    const bytes = encodeUtf8(text);
    const scanner = new JsonScanner({ duplicates: true, numbers: true });
    for (let i = 0; i < bytes.length; i++) scanner.push(bytes.subarray(i, i + 1));
    expect(scanner.finish()).toEqual(scanJson(bytes, { duplicates: true, numbers: true }));
  });

  it("reads a million levels", () => {
    const levels = 1_000_000;
    const scanner = new JsonScanner({ maxDepth: Number.POSITIVE_INFINITY, numbers: true });
    for (let count = 0; count < levels / 1000; count++)
      scanner.push(encodeUtf8('{"a":'.repeat(1000)));
    scanner.push(encodeUtf8("1"));
    for (let count = 0; count < levels / 1000; count++) scanner.push(encodeUtf8("}".repeat(1000)));
    expect(scanner.finish()).toMatchObject({ depth: levels + 1, keys: levels, lossyNumbers: [] });
    expect(scanner.error).toBeUndefined();
  });
});
