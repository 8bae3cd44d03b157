import type { CheckOptions } from "../check-options.ts";
import type { CompiledSchema } from "../compile.ts";
import { UNDECLARED_KEYWORD } from "../keywords/index.ts";
import { type IssueTree, issueTrees } from "../report/explain/tree.ts";
import { engineErrorOf } from "../report/issues/issue.ts";
import type { Check, Issue } from "../result.ts";
import { BranchChoices } from "./choices.ts";
import { deepCopy } from "./copy.ts";
import { FIXERS, isExactNumber, type RepairDraft } from "./fix.ts";
import type { PatchOperation, RepairFix, RepairKind } from "./operation.ts";
import { applyOperation } from "./patch.ts";
import { RepairPlan, tryNextBranches } from "./plan.ts";

/** The options that repairs of values and of texts have in common. */
export interface RepairOptions {
  readonly schema: CompiledSchema;
  /** The schema as its author wrote it, used for its defaults. */
  readonly declared: unknown;
  /** Why the value is not valid. */
  readonly check: Check;
  /** The allowed kinds, in the order in which they are tried. */
  readonly repair: readonly RepairKind[];
  readonly limits?: CheckOptions | undefined;
}

/** Yielded where the work may pause, so that the caller can do other things before it continues. */
export const REPAIR_PAUSE: unique symbol = Symbol("pause");
/** After this many issues the work may pause. Each takes some microseconds. */
const PAUSE_ISSUES = 16;
/** How many issues all rounds together may process. With more, nothing is repaired. */
const MAX_ISSUES = 20_000;

/** How many issues of {@link MAX_ISSUES} are left. */
interface Work {
  left: number;
}

/** A repaired value may itself contain errors: an object parsed from a string, an object with defaults. */
const MAX_ROUNDS = 8;

/** A draft in progress: the repairs made so far, and what is still wrong with it. */
class Attempt<D extends RepairDraft> {
  readonly fixes: RepairFix[] = [];
  readonly draft: D;
  readonly #given: RepairOptions;
  /** The repairs already made, by place. A repair that is requested again at the same place would undo another one. */
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

