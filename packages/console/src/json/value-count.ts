import type { JsonTree } from "./tree.ts";

/**
 * Returns whether a tree contains more values than this, including itself and nested ones. Stops counting once the
 * limit is exceeded.
 */
export function hasMoreValues(tree: JsonTree, max: number): boolean {
  const open: JsonTree[] = [tree];
  for (let count = 1; ; count++) {
    const next = open.pop();
    if (next === undefined) return false;
    if (count > max) return true;
    if (next.kind === "scalar") continue;
    const held = next.kind === "array" ? next.items : next.members.map(({ value }) => value);
    for (const each of held.slice(0, max)) open.push(each);
  }
}
