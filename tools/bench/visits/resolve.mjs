// A hook for module resolution: `@touchstone/core/node` is `packages/core/build/node/index.js`.
import { readFileSync } from "node:fs";

const packages = new URL("../../../packages/", import.meta.url);
const sources = new Map();

/** Returns where a package says that the source of one of its exports is. */
function sourceOf(name, subpath) {
  let exported = sources.get(name);
  if (exported === undefined) {
    exported = JSON.parse(readFileSync(new URL(`${name}/package.json`, packages), "utf8")).exports;
    sources.set(name, exported);
  }
  return exported[subpath]?.["@touchstone/source"];
}

export function resolve(specifier, context, next) {
  const [, name, rest = ""] = /^@touchstone\/([^/]+)(.*)$/.exec(specifier) ?? [];
  const source = name && sourceOf(name, `.${rest}`);
  if (source === undefined) return next(specifier, context);
  const built = source.replace(/^\.\/src\//, `${name}/build/`).replace(/\.ts$/, ".js");
  return { url: new URL(built, packages).href, shortCircuit: true };
}
