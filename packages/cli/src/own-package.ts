import { createRequire } from "node:module";
import { join } from "node:path";

// Resolved by the package's name, because a build may put this file into any folder of the package.
const MANIFEST = "touchstone/package.json";
const require = createRequire(import.meta.url);

/** The version of the command. */
export const VERSION: string = (require(MANIFEST) as { readonly version: string }).version;

/** Returns the command as users type it: with npx if npm has started this process. */
export function typedCommand(env: Readonly<Record<string, string | undefined>>): string {
  return !env["npm_command"] ? "touchstone" : "npx touchstone";
}

/** Returns the path of the file that runs as `touchstone`. */
export function ownProgram(): string {
  return join(require.resolve(MANIFEST), "../bin/touchstone.js");
}
