import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { buildConsole } from "../testing/console.ts";

/** Most bytes of the first load, gzipped. */
const FIRST_LOAD = 200_000;

const IMPORT = /(?:\bimport|\bfrom)\s*["']\.\/([\w.-]+)["']/g;

describe("the built page", () => {
  it("loads less than 200 kB at first, and the rest as needed", async () => {
    const { script, styles, files } = await buildConsole();
    const textOf = (name: string): string => {
      const body = files.get(name)?.body ?? "";
      return typeof body === "string" ? body : new TextDecoder().decode(body);
    };
    const first = new Set([script, ...(styles ?? [])]);
    for (const name of first) {
      for (const [, imported = ""] of textOf(name).matchAll(IMPORT)) first.add(imported);
    }
    const size = (name: string): number => gzipSync(textOf(name)).length;
    const loaded = [...first].reduce((sum, name) => sum + size(name), 0);
    expect(loaded).toBeGreaterThan(10_000);
    expect(loaded).toBeLessThan(FIRST_LOAD);
    const later = [...files.keys()].filter((name) => !first.has(name));
    expect(later.map((name) => name.replace(/-[\w-]{8}\.js$/, "")).sort()).toEqual(
      expect.arrayContaining([
        "activity-page",
        "call-sheet",
        "histogram",
        "json-editor",
        "overview-page",
        "palette",
        "plot",
        "rollout-page",
        "schema-form",
        "servers-page",
        "settings-page",
        "tool-page",
      ]),
    );
  });
});
