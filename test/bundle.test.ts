import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROBES } from "./bundle/probes.ts";

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

describe("a bundle", () => {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-bundle-"));
  let bundled: typeof PROBES;

  beforeAll(async () => {
    mkdirSync(join(folder, "src"));
    copyFileSync(path("bundle/probes.ts"), join(folder, "src", "index.ts"));
    const exports = { ".": { "@touchstone/source": "./src/index.ts" } };
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", exports }));
    execFileSync(process.execPath, [path("../tools/build/bundle.mjs"), folder]);
    const built = pathToFileURL(join(folder, "dist", "index.js")).href;
    ({ PROBES: bundled } = await import(/* @vite-ignore */ built));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(Object.keys(PROBES))(
    "keeps code that only tests whether something throws: %s",
    (name) => {
      const results = [PROBES, bundled].map((probes) => {
        const [probe, passes, throws] = probes[name] ?? [];
        return [probe?.(passes as never), probe?.(throws as never)];
      });
      expect(results).toEqual([
        [true, false],
        [true, false],
      ]);
    },
  );
});
