import { describe, expect, it } from "vitest";
import { compileDeclared } from "./compile.ts";
import { pointerTokens } from "./json/pointer.ts";
import { placeFault, placeKey, RuleSet, type Rules, type Treatment } from "./treatment.ts";

const [v, w, i] = ["violation", "warning", "ignore"] as const;

/** How an issue of class `extra` at a place counts. */
function treat(rules: Rules, pointer: string): Treatment {
  const set = new RuleSet(rules);
  const place = { pointer, tokens: pointerTokens(pointer) };
  return set.ofPlace(place) ?? set.ofClass("extra");
}

describe("RuleSet", () => {
  it.each<[string, Rules, Record<string, Treatment>]>([
    ["nothing", {}, { "": v, "/a": v }],
    ["a class", { extra: w, type: i }, { "": w, "/a/b": w }],
    ["a place alone", { "/a": w }, { "/a": w, "/a/b": v, "/b": v, "": v, "/A": v, "/a/": v }],
    ["a place before a class", { extra: i, "/a": w }, { "/a": w, "/b": i }],
    ["a place that is a violation again", { extra: i, "/a": v }, { "/a": v, "/b": i }],
    ["* as one segment", { "/a/*/c": w }, { "/a/0/c": w, "/a/x/c": w, "/a/c": v, "/a/x/y/c": v }],
    ["* as a name that is empty", { "/*": w }, { "/": w, "": v }],
    ["** as any number of segments", { "/a/**": w }, { "/a": w, "/a/b": w, "/a/b/c": w, "/ab": v }],
    ["** in the middle", { "/a/**/z": w }, { "/a/z": w, "/a/b/c/z": w, "/a/z/b": v, "/z": v }],
    ["** twice", { "/**/m/**/z": w }, { "/m/z": w, "/a/m/m/b/z": w, "/m/z/a": v, "/z/m": v }],
    ["everything", { "/**": w }, { "": w, "/a": w, "/a/b": w }],
    ["more names before fewer", { "/a/*": i, "/a/b": w }, { "/a/b": w, "/a/c": i }],
    ["more names before fewer, with **", { "/a/**": i, "/**/b/c": w }, { "/a/b/c": w, "/a/c": i }],
    ["* before **", { "/a/**": i, "/a/*": w }, { "/a/b": w, "/a": i, "/a/b/c": i }],
    ["* before **, of equally many names", { "/**/b": i, "/*/b": w }, { "/a/b": w, "/b": i }],
    ["more * before fewer", { "/**": i, "/*/**": w }, { "/a": w, "/a/b": w, "": i }],
    ["what counts more, of equals", { "/a/*": i, "/*/b": w }, { "/a/b": w, "/a/c": i }],
    ["what counts more, in any order", { "/*/b": w, "/a/*": i }, { "/a/b": w }],
    ["a name that is *", { "/~2": w }, { "/*": w, "/a": v }],
    ["a name that is **", { "/~2~2/x": w }, { "/**/x": w, "/a/x": v }],
    ["a name with a * in it", { "/a*": w, "/b~2": i }, { "/a*": w, "/ab": v, "/b*": i }],
    ["a name with / and ~", { "/a~1b": w, "/c~0d": i }, { "/a~1b": w, "/c~0d": i, "/a/b": v }],
    ["a name that is ~2", { "/~02": w }, { "/~02": w, "/*": v }],
    ["names like those of the prototype", { "/__proto__": w }, { "/__proto__": w, "/toString": v }],
  ])("%s", (_name, rules, expected) => {
    const found = Object.keys(expected).map((path) => [path, treat(rules, path)]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });

  it("takes time that is linear in the number of **", () => {
    const rules = { [`${"/**/a".repeat(20)}/z`]: w };
    expect(treat(rules, "/a".repeat(2_000))).toBe(v);
  });
});

describe("placeFault", () => {
  it.each([
    ["/a~", /"~" is written "~0"/],
    ["/a~3", /"~" is written "~0"/],
    ["/a".repeat(65), /more than 64 segments/],
  ])("refuses %s", (key, why) => expect(placeFault(key)).toMatch(why));

  it.each(["/", "/a", "/**", "/~0~1~2", "/a//b"])("accepts %s", (key) =>
    expect(placeFault(key)).toBeUndefined(),
  );
});

describe("placeKey", () => {
  it.each(["", "/", "/*", "/**/a", "/~02", "/a*", "/a~1b"])("matches exactly %j", (pointer) => {
    if (pointer !== "") expect(treat({ [placeKey(pointer)]: w }, pointer)).toBe(w);
    expect(treat({ [placeKey("/*")]: w }, "/a")).toBe(v);
  });
});

describe("a check with rules", () => {
  const check = (schema: object, value: unknown, rules: Rules, maxIssues = 1000) =>
    compileDeclared({ value: schema }).validateText(JSON.stringify(value), { rules, maxIssues });
  const counts = (schema: object, value: unknown, rules: Rules) => {
    const { violation, warning, ignore } = check(schema, value, rules).treated ?? {};
    return [violation, warning, ignore];
  };
  const text = { type: "string" };
  const union = { anyOf: [text, { type: "object", properties: { a: text }, required: ["a"] }] };

  it("has no counts if it has no rules or no issues", () => {
    expect(check(text, 1, {}).treated).toMatchObject({ violation: 1 });
    expect(compileDeclared({ value: text }).validateText("1")).not.toHaveProperty("treated");
    expect(check(text, "", { "/**": i })).not.toHaveProperty("treated");
  });

  it.each<[string, object, unknown, Rules, readonly number[]]>([
    ["a missing property at its own place", { required: ["a", "b"] }, {}, { "/a": i }, [1, 0, 1]],
    [
      "an extra one",
      { properties: {}, additionalProperties: false },
      { a: 1, b: 1 },
      { "/a": w },
      [1, 1, 0],
    ],
    ["a name", { propertyNames: { maxLength: 1 } }, { aa: 1, bb: 1 }, { "/aa": w }, [1, 1, 0]],
    ["a union at its own place", { properties: { u: union } }, { u: 1 }, { "/u": w }, [0, 1, 0]],
    [
      "a union, not what it holds",
      { properties: { u: union } },
      { u: { a: 1 } },
      { "/u/a": i },
      [1, 0, 0],
    ],
    ["a union by its class", { properties: { u: union } }, { u: { a: 1 } }, { type: i }, [0, 0, 1]],
    ["a union in a union", { anyOf: [union, { type: "null" }] }, { a: 1 }, { "/**": w }, [0, 1, 0]],
    ["oneOf with two that fit", { oneOf: [{}, {}] }, 1, { value: w }, [0, 1, 0]],
    [
      "what if applies, and not if itself",
      { if: false, else: { required: ["a", "b"] } },
      {},
      { "/a": i, "/b": w },
      [0, 1, 1],
    ],
    [
      "contains at its own place",
      { properties: { l: { contains: text } } },
      { l: [1, 2] },
      { "/l": w },
      [0, 1, 0],
    ],
    [
      "contains, not its items",
      { properties: { l: { contains: text } } },
      { l: [1] },
      { "/l/*": i },
      [1, 0, 0],
    ],
    [
      "nothing of a union that holds",
      { anyOf: [text, {}] },
      1,
      { "/**": w },
      [undefined, undefined, undefined] as never,
    ],
    [
      "nothing of a branch that fails",
      { allOf: [{ anyOf: [text, {}] }], type: "null" },
      1,
      {},
      [1, 0, 0],
    ],
  ])("treats %s", (_name, schema, value, rules, expected) => {
    expect(counts(schema, value, rules)).toEqual(expected);
  });

  it("finds one violation after any number of ignored issues, and lists it first", () => {
    const schema = {
      properties: { list: { items: text }, z: text },
    };
    const value = { list: Array(100_000).fill(1), z: 1 };
    const { treated, errors, truncated, counts: all } = check(schema, value, { "/list/*": i });
    expect(treated).toEqual({ violation: 1, warning: 0, ignore: 100_000, heeded: 1, more: 0 });
    expect([errors[0]?.path, errors.length + (truncated ?? 0)]).toEqual(["/z", 100_001]);
    expect(all).toEqual({ type: 100_001 });
  });

  it("lists violations, then warnings, then the rest, and suggests nothing about the rest", () => {
    const schema = {
      properties: { name: text, a: text, b: text },
      additionalProperties: false,
    };
    const value = { namee: 1, a: 1, b: 1 };
    const { errors, suggestions, treated } = check(schema, value, { extra: i, "/a": w });
    expect(errors.map(({ path }) => path)).toEqual(["/b", "/a", "/namee"]);
    expect(treated).toMatchObject({ heeded: 2, more: 0 });
    expect(suggestions.map(({ path }) => path)).toEqual(["/a", "/b"].toReversed());
    expect(check(schema, value, { extra: i, "/a": w }, 1)).toMatchObject({
      errors: [{ path: "/b" }],
      truncated: 2,
      treated: { heeded: 1, more: 1 },
    });
  });

  it("keeps the issues of a union together", () => {
    const schema = { properties: { u: union, z: text } };
    const { errors } = check(schema, { u: 1, z: 1 }, { "/u": w });
    expect(errors.map(({ path, keyword }) => [path, keyword])).toEqual([
      ["/z", "type"],
      ["/u", "type"],
      ["/u", "type"],
      ["/u", "anyOf"],
    ]);
  });

  it("spends steps on patterns, so that many of them cannot delay other checks", () => {
    const patterns = Array.from({ length: 2_000 }, (_, n) => [`/**/x${n}/**`, i] as const);
    const rules = Object.fromEntries(patterns);
    const { outcome } = check({ items: text }, Array(20_000).fill(1), rules);
    expect(outcome).toBe("budget");
  });
});
