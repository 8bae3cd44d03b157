import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { long, sample } from "../testing/sample.ts";
import { hashKey, hashKeySteps } from "./keys.ts";
import { locateWith } from "./locate.ts";
import { scanJsonSteps } from "./scan-steps.ts";
import { decodeString, decodeStringStart, sameStrings } from "./string.ts";
import { encodeUtf8 } from "./text.ts";
import { runSteps } from "./walk.ts";
import { scriptOnlyScanner, wasmScanners } from "./wasm/source.ts";

const MIB = 1_048_576;

/** A character, and the ways to write it in a JSON string. */
const unit = fc
  .tuple(
    fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
      fc.constantFrom("a", "é", "\ufdfa", "😀", '"', "\\", "\n", "\ud83d", "\ude00"),
    ),
    fc.boolean(),
  )
  .map(([text, escaped]) => {
    const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
    const long = units.map((code) => `\\u${code.toString(16).padStart(4, "0")}`).join("");
    return escaped ? long : JSON.stringify(text).slice(1, -1);
  });
const written = fc.array(unit, { maxLength: 40 }).map((units) => units.join(""));
/** Two spellings, often of the same text. */
const pair = fc.oneof(
  fc.tuple(written, written),
  written.map((text) => [text, JSON.stringify(JSON.parse(`"${text}"`)).slice(1, -1)] as const),
);

afterEach(() => void vi.restoreAllMocks());

describe("strings that are compared as they are written", () => {
  it("are the same if they are decoded to the same text", () => {
    const isSame = fc.property(pair, ([one, two]) => {
      const bytes = encodeUtf8(`${one}"${two}`);
      const end = encodeUtf8(one).length;
      const decoded = [decodeString(bytes, 0, end), decodeString(bytes, end + 1, bytes.length)];
      expect(sameStrings(bytes, 0, end, end + 1, bytes.length)).toBe(decoded[0] === decoded[1]);
    });
    fc.assert(isSame, { numRuns: sample(1_000, 20_000) });
  });

  it("have the hash of their text, whatever the size of a step", () => {
    const hasHash = fc.property(written, fc.integer({ min: 1, max: 50 }), (text, step) => {
      const bytes = encodeUtf8(text);
      const hash = hashKey(bytes, 0, bytes.length);
      expect(runSteps(hashKeySteps(bytes, 0, bytes.length, step))).toBe(hash);
    });
    fc.assert(hasHash, { numRuns: sample(1_000, 20_000) });
  });

  it("begin with the characters that they begin with", () => {
    const begins = fc.property(written, fc.nat({ max: 45 }), (text, most) => {
      const bytes = encodeUtf8(text);
      const whole = [...decodeString(bytes, 0, bytes.length)];
      const expected = whole.length > most ? whole.slice(0, most).join("") : undefined;
      expect(decodeStringStart(bytes, 0, bytes.length, most)).toBe(expected);
    });
    fc.assert(begins, { numRuns: sample(1_000, 20_000) });
  });
});

/** Returns the length in bytes of the longest text that is decoded while `run` runs. */
function longestDecoded(run: () => void): number {
  const decode = vi.spyOn(TextDecoder.prototype, "decode");
  run();
  return Math.max(0, ...decode.mock.calls.map(([bytes]) => bytes?.byteLength ?? 0));
}

describe.each([
  ["ASCII", "x".repeat(6 * MIB), "x".repeat(6 * MIB)],
  ["characters of three bytes", "\ufdfa".repeat(2 * MIB), "\ufdfa".repeat(2 * MIB)],
  ["escapes", "\\u00e9".repeat(MIB), "é".repeat(MIB)],
])("a key of megabytes of %s", (_, key, again) => {
  it("is read in steps and not decoded, also twice in its object", long, () => {
    const bytes = encodeUtf8(`{"a":{"${key}":1,"b":2,"${again}":3}}`);
    let [steps, found] = [0, 0];
    const decoded = longestDecoded(() => {
      const scanning = scanJsonSteps(bytes, { duplicates: true });
      let step = scanning.next();
      for (; step.done !== true; step = scanning.next()) steps += 1;
      found = step.value.duplicates.length;
      expect(step.value.duplicates[0]?.path).toMatch(/^\/a\/.{4096}…$/u);
    });
    expect(found).toBe(1);
    // Skipping and hashing it takes one step each for 131,072 bytes.
    expect(steps).toBeGreaterThan((1.5 * bytes.length) / 131_072);
    expect(decoded).toBeLessThan(50_000);
  });

  it.each([
    ["WebAssembly", wasmScanners],
    ["JavaScript", scriptOnlyScanner],
  ])("is skipped unread in an outline in %s", (_name, source) => {
    const text = `{"${key}":1,"id":7,"${again}":{"id":8},"\\u0069d":9}`;
    const bytes = encodeUtf8(text);
    let located: ReturnType<typeof locateWith> | undefined;
    const decoded = longestDecoded(() => {
      located = locateWith(bytes, { members: { id: true } }, source);
    });
    expect(located?.error).toBeUndefined();
    expect(located?.root).toEqual({ start: 0, end: bytes.length });
    const id = located?.members.get("/id");
    expect(id && text[bytes.length === text.length ? id.start : text.length - 2]).toBe("9");
    expect(decoded).toBeLessThan(50_000);
  });
});

describe("an outline", () => {
  const outline = (text: string) =>
    locateWith(encodeUtf8(text), { members: { id: true } }, wasmScanners);

  it.each([1_018, 1_019, 1_020, 1_021, 1_022, 1_023, 1_024, 1_025, 4_097, 65_535])(
    "finds the end of a key whose last character comes after %i bytes",
    (length) => {
      for (const last of ["a", "é", "\ufdfa", "😀", '\\"', "\\\\", "\\u00e9"]) {
        const text = `{"${"x".repeat(length)}${last}":[${"0,".repeat(40_000)}0],"id":7}`;
        expect(outline(text).error).toBeUndefined();
        expect(outline(text).members.has("/id")).toBe(true);
      }
    },
  );

  it("does not check a key of more than 1,024 bytes, but a shorter one", () => {
    const filler = `"b":[${"0,".repeat(40_000)}0]`;
    expect(outline(`{"${"x".repeat(2_000)}\\q":1,${filler}}`).error).toBeUndefined();
    expect(outline(`{"${"x".repeat(500)}\\q":1,${filler}}`).error).toMatchObject({
      code: "syntax",
    });
    expect(outline(`{"${"x".repeat(70_000)}`).error).toMatchObject({ code: "syntax" });
  });
});
