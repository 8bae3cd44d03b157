import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JsonNode, jsonNode, jsonNodeText } from "../testing/json-text.ts";
import { isLossyNumber } from "./number.ts";
import { joinPointer } from "./pointer.ts";
import type { JsonScan, MemberPlan } from "./range.ts";
import { scanJson } from "./scan.ts";
import { decodeUtf8, encodeUtf8 } from "./text.ts";

const PLAN: MemberPlan = {
  id: true,
  a: { a: true, b: { "a/b": true } },
  params: { name: true, id: true, "": true, é: { "😀": true } },
};
const OPTIONS = { members: PLAN, duplicates: true, numbers: true };

/** The value, or undefined where the platform's own parser refuses the bytes. */
function platformParse(bytes: Uint8Array): { value: unknown } | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

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

/** Own members only, along the plan, as JSON.parse has them: of duplicates the last. */
function plannedValues(value: unknown, plan: MemberPlan, path: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  const found: Record<string, unknown> = {};
  for (const [name, inside] of Object.entries(plan)) {
    const member = Object.getOwnPropertyDescriptor(value, name);
    if (member === undefined) continue;
    const pointer = joinPointer(path, name);
    found[pointer] = member.value;
    if (inside !== true) Object.assign(found, plannedValues(member.value, inside, pointer));
  }
  return found;
}

function foundValues(bytes: Uint8Array, scan: JsonScan): Record<string, unknown> {
  return Object.fromEntries(
    [...scan.members].map(([pointer, { start, end }]) => [
      pointer,
      JSON.parse(decodeUtf8(bytes, start, end)),
    ]),
  );
}

/** The scan must agree with the platform on whether this is JSON, and on what the members hold. */
function expectAgreement(bytes: Uint8Array): void {
  const scan = scanJson(bytes, { ...OPTIONS, maxDepth: Number.POSITIVE_INFINITY });
  const parsed = platformParse(bytes);
  expect(scan.error === undefined).toBe(parsed !== undefined);
  const found = foundValues(bytes, scan);
  if (parsed !== undefined) expect(found).toEqual(plannedValues(parsed.value, PLAN, ""));
  if (scan.error !== undefined) {
    expect(scan.error.offset).toBeGreaterThanOrEqual(0);
    expect(scan.error.offset).toBeLessThanOrEqual(bytes.length);
  }
}

const nodeAndText = fc
  .tuple(jsonNode, fc.nat())
  .map(([node, seed]) => ({ node, bytes: encodeUtf8(jsonNodeText(node, seed)) }));

describe("scanJson", () => {
  it("finds in a text what its parts say", () => {
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
        expectAgreement(bytes);
      }),
      { numRuns: 1000 },
    );
  });

  it("agrees with JSON.parse on texts cut at every byte", () => {
    fc.assert(
      fc.property(nodeAndText, ({ bytes }) => {
        for (let cut = 0; cut < bytes.length; cut++) expectAgreement(bytes.subarray(0, cut));
      }),
      { numRuns: 60 },
    );
  });

  it("agrees with JSON.parse on texts with changed bytes", () => {
    const edit = fc.record({
      at: fc.nat(),
      remove: fc.nat({ max: 3 }),
      insert: fc.oneof(
        fc.constantFrom(...'[]{},:"\\/ \n0123456789.eE+-tfnu\u0000\u007f').map(encodeUtf8),
        fc.uint8Array({ maxLength: 3 }),
      ),
    });
    fc.assert(
      fc.property(nodeAndText, fc.array(edit, { minLength: 1, maxLength: 3 }), (text, edits) => {
        let bytes: Uint8Array = text.bytes;
        for (const { at, remove, insert } of edits) {
          const start = at % (bytes.length + 1);
          bytes = Uint8Array.of(
            ...bytes.subarray(0, start),
            ...insert,
            ...bytes.subarray(start + remove),
          );
        }
        expectAgreement(bytes);
      }),
      { numRuns: 3000 },
    );
  });

  it("agrees with JSON.parse on strings of tokens", () => {
    const token = fc.constantFrom(
      ...'[]{},:"\\ \n\t\r0123456789.eE+-',
      ...["true", "false", "null", '"a"', '"\\u00', "1.5", '{"a":', "nul", "\v", "\ufeff"],
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 8 }), (tokens) => {
        expectAgreement(encodeUtf8(tokens.join("")));
      }),
      { numRuns: 10_000 },
    );
  });

  it("agrees with TextDecoder on what is UTF-8", () => {
    const byte = fc.oneof(
      fc.constantFrom(0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf),
      fc.constantFrom(0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff),
      fc.nat({ max: 0xff }),
    );
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 6 }), (content) => {
        expectAgreement(Uint8Array.of(0x22, ...content, 0x22));
      }),
      { numRuns: 10_000 },
    );
  });

  it("never throws on any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expectAgreement(bytes);
      }),
      { numRuns: 2000 },
    );
  });
});
