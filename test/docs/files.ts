import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

/** Patterns of names and paths that are not part of the project, as `.gitignore` lists them. */
const IGNORED = readFileSync(join(ROOT, ".gitignore"), "utf8")
  .split("\n")
  .map((line) => line.trim().replace(/^\/|\/$/g, ""))
  .filter((line) => line !== "" && !line.startsWith("#"))
  .concat(".git")
  .map((line) => new RegExp(`^${line.replaceAll(".", "\\.").replaceAll("*", "[^/]*")}$`));

/** Returns the project's own files, relative to its root, even in a copy without the Git history. */
export function projectFiles(folder: string = ROOT): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    const name = relative(ROOT, path);
    if (IGNORED.some((ignored) => ignored.test(entry.name) || ignored.test(name))) return [];
    return entry.isDirectory() ? projectFiles(path) : [name];
  });
}
