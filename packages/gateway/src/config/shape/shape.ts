import type { ConfigFile, ServerEntry } from "../config-file.ts";
import { type JsonValue, type Path, pathKey } from "../document.ts";
import { FILE, SERVERS } from "./keys.ts";
import type { Shape, ShapeIssue } from "./kinds.ts";

/** A value that has the shape of a file or of a list of servers, or what is wrong with it. */
export type Shaped<T> = { readonly value: T } | { readonly issues: readonly ShapeIssue[] };

/** Types, allowed values and unknown keys of a whole file. Foreign keys of entries are let pass. */
export function shapeOfFile(value: JsonValue): Shaped<ConfigFile> {
  return shaped(FILE, value);
}

/** The same for a client's list of servers. */
export function shapeOfServers(value: JsonValue): Shaped<Readonly<Record<string, ServerEntry>>> {
  return shaped(SERVERS, value);
}

function shaped<T>({ check }: Shape<T>, value: JsonValue): Shaped<T> {
  const issues: ShapeIssue[] = [];
  check(value, [], (issue) => issues.push(issue));
  return issues.length === 0 ? { value: value as T } : { issues };
}

/** {@link pathKey}s of all issues and of everything around them. @param root the path of what was checked */
export function misshapenPaths(shaped: Shaped<unknown>, root: Path): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const issue of "issues" in shaped ? shaped.issues : []) {
    const path = [...root, ...issue.path.map(String)];
    for (let length = path.length; length >= 0; length -= 1)
      paths.add(pathKey(path.slice(0, length)));
  }
  return paths;
}
