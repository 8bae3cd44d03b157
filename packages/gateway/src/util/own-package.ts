import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// Found by name: a build may put this file anywhere in the package.
const MANIFEST = "@touchstone/gateway/package.json";
const require = createRequire(import.meta.url);

/** The version of Touchstone that runs. */
export const VERSION: string = (require(MANIFEST) as { readonly version: string }).version;

/** The manifest that it was read from: an upgrade may remove or replace it. */
export const MANIFEST_FILE: string = require.resolve(MANIFEST);

/**
 * Returns the program of a thread: the built one even if the sources run, as in tests, because Node.js 20 cannot run
 * TypeScript.
 * @param name of its source, such as `records/worker/entry`
 */
export function threadProgram(name: string): URL {
  return new URL(`dist/${name}.js`, pathToFileURL(MANIFEST_FILE));
}
