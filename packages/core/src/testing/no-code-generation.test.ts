import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { build, defaultServerConditions } from "vite";
import { describe, expect, it } from "vitest";
import { long, sample } from "./sample.ts";
import { sharedPath } from "./shared.ts";

const folder = sharedPath("suites", "json-schema-test-suite");
/** Every nth schema of the suite is judged. */
const EVERY = sample(12, 12, 1);
const FIRST = EVERY === 1 ? 0 : 5;
const TESTS = 4942;

/** Writes the program and everything that it imports to files, and returns its path. */
async function bundle(place: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: "silent",
    root: import.meta.dirname,
    ssr: { noExternal: true, resolve: { conditions: [...defaultServerConditions] } },
    build: {
      ssr: join(import.meta.dirname, "no-code-generation.program.ts"),
      write: false,
      minify: false,
    },
  });
  const [first] = [result].flat();
  if (first === undefined || !("output" in first)) throw new Error("nothing was bundled");
  await writeFile(join(place, "package.json"), '{"type":"module"}');
  for (const chunk of first.output) {
    if (chunk.type !== "chunk") continue;
    const path = join(place, chunk.fileName);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, chunk.code);
  }
  return join(place, first.output[0].fileName);
}

describe.skipIf(folder === undefined)("where code generation from strings is forbidden", () => {
  it("checks the suite with the same results as elsewhere", {
    ...long,
    timeout: 180_000,
  }, async () => {
    const place = await mkdtemp(join(tmpdir(), "touchstone-"));
    try {
      const program = await bundle(place);
      const { stdout, stderr } = await promisify(execFile)(
        process.execPath,
        ["--disallow-code-generation-from-strings", program, folder ?? "", `${EVERY}`, `${FIRST}`],
        { timeout: 150_000, maxBuffer: 16 * 1024 * 1024 },
      );
      expect(stderr).toBe("");
      const report = JSON.parse(stdout);
      expect(report).toMatchObject({ isForbidden: true, failures: [], failed: 0, notTaken: 0 });
      if (EVERY === 1) expect(report.passed).toBe(TESTS);
      else expect(report.passed).toBeGreaterThan(TESTS / EVERY / 2);
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  });
});
