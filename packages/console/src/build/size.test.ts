import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { buildConsole } from "../testing/console.ts";
import { buildPlayground } from "../testing/playground.ts";

/** Maximum number of bytes of the first load, gzipped. */
const FIRST_LOAD = 150_000;
/** Maximum number of bytes of all scripts and styles, gzipped. */
const WHOLE = 685_000;
/**
 * Maximum number of bytes of all scripts and styles of the playground, gzipped: it is a separate page, and includes
 * the code of its worker.
 */
const PLAYGROUND = 350_000;

const IMPORT = /(?:\bimport|\bfrom)\s*["']\.\/([\w.-]+)["']/g;

describe("the built page", () => {
  it("loads less than 150 kB at first and 685 kB in all, the rest as needed", async () => {
    const { script, styles, files } = await buildConsole();
    const assetText = (name: string): string => {
      const body = files.get(name)?.body ?? "";
      return typeof body === "string" ? body : new TextDecoder().decode(body);
    };
    const first = new Set([script, ...(styles ?? [])]);
    for (const name of first) {
      for (const [, imported = ""] of assetText(name).matchAll(IMPORT)) first.add(imported);
    }
    const size = (name: string): number => gzipSync(assetText(name)).length;
    const sizeOf = (names: Iterable<string>): number =>
      [...names].reduce((sum, name) => sum + size(name), 0);
    const loaded = sizeOf(first);
    expect(loaded).toBeGreaterThan(10_000);
    expect(loaded).toBeLessThan(FIRST_LOAD);
    const whole = sizeOf([...files.keys()].filter((name) => /\.(?:js|css)$/.test(name)));
    expect(whole).toBeGreaterThan(loaded);
    expect(whole).toBeLessThan(WHOLE);
    const later = [...files.keys()].filter((name) => !first.has(name));
    expect(later.map((name) => name.replace(/-[\w-]{8}\.js$/, "")).sort()).toEqual(
      expect.arrayContaining([
        "activity-page",
        "call-sheet",
        "histogram",
        "json-editor",
        "menu-drawer",
        "overview-page",
        "palette",
        "time-chart",
        "rollout-page",
        "schema-form",
        "servers-page",
        "settings-page",
        "toast-list",
        "tool-page",
        "tools-page",
      ]),
    );
  });
});

describe("the built playground", () => {
  it("loads less than 350 kB in all", async () => {
    const files = await buildPlayground();
    const loaded = [...files].filter(([name]) => /\.(?:js|css)$/.test(name));
    const sizes = loaded.map(([, { body }]) => gzipSync(body).length);
    const whole = sizes.reduce((sum, size) => sum + size, 0);
    expect(whole).toBeGreaterThan(100_000);
    expect(whole).toBeLessThan(PLAYGROUND);
  });
});
