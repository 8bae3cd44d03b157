// biome-ignore-start lint/style/noRestrictedImports: test data lies outside the package
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

// biome-ignore-end lint/style/noRestrictedImports: see above

const root =
  process.env["TOUCHSTONE_SHARED"] ?? resolve(import.meta.dirname, "../../../../../shared");

/**
 * A file or folder of the shared test data, or undefined if it is absent, so that a test can
 * skip visibly.
 * @throws if it is absent and the environment says `REQUIRE_ALL=1`.
 */
export function sharedPath(...parts: string[]): string | undefined {
  const path = join(root, ...parts);
  if (existsSync(path)) return path;
  if (process.env["REQUIRE_ALL"] === "1") {
    throw new Error(`REQUIRE_ALL=1, but ${path} is absent; set TOUCHSTONE_SHARED to its root`);
  }
  return undefined;
}
