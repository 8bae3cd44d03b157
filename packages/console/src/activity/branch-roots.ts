import { fragmentTokens, valueAt } from "@touchstone/core";
import { isObject } from "../json/object.ts";

/** Schemas that are looked at for one union; of more it is not told where its branches lead. */
const MAX_SCHEMAS = 5_000;

/** Returns what a URI fragment leads to in a document; undefined if that is nothing. */
function targetOf(root: unknown, fragment: string): unknown {
  const tokens = fragmentTokens(fragment);
  return tokens && valueAt(root, tokens)?.value;
}

/**
 * Where the issues of each branch of a union stand in a schema: below the branch itself, and below all that it
 * refers to in the same document.
 * @param union the place of `anyOf` or `oneOf`, as a URI fragment, as issues have it
 * @returns places as URI fragments, by branch; undefined if the schema has no branches there, or one of them leads
 *   back to the union, so that places do not tell how often it was gone through
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

/** Adds to `places` what a value refers to, and what that refers to. */
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
