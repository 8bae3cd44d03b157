import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  escapePointer,
  fragmentTokens,
  joinPointer,
  pointerTokens,
  unescapePointer,
  valueAt,
} from "./pointer.ts";

const name = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom(..."~01/%#") }),
);

describe("JSON Pointers", () => {
  it("unescape any escaped name", () => {
    fc.assert(fc.property(name, (text) => unescapePointer(escapePointer(text)) === text));
  });

  it("lead back to the names that they were made of, in a fragment too", () => {
    fc.assert(
      fc.property(fc.array(name), (names) => {
        const pointer = names.reduce(joinPointer, "");
        expect(pointerTokens(pointer)).toEqual(names);
        const wellFormed = pointer.toWellFormed();
        expect(fragmentTokens(`#${encodeURIComponent(wellFormed).replaceAll("%2F", "/")}`)).toEqual(
          pointerTokens(wellFormed),
        );
      }),
    );
  });

  // The examples of RFC 6901, sections 5 and 6.
  it.each([
    ["", "#", undefined],
    ["/foo/0", "#/foo/0", "bar"],
    ["/", "#/", 0],
    ["/a~1b", "#/a~1b", 1],
    ["/c%d", "#/c%25d", 2],
    ["/m~0n", "#/m~0n", 8],
  ])("find the target of %j", (pointer, fragment, value) => {
    const document = { foo: ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "m~n": 8 };
    expect(fragmentTokens(fragment)).toEqual(pointerTokens(pointer));
    expect(valueAt(document, pointerTokens(pointer))).toEqual({ value: value ?? document });
  });

  it.each(["#/%", "#foo", "/foo", ""])("do not accept %j as a fragment", (fragment) => {
    expect(fragmentTokens(fragment)).toBeUndefined();
  });

  it.each([[["length"]], [["00"]], [["-"]], [["2"]], [["0", "length"]], [["toString"]]])(
    "find nothing at %j",
    (tokens) => {
      expect(valueAt(["text", null], tokens)).toBeUndefined();
      expect(valueAt({ length: undefined }, ["length"])).toEqual({ value: undefined });
    },
  );
});
