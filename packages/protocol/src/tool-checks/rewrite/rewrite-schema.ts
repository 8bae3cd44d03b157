import {
  type CompiledSchema,
  compileDeclared,
  type JsonObject,
  runSteps,
} from "@touchstone/core/advanced";
import { proveSubset, proveSubsetSteps } from "../../inclusion/subset.ts";
import { withoutThrowing } from "../../validators/wire.ts";
import type { Provider, ProviderName } from "../lint/providers/provider.ts";
import { providersOf } from "../lint/providers/table.ts";
import { type CompareOptions, compareSteps } from "./disagreement.ts";
import { NARROWER_STEPS } from "./narrower-steps.ts";
import { EQUIVALENT_STEPS, type RewriteStep, type StepKind } from "./steps.ts";
import { WIDER_STEPS } from "./wider-steps.ts";

/** One thing that was done to a schema. */
export interface RewriteChange {
  /** The name of its step. */
  readonly step: string;
  readonly kind: StepKind;
  /** What was done, in words for people. */
  readonly did: string;
  /**
   * The evidence that the step has the effect of its kind: a proof from the structure of both schemas, or the number of
   * values on which it was tried. A wider step needs neither. If a step was taken several times, the weakest evidence.
   */
  readonly evidence: Evidence;
}

type Evidence = "proof" | "none" | { readonly tried: number };

/** The result of rewriting a schema. */
export interface RewrittenSchema {
  /** The original schema if nothing was changed. */
  readonly schema: JsonObject;
  readonly changes: readonly RewriteChange[];
  /**
   * The steps that were not taken, because a value was found that shows that they do not have the effect of their kind.
   * A step that was refused and taken later is here only if it was refused again after that.
   */
  readonly refused: readonly { readonly step: string; readonly value: unknown }[];
  /** How many values were checked by both schemas, and how many of them both accepted. */
  readonly samples: { readonly judged: number; readonly accepted: number };
}

/** Options for rewriting a schema. */
export interface RewriteOptions {
  /** The schema is for the arguments of calls, which are always objects (MCP, `tools/call`). Default false. */
  readonly ofArguments?: boolean;
  /**
   * Whether nulls that the schema refuses are removed from values before it checks them, so that an optional property
   * can be rewritten as a required one that may be null. Default false.
   */
  readonly dropsNulls?: boolean;
  /** The kinds of steps to take. Default: only those that keep what the schema accepts. */
  readonly kinds?: readonly StepKind[];
  /** Which of these steps to take. Default: all. */
  readonly only?: (step: string) => boolean;
  /** Whether nothing else is waiting, so that the check of one value may take long. */
  readonly isPatient?: boolean;
}

/** How many values may be made for one schema, including nested ones. */
const MAX_MADE = 600_000;

/**
 * Rewrites a schema so that providers object to less of it. By default it accepts the same values as before. That is proved
 * from the structure of both schemas. If no proof is found, the step is tried on values made from both, within and
 * beyond their bounds, and is not taken if they differ on one. No schema makes this throw.
 * @throws TypeError if a provider is unknown, or if the providers are not a list
 */
export function rewriteSchema(
  schema: JsonObject,
  providers: readonly ProviderName[],
  options: RewriteOptions = {},
): RewrittenSchema {
  const takers = providersOf(providers);
  return withoutThrowing(
    () => runSteps(rewritten(schema, takers, { isPatient: true, ...options })),
    () => untouched(schema),
  );
}

/** {@link rewriteSchema} in steps. A step takes a few milliseconds; most schemas take a few dozen steps. */
export function* rewriteSchemaSteps(
  schema: JsonObject,
  providers: readonly ProviderName[],
  options: RewriteOptions = {},
): Generator<void, RewrittenSchema, void> {
  const takers = providersOf(providers);
  try {
    return yield* rewritten(schema, takers, options);
  } catch {
    return untouched(schema);
  }
}

function untouched(schema: JsonObject): RewrittenSchema {
  return { schema, changes: [], refused: [], samples: { judged: 0, accepted: 0 } };
}

