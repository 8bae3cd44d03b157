// biome-ignore-start lint/style/noRestrictedImports: test data lies outside the package
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// biome-ignore-end lint/style/noRestrictedImports: see above
import { describe, expect, it } from "vitest";
import { sharedPath } from "../../testing/shared.ts";
import { compilePattern } from "./pattern.ts";
import { TYPICAL } from "./testing/typical.ts";

function patternsOf(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === "pattern" && typeof inner === "string") return [inner];
    if (key === "patternProperties" && typeof inner === "object") {
      return [...Object.keys(inner ?? {}), ...patternsOf(inner)];
    }
    return patternsOf(inner);
  });
}

const folder = sharedPath("corpus", "tools-list");
const published =
  folder === undefined
    ? []
    : readdirSync(folder)
        .filter((name) => name.endsWith(".json"))
        .flatMap((name) => patternsOf(JSON.parse(readFileSync(join(folder, name), "utf8"))));

describe("real-world patterns", () => {
  const all = [...TYPICAL, ...new Set(published)];

  it("are numerous", () => {
    expect(new Set(TYPICAL).size).toBe(TYPICAL.length);
    expect(TYPICAL.length).toBeGreaterThanOrEqual(200);
    expect(folder === undefined || published.length > 0).toBe(true);
  });

  it("all run in linear time, except for backreferences", () => {
    const others = all.filter((source) => compilePattern(source).kind === "backtracking");
    expect(others).toEqual(all.filter((source) => /\\[1-9]|\\k</.test(source)));
  });

  it.each(all)("behave as in the native engine: %s", (source) => {
    let native: RegExp;
    try {
      native = new RegExp(source, "u");
    } catch {
      native = new RegExp(source);
    }
    const pattern = compilePattern(source);
    for (const text of TEXTS) expect(pattern.test(text), text).toBe(native.test(text));
  });
});

const TEXTS = [
  ..."a A 1 - _ . / abc ABC a1 foo-bar foo_bar fooBar FooBar foo.bar foo/bar @a/b a@b.co".split(
    " ",
  ),
  ..."2024-01-31 2024-01-31T12:00:00Z 12:30 1.2.3 v1.2.3-rc.1+5 10.0.0.1 ::1 #fff #a1B2c3".split(
    " ",
  ),
  ..."http://example.com https://example.com/a?b=c#d mailto:a@b.c example.com x-foo $ref".split(
    " ",
  ),
  ..."2eb8aa08-aa98-11ea-b4aa-73b441d16380 +41441234567 192.168.0.1/24 50% -1.5e10 0x1F".split(" "),
  ..."Passw0rd! deadbeef da39a3ee5e6b4b0d3255bfef95601890afd80709 en-US 'a' arn:aws:s3:::b".split(
    " ",
  ),
  "",
  " ",
  "a b",
  "a\nb",
  "é",
  "😀",
  "a".repeat(64),
  "a".repeat(256),
];
