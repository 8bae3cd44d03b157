import { existsSync } from "node:fs";
import { createRequire } from "node:module";

// The manifest of this package. It is found by its name, because a build may put this file anywhere in the package.
const MANIFEST = "@touchstone/util/package.json";
const require = createRequire(import.meta.url);

/** The version of Touchstone that runs. */
export const VERSION: string = (require(MANIFEST) as { readonly version: string }).version;

/** The path of the manifest with this version. An upgrade may remove or replace the file. */
export const MANIFEST_FILE: string = require.resolve(MANIFEST);

/**
 * Returns the program of a thread: the built one even if the sources run, as in tests, because Node.js 20 cannot run
 * TypeScript.
 * @param name of its source, such as `journal/entry`
 * @param from `import.meta.url` of a module of the same package
 */
export function threadProgram(name: string, from: string): URL {
  return new URL(`dist/${name}.js`, packageOf(from));
}

/** Returns the folder of the package that a module is in: a build may put the module anywhere in it. */
function packageOf(from: string): URL {
  let folder = new URL("./", from);
  while (!existsSync(new URL("package.json", folder))) {
    const above = new URL("../", folder);
    // The package was removed. The error is reported when the thread starts.
    if (above.href === folder.href) break;
    folder = above;
  }
  return folder;
}
