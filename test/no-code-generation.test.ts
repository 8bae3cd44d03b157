import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const packages = fileURLToPath(new URL("../packages", import.meta.url));

/** What makes code from a text: `eval`, the constructors of functions, `node:vm`, and timers that are given a text. */
const MAKES_CODE: Readonly<Record<string, RegExp>> = {
  // Does not match a method with this name.
  eval: /(?<![.\w$])eval\s*\((?![^()]*\)\s*\{)|\(0,\s*eval\)/,
  Function: /(?<![\w$.])(?:new\s+)?(?:Async|Generator|AsyncGenerator)?Function\s*\(/,
  "node:vm": /["'`](?:node:)?vm["'`]/,
  timers: /\bset(?:Timeout|Interval)\s*\(\s*["'`]/,
};

function built(): string[] {
  // The console is built into the package that serves it.
  const names = readdirSync(packages).filter((name) => name !== "console");
  return names.flatMap((name) => {
    const dist = join(packages, name, "dist");
    return readdirSync(dist, { recursive: true, encoding: "utf8" })
      .filter((path) => /\.(?:[cm]?js|html)$/.test(path))
      .map((path) => join(dist, path));
  });
}

describe("the built packages", () => {
  it.each([
    ["eval", "eval('1')"],
    ["eval", "(0, eval)(text)"],
    ["Function", "new Function('a', code)"],
    ["Function", "x = Function(code)()"],
    ["node:vm", 'import vm from "node:vm"'],
    ["node:vm", "require('vm')"],
    ["timers", "setTimeout('a()', 1)"],
  ])("would be caught generating code: %s in %s", (what, code) => {
    expect(MAKES_CODE[what]?.test(code)).toBe(true);
  });

  it("never generate code from text", () => {
    const files = built();
    expect(files.length).toBeGreaterThan(20);
    const found = files.flatMap((file) => {
      const text = readFileSync(file, "utf8");
      return Object.entries(MAKES_CODE)
        .filter(([, pattern]) => pattern.test(text))
        .map(([what]) => `${what} in ${file.slice(packages.length)}`);
    });
    expect(found).toEqual([]);
  });
});
