// biome-ignore-start lint/style/noRestrictedImports: test data lies outside the package
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// biome-ignore-end lint/style/noRestrictedImports: see above
import { describe, expect, it } from "vitest";
import { long } from "../testing/sample.ts";
import { disagreement } from "../testing/scan-agreement.ts";
import { sharedPath } from "../testing/shared.ts";
import { parseJson } from "./parse.ts";
import type { ScanOptions } from "./range.ts";
import { scanWith } from "./scan.ts";
import { scriptOnlyScanner, wasmScanners } from "./wasm/source.ts";

/** What RFC 8259 leaves to implementations: the range of numbers, lone surrogates, depth, other encodings. */
const FREE: Readonly<Record<string, "accepted" | "encoding" | "syntax">> = {
  "i_number_double_huge_neg_exp.json": "accepted",
  "i_number_huge_exp.json": "accepted",
  "i_number_neg_int_huge_exp.json": "accepted",
  "i_number_pos_double_huge_exp.json": "accepted",
  "i_number_real_neg_overflow.json": "accepted",
  "i_number_real_pos_overflow.json": "accepted",
  "i_number_real_underflow.json": "accepted",
  "i_number_too_big_neg_int.json": "accepted",
  "i_number_too_big_pos_int.json": "accepted",
  "i_number_very_big_negative_int.json": "accepted",
  "i_object_key_lone_2nd_surrogate.json": "accepted",
  "i_string_1st_surrogate_but_2nd_missing.json": "accepted",
  "i_string_1st_valid_surrogate_2nd_invalid.json": "accepted",
  "i_string_UTF-16LE_with_BOM.json": "encoding",
  "i_string_UTF-8_invalid_sequence.json": "encoding",
  "i_string_UTF8_surrogate_U+D800.json": "encoding",
  "i_string_incomplete_surrogate_and_escape_valid.json": "accepted",
  "i_string_incomplete_surrogate_pair.json": "accepted",
  "i_string_incomplete_surrogates_escape_valid.json": "accepted",
  "i_string_invalid_lonely_surrogate.json": "accepted",
  "i_string_invalid_surrogate.json": "accepted",
  "i_string_invalid_utf-8.json": "encoding",
  "i_string_inverted_surrogates_U+1D11E.json": "accepted",
  "i_string_iso_latin_1.json": "encoding",
  "i_string_lone_second_surrogate.json": "accepted",
  "i_string_lone_utf8_continuation_byte.json": "encoding",
  "i_string_not_in_unicode_range.json": "encoding",
  "i_string_overlong_sequence_2_bytes.json": "encoding",
  "i_string_overlong_sequence_6_bytes.json": "encoding",
  "i_string_overlong_sequence_6_bytes_null.json": "encoding",
  "i_string_truncated-utf-8.json": "encoding",
  "i_string_utf16BE_no_BOM.json": "syntax",
  "i_string_utf16LE_no_BOM.json": "syntax",
  "i_structure_500_nested_arrays.json": "accepted",
  "i_structure_UTF-8_BOM_empty_object.json": "encoding",
};

const folder = sharedPath("suites", "json-test-suite");

describe.skipIf(folder === undefined).each([
  ["WebAssembly", wasmScanners],
  ["JavaScript", scriptOnlyScanner],
])("JSONTestSuite in %s", (_, source) => {
  const scanJson = (bytes: Uint8Array, options: ScanOptions = {}) =>
    scanWith(bytes, options, source);
  const names = folder === undefined ? [] : readdirSync(folder).filter((n) => /^[yni]_/.test(n));
  const read = (name: string): Uint8Array => readFileSync(join(folder ?? "", name));

  it("is complete", () => {
    const count = (letter: string) => names.filter((name) => name.startsWith(letter)).length;
    expect({ y: count("y"), n: count("n"), i: count("i") }).toEqual({ y: 95, n: 188, i: 35 });
    expect(Object.keys(FREE).sort()).toEqual(names.filter((n) => n.startsWith("i_")).sort());
  });

  it.each(names.filter((name) => name.startsWith("y_")))("accepts %s", (name) => {
    const bytes = read(name);
    expect(scanJson(bytes, { duplicates: true, numbers: true }).error).toBeUndefined();
    const text = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(bytes);
    expect(parseJson(bytes)).toEqual({ ok: true, value: JSON.parse(text) });
  });

  it.each(names.filter((name) => name.startsWith("n_")))("refuses %s", (name) => {
    const bytes = read(name);
    const { error } = scanJson(bytes, { maxDepth: Number.POSITIVE_INFINITY });
    expect(error?.code).toMatch(/^(syntax|encoding|trailing)$/);
    expect(error?.offset).toBeLessThanOrEqual(bytes.length);
    expect(parseJson(bytes)).toMatchObject({ ok: false });
  });

  it.each(Object.entries(FREE))("gives for %s: %s", (name, verdict) => {
    expect(scanJson(read(name)).error?.code ?? "accepted").toBe(verdict);
  });
});

describe.skipIf(folder === undefined)("JSONTestSuite", () => {
  it("is read the same by all scanners", long, () => {
    for (const name of readdirSync(folder ?? "").filter((each) => /^[yni]_/.test(each))) {
      const bytes = readFileSync(join(folder ?? "", name));
      expect.soft(disagreement(bytes), name).toBeUndefined();
    }
  });
});
