import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/* Compares the table of docs/explanation/bounded-work.md with the sources. */

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PACKAGES = [
  "core",
  "protocol",
  "capability",
  "runner",
  "http",
  "util",
  "records",
  "gateway",
  "console",
  "cli",
];

/** By the word in the table: a pattern for calls of the built-in. */
const CALLS: Readonly<Record<string, RegExp>> = {
  parse: /\bJSON\.parse\(/,
  stringify: /\bJSON\.stringify\(/,
  replace: /\.replace(?:All)?\(/,
  sort: /\.(?:sort|toSorted)\(/,
  hash: /\b(?:createHash|createHmac|canonical(?:Text|Json|Definition)\w*|definitionSteps|lineDiff)\(/,
};

const page = readFileSync(`${ROOT}docs/explanation/bounded-work.md`, "utf8");
const rows = [...page.matchAll(/^\| `([\w/-]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, part = "", builtIns = "", what = "", bound = ""]) => ({
    ...{ part, what: what.trim(), bound: bound.trim() },
    builtIns: builtIns.split(",").map((word) => word.trim()),
  }),
);

/** The files of the packages, each with the part of the table that covers it: the longest path that contains it. */
const files = PACKAGES.flatMap((name) =>
  readdirSync(`${ROOT}packages/${name}/src`, { recursive: true, encoding: "utf8" })
    .map((file) => `${name}/src/${file.replaceAll("\\", "/")}`)
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\/testing\//.test(file)),
).map((file) => {
  const parts = rows.map(({ part }) => part).filter((part) => file.startsWith(`${part}/`));
  const text = readFileSync(`${ROOT}packages/${file}`, "utf8");
  const uses = Object.keys(CALLS).filter((word) => CALLS[word]?.test(text));
  return { file, uses, part: parts.toSorted((a, b) => b.length - a.length)[0] };
});

describe("the table of bounds", () => {
  it("covers each file that calls one of these built-ins", () => {
    const missing = files.flatMap(({ file, uses, part }) => {
      const row = rows.find((each) => each.part === part);
      const unnamed = uses.filter((word) => row?.builtIns.includes(word) !== true);
      return unnamed.length === 0 ? [] : [`${file}: ${unnamed.join(", ")}`];
    });
    expect(missing).toEqual([]);
    expect(files.filter(({ uses }) => uses.length > 0).length).toBeGreaterThan(300);
  });

  it("has parts that call one of them, and says of what and why", () => {
    for (const { part, builtIns, what, bound } of rows) {
      const used = files.filter((each) => each.part === part).flatMap(({ uses }) => uses);
      expect([part, builtIns.some((word) => used.includes(word))]).toEqual([part, true]);
      expect(builtIns.filter((word) => !Object.hasOwn(CALLS, word))).toEqual([]);
      expect([part, what !== "" && bound !== ""]).toEqual([part, true]);
    }
    expect(new Set(rows.map(({ part }) => part)).size).toBe(rows.length);
  });
});
