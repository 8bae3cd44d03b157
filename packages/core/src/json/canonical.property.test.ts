import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { long, sample } from "../testing/sample.ts";
import { canonicalText, canonicalTextSteps } from "./canonical.ts";
import { writeCanonicalSteps } from "./canonical-writer.ts";
import { canonicalOracle } from "./testing/canonical-oracle.ts";
import { encodeUtf8 } from "./text.ts";
import { runSteps } from "./walk.ts";

const space = fc.constantFrom("", "", "", " ", "\n\t ", " ".repeat(40));
const character = fc.oneof(
  fc.constantFrom(..."abk0\u007f\u00e9\u20ac\ud7ff\ue000\uee00\uffee\u{10000}\u{10ffff}😀"),
  fc.constantFrom(
    "\\u0061",
    '\\"',
    "\\\\",
    "\\/",
    "\\n",
    "\\u0000",
    "\\u001F",
    "\\u2028",
    "\\uFFEE",
  ),
  // Surrogates: alone, as a pair, and in the wrong order.
  fc.constantFrom("\\uD800", "\\ud83d\\ude00", "\\uDE00\\uD83D", "\\uDBFF"),
);
const string = fc.oneof(
  fc.array(character, { maxLength: 6 }).map((all) => `"${all.join("")}"`),
  // Keys whose first difference comes after the characters that are compared first.
  fc.array(character, { maxLength: 2 }).map((all) => `"${"k".repeat(600)}${all.join("")}"`),
);
const digits = fc
  .array(fc.constantFrom(..."0001239"), { maxLength: 25 })
  .map((all) => all.join(""));
const filled = fc.tuple(digits, fc.constantFrom(0, 0, 0, 450), fc.constantFrom("0", "7"));
const run = filled.map(([text, length, digit]) => text + digit.repeat(length));
const number = fc
  .record({
    sign: fc.constantFrom("", "-"),
    whole: run.map((all) => all.replace(/^0+/, "") || "0"),
    fraction: fc.option(run.map((all) => `.${all}1`.slice(0, -1) || ".0")),
    exponent: fc.option(
      fc.tuple(
        fc.constantFrom("e", "E+", "e-"),
        fc.oneof(digits, fc.constantFrom("7", "309", "400")),
      ),
    ),
  })
  .map(({ sign, whole, fraction, exponent }) => {
    const part = fraction === null ? "" : fraction === "." ? ".0" : fraction;
    return `${sign}${whole}${part}${exponent === null ? "" : `${exponent[0]}${exponent[1]}1`}`;
  });
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    string,
    number,
    fc.constantFrom("true", "false", "null", "{}", "[ ]"),
    fc
      .array(fc.tuple(space, tie("json"), space))
      .map((items) => `[${items.map((item) => item.join("")).join(",")}]`),
    fc
      .array(fc.tuple(space, string, space, tie("json"), space), { maxLength: 12 })
      .map((members) => {
        const texts = members.map(([a, key, b, value, c]) => `${a}${key}${b}:${value}${c}`);
        return `{${texts.join(",")}}`;
      }),
  ),
}));

describe("canonicalText", () => {
  it("is what the plain way makes of any text, whatever the size of a step", long, () => {
    fc.assert(
      fc.property(json, space, fc.integer({ min: 1, max: 300 }), (text, around, stepBytes) => {
        const source = around + text + around;
        const wanted = canonicalOracle(source);
        expect(canonicalText(source)).toBe(wanted);
        expect(runSteps(canonicalTextSteps(source, { stepBytes }))).toBe(wanted);
      }),
      { numRuns: sample(400, 2_000) },
    );
  });
});

describe("steps", () => {
  const large: readonly [string, () => string][] = [
    ["numbers", () => `[${Array(200_000).fill("1.50").join()}]`],
    ["keys", () => `{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":${i}`).join()}}`],
    ["objects", () => `[${Array(60_000).fill('{"b":1,"a":2}').join()}]`],
    ["empty objects", () => `[${Array(300_000).fill("{}").join()}]`],
    ["levels", () => `${'{"b":1,"a":'.repeat(9_000)}0${"}".repeat(9_000)}`],
    ["one string", () => `"${"x".repeat(1_000_000)}"`],
    ["escapes", () => `"${"\\u0061".repeat(200_000)}"`],
    ["white space", () => `[${" ".repeat(1_000_000)}]`],
    ["two long keys", () => `{"${"\\u0061".repeat(99_999)}c":1,"${"\\u0061".repeat(99_999)}b":2}`],
    ["one number", () => `-${"12".repeat(400_000)}.5e3`],
    ["digits of an exponent", () => `1${"0".repeat(500)}e${"0".repeat(900_000)}7`],
  ];
  it.each(large)("are as many as a text has bytes to look at: %s", (_what, make) => {
    const bytes = encodeUtf8(make());
    const stepBytes = 4_096;
    let taken = 1;
    let written = 0;
    let longest = 0;
    const sink = (piece: Uint8Array): void => {
      written += piece.length;
      longest = Math.max(longest, written);
    };
    const steps = writeCanonicalSteps(bytes, sink, { stepBytes });
    for (let step = steps.next(); step.done !== true; step = steps.next()) {
      taken += 1;
      written = 0;
    }
    expect(taken).toBeGreaterThan(bytes.length / stepBytes);
    // In any step.
    expect(longest).toBeLessThanOrEqual(65_536);
  });
});
