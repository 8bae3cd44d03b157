import { describe, expect, it } from "vitest";
import { compileDeclared } from "../compile.ts";
import { DIALECTS, metaschemaUri } from "../keywords/dialect.ts";

const policy = (value: unknown) => compileDeclared({ value }, { dialect: "policy" });

describe("within and hosts in a server's schema", () => {
  const VALUES = [
    { within: ["/a"], hosts: ["a.example"] },
    { within: 5, hosts: [null] },
  ];

  it.each(DIALECTS)("have no effect in %s", (dialect) => {
    for (const keywords of VALUES) {
      for (const value of [keywords, { ...keywords, $schema: metaschemaUri(dialect) }]) {
        const schema = compileDeclared({ value }, { dialect });
        expect(schema.error).toBeUndefined();
        for (const text of ['"/etc/passwd"', "1", "[1]", "null"]) {
          expect(schema.validateText(text)).toMatchObject({ valid: true, outcome: "pass" });
          expect(schema.isValid(JSON.parse(text))).toBe(true);
        }
      }
    }
  });

  it.each([
    "policy",
    "urn:touchstone:policy",
    "https://json-schema.org/draft/2020-12/meta/policy",
    "https://json-schema.org/draft/2020-12/vocab/policy",
  ])("cannot be enabled by $schema: %s", (uri) => {
    const { error: fault } = compileDeclared({ value: { $schema: uri, within: ["/a"] } });
    expect(fault).toMatchObject({ code: "unknown_dialect", path: "/$schema" });
  });

  it.each(["https://json-schema.org/draft/2020-12/vocab/policy", "urn:touchstone:policy"])(
    "cannot be enabled by a vocabulary: %s",
    (uri) => {
      const metaschema = {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        $vocabulary: { "https://json-schema.org/draft/2020-12/vocab/core": true, [uri]: false },
      };
      const documents = { "https://a.example/meta": metaschema };
      const value = { $schema: "https://a.example/meta", within: ["/a"] };
      const schema = compileDeclared({ value }, { documents });
      expect(schema.error).toBeUndefined();
      expect(schema.validateText('"/etc"').valid).toBe(true);
    },
  );

  it("have no effect in a referenced document, except in a policy", () => {
    const documents = { "https://a.example/s": { within: ["/a"] } };
    const value = { $ref: "https://a.example/s" };
    expect(compileDeclared({ value }, { documents }).validateText('"/b"').valid).toBe(true);
    const own = compileDeclared({ value }, { documents, dialect: "policy" });
    expect(own.validateText('"/b"').valid).toBe(false);
  });
});

describe("the dialect of policies", () => {
  it.each([
    [{ witin: ["/a"] }, "/witin", /did you mean "within"/],
    [
      { properties: { p: { maxlength: 5 } } },
      "/properties/p/maxlength",
      /did you mean "maxLength"/,
    ],
    [{ items: { "x-note": 1 } }, "/items/x-note", /is not declared/],
    [{ dependencies: { a: ["b"] } }, "/dependencies", /is not declared/],
    [{ within: [] }, "/within", /at least 1 item/],
    [{ within: "/a" }, "/within", /must be an array or an object/],
    [{ within: { folders: ["/a"], ignoreCase: true } }, "/within/ignoreCase", /ignore_case/],
    [{ within: { ignore_case: true } }, "/within/folders", /is required/],
    [{ hosts: { names: ["a"], scheme: ["http"] } }, "/hosts/scheme", /schemes/],
    [{ hosts: { names: ["a"], schemes: ["http:"] } }, "/hosts/schemes/0", /without a colon/],
    [{ $defs: { a: { hosts: [1] } } }, "/$defs/a/hosts/0", /must be a string/],
    [{ $schema: "http://json-schema.org/draft-07/schema#" }, "/$schema", /must be/],
    [
      { properties: { p: { $id: "urn:p", $schema: metaschemaUri("2019-09"), within: ["/a"] } } },
      "/properties/p/$schema",
      /must be/,
    ],
    [{ $ref: "#/nowhere" }, "/$ref", /nowhere/],
    [{ pattern: "(" }, "/pattern", /not a regular expression/],
    ["/a", "", /not a schema/],
  ])("refuses %j", (value, path, message) => {
    const { error: fault } = policy(value);
    expect(fault?.message).toMatch(message);
    expect([fault?.path, ...(fault?.details ?? []).map((one) => one.path)]).toContain(path);
  });

  it.each([
    [{ $schema: metaschemaUri("2020-12"), within: ["/a"] }, '"/b"'],
    [{ $comment: "why", description: "x", examples: [], within: ["/a"] }, '"/b"'],
    [{ properties: { p: { $id: "urn:p", within: ["/a"] } } }, '{"p":"/b"}'],
    [{ $ref: "#/$defs/a", $defs: { a: { within: ["/a"] } } }, '"/b"'],
    [{ allOf: [{ within: ["/a"] }, { within: ["/a/b"] }] }, '"/a/c"'],
    [{ not: { hosts: ["evil.example"] } }, '"http://evil.example"'],
    [{ anyOf: [{ within: ["/a"] }, { hosts: ["a.example"] }] }, '"/b"'],
    [{ format: "date" }, '"x"'],
    [{ prefixItems: [{ maximum: 3 }], unevaluatedItems: false }, "[1,2]"],
    [{ dependentRequired: { a: ["b"] } }, '{"a":1}'],
    [false, "1"],
  ])("applies %j", (value, invalid) => {
    const schema = policy(value);
    expect(schema.error).toBeUndefined();
    expect(schema.validateText(invalid)).toMatchObject({ valid: false, outcome: "violation" });
    expect(schema.isValid(JSON.parse(invalid))).toBe(false);
  });

  it("works on a thread too", async () => {
    const value = { items: { within: ["/a"] } };
    const paths = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => `/a/${i}/b/../c`));
    const asked: unknown[] = [];
    const { validateText: check } = policy(value);
    const result = await policy(value).validateLater(paths, (job) => {
      asked.push(job.compile);
      return Promise.resolve(check(job.input, job.options));
    });
    expect(asked).toEqual([{ dialect: "policy" }]);
    expect(result.valid).toBe(true);
  });

  it("stops at its budget, and then nothing is valid", () => {
    const folders = Array.from({ length: 2_000 }, (_, i) => `/a/${i}`);
    const paths = JSON.stringify(Array.from({ length: 200_000 }, () => ""));
    const check = policy({ items: { not: { within: folders } } }).validateText(paths);
    expect([check.outcome, check.valid]).toEqual(["budget", false]);
  });
});
