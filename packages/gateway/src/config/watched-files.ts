import { lstatSync, readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, parse, resolve, sep } from "node:path";

/** How many links to follow; Linux follows as many. */
const MAX_LINKS = 40;

/**
 * Returns the places that decide what a path leads to: each link on the way, and the file itself or the first missing
 * part.
 *
 * @returns the relevant names by folder; the folders' paths contain no links. Never throws.
 */
export function watchedFiles(file: string): Map<string, Set<string>> {
  const places = new Map<string, Set<string>>();
  let { root: folder } = parse(resolve(file));
  let parts = partsOf(resolve(file));
  const note = (name: string): void => {
    const names = places.get(folder);
    if (names === undefined) places.set(folder, new Set([name]));
    else names.add(name);
  };
  let links = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (part === "..") {
      folder = dirname(folder);
      continue;
    }
    const target = targetOf(join(folder, part));
    if (target === null || typeof target === "string" || parts.length === 0) note(part);
    if (target === null) break;
    if (target === undefined) {
      if (parts.length > 0) folder = join(folder, part);
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) break;
    if (isAbsolute(target)) folder = parse(target).root;
    parts = [...partsOf(target), ...parts];
  }
  return places;
}

function partsOf(path: string): string[] {
  const { root } = parse(path);
  return path
    .slice(root.length)
    .split(sep)
    .filter((part) => part !== "" && part !== ".");
}

/** Returns a link's target; undefined if it is not a link, null if that cannot be determined. */
function targetOf(path: string): string | undefined | null {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return null;
  }
}
