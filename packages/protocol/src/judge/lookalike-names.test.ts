import { encodeUtf8, foldText, MAX_FOLDED, runSteps } from "@touchstone/core/advanced";
import fc from "fast-check";
import { expect, it } from "vitest";
import { readFrame } from "../read.ts";
import { foldNames, LONG_NAME, lookalikeName, lookalikeSteps } from "./lookalike-names.ts";

const NAMES = foldNames(["id", "method", "progressToken", "_meta"]);
const part = fc.constantFrom(
  ...["i", "d", "I", "D", "method", "METHOD", "meta", "progress", "Token", "to\u212aen"],
  ...["_", "\0", "\u0130", "\u0131", "\u017f", "\u1e9e", "\u{10400}", "é"],
);
const key = fc.oneof(
  fc.array(part, { maxLength: 6 }).map((parts) => parts.join("")),
  fc
    .tuple(fc.constantFrom("id", "method", "meta"), fc.nat({ max: 900 }))
    .map(([name, count]) => [...name].join("_".repeat(count % 300))),
  fc.string({ unit: "grapheme" }),
);

it("takes a key for the name that it is folded to, however long it is", () => {
  fc.assert(
    fc.property(key, (text) => {
      expect(lookalikeName(text, NAMES)).toBe(NAMES.get(foldText(text, "member") ?? text));
    }),
  );
  expect(lookalikeName(`${"_".repeat(500)}M_e\0thod${"_".repeat(500)}`, NAMES)).toBe("method");
});

it("takes the keys of an object in a message for the same names", () => {
  const named = (text: string) => lookalikeName(text, NAMES);
  // The members of this object are not located by a scan. For located members, only a second one would count.
  const start = '{"jsonrpc":"2.0","method":"m","params":{"inside":';
  fc.assert(
    fc.property(key, (text) => {
      const bytes = encodeUtf8(`${start}{${JSON.stringify(text)}:1}}}`);
      const range = { start: start.length, end: bytes.length - 2 };
      const expected = text.length > MAX_FOLDED ? LONG_NAME : named(text);
      const found = runSteps(lookalikeSteps(readFrame(bytes), range, NAMES, named));
      expect(found).toBe(expected);
    }),
  );
});
