import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonNode, jsonNodeText } from "../testing/json-text.ts";
import { eachOf, sample } from "../testing/sample.ts";
import { disagreement, platformDisagreement } from "../testing/scan-agreement.ts";
import { decodeUtf8, encodeUtf8 } from "./text.ts";

const text = fc
  .tuple(jsonNode, fc.nat())
  .map(([node, seed]) => encodeUtf8(jsonNodeText(node, seed)));

const edit = fc.record({
  at: fc.nat(),
  remove: fc.nat({ max: 3 }),
  insert: fc.oneof(
    fc.constantFrom(...'[]{},:"\\/ \n0123456789.eE+-tfnu\u0000\u007f').map(encodeUtf8),
    fc.uint8Array({ maxLength: 3 }),
  ),
});

const edited = fc
  .tuple(text, fc.array(edit, { minLength: 1, maxLength: 3 }))
  .map(([whole, edits]) => {
    let bytes: Uint8Array = whole;
    for (const { at, remove, insert } of edits) {
      const start = at % (bytes.length + 1);
      const [before, after] = [bytes.subarray(0, start), bytes.subarray(start + remove)];
      bytes = Uint8Array.of(...before, ...insert, ...after);
    }
    return bytes;
  });

const tokens = fc
  .array(
    fc.constantFrom(
      ...'[]{},:"\\ \n\t\r0123456789.eE+-',
      ...["true", "false", "null", '"a"', '"\\u00', "1.5", '{"a":', "nul", "\v", "\ufeff"],
    ),
    { maxLength: 8 },
  )
  .map((parts) => encodeUtf8(parts.join("")));

/** Strings, keys and spaces around the sizes at which the loops in WebAssembly begin another block. */
const blocks = fc
  .record({
    space: fc.nat({ max: 70 }),
    length: fc.nat({ max: 140 }),
    unit: fc.constantFrom("a", "é", "\\n", "\\\\", '\\"', "\\u00e9", "\\ud83d\\ude00", "{", "]"),
    key: fc.nat({ max: 40 }),
  })
  .map(({ space, length, unit, key }) => {
    const gap = " ".repeat(space);
    const string = `"${"x".repeat(space % 7)}${unit.repeat(length)}"`;
    return encodeUtf8(`${gap}{"${"k".repeat(key)}":${gap}[${string}${gap},[]],"id"${gap}:1}${gap}`);
  });

/** Texts longer than one window of the scanner in WebAssembly, with brackets where a window ends. */
const long = fc
  .tuple(fc.array(text, { minLength: 1, maxLength: 3 }), fc.integer({ min: 65_300, max: 65_700 }))
  .map(([texts, length]) => {
    const items = texts.map((bytes) => decodeUtf8(bytes));
    const filler = `"${"\\\\é".repeat(length >> 2)}${"x".repeat(length % 4)}"`;
    const inner = [...items, ...Array<string>(20).fill("[[ ]]")].join();
    return encodeUtf8(`{"a":[${filler},[${inner}]],"params":{"arguments":[${filler},{}]},"id":[]}`);
  });

/** Texts longer than one window, with objects that have many members, of which some are in the plan. */
const members = fc
  .record({
    values: fc.array(text, { minLength: 1, maxLength: 4 }),
    names: fc.array(
      fc.constantFrom("id", "\\u0069d", "method", "a", "b", "params", "é", "k\\n", "K".repeat(90)),
      { minLength: 1, maxLength: 5 },
    ),
    space: fc.constantFrom("", " ", "\n  "),
    cut: fc.nat({ max: 200_000 }),
  })
  .map(({ values, names, space, cut }) => {
    const items = values.map((bytes) => decodeUtf8(bytes));
    const own = Array.from({ length: 5_000 }, (_, i) => {
      const name = names[i % (names.length + 9)] ?? `k${i}`;
      return `${space}"${name}"${space}:${i % 1_000 === 0 ? items[(i / 1_000) % items.length] : i}`;
    }).join();
    const whole = encodeUtf8(`{"id":1,"params":{${own}},${own}}`);
    return cut < 150_000 ? whole : whole.subarray(0, cut);
  });

describe("scanJson in JavaScript and WebAssembly, and locateJson", () => {
  eachOf(
    [
      ["random texts", text, sample(150, 500)],
      ["texts with changed bytes", edited, sample(250, 1000)],
      ["strings of tokens", tokens, sample(500, 2000)],
      ["texts that fill blocks", blocks, sample(150, 500)],
      ["texts longer than a window", long, sample(12, 40)],
      ["texts with many members", members, sample(4, 20)],
      ["any bytes", fc.uint8Array({ maxLength: 200 }), sample(150, 500)],
    ],
    3,
  )("agree on %s", (_, arbitrary, numRuns) => {
    fc.assert(
      fc.property(arbitrary, (bytes: Uint8Array) => {
        expect(disagreement(bytes)).toBeUndefined();
      }),
      { numRuns },
    );
  });

  it("agree on texts cut off at every byte", () => {
    fc.assert(
      fc.property(text, (bytes) => {
        for (let end = 0; end < bytes.length; end++) {
          expect(disagreement(bytes.subarray(0, end))).toBeUndefined();
        }
      }),
      { numRuns: sample(2, 4) },
    );
  });

  it("agree on what is valid UTF-8", () => {
    const byte = fc.oneof(
      fc.constantFrom(0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf),
      fc.constantFrom(0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff),
      fc.nat({ max: 0xff }),
    );
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 6 }), (content) => {
        const bytes = Uint8Array.of(0x22, ...content, 0x22);
        expect(platformDisagreement(bytes)).toBeUndefined();
        expect(disagreement(bytes)).toBeUndefined();
      }),
      { numRuns: sample(500, 2000) },
    );
  });
});
