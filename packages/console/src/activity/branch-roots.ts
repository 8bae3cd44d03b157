import { fragmentTokens, valueAt } from "@touchstone/core/advanced";
import { isObject } from "../json/object.ts";

/** Schemas examined per union; beyond this limit the branches are not resolved. */
const MAX_SCHEMAS = 5_000;

/** Returns what a URI fragment points to in a document; undefined if nothing. */
function targetOf(root: unknown, fragment: string): unknown {
  const tokens = fragmentTokens(fragment);
  return tokens && valueAt(root, tokens)?.value;
}

/**
 * Returns where the issues of each branch of a union are in a schema: below the branch itself and below everything it
 * refers to in the same document.
 * @param union the location of `anyOf` or `oneOf`, as a URI fragment, as in issues
 * @returns locations as URI fragments, by branch; undefined if the schema has no branches there, or if a branch leads
 *   back to the union, since locations then do not show how often it was passed
 */
export function branchRoots(
  schema: unknown,
  union: string,
): readonly ReadonlySet<string>[] | undefined {
  const branches = targetOf(schema, union);
  if (!Array.isArray(branches)) return undefined;
  const room = { left: MAX_SCHEMAS };
  const roots = branches.map((branch: unknown, index) => {
    const places = new Set([`${union}/${index}`]);
    follow(schema, branch, places, room);
    return places;
  });
  const leadsBack = (place: string): boolean => union.startsWith(`${place}/`);
  const isLoop = roots.some((places) => [...places].some(leadsBack));
  return room.left < 0 || isLoop ? undefined : roots;
}

/** Adds to `places` everything that a value refers to, directly or indirectly. */
function follow(root: unknown, start: unknown, places: Set<string>, room: { left: number }): void {
  const open = [start];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    room.left -= 1;
    if (room.left < 0) return;
    if (Array.isArray(value)) open.push(...value);
    if (!isObject(value)) continue;
    open.push(...Object.values(value));
    const { $ref } = value;
    if (typeof $ref !== "string" || places.has($ref)) continue;
    const target = targetOf(root, $ref);
    if (target === undefined) continue;
    places.add($ref);
    open.push(target);
  }
}
