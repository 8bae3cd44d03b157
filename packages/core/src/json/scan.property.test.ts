import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JsonNode, jsonNode, jsonNodeText } from "../testing/json-text.ts";
import { PLAN } from "../testing/scan-agreement.ts";
import { isLossyNumber } from "./number.ts";
import { joinPointer } from "./pointer.ts";
import type { ScanOptions } from "./range.ts";
import { scanWith } from "./scan.ts";
import { decodeUtf8, encodeUtf8 } from "./text.ts";
import { walkJson } from "./walk.ts";
import { wasmScanners } from "./wasm/source.ts";

const OPTIONS = { members: PLAN, duplicates: true, numbers: true };

interface Expected {
  depth: number;
  keys: number;
  duplicates: string[];
  lossy: string[];
}

/** What a scan of the tree must find, by walking the tree instead of the text. */
function expectedOf(root: JsonNode): Expected {
  const expected: Expected = { depth: 0, keys: 0, duplicates: [], lossy: [] };
  const walk = (node: JsonNode, path: string, level: number, counts: boolean): void => {
    expected.depth = Math.max(expected.depth, level);
    if (node.kind === "scalar") {
      if (counts && node.number && isLossyNumber(node.text)) expected.lossy.push(path);
    } else if (node.kind === "array") {
      for (const [index, item] of node.items.entries()) {
        walk(item, joinPointer(path, index), level + 1, counts);
      }
    } else {
      const names = node.members.map(({ key }) => JSON.parse(key) as string);
      for (const [index, { value }] of node.members.entries()) {
        const name = names[index] as string;
        const pointer = joinPointer(path, name);
        expected.keys++;
        if (names.indexOf(name) < index) expected.duplicates.push(pointer);
        walk(value, pointer, level + 1, counts && names.lastIndexOf(name) === index);
      }
    }
  };
  walk(root, "", 1, true);
  return expected;
}

const nodeAndText = fc
  .tuple(jsonNode, fc.nat())
  .map(([node, seed]) => ({ node, bytes: encodeUtf8(jsonNodeText(node, seed)) }));

describe.each([
  [
    "in WebAssembly",
    (bytes: Uint8Array, options: ScanOptions) => scanWith(bytes, options, wasmScanners),
  ],
  ["in JavaScript", walkJson],
])("scanJson %s", (_, scanJson) => {
  it("finds what the text was built from", () => {
    fc.assert(
      fc.property(nodeAndText, ({ node, bytes }) => {
        const scan = scanJson(bytes, OPTIONS);
        const expected = expectedOf(node);
        expect(scan.error).toBeUndefined();
        expect(scan.depth).toBe(expected.depth);
        expect(scan.keys).toBe(expected.keys);
        expect(scan.duplicates.map(({ path }) => path)).toEqual(expected.duplicates);
        expect(scan.lossyNumbers.map(({ path }) => path)).toEqual(expected.lossy);
        expect(decodeUtf8(bytes, scan.root.start, scan.root.end)).toBe(decodeUtf8(bytes).trim());
        for (const { path, offset } of scan.duplicates) {
          const key = /^"(?:[^"\\]|\\.)*"/.exec(decodeUtf8(bytes, offset))?.[0] ?? "";
          const name = JSON.parse(key) as string;
          expect(path.endsWith(joinPointer("", name))).toBe(true);
        }
        for (const { source, offset } of scan.lossyNumbers) {
          expect(decodeUtf8(bytes, offset, offset + source.length)).toBe(source);
        }
        const numbersOnly = scanJson(bytes, { numbers: true });
        expect(numbersOnly.lossyNumbers).toEqual(scan.lossyNumbers);
        expect(numbersOnly.duplicates).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });
});
