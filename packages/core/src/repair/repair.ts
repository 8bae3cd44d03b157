import type { CheckOptions } from "../check-options.ts";
import type { CompiledSchema } from "../compile.ts";
import { UNDECLARED } from "../keywords/index.ts";
import { type IssueTree, issueTrees } from "../report/explain/tree.ts";
import { sourceOf } from "../report/issues/issue.ts";
import type { Check, Issue } from "../result.ts";
import { Choices } from "./choices.ts";
import { deepCopy } from "./copy.ts";
import { type Draft, FIXES, isSure } from "./fix.ts";
import type { Fix, PatchOperation, RepairKind } from "./operation.ts";
import { applyOperation } from "./patch.ts";
import { advance, Plan } from "./plan.ts";

/** What both a value and a text need for a repair. */
export interface RepairOptions {
  readonly schema: CompiledSchema;
  /** The schema as its author wrote it, for its defaults. */
  readonly declared: unknown;
  /** Why the value is not valid. */
  readonly check: Check;
  /** The kinds that are allowed, in the order in which they are tried. */
  readonly repair: readonly RepairKind[];
  readonly limits?: CheckOptions | undefined;
}

/** What is repaired may be wrong inside: a string that held an object, an object with defaults. */
const MAX_ROUNDS = 8;

/** A draft on its way: what was done to it, and what is still wrong with it. */
class Attempt<D extends Draft> {
  readonly fixes: Fix[] = [];
  readonly draft: D;
  readonly #given: RepairOptions;
  /** What was done where: a repair that is asked for again at the same place undoes another. */
  readonly #done: Set<string> = new Set();
  check: Check;
  /** What is wrong. */
  trees: readonly IssueTree[];

  constructor(given: RepairOptions, draft: D, trees: readonly IssueTree[]) {
    this.#given = given;
    this.draft = draft;
    this.check = given.check;
    this.trees = trees;
  }

  /** Repairs each place once. Returns false if nothing can be done. */
  round(choices: Choices): boolean {
    const plan = new Plan(choices, (issue) => this.#fixOf(issue) !== undefined);
    const before = this.fixes.length;
    const places = new Set<string>();
    for (const issue of plan.issues(this.trees)) {
      if (!places.has(issue.path) && this.#fix(issue)) places.add(issue.path);
    }
    if (this.fixes.length === before) return false;
    const check = this.draft.check();
    if (check === undefined) return false;
    this.check = check;
    this.trees = issueTrees(check.errors);
    return true;
  }

  #fixOf(issue: Issue): Fix | undefined {
    const { declared, repair } = this.#given;
    const hints = { declared, suggestions: this.check.suggestions };
    for (const kind of repair) {
      if (this.#done.has(`${kind} ${issue.path}`)) continue;
      const found = FIXES[kind](issue, this.draft, hints);
      if (found !== undefined) return { kind, ...found };
    }
    return undefined;
  }

  #fix(issue: Issue): boolean {
    const fix = this.#fixOf(issue);
    if (fix === undefined || !this.draft.apply(fix)) return false;
    this.fixes.push(fix);
    this.#done.add(`${fix.kind} ${issue.path}`);
    return true;
  }
}

/** A draft that satisfies its schema, and what made it so. */
export interface Success<D extends Draft> {
  readonly draft: D;
  readonly fixes: readonly Fix[];
}

/**
 * Repairs issue by issue, each place once a round, until the whole satisfies its schema. Of an `anyOf` or `oneOf`
 * one branch is repaired, the one that wants the least first, and another if that does not help.
 * @param draftOf returns a new draft of what came; undefined if none can be made
 * @param rounds how many there are at most, over all branches that are tried
 * @returns each way that leads to a valid draft, the best first; at last undefined if some ways were not tried
 */
export function* successes<D extends Draft>(
  given: RepairOptions,
  draftOf: () => D | undefined,
  rounds: number,
): Generator<Success<D> | undefined, void> {
  const check = given.repair.length === 0 ? undefined : wholeCheck(given, draftOf);
  if (check?.outcome !== "violation") return;
  const choices = new Choices();
  const trees = issueTrees(check.errors);
  for (let used = 0; used < rounds; used += 1) {
    const draft = draftOf();
    if (draft === undefined) return;
    const attempt = new Attempt({ ...given, check }, draft, trees);
    const most = draft.isText ? Math.min(MAX_ROUNDS, rounds - used) : MAX_ROUNDS;
    for (let round = 0; round < most && attempt.round(choices); round += 1) {
      used += round === 0 ? 0 : 1;
      if (!isRepaired(attempt.check)) continue;
      yield { draft, fixes: attempt.fixes };
      break;
    }
    const isNext = !isRepaired(attempt.check) && advance(attempt.trees, choices);
    if (!isNext && !choices.next()) return;
  }
  yield undefined;
}

/** Returns whether nothing is wrong any more. Members that are undeclared and only a warning do no harm. */
function isRepaired({ valid, errors, treated, truncated }: Check): boolean {
  if (valid) return true;
  const isWarning = treated !== undefined && treated.violation === 0 && truncated === undefined;
  return isWarning && errors.every(({ keyword }) => keyword === UNDECLARED);
}

/** Returns the check with what it was made of: one that came from a thread is made again. */
function wholeCheck({ check }: RepairOptions, draftOf: () => Draft | undefined): Check | undefined {
  return check.errors.every((issue) => sourceOf(issue) !== undefined) ? check : draftOf()?.check();
}

/** How many rounds there are at most for a value. */
const VALUE_ROUNDS = 24;

/** {@link deepCopy}; undefined if that throws. */
function copyOf<T>(value: T): { readonly value: T } | undefined {
  try {
    return { value: deepCopy(value) };
  } catch {
    return undefined;
  }
}

class ValueDraft implements Draft {
  readonly isText = false;
  root: unknown;
  readonly patch: PatchOperation[] = [];
  readonly #given: RepairOptions & { readonly exact?: boolean };