/** How often all phases are repeated: a step may enable another step of an earlier phase. */
const MAX_ROUNDS = 4;
/** How many schemas a proof may compare if something else is waiting. */
const HURRIED_STEPS = 40_000;
/** If something else is waiting, no values are made from longer schemas, because one of them might take too long. */
const MAX_TRIED_TEXT = 32_768;

/** Steps that are tried together, and how a schema may differ after them. */
interface Phase {
  readonly kind: StepKind;
  readonly steps: readonly RewriteStep[];
  /** Whether the two schemas may differ in nulls. */
  readonly dropsNulls: boolean;
}

/** Returns the phases in which steps are taken. */
function phasesOf({
  ofArguments = false,
  dropsNulls = false,
  kinds = ["same"],
  only = () => true,
}: RewriteOptions): readonly Phase[] {
  const isTaken = ({ name, needsArguments }: RewriteStep): boolean =>
    only(name) && (ofArguments || needsArguments !== true);
  const same = EQUIVALENT_STEPS.filter(isTaken);
  const ofNulls = same.filter(({ needsNullsDropped }) => needsNullsDropped === true);
  const phases: readonly Phase[] = [
    { kind: "same", steps: same.filter((step) => !ofNulls.includes(step)), dropsNulls: false },
    { kind: "narrower", steps: NARROWER_STEPS.filter(isTaken), dropsNulls: false },
    { kind: "wider", steps: WIDER_STEPS.filter(isTaken), dropsNulls: false },
    { kind: "same", steps: dropsNulls ? ofNulls : [], dropsNulls: true },
  ];
  return phases.filter(({ kind, steps }) => kinds.includes(kind) && steps.length > 0);
}

function* rewritten(
  schema: JsonObject,
  takers: readonly Provider[],
  options: RewriteOptions,
): Generator<void, RewrittenSchema, void> {
  const phases = phasesOf(options);
  const work = new Rewriting(options);
  let current = schema;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const before = current;
    for (const phase of phases) current = yield* work.take(phase, current, takers);
    if (current === before) break;
  }
  const { changes, refused, samples } = work;
  return changes.length + refused.length === 0
    ? untouched(schema)
    : { schema: current, changes, refused, samples };
}

/** What was done to one schema so far. */
class Rewriting {
  readonly changes: RewriteChange[] = [];
  readonly refused: { readonly step: string; readonly value: unknown }[] = [];
  readonly samples: { judged: number; accepted: number } = { judged: 0, accepted: 0 };
  readonly #ofArguments: boolean;
  readonly #isPatient: boolean;
  #left = MAX_MADE;

  constructor({ ofArguments = false, isPatient = false }: RewriteOptions) {
    this.#ofArguments = ofArguments;
    this.#isPatient = isPatient;
  }

  /** Takes the steps of a phase: all together if the result has the right effect, else one by one. */
  *take(
    phase: Phase,
    schema: JsonObject,
    takers: readonly Provider[],
  ): Generator<void, JsonObject, void> {
    const wanted = yield* all(schema, takers, phase.steps);
    if (wanted.taken.length === 0) return schema;
    const before = compileDeclared({ value: schema });
    if (before.error !== undefined) return schema;
    yield;
    const shown = yield* this.#show(phase, schema, before, wanted.schema);
    if (!("value" in shown)) {
      for (const step of wanted.taken) this.#note(step, shown.evidence);
      return wanted.schema;
    }
    return yield* this.#oneByOne(phase, schema, takers);
  }

