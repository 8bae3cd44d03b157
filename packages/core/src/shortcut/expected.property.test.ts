import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonSchema, jsonValue } from "../engine/testing/arbitrary.ts";
import { plainGraph } from "../engine/testing/plain-graph.ts";
import type { ExpectedValue, JsonScan, ScanOptions } from "../json/range.ts";
import { scanWith } from "../json/scan.ts";
import { decodeUtf8, encodeUtf8 } from "../json/text.ts";
import { wasmScanners } from "../json/wasm/source.ts";
import { changed, randomFrom } from "../testing/changed-bytes.ts";
import { jsonNode, jsonNodeText } from "../testing/json-text.ts";
import { long, sample } from "../testing/sample.ts";
import { schemaImage } from "./schema-image.ts";
import { isTaken } from "./testing/is-taken.ts";
import { spelled } from "./testing/spelled.ts";
import { spoilt } from "./testing/spoilt.ts";

const OPTIONS: ScanOptions = {
  members: { id: true, result: { value: true } },
  duplicates: true,
  exact: true,
  unique: true,
};
const BEFORE = '{"id":1,"result":{"x":[{"x":[]}],"value":';
const AFTER = ',"y":{"y":{}}},"jsonrpc":"2.0"} ';

const schemas = jsonSchema({ proto: true, unevaluated: true, full: true });

const DECLARED = { properties: { a: { $ref: "#" }, b: {}, c: {} }, items: { $ref: "#" } };

const plain = (scan: JsonScan): JsonScan => ({ ...scan, members: new Map(scan.members) as never });

const ANYTHING = schemaImage(plainGraph({})) as Uint8Array;
const ACCEPTED = encodeUtf8(`${BEFORE}{"a":[{},[1,[2]]]}${AFTER}`);

/** Scans a text and checks a value on the way. Everything else in the result must be the same as without the check. */
function scanned(bytes: Uint8Array, expected: ExpectedValue): JsonScan {
  // First accepts a value at the same place of another text, so that a stale result would show.
  const before = { ...OPTIONS, expected: { start: BEFORE.length, image: ANYTHING } };
  expect(scanWith(ACCEPTED, before, wasmScanners).accepted).toBeDefined();
  const { accepted, ...rest } = scanWith(bytes, { ...OPTIONS, expected }, wasmScanners);
  const alone = scanWith(bytes, OPTIONS, wasmScanners);
  expect(plain(rest)).toEqual(plain(alone));
  if (accepted === undefined) return rest;
  expect(alone).toMatchObject({ exact: true, unique: true });
  return { ...rest, accepted };
}

describe("a value checked during the scan of the text around it", () => {
  it("is accepted if it is accepted on its own", () => {
    let yes = 0;
    fc.assert(
      fc.property(
        schemas,
        fc.array(fc.tuple(jsonValue, fc.nat()), { minLength: 4, maxLength: 12 }),
        (schema, values) => {
          const graph = plainGraph(schema);
          const image = schemaImage(graph);
          if (image === undefined) return;
          for (const [value, seed] of values) {
            const text = spelled(value, seed).trim();
            // The text does not begin at the start of its buffer, so offsets in the two differ.
            const bytes = encodeUtf8(`  ${BEFORE}${text}${AFTER}`).subarray(2);
            const { accepted } = scanned(bytes, { start: BEFORE.length, image });
            const own = encodeUtf8(text);
            const alone = wasmScanners.use(own.length, (scanner) => scanner.accept(own, image));
            const isContainer = /^[[{]/.test(text);
            expect(accepted !== undefined, text).toBe(alone === true && isContainer);
            if (accepted === undefined) continue;
            yes++;
            expect(accepted.buffer).toBe(bytes.buffer);
            expect(decodeUtf8(new Uint8Array(bytes.buffer), accepted.start, accepted.end)).toBe(
              text,
            );
            expect(isTaken(graph, text)).not.toBe(false);
          }
        },
      ),
      { numRuns: sample(400, 2000) },
    );
    expect(yes).toBeGreaterThan(sample(150, 1000));
  });

  it(
    "is never accepted in a text with a syntax error, a duplicate key or a number that no double can hold",
    long,
    () => {
      let yes = 0;
      const texts = fc.oneof(
        fc.tuple(jsonNode, fc.nat()).map(([node, seed]) => jsonNodeText(node, seed)),
        fc.tuple(jsonValue, fc.nat()).map(([value, seed]) => spelled(value, seed)),
      );
      fc.assert(
        fc.property(schemas, fc.array(texts, { minLength: 4 }), fc.nat(), (schema, all, seed) => {
          const graph = plainGraph(schema);
          const image = schemaImage(graph);
          if (image === undefined) return;
          const random = randomFrom(seed);
          for (const text of all) {
            const whole = encodeUtf8(BEFORE + text.trim() + AFTER);
            const bytes = random(3) === 0 ? whole : Uint8Array.from(changed(whole, random));
            const start = random(4) === 0 ? random(bytes.length + 2) : BEFORE.length;
            const { accepted } = scanned(bytes, { start, image });
            if (accepted === undefined) continue;
            yes++;
            expect(accepted.start).toBe(start);
            expect(isTaken(graph, decodeUtf8(bytes, start, accepted.end))).not.toBe(false);
          }
        }),
        { numRuns: sample(400, 2000) },
      );
      expect(yes).toBeGreaterThan(sample(60, 500));
    },
  );

  it("is no longer accepted if one of its keys occurs twice or one of its numbers is unfit", () => {
    let spoiled = 0;
    const some = fc.oneof({ weight: 4, arbitrary: schemas }, fc.constant(DECLARED));
    fc.assert(
      fc.property(some, fc.array(jsonValue, { minLength: 4 }), fc.nat(), (schema, all, seed) => {
        const image = schemaImage(plainGraph(schema));
        if (image === undefined) return;
        const random = randomFrom(seed);
        const expected = { start: BEFORE.length, image };
        for (const value of all) {
          const good = encodeUtf8(BEFORE + spelled(value, 1).trim() + AFTER);
          if (scanned(good, expected).accepted === undefined) continue;
          for (let i = 0; i < 4; i++) {
            const text = spoilt(value, random)?.trim();
            if (text === undefined) break;
            spoiled++;
            const { accepted } = scanned(encodeUtf8(BEFORE + text + AFTER), expected);
            expect(accepted, text).toBeUndefined();
          }
        }
      }),
      { numRuns: sample(200, 1000) },
    );
    expect(spoiled).toBeGreaterThan(sample(120, 1000));
  });
});
