import {
  type Check,
  type CheckOptions,
  type CompiledSchema,
  type Issue,
  type IssueTree,
  issueTrees,
} from "@touchstone/core";
import { Choices } from "./choices.ts";
import { deepCopy } from "./copy.ts";
import { FIXES } from "./fix.ts";
import { applyOperation } from "./patch.ts";
import { advance, Plan } from "./plan.ts";
import type { PatchOperation, RepairKind, RepairReceipt } from "./receipt.ts";

export interface Repairable {
  readonly schema: CompiledSchema;
  /** The schema as its author wrote it, for its defaults. */
  readonly declared: unknown;
  readonly value: unknown;
  /** Why the value is not valid. */
  readonly check: Check;
  readonly repair: readonly RepairKind[];
  /** Whether each number of the value is the one that was sent, as its text has told. Default false. */
  readonly exact?: boolean;
  readonly limits?: CheckOptions | undefined;
}

/** A mended copy, and what was done. */
export interface Repaired extends Omit<RepairReceipt, "tool"> {
  readonly value: unknown;
}

/** What is mended may be wrong inside: a string that held an object, an object with defaults. */
const MAX_ROUNDS = 8;
/** How many rounds there are at the most where other branches of an `anyOf` or `oneOf` are tried, too. */
const MAX_ALL_ROUNDS = 24;

/** {@link deepCopy}; undefined where that throws. */
function copyOf<T>(value: T): { readonly value: T } | undefined {
  try {
    return { value: deepCopy(value) };
  } catch {
    return undefined;
  }
}

/** A copy on its way: what was done to it, and what is still wrong with it. */
class Attempt {
  readonly patch: PatchOperation[] = [];
  readonly repairs: Set<RepairKind> = new Set();
  readonly #given: Repairable;
  /** What was done where: a repair that is asked for again at the same place undoes another. */
  readonly #done: Set<string> = new Set();
  root: unknown;
  check: Check;
  /** What is wrong. */
  trees: readonly IssueTree[];

  constructor(given: Repairable, copy: unknown, trees: readonly IssueTree[]) {
    this.#given = given;
    this.root = copy;
    this.check = given.check;
    this.trees = trees;
  }

  /** Mends each place once; false where nothing could be done. */
  round(choices: Choices): boolean {
    const plan = new Plan(choices, (issue) => this.#repairOf(issue) !== undefined);
    const before = this.patch.length;
    const places = new Set<string>();
    for (const issue of plan.issues(this.trees)) {
      if (!places.has(issue.path) && this.#mend(issue)) places.add(issue.path);
    }
    if (this.patch.length === before) return false;
    this.check = this.#given.schema.checkValue(this.root, this.#given.limits);
    this.trees = issueTrees(this.check.errors);
    return true;
  }

  #repairOf(issue: Issue): readonly [RepairKind, PatchOperation] | undefined {
    const { declared, repair, exact = false } = this.#given;
    const { root } = this;
    const { suggestions } = this.check;
    for (const kind of repair) {
      if (this.#done.has(`${kind} ${issue.path}`)) continue;
      const operation = FIXES[kind]({ issue, root, declared, suggestions, exact });
      if (operation !== undefined) return [kind, operation];
    }
    return undefined;
  }

  #mend(issue: Issue): boolean {
    const [kind, operation] = this.#repairOf(issue) ?? [];
    if (kind === undefined || operation === undefined) return false;
    // The receipt keeps the value as it was put in; later operations may change the copy.
    const copied = copyOf(operation);
    const applied = copied && applyOperation(this.root, copied.value);
    if (applied === undefined) return false;
    this.root = applied.value;
    this.patch.push(operation);
    this.repairs.add(kind);
    this.#done.add(`${kind} ${issue.path}`);
    return true;
  }
}

/**
 * Tries to mend a value that failed its check, by the kinds of repair that are allowed: issue by
 * issue, each place once a round, until the whole satisfies its schema. Of an `anyOf` or `oneOf` one branch is
 * mended, the one that wants the least first, and another where that does not do. Nothing but what the
 * patch tells differs from the value that came, which is never changed.
 * @returns undefined where that cannot be had, as where an instance of a class is in the value
 */
export function repairValue(given: Repairable): Repaired | undefined {
  const { value, check, repair } = given;
  if (repair.length === 0 || check.outcome !== "violation") return undefined;
  const choices = new Choices();
  const trees = issueTrees(check.errors);
  for (let rounds = 0; rounds < MAX_ALL_ROUNDS; rounds += 1) {
    const copy = copyOf(value);
    if (copy === undefined) return undefined;
    const attempt = new Attempt(given, copy.value, trees);
    for (let round = 0; round < MAX_ROUNDS && attempt.round(choices); round += 1) {
      rounds += round === 0 ? 0 : 1;
      const { root, patch, repairs } = attempt;
      if (attempt.check.valid) return { value: root, patch, repairs: [...repairs] };
    }
    if (!advance(attempt.trees, choices) && !choices.next()) return undefined;
  }
  return undefined;
}
