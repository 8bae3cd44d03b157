import fc from "fast-check";
import * as oracle from "typebox/format";
import { describe, expect, it } from "vitest";
import { formatCheck } from "./format.ts";

const text = (...parts: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...parts), { maxLength: 14 }).map((list) => list.join(""));

const URI = text(
  ..."a z 0 : / // ? # @ [ ] [::1] [v1.a] %41 % %4 ! $ + . - ~ http: é <".split(" "),
  " ",
  "",
);

describe("random texts agree with an independent implementation", () => {
  it.each<[string, fc.Arbitrary<string>, (value: string) => boolean]>([
    [
      "uri",
      fc.oneof(
        URI,
        URI.map((x) => `a:${x}`),
      ),
      oracle.IsUri,
    ],
    ["uri-reference", URI, oracle.IsUriReference],
    ["ipv6", fc.oneof(text(":", "::", "1", "abcd", "1.2.3.4", "."), fc.ipV6()), oracle.IsIPv6],
    ["ipv4", fc.oneof(text("1", "0", "25", "256", "."), fc.ipV4()), oracle.IsIPv4],
    [
      "uri-template",
      text(..."{ } a _ . , : * 1 0 + ? %41 % é 😀".split(" "), "{a", "a}"),
      oracle.IsUriTemplate,
    ],
    ["json-pointer", text("/", "a", "~", "~0", "~1", "é"), oracle.IsJsonPointer],
    [
      "duration",
      text("P", "T", "1", "Y", "M", "D", "H", "S", "W", "1Y", "1M").map((x) => `P${x}`),
      oracle.IsDuration,
    ],
    ["uuid", fc.oneof(fc.uuid(), text("a", "-", "0000", "00000000")), oracle.IsUuid],
    [
      "date",
      fc.oneof(
        fc.date({ noInvalidDate: true }).map((d) => d.toISOString().slice(0, 10)),
        fc
          .tuple(fc.nat(2500), fc.nat(14), fc.nat(33))
          .map((n) => n.map((x, i) => `${x}`.padStart(i === 0 ? 4 : 2, "0")).join("-")),
      ),
      oracle.IsDate,
    ],
    [
      "time",
      fc
        .tuple(
          fc.nat(25),
          fc.nat(61),
          fc.constantFrom("00", "59", "60", "61", "60.5", "1"),
          fc.constantFrom("", "Z", "z", "+00:00", "-01:30", "+23:59", "+24:00", "+0100"),
        )
        .map(([h, m, s, z]) => `${`${h}`.padStart(2, "0")}:${`${m}`.padStart(2, "0")}:${s}${z}`),
      (value) => oracle.IsTime(value),
    ],
  ])("for %s", (name, texts, judge) => {
    const check = formatCheck(name);
    fc.assert(
      fc.property(texts, (value) => {
        expect(check?.(value)).toBe(judge(value));
      }),
      { numRuns: 3000 },
    );
  });
});

describe("arbitrary texts", () => {
  it("make no format throw", () => {
    const names = ["email", "idn-email", "hostname", "idn-hostname", "iri", "regex", "url"];
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), (a, b) => {
        for (const name of names) {
          expect(formatCheck(name)?.(a + b)).toBeTypeOf("boolean");
          expect(formatCheck(name)?.(`${b}@${a}.com`)).toBeTypeOf("boolean");
        }
      }),
    );
  });
});
