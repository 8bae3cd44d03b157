import { runSteps } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listedNamesSteps, mayBeShortName, shortName } from "./short-names.ts";

const SETTINGS = { max: 64, prefixLength: 0 };
const LONG = "list_".repeat(20);

describe("shortName", () => {
  it.each([
    [LONG, SETTINGS, "list_list_list_list_list_list_list_list_list_list_lis_44syxww5ht"],
    [LONG, { max: 64, prefixLength: 36 }, "list_list_list_li_44syxww5ht"],
    ["a/b.c", SETTINGS, "a_b_c_ybrakfeppa"],
    ["7 up", SETTINGS, "_7_up_ghepmjr2kr"],
    ["\u{1f600}", SETTINGS, "__6bcdunbml3"],
    ["", SETTINGS, "__4oymiquy7q"],
  ])("of %j is always the same", (name, settings, short) => {
    expect(shortName(name, settings)).toBe(short);
    expect(mayBeShortName(short)).toBe(true);
  });
});

describe("listedNamesSteps", () => {
  it("keeps names that every client accepts, and maps the others back", () => {
    const { listed, own } = runSteps(listedNamesSteps(["get_it", "a.b", LONG], SETTINGS));
    expect(["get_it", "a.b", LONG].map(listed)).toEqual([
      "get_it",
      shortName("a.b", SETTINGS),
      shortName(LONG, SETTINGS),
    ]);
    for (const name of ["get_it", "a.b", LONG]) {
      expect(own(name)).toBe(name);
      expect(own(listed(name) ?? "")).toBe(name);
    }
    expect(own("a_b")).toBeUndefined();
  });

  it("never gives one tool the name of another", () => {
    const short = shortName("a.b", SETTINGS);
    const long = shortName("a.b", SETTINGS, true);
    const one = runSteps(listedNamesSteps([short, "a.b"], SETTINGS));
    expect([short, "a.b"].map(one.listed)).toEqual([short, long]);
    expect([short, long].map(one.own)).toEqual([short, "a.b"]);
    const both = runSteps(listedNamesSteps([short, long, "a.b"], SETTINGS));
    expect([short, long, "a.b"].map(both.listed)).toEqual([short, long, undefined]);
    expect([short, long].map(both.own)).toEqual([short, long]);
  });

  it("is one-to-one and depends only on the names", () => {
    const names = fc.array(
      fc.oneof(fc.string(), fc.string({ unit: "grapheme", minLength: 60, maxLength: 90 })),
    );
    const room = fc.record({
      max: fc.integer({ min: 24, max: 128 }),
      prefixLength: fc.constant(0),
    });
    fc.assert(
      fc.property(names, room, (all, settings) => {
        const { listed, own } = runSteps(listedNamesSteps(all, settings));
        const again = runSteps(listedNamesSteps([...all].reverse(), settings));
        const shown = [...new Set(all)].map(listed);
        expect(new Set(shown).size).toBe(shown.length);
        for (const name of all) {
          const seen = listed(name) ?? "";
          expect(seen).toMatch(/^[A-Za-z_][A-Za-z0-9_-]*$/);
          expect(seen.length).toBeLessThanOrEqual(settings.max);
          expect([own(seen), own(name), again.listed(name)]).toEqual([name, name, seen]);
        }
      }),
    );
  });
});