  /** Repairs each place at most once. Returns false if nothing can be done, or the work is over. */
  *round(choices: BranchChoices, work: Work): Generator<typeof REPAIR_PAUSE, boolean, void> {
    const plan = new RepairPlan(choices, (issue) => this.#fixOf(issue) !== undefined);
    const before = this.fixes.length;
    const places = new Set<string>();
    for (const [at, issue] of plan.issues(this.trees).entries()) {
      work.left -= 1;
      if (work.left < 0) return false;
      if (at % PAUSE_ISSUES === PAUSE_ISSUES - 1) yield REPAIR_PAUSE;
      if (!places.has(issue.path) && this.#fix(issue)) places.add(issue.path);
    }
    if (this.fixes.length === before) return false;
    yield REPAIR_PAUSE;
    const check = this.draft.check();
    if (check === undefined) return false;
    this.check = check;
    this.trees = issueTrees(check.errors);
    yield REPAIR_PAUSE;
    return true;
  }

  #fixOf(issue: Issue): RepairFix | undefined {
    const { declared, repair } = this.#given;
    const hints = { declared, suggestions: this.check.suggestions };
    for (const kind of repair) {
      if (this.#done.has(`${kind} ${issue.path}`)) continue;
      const found = FIXERS[kind](issue, this.draft, hints);
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

/** A draft that satisfies its schema, and the repairs that made it valid. */
export interface RepairSuccess<D extends RepairDraft> {
  readonly draft: D;
  readonly fixes: readonly RepairFix[];
}

/**
 * Repairs issue by issue, each place once per round, until the whole value satisfies its schema. For an `anyOf` or
 * `oneOf`, repairs one branch: first the one that needs the least, then another if that does not help.
 * @param draftOf returns a new draft of the input; undefined if none can be made
 * @param rounds the maximum number of rounds over all branches that are tried
 * @param issues how many issues all rounds together may process
 * @returns each way that leads to a valid draft, best first; {@link REPAIR_PAUSE} in between; finally undefined if some ways
 *   were not tried
 */
export function* findRepairs<D extends RepairDraft>(
  given: RepairOptions,
  draftOf: () => D | undefined,
  rounds: number,
  issues: number = MAX_ISSUES,
): Generator<RepairSuccess<D> | typeof REPAIR_PAUSE | undefined, void> {
  // Pauses first, because the check that failed has just used up time.
  yield REPAIR_PAUSE;
  const check = given.repair.length === 0 ? undefined : wholeCheck(given, draftOf);
  if (check?.outcome !== "violation") return;
  const choices = new BranchChoices();
  const trees = issueTrees(check.errors);
  const work: Work = { left: issues };
  for (let used = 0; used < rounds; used += 1) {
    const draft = draftOf();
    if (draft === undefined) return;
    const attempt = new Attempt({ ...given, check }, draft, trees);
    const most = draft.isText ? Math.min(MAX_ROUNDS, rounds - used) : MAX_ROUNDS;
    for (let round = 0; round < most && (yield* attempt.round(choices, work)); round += 1) {
      used += round === 0 ? 0 : 1;
      if (!isRepaired(attempt.check)) continue;
      yield { draft, fixes: attempt.fixes };
      break;
    }
    if (work.left < 0) break;
    const isNext = !isRepaired(attempt.check) && tryNextBranches(attempt.trees, choices);
    if (!isNext && !choices.next()) return;
  }
  yield undefined;
}

/** Returns whether nothing is wrong anymore. Undeclared members that are only warnings do not matter. */
function isRepaired({ valid, errors, treated, truncated }: Check): boolean {
  if (valid) return true;
  const isWarning = treated !== undefined && treated.violation === 0 && truncated === undefined;
  return isWarning && errors.every(({ keyword }) => keyword === UNDECLARED_KEYWORD);
}

/** Returns the check with its engine errors. A check that came from a thread lacks them and is repeated. */
function wholeCheck(
  { check }: RepairOptions,
  draftOf: () => RepairDraft | undefined,
): Check | undefined {
  return check.errors.every((issue) => engineErrorOf(issue) !== undefined)
    ? check
    : draftOf()?.check();
}

/** Maximum number of rounds for a value. */
const VALUE_ROUNDS = 24;

/** {@link deepCopy}, but undefined if that throws. */
function copyOf<T>(value: T): { readonly value: T } | undefined {
  try {
    return { value: deepCopy(value) };
  } catch {
    return undefined;
  }
}

class ValueDraft implements RepairDraft {
  readonly isText = false;
  root: unknown;
  readonly patch: PatchOperation[] = [];
  readonly #given: RepairOptions & { readonly exact?: boolean };

  constructor(given: RepairOptions & { readonly exact?: boolean }, copy: unknown) {
    this.#given = given;
    this.root = copy;
  }

  digits(_: string, value: number): string | undefined {
    return this.#given.exact === true || isExactNumber(value) ? String(value) : undefined;
  }

  apply({ operation }: RepairFix): boolean {
    // The patch keeps the value as it was inserted; later operations may change the copy.
    const copied = copyOf(operation);
    const applied = copied && applyOperation(this.root, copied.value);
    if (applied === undefined) return false;
    this.root = applied.value;
    this.patch.push(operation);
    return true;
  }

  check(): Check {
    return this.#given.schema.validate(this.root, this.#given.limits);
  }
}

export interface Repairable extends RepairOptions {
  readonly value: unknown;
  /** Whether each number of the value is exactly the one sent, as its text has shown. Default false. */
  readonly exact?: boolean;
}

/** A repaired copy of a value, and its repairs. */
export interface Repaired {
  readonly value: unknown;
  /** JSON Patch (RFC 6902) that turns the input into the copy, in order. */
  readonly patch: readonly PatchOperation[];
  /** The kinds of repair that the patch uses, in the order of their first use. */
  readonly repairs: readonly RepairKind[];
}

/**
 * Tries to repair a value that failed its check, by the allowed kinds of repair. The result differs from the input
 * only as the patch says; the input itself is never changed. Never throws.
 * @returns undefined if that does not make it valid, or if it contains an instance of a class
 */
export function repairValue(given: Repairable): Repaired | undefined {
  const draftOf = (): ValueDraft | undefined => {
    const copy = copyOf(given.value);
    return copy && new ValueDraft(given, copy.value);
  };
  let first: RepairSuccess<ValueDraft> | undefined;
  for (const made of findRepairs(given, draftOf, VALUE_ROUNDS)) {
    if (made === REPAIR_PAUSE) continue;
    first = made;
    break;
  }
  if (first === undefined) return undefined;
  const { draft, fixes } = first;
  const repairs = [...new Set(fixes.map(({ kind }) => kind))];
  return { value: draft.root, patch: draft.patch, repairs };
}
