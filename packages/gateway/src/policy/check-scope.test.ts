import { compileDeclared } from "@touchstone/core/advanced";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  coversCheckScope,
  readCheckScope,
  repairedText,
} from "../../../records/src/rollout/check-scope.ts";
import { checkOptions, DEFAULT_SETTINGS, type InputCheckSettings } from "../settings/validation.ts";
import { checkScopeOf, checkScopeToken } from "./check-scope.ts";

const schema = compileDeclared({
  value: {
    type: "object",
    properties: {
      a: { type: "integer", maximum: 9 },
      b: { type: "object", properties: { c: { type: "string" } }, additionalProperties: false },
      d: { enum: [1, "x"] },
    },
    required: ["a"],
  },
});

/** Generates the first value most often. */
const mostly = <const T>(first: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(first) },
    ...others.map((other) => fc.constant(other)),
  );
const rules = fc.dictionary(
  fc.constantFrom("type", "required", "extra", "value", "guard", "/a", "/b/*", "/**", "/zz"),
  fc.constantFrom("violation", "warning", "ignore"),
  { maxKeys: 2 },
);
const { input: byDefault } = DEFAULT_SETTINGS;
/** Each setting has its default in half the cases, so that often only one setting differs. */
const settings: fc.Arbitrary<InputCheckSettings> = fc
  .record(
    {
      rules,
      undeclared: mostly("allow", "warning", "violation"),
      undeclaredAt: fc.constantFrom("root", "deep"),
      maxBytes: mostly(byDefault.maxBytes, byDefault.maxBytes * 2, 24),
      maxDepth: mostly(byDefault.maxDepth, byDefault.maxDepth * 2, 1, 2),
    },
    { requiredKeys: [] },
  )
  .map((some) => ({ ...byDefault, ...some }));
const scalar = mostly<unknown>(1, 99, "x", null, 1.5);
const member = fc.dictionary(fc.constantFrom("c", "e"), scalar);
const declared = { a: scalar, b: member, d: scalar };
const value = fc.oneof(
  fc.record(declared, { requiredKeys: ["a"] }),
  fc.record(declared, { requiredKeys: [] }),
  fc.constant({ a: 1 }),
  fc.record({ ...declared, zz: member }, { requiredKeys: ["a"] }),
);

/** Returns whether a check has no findings that a record could show: issues that are ignored do not count. */
function findsNothing(found: InputCheckSettings, text: string): boolean {
  const { outcome, treated } = schema.validateText(text, checkOptions(found));
  return outcome === "pass" || (treated?.violation === 0 && treated.warning === 0);
}

const any = fc.oneof(fc.constant(byDefault), settings);

const looks = (input: InputCheckSettings) => checkScopeOf({ ...DEFAULT_SETTINGS, input });

it("a check that found nothing shows that other settings find nothing, if it is said to", () => {
  let shown = 0;
  let not = 0;
  fc.assert(
    fc.property(any, any, value, (then, now, sent) => {
      const text = JSON.stringify(sent);
      if (!findsNothing(then, text)) return;
      const is = coversCheckScope(
        readCheckScope([checkScopeToken(then, "input") ?? ""]),
        looks(now),
        "input",
      );
      if (is) expect(findsNothing(now, text)).toBe(true);
      if (is) shown += 1;
      else if (!findsNothing(now, text)) not += 1;
    }),
    { numRuns: 2_000, seed: 1 },
  );
  // Both kinds of settings occurred.
  expect(Math.min(shown, not)).toBeGreaterThan(20);
});

it("the same settings show the same, in any order", () => {
  fc.assert(
    fc.property(settings, (some) => {
      const { rules: own, ...others } = some;
      const turned = Object.fromEntries(Object.entries(own).reverse());
      const same = { rules: turned, ...others } as InputCheckSettings;
      expect(checkScopeToken(same, "input")).toBe(checkScopeToken(some, "input"));
      expect(
        coversCheckScope({ token: checkScopeToken(some, "input") }, looks(same), "input"),
      ).toBe(true);
    }),
    { seed: 1 },
  );
});

it.each([
  [["pass"], {}],
  [["uncompilable", "external_reference"], {}],
  [["pass", "less:0123456789"], { token: "less:0123456789" }],
  [
    ["pass", "mixed:0123456789", "repaired:a+b"],
    { token: "mixed:0123456789", repairs: ["a", "b"] },
  ],
  [["pass", "fewer:0123456789", "less:1"], {}],
])("reads %j", (words, found) => expect(readCheckScope(words)).toEqual(found));

it("writes each kind of repair once", () => {
  expect(repairedText(["b", "a", "b"])).toBe(" repaired:a+b");
  expect(repairedText([])).toBe("");
});
