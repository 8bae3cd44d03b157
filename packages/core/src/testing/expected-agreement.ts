import { compileDeclared } from "../compile.ts";
import type { ScanOptions } from "../json/range.ts";
import { scanWith } from "../json/scan.ts";
import { decodeUtf8 } from "../json/text.ts";
import { wasmScanners } from "../json/wasm/source.ts";
import { same } from "./same-scan.ts";

const OPTIONS: ScanOptions = {
  members: { a: true, params: { arguments: true }, result: { structuredContent: true } },
  duplicates: true,
  exact: true,
  unique: true,
};
const SCALAR = { type: ["string", "number", "boolean", "null"] };
const SCHEMAS = [
  {},
  { properties: { a: SCALAR, id: { type: "integer" } }, items: SCALAR },
  {
    additionalProperties: { anyOf: [SCALAR, { type: ["object", "array"], items: { $ref: "#" } }] },
  },
  { items: { oneOf: [{ type: "number", minimum: 0 }, { not: { type: "number" } }] } },
  // This schema reads most values twice.
  { anyOf: [{ items: SCALAR, maxItems: 1, maxProperties: 1 }, { not: { type: "null" } }] },
].map((value) => compileDeclared({ value }));

/**
 * Scans a text while values in it are checked: the whole value, and the members that hold the arguments and the results
 * of tools. @returns what differs from a scan and a check by itself, or undefined
 */
export function expectedDisagreement(bytes: Uint8Array): string | undefined {
  const alone = scanWith(bytes, OPTIONS, wasmScanners);
  const starts = new Set([alone.root, ...alone.members.values()].map(({ start }) => start));
  for (const start of starts) {
    for (const [index, schema] of SCHEMAS.entries()) {
      if (schema.image === undefined) return `schema ${index} has no image`;
      const expected = { start, image: schema.image };
      const { accepted, ...scan } = scanWith(bytes, { ...OPTIONS, expected }, wasmScanners);
      if (!same(scan, alone)) return `scan with schema ${index} expected at ${start}`;
      if (accepted === undefined) continue;
      const value: unknown = JSON.parse(decodeUtf8(bytes, start, accepted.end - bytes.byteOffset));
      if (!schema.isValid(value)) return `value at ${start} accepted by schema ${index}`;
    }
  }
  return undefined;
}
