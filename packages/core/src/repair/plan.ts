import { type IssueTree, isUnion } from "../report/explain/tree.ts";
import type { Issue } from "../result.ts";
import type { BranchChoices } from "./choices.ts";

/** What repairing some issues would achieve: how many it repairs, and how many it leaves. */
interface Outlook {
  readonly repaired: number;
  readonly left: number;
}

function isComposite({ issue, branches }: IssueTree): boolean {
  return isUnion(issue) && branches.length > 0;
}

function placeOf({ issue: { schemaPath, instancePath } }: IssueTree): string {
  return `${schemaPath}\n${instancePath}`;
}

function isAt(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}/`);
}

/** Selects which issues of a check to repair: for each composite, those of one branch. */
export class RepairPlan {
  readonly #repairs: (issue: Issue) => boolean;
  readonly #choices: BranchChoices;
  readonly #known: Map<Issue, boolean> = new Map();
  readonly #outlooks: WeakMap<readonly IssueTree[], Outlook> = new WeakMap();

  /** @param repairs returns whether something can be done about an issue */
  constructor(choices: BranchChoices, repairs: (issue: Issue) => boolean) {
    this.#choices = choices;
    this.#repairs = repairs;
  }

  /** Returns the issues in the order of the check; a composite's own issue follows those of its branch. */
  issues(trees: readonly IssueTree[]): readonly Issue[] {
    return trees.flatMap((tree): readonly Issue[] => [
      ...this.issues(this.#taken(tree)),
      tree.issue,
    ]);
  }

  #taken(tree: IssueTree): readonly IssueTree[] {
    const { branches } = tree;
    if (!isComposite(tree)) return branches.flatMap(({ issues }) => issues);
    const index = this.#choices.of(placeOf(tree), () => this.#options(tree));
    return branches.find((branch) => branch.index === index)?.issues ?? [];
  }

  /**
   * Returns the branches with something to repair: those with the fewest issues left first, then those with the
   * fewest repairs.
   */
  #options({ branches }: IssueTree): readonly number[] {
    return branches
      .map(({ index, issues }) => ({ index, ...this.#outlook(issues) }))
      .filter(({ repaired }) => repaired > 0)
      .sort((a, b) => a.left - b.left || a.repaired - b.repaired)
      .map(({ index }) => index);
  }

  #outlook(trees: readonly IssueTree[]): Outlook {
    const known = this.#outlooks.get(trees);
    if (known !== undefined) return known;
    const own = trees.map(({ issue }) => this.#canRepair(issue));
    const places = trees.flatMap(({ issue }, i) => (own[i] === true ? [issue.path] : []));
    let [repaired, left] = [places.length, 0];
    for (const [i, tree] of trees.entries()) {
      // A repair at a place may also fix everything else that is wrong there and below it.
      if (own[i] === true || places.some((place) => isAt(tree.issue.path, place))) continue;
      const within = this.#within(tree);
      repaired += within.repaired;
      left += within.left;
    }
    const outlook = { repaired, left };
    this.#outlooks.set(trees, outlook);
    return outlook;
  }

  #within(tree: IssueTree): Outlook {
    const all = tree.branches.map(({ issues }) => this.#outlook(issues));
    const promising = all.filter(({ repaired }) => repaired > 0).sort((a, b) => a.left - b.left);
    return promising[0] ?? { repaired: 0, left: 1 };
  }

  #canRepair(issue: Issue): boolean {
    const known = this.#known.get(issue) ?? this.#repairs(issue);
    this.#known.set(issue, known);
    return known;
  }
}

/**
 * Moves failed composites on to other branches, innermost first.
 * @returns whether there was another branch
 */
export function tryNextBranches(trees: readonly IssueTree[], choices: BranchChoices): boolean {
  const advanced = trees.map((tree) => {
    const index = isComposite(tree) ? choices.made(placeOf(tree)) : undefined;
    const taken = tree.branches.filter((branch) => !isComposite(tree) || branch.index === index);
    return (
      tryNextBranches(
        taken.flatMap(({ issues }) => issues),
        choices,
      ) || choices.advance(placeOf(tree))
    );
  });
  return advanced.includes(true);
}
