import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

/** Names and paths of folders and files that are no part of the project, as `.gitignore` lists them. */
const IGNORED = new Set(
  readFileSync(join(ROOT, ".gitignore"), "utf8")
    .split("\n")
    .map((line) => line.trim().replace(/^\/|\/$/g, ""))
    .filter((line) => line !== "" && !line.startsWith("#"))
    .concat(".git"),
);

/** The project's own files, relative to its root: also where it was copied without its history. */
export function projectFiles(folder: string = ROOT): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    const name = relative(ROOT, path);
    const ending = entry.name.replace(/^[^.]+/, "*");
    if ([entry.name, name, ending].some((ignored) => IGNORED.has(ignored))) return [];
    return entry.isDirectory() ? projectFiles(path) : [name];
  });
}
