import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeFragment, fragmentToken, resolveUri } from "./uri.ts";

describe("resolveUri", () => {
  it.each([
    ["http://a/b/c", "d", "http://a/b/d", ""],
    ["http://a/b/c", "../d#x", "http://a/d", "x"],
    ["http://a/b/c", "#x#y", "http://a/b/c", "x#y"],
    ["http://a/b/c?q", "", "http://a/b/c?q", ""],
    ["http://a/b", "//h/p", "http://h/p", ""],
    ["http://A/%7eb", "HTTP://a/~b", "http://a/~b", ""],
    [
      "urn:uuid:deadbeef-1234-ffff-ffff-4321feebdaed",
      "#/$defs/a",
      "urn:uuid:deadbeef-1234-ffff-ffff-4321feebdaed",
      "/$defs/a",
    ],
    ["schema://document/", "urn:example:1/406/47452/2", "urn:example:1/406/47452/2", ""],
    ["schema://document/", "file:///c:/folder/file.json", "file:///c:/folder/file.json", ""],
    ["schema://document/", "item.json", "schema://document/item.json", ""],
  ])("resolves %s with %s", (base, reference, uri, fragment) => {
    expect(resolveUri(base, reference)).toEqual({ uri, fragment });
  });

  it.each(["http://[::1", "%zz"])("refuses %s", (reference) => {
    expect(resolveUri("http://a/b", reference)).toBeUndefined();
  });

  it("resolves paths as the URL standard does", () => {
    const segment = fc.constantFrom("a", "b.json", ".", "..", "c-d");
    const path = fc.array(segment, { maxLength: 6 }).map((parts) => parts.join("/"));
    fc.assert(
      fc.property(path, path, (basePath, relative) => {
        // A colon or a double slash at the start would be another kind of reference.
        fc.pre(!relative.startsWith("//") && relative !== "" && !basePath.startsWith("/"));
        const base = new URL(`http://host/${basePath}`).href;
        expect(resolveUri(base, relative)?.uri).toBe(new URL(relative, base).href);
      }),
    );
  });

  it("never throws", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.string({ unit: "binary" }),
        (base, reference) => {
          resolveUri(base, reference);
          decodeFragment(reference);
        },
      ),
    );
  });
});

describe("fragmentToken", () => {
  it("decodes back to the token", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (token) => {
        const pointer = decodeFragment(fragmentToken(token));
        const plain = pointer?.replaceAll("~1", "/").replaceAll("~0", "~");
        expect(plain).toBe(token.toWellFormed());
      }),
    );
  });
});
