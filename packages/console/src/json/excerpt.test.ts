import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { excerptAt } from "./excerpt.ts";

const escaped = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1");

describe("an excerpt", () => {
  it("marks the value and its key", () => {
    const text = '{"a":{"b":1.0,"é":[true,9007199254740993]},"c":0}';
    expect(excerptAt(text, "/a/é/1")).toMatchObject({ marked: "9007199254740993", found: true });
    expect(excerptAt(text, "/a/b")).toMatchObject({ marked: '"b": 1.0', found: true });
    expect(excerptAt(text, "")).toMatchObject({ before: "", after: "", found: true });
  });

  it("marks the object that lacks a property", () => {
    const text = '{"a":{"b":1}}';
    expect(excerptAt(text, "/a/city")).toMatchObject({
      marked: '{\n    "b": 1\n  }',
      found: false,
    });
  });

  it("leaves out distant parts", () => {
    const lines = Array.from({ length: 200 }, (_, i) => [`k${i}`, i]);
    const excerpt = excerptAt(JSON.stringify(Object.fromEntries(lines)), "/k100");
    expect(excerpt).toMatchObject({ marked: '"k100": 100', moreBefore: true, moreAfter: true });
    expect(`${excerpt?.before}${excerpt?.after}`.split("\n")).toHaveLength(17);
    const whole = excerptAt(JSON.stringify(Object.fromEntries(lines)), "/none");
    expect(whole?.marked.split("\n")).toHaveLength(30);
    expect(whole).toMatchObject({ after: "", moreBefore: false, moreAfter: true });
  });

  it.each(["", "{", '{"a":"cut…', "nul"])("is undefined for %j, which is not JSON", (text) => {
    expect(excerptAt(text, "")).toBeUndefined();
  });

  it("finds a member with any name", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.jsonValue(), (name, value) => {
        const text = JSON.stringify(
          Object.fromEntries([
            ["x", 1],
            [name, value],
          ]),
        );
        const excerpt = excerptAt(text, `/${escaped(name)}`);
        expect(excerpt?.found).toBe(true);
        expect(excerpt?.marked.startsWith(JSON.stringify(name).toWellFormed())).toBe(true);
      }),
    );
  });
});
