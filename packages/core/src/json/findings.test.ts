import { describe, expect, it } from "vitest";
import { long } from "../testing/sample.ts";
import type { JsonScan, ScanOptions } from "./range.ts";
import { scanWith } from "./scan.ts";
import { encodeUtf8 } from "./text.ts";
import { scriptOnlyScanner, wasmScanners } from "./wasm/source.ts";

describe.each([
  ["WebAssembly", wasmScanners],
  ["JavaScript", scriptOnlyScanner],
])("duplicates and lossy numbers in %s", (_, source) => {
  const scanJson = (bytes: Uint8Array, options: ScanOptions = {}) =>
    scanWith(bytes, options, source);
  const scanText = (text: string, options?: ScanOptions): JsonScan =>
    scanJson(encodeUtf8(text), options);

  it("compares unescaped keys, in every object", () => {
    const text = '{"a":1,"\\u0061":{"b":[{"c/d":1,"e":2,"c\\/d":3}]},"b":1}';
    const bytes = encodeUtf8(text);
    const { duplicates } = scanJson(bytes, { duplicates: true });
    expect(duplicates).toEqual([
      { path: "/a", offset: text.indexOf('"\\u0061"') },
      { path: "/a/b/0/c~1d", offset: text.indexOf('"c\\/d"') },
    ]);
    expect(scanJson(bytes).duplicates).toEqual([]);
  });

  it("distinguishes lone surrogates from each other and from U+FFFD", () => {
    const text = '{"\\ud800":1,"\\ud801":2,"\ufffd":3,"\\ud800":4}';
    expect(scanText(text, { duplicates: true }).duplicates).toEqual([
      { path: "/\ud800", offset: encodeUtf8(text).length - '"\\ud800":4}'.length },
    ]);
  });

  it("reports every repetition, in objects of any size", () => {
    for (const size of [1, 15, 16, 17, 18, 500]) {
      const names = Array.from({ length: size }, (_, index) => `k${index}`);
      const text = `{${[...names, ...names, "k0"].map((name) => `"${name}":{"x":1}`).join()}}`;
      const { duplicates, keys } = scanText(text, { duplicates: true });
      expect(duplicates.map(({ path }) => path)).toEqual(
        [...names, "k0"].map((name) => `/${name}`),
      );
      expect(keys).toBe((size * 2 + 1) * 2);
    }
  });

  it("ignores numbers in overridden members, with or without duplicates", () => {
    const text =
      '{"a":[1e400,{"b":1e401}],"c":1e402,"a":{"b":1e403,"b":1e404},"c":0,"d":[0,1e405]}';
    const expected = [
      { path: "/a/b", source: "1e404", offset: text.indexOf("1e404") },
      { path: "/d/1", source: "1e405", offset: text.indexOf("1e405") },
    ];
    expect(scanText(text, { numbers: true }).lossyNumbers).toEqual(expected);
    expect(scanText(text, { numbers: true }).duplicates).toEqual([]);
    const both = scanText(text, { numbers: true, duplicates: true });
    expect(both.lossyNumbers).toEqual(expected);
    expect(both.duplicates.map(({ path }) => path)).toEqual(["/a", "/a/b", "/c"]);
    expect(scanText(text).lossyNumbers).toEqual([]);
  });

  it("compares the keys of a very large object", long, () => {
    const keys = Array.from({ length: 300_000 }, (_, index) => `"${index}":0`);
    const scan = scanText(`{${keys.join()},"0":0}`, { duplicates: true });
    expect(scan).toMatchObject({ keys: 300_001, duplicates: [{ path: "/0" }] });
  });

  it("points to deep places", () => {
    const levels = 10_000;
    const text = `${'[0,{"ab":'.repeat(levels)}1e400${"}]".repeat(levels)}`;
    const { lossyNumbers } = scanText(text, { numbers: true, maxDepth: 2 * levels + 1 });
    expect(lossyNumbers.map(({ path }) => path)).toEqual(["/1/ab".repeat(levels)]);
  });

  it("points to the root", () => {
    expect(scanText(" 1e400", { numbers: true }).lossyNumbers).toEqual([
      { path: "", source: "1e400", offset: 1 },
    ]);
  });

  it("lists at most 1000 of each and says so", () => {
    const member = '"a":1e400';
    const text = (count: number) =>
      `[{${Array(count).fill(member).join()}},${"1e999,".repeat(count - 2)}0]`;
    const options = { duplicates: true, numbers: true };
    const full = scanText(text(1001), options);
    expect(full.duplicates).toHaveLength(1000);
    expect(full.duplicatesTruncated).toBe(false);
    expect(full.lossyNumbers).toHaveLength(1000);
    expect(full.lossyNumbersTruncated).toBe(false);
    const more = scanText(text(1002), options);
    expect(more.duplicates).toHaveLength(1000);
    expect(more.duplicatesTruncated).toBe(true);
    expect(more.lossyNumbers).toHaveLength(1000);
    expect(more.lossyNumbersTruncated).toBe(true);
    expect(more.error).toBeUndefined();
  });

  it("stops listing when the pointers get long together", () => {
    const long = "k".repeat(300_000);
    const text = `{"${long}":[${"1e400,".repeat(10)}0,{${'"a":0,'.repeat(10)}"b":0}]}`;
    const scan = scanText(text, { duplicates: true, numbers: true });
    expect(scan.lossyNumbers).toHaveLength(4);
    expect(scan.lossyNumbersTruncated).toBe(true);
    // A pointer to a duplicate has only the beginning of a long name.
    expect(scan.duplicates).toHaveLength(9);
    expect(scan.duplicates[0]?.path).toBe(`/${"k".repeat(4_096)}…/11/a`);
  });

  it("stops listing duplicates when their pointers get long together", () => {
    const names = ["k", "l", "m"].map((letter) => letter.repeat(4_000));
    const inner = `{${'"a":0,'.repeat(400)}"b":0}`;
    const text = names.reduce((value, name) => `{"${name}":${value}}`, inner);
    const scan = scanText(text, { duplicates: true });
    expect(scan.duplicates).toHaveLength(88);
    expect(scan.duplicatesTruncated).toBe(true);
  });

  it("limits pointers even for numbers that a later key overrides", () => {
    const text = `{"${"k".repeat(300_000)}":{${Array(10).fill('"a":1e400').join()}}}`;
    const scan = scanText(text, { numbers: true });
    expect(scan).toMatchObject({ lossyNumbers: [], lossyNumbersTruncated: true });
  });
});