  constructor(given: RepairOptions & { readonly exact?: boolean }, copy: unknown) {
    this.#given = given;
    this.root = copy;
  }

  digits(_: string, value: number): string | undefined {
    return this.#given.exact === true || isSure(value) ? String(value) : undefined;
  }

  apply({ operation }: Fix): boolean {
    // The patch keeps the value as it was put in; later operations may change the copy.
    const copied = copyOf(operation);
    const applied = copied && applyOperation(this.root, copied.value);
    if (applied === undefined) return false;
    this.root = applied.value;
    this.patch.push(operation);
    return true;
  }

  check(): Check {
    return this.#given.schema.checkValue(this.root, this.#given.limits);
  }
}

export interface Repairable extends RepairOptions {
  readonly value: unknown;
  /** Whether each number of the value is the one that was sent, as its text has shown. Default false. */
  readonly exact?: boolean;
}

/** A repaired copy of a value, and what was done. */
export interface Repaired {
  readonly value: unknown;
  /** JSON Patch (RFC 6902) that makes the copy of what came, in order. */
  readonly patch: readonly PatchOperation[];
  /** The kinds of repair that the patch made use of, in the order of their first use. */
  readonly repairs: readonly RepairKind[];
}

/**
 * Tries to repair a value that failed its check, by the kinds of repair that are allowed. Nothing but what the
 * patch says differs from the value that came, which is never changed. Never throws.
 * @returns undefined if that does not make it valid, or an instance of a class is in it
 */
export function repairValue(given: Repairable): Repaired | undefined {
  const draftOf = (): ValueDraft | undefined => {
    const copy = copyOf(given.value);
    return copy && new ValueDraft(given, copy.value);
  };
  const { value: first } = successes(given, draftOf, VALUE_ROUNDS).next();
  if (first === undefined) return undefined;
  const { draft, fixes } = first;
  const repairs = [...new Set(fixes.map(({ kind }) => kind))];
  return { value: draft.root, patch: draft.patch, repairs };
}
