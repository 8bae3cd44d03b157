import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

describe("the validation module", () => {
  /** All modules of this package that a module imports, however indirectly. */
  function reach(path: string, seen: Set<string> = new Set()): Set<string> {
    const url = new URL(path, import.meta.url).href;
    if (seen.has(url)) return seen;
    seen.add(url);
    const source = readFileSync(new URL(url), "utf8");
    for (const [, to = ""] of source.matchAll(/^(?:import|export) (?!type )[^"]*"(\.[^"]+)"/gm)) {
      reach(new URL(to, url).href, seen);
    }
    return seen;
  }
  const own = (path: string) => new URL(path, import.meta.url).href;

  it.each(["./validate.ts", "./batch.ts"])("%s does not import what runs tools", (path) => {
    const reached = reach(path);
    expect(reached).toContain(own("./check-response.ts"));
    expect(reached).not.toContain(own("./call.ts"));
    expect(reached).not.toContain(own("./auth.ts"));
  });

  it("would be found if it did", () => {
    expect(reach("./fetch.ts")).toContain(own("./call.ts"));
  });
});
