import { literalsOf, propertyNode } from "../keywords/literals.ts";
import type { SchemaNode } from "../keywords/node.ts";

/** A failed branch of an `anyOf` or `oneOf`, with what shows whether the author of the value meant it. */
export interface FailedBranch {
  readonly node: SchemaNode | undefined;
  /** Whether it requires another type, or another value, at the composite's place. */
  readonly here: boolean;
  /** The members of that value that are wrong for the branch, or missing. */
  readonly names: Iterable<string>;
  /** How many issues it has, the depth of the deepest, and how many properties are missing. */
  readonly count: number;
  readonly depth: number;
  readonly missing: number;
}

/** The branches that were meant, independent of their order. */
export interface Closest<T extends FailedBranch> {
  /** The branches that allow such a value, or all branches if none does. */
  readonly left: readonly T[];
  /** Those of them with the smallest distance, in order. */
  readonly closest: readonly T[];
  /** Set if no branch allows a value of this type, or this value. */
  readonly here: boolean;
  /** The member that distinguishes the branches, if no branch has its value. */
  readonly member?: string;
}

/**
 * Compares distances: first the number of issues; then their depth, because a value that fits at the top was meant;
 * then missing properties, because nobody sends another branch's properties.
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

/** The members for which a branch has `const` or `enum`, as far as they were needed. */
const literalMembers = new WeakMap<SchemaNode, Map<string, boolean>>();
/** How many members of one branch to remember. */
const MAX_REMEMBERED = 64;

function hasLiterals(node: SchemaNode | undefined, name: string): boolean {
  if (node === undefined) return false;
  const known = literalMembers.get(node) ?? new Map<string, boolean>();
  const before = known.get(name);
  if (before !== undefined) return before;
  const property = propertyNode(node, name);
  const found = property !== undefined && literalsOf(property) !== undefined;
  if (known.size < MAX_REMEMBERED) literalMembers.set(node, known.set(name, found));
  return found;
}

/**
 * Returns the branches whose `const` or `enum` for a member matches, for the member that leaves the fewest; or the
 * member that no branch matches. Of several such members, the one with the first name.
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
    const distinguishes = branches.every(({ node }) => {
      spend();
      return hasLiterals(node, name);
    });
    if (!distinguishes) continue;
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
 * Returns which of the failed branches were meant: those that allow such a value at all, if there are any; if a
 * member distinguishes them, those with its value; of these, those with the smallest distance.
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
