import { createRequire } from "node:module";

const own = createRequire(import.meta.url)("../package.json") as { readonly version: string };

/** The version of Touchstone. */
export const VERSION: string = own.version;
