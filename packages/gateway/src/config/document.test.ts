import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDocument, pathKey } from "./document.ts";

describe("parseDocument", () => {
  it("agrees with JSON.parse on every JSON text, and places each value", () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), (text) => {
        const document = parseDocument(text);
        if ("faults" in document) throw new Error(document.faults[0]?.message);
        // A later duplicate wins in JSON.parse and `__proto__` is left out here: both are faults.
        if (document.duplicates.length + document.prototypes.length > 0) return;
        expect(document.value).toEqual(JSON.parse(text));
        expect(document.places.get(pathKey([]))?.value).toBe(text.search(/\S/));
      }),
    );
  });

  it("parses nesting that would overflow a recursive parser", () => {
    const faults = parseDocument("[".repeat(500_000));
    expect(faults).toMatchObject({ faults: [{ code: "TOO_DEEP", offset: 100 }] });
  });
});