  *#oneByOne(
    phase: Phase,
    schema: JsonObject,
    takers: readonly Provider[],
  ): Generator<void, JsonObject, void> {
    let current = schema;
    for (const step of phase.steps) {
      for (const taker of takers) {
        const next = step.apply(current, taker);
        yield;
        if (same(next, current)) continue;
        const before = compileDeclared({ value: current });
        if (before.error !== undefined) return current;
        yield;
        const shown = yield* this.#show(phase, current, before, next);
        if ("value" in shown) {
          const isKnown = this.refused.some((each) => each.step === step.name);
          if (!isKnown) this.refused.push({ step: step.name, value: shown.value });
          continue;
        }
        current = next;
        this.#note(step, shown.evidence);
      }
    }
    return current;
  }

  /** Returns whether the second schema is proved to accept what the first one accepts. */
  *#proves(first: JsonObject, second: JsonObject): Generator<void, boolean, void> {
    if (this.#isPatient) return proveSubset(first, second) === "all";
    return yield* proveSubsetSteps(first, second, HURRIED_STEPS);
  }

  /**
   * Records a step that was taken. If it was taken before, keeps the weaker evidence. Removes an earlier refusal of the
   * step.
   */
  #note({ name, kind, did }: RewriteStep, evidence: Evidence): void {
    const refused = this.refused.findIndex(({ step }) => step === name);
    if (refused >= 0) this.refused.splice(refused, 1);
    const at = this.changes.findIndex(({ step }) => step === name);
    const known = this.changes[at]?.evidence;
    const made = { step: name, kind, did, evidence: weaker(known ?? evidence, evidence) };
    if (known === undefined) this.changes.push(made);
    else this.changes[at] = made;
  }

  /** Returns the evidence that a change has the effect of its kind, or a value that shows that it does not. */
  *#show(
    { kind, dropsNulls }: Phase,
    schema: JsonObject,
    before: CompiledSchema,
    next: JsonObject,
  ): Generator<void, { readonly evidence: Evidence } | { readonly value: unknown }, void> {
    const after = compileDeclared({ value: next });
    if (after.error !== undefined) return { value: after.error.message };
    yield;
    if (kind === "wider") return { evidence: "none" };
    const forms = [before, after].map(({ canonical }) => canonical);
    const [first, second] = this.#ofArguments ? forms.map(ofObjects) : forms;
    if (!dropsNulls && first !== undefined && second !== undefined) {
      const isShown =
        (yield* this.#proves(second, first)) &&
        (kind === "narrower" || (yield* this.#proves(first, second)));
      if (isShown) return { evidence: "proof" };
      yield;
    }
    const isLong = [schema, next].some((each) => JSON.stringify(each).length > MAX_TRIED_TEXT);
    if (isLong && !this.#isPatient) return { value: "the schema is too long to try values" };
    if (this.#left <= 0) return { value: "there are too many values to try" };
    const options: CompareOptions = {
      ...{ ofArguments: this.#ofArguments, dropsNulls, most: this.#left },
      ...{ isPatient: this.#isPatient, mayRefuseMore: kind === "narrower" },
    };
    const compared = yield* compareSteps(schema, before, next, options);
    this.samples.judged += compared.judged;
    this.samples.accepted += compared.accepted;
    this.#left -= compared.made;
    return compared.disagreement ?? { evidence: { tried: compared.judged } };
  }
}

/**
 * Returns the weaker evidence: a number of tried values is weaker than a proof, and a smaller number is weaker than a
 * larger one.
 */
function weaker(known: Evidence, next: Evidence): Evidence {
  if (typeof next !== "object") return known;
  return typeof known === "object" && known.tried <= next.tried ? known : next;
}

/** Returns a schema that accepts only the objects that a schema accepts, if that may accept other values too. */
function ofObjects(canonical: JsonObject | undefined): JsonObject | undefined {
  if (canonical === undefined) return undefined;
  const { type } = canonical;
  const mayBeObject = Array.isArray(type) ? type.includes("object") : type === undefined;
  return mayBeObject ? { ...canonical, type: "object" } : canonical;
}

/** Returns the schema after all steps, and which of them changed it, without testing any of them. */
function* all(
  schema: JsonObject,
  takers: readonly Provider[],
  steps: readonly RewriteStep[],
): Generator<void, { readonly schema: JsonObject; readonly taken: readonly RewriteStep[] }, void> {
  const taken = new Set<RewriteStep>();
  let current = schema;
  for (const step of steps) {
    for (const taker of takers) {
      const next = step.apply(current, taker);
      yield;
      if (same(next, current)) continue;
      current = next;
      taken.add(step);
    }
  }
  return { schema: current, taken: [...taken] };
}

function same(a: JsonObject, b: JsonObject): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
