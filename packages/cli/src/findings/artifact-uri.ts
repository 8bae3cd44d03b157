import { isAbsolute, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { sarifUri } from "@touchstone/core/advanced";

/**
 * Returns the name of a file or server as the URI of a SARIF artifact (OASIS SARIF 2.1.0, section 3.4.3): a reference
 * relative to the working directory, since code scanning only supports locations in the repository. A file outside
 * the working directory gets its `file` URI.
 */
export function artifactUri(name: string): string {
  const root = process.cwd();
  const path = relative(root, resolve(root, name));
  const isOutside = path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path);
  if (isOutside) return pathToFileURL(resolve(root, name).toWellFormed()).href;
  return sarifUri(path.split(sep).join("/"));
}
