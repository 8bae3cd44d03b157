import { literalsOf, propertyNode } from "../keywords/literals.ts";
import type { SchemaNode } from "../keywords/node.ts";

/** A branch of an `anyOf` or `oneOf` that failed, by what tells whether it was meant. */
export interface FailedBranch {
  readonly node: SchemaNode | undefined;
  /** Whether it wants a value of another type, or another value, at the place of the composite. */
  readonly here: boolean;
  /** Members of the value there that it wants otherwise, or that it misses. */
  readonly names: Iterable<string>;
  /** How many things are wrong, how far down the deepest of them is, how many properties are missing. */
  readonly count: number;
  readonly depth: number;
  readonly missing: number;
}

/** Which branches were meant. What it tells does not depend on the order of the branches. */
export interface Closest<T extends FailedBranch> {
  /** The branches that come into question: all of them if none allows such a value. */
  readonly left: readonly T[];
  /** Those of them that are least off, in their order. */
  readonly closest: readonly T[];
  /** Set if no branch allows a value of this type, or this value. */
  readonly here: boolean;
  /** The member that tells the branches apart, where its value is that of none. */
  readonly member?: string;
}

/**
 * Returns how far off: by the things that are wrong; then by how far down they are, since a value that fits
 * above was meant; then by what is missing, since nobody gives another branch's properties.
 */
function distance(a: FailedBranch, b: FailedBranch): number {
  return a.count - b.count || b.depth - a.depth || a.missing - b.missing;
}

function leastOff<T extends FailedBranch>(branches: readonly T[]): readonly T[] {
  let closest: T[] = [];
  for (const branch of branches) {
    const [best] = closest;
    const by = best === undefined ? -1 : distance(branch, best);
    if (by < 0) closest = [branch];
    else if (by === 0) closest.push(branch);
  }
  return closest;
}

/** Of branches, the members for which `const` or `enum` say what they may be, as far as it was asked for. */
const told = new WeakMap<SchemaNode, Map<string, boolean>>();
/** Members that are remembered of one branch. */
const MAX_TOLD = 64;

function isTold(node: SchemaNode | undefined, name: string): boolean {
  if (node === undefined) return false;
  const known = told.get(node) ?? new Map<string, boolean>();
  const before = known.get(name);
  if (before !== undefined) return before;
  const property = propertyNode(node, name);
  const found = property !== undefined && literalsOf(property) !== undefined;
  if (known.size < MAX_TOLD) told.set(node, known.set(name, found));
  return found;
}

/**
 * Returns the branches whose `const` or `enum` for a member are met, by the member that leaves fewest; or the
 * member that is met by none. Of several such members it is the one whose name comes first.
 */
function discriminate<T extends FailedBranch>(
  branches: readonly T[],
  spend: () => void,
): { readonly left: readonly T[]; readonly member?: string } {
  const wrong = new Map<string, Set<T>>();
  for (const branch of branches) {
    for (const name of branch.names) {
      const before = wrong.get(name);
      if (before === undefined) wrong.set(name, new Set([branch]));
      else before.add(branch);
    }
  }
  let unmet: string | undefined;
  let met: string | undefined;
  let most = 0;
  for (const [name, those] of wrong) {
    const tells = branches.every(({ node }) => {
      spend();
      return isTold(node, name);
    });
    if (!tells) continue;
    if (those.size === branches.length) {
      if (unmet === undefined || name < unmet) unmet = name;
    } else if (those.size > most || (those.size === most && name < (met ?? ""))) {
      most = those.size;
      met = name;
    }
  }
  if (met !== undefined) {
    const those = wrong.get(met);
    return { left: branches.filter((branch) => !those?.has(branch)) };
  }
  return unmet === undefined ? { left: branches } : { left: branches, member: unmet };
}

/**
 * Returns which of the branches that failed were meant: where some allow such a value at all, those; where a
 * member tells them apart, those whose value for it is there; of these, those that are least off.
 * @param spend called for each step of the search for such a member
 */
export function closestOf<T extends FailedBranch>(
  branches: readonly T[],
  spend: () => void,
): Closest<T> {
  const open = branches.filter(({ here }) => !here);
  if (open.length === 0) return { left: branches, closest: leastOff(branches), here: true };
  const { left, member } = open.length === 1 ? { left: open } : discriminate(open, spend);
  const closest = leastOff(left);
  return { left, closest, here: false, ...(member === undefined ? {} : { member }) };
}
