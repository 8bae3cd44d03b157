import {
  type CompiledSchema,
  checkAtOnce,
  compileDeclared,
  isObject,
  type JsonObject,
  type RepairKind,
  repairValue,
} from "@touchstone/core/advanced";
import { BoundedWork } from "../../bounded-work.ts";
import { counterexampleCandidates, SEARCH_PAUSE } from "../../inclusion/aim.ts";
import { randomFrom, type SampledValue, sampleInstance } from "../../inclusion/sample.ts";
import { withNullDefaults } from "./require-nullable.ts";

/** How many values are tried, if they are small. */
const SAMPLES = 400;
/** The most values made in total, including nested ones: wide objects need many. */
const MAX_MADE = 120_000;
/** If this many values take too long to check before any other is checked, the comparison ends. */
const ENOUGH_TOO_LONG = 12;
/** How many values that aim at differences are tried, in each direction. */
const MAX_AIMED = 150;
/** Limits on the work of making these values if something else is waiting: a few milliseconds. */
const AIMED_STEPS = 40_000;
const AIMED_TEXT_STEPS = 2_000;
const AIMED_SIZE = 1_000;
/** The steps for making one random value if something else is waiting. */
const SAMPLE_STEPS = 20_000;
/** If something else is waiting, no values that aim at differences are made for longer schemas. */
const MAX_AIMED_TEXT = 4_096;
/** The steps for making such values if nothing else is waiting. */
const PATIENT_STEPS = 2_000_000;
/** A value that aims at a difference counts as this many nested values. */
const AIMED_MADE = 50;
/** 2 to this power is the number of characters that count as one value of a step. */
const CHARACTERS_AS_MADE = 7;
/** How many values are made in one step. */
const MADE_IN_STEP = 500;

/** The result of a comparison. */
export interface SchemaComparison {
  readonly judged: number;
  /** How many of these both schemas accepted. */
  readonly accepted: number;
  /** How many values were made, including nested ones. */
  readonly made: number;
  /** The first value on which the two disagree, or why they cannot be compared. */
  readonly disagreement?: { readonly value: unknown };
}

/** How to compare two schemas. */
export interface CompareOptions {
  /** The schemas describe the arguments of calls, which are objects whatever a schema says. Default false. */
  readonly ofArguments?: boolean;
  /**
   * Whether the two may differ in nulls: if their verdicts differ, the first schema checks the value again without the
   * nulls that it refuses, and the second one with nulls for missing members. Default false.
   */
  readonly dropsNulls?: boolean;
  /** Whether the second one may refuse what the first one accepts. Default false. */
  readonly mayRefuseMore?: boolean;
  /** The most values that may be made. Default {@link MAX_MADE}. */
  readonly most?: number;
  /**
   * Whether a check may take long because nothing else is waiting. By default, values whose check takes more than a
   * few milliseconds are skipped.
   */
  readonly isPatient?: boolean;
}

/** Returns the verdict on a generated value; undefined if it takes longer than allowed. */
function verdictOf(
  schema: CompiledSchema,
  value: unknown,
  text: string,
  isPatient: boolean,
): boolean | undefined {
  if (isPatient) return schema.isValid(value);
  return checkAtOnce(schema, text, { maxIssues: 1, maxText: 1 })?.valid;
}

/**
 * Returns a function for values on which the verdicts of two schemas differ. It returns whether they agree once nulls
 * are disregarded.
 */
function nullsOf(
  first: JsonObject,
  before: CompiledSchema,
  second: JsonObject,
  after: CompiledSchema,
): (value: unknown, isValidBefore: boolean) => boolean {
  const filled = withNullDefaults(second);
  return (value, isValidBefore) =>
    isValidBefore
      ? isMadeValid(after, filled, value, "fill-defaults")
      : isMadeValid(before, first, value, "drop-nulls");
}

/** Returns whether one kind of repair makes a value valid. The check of the value must be known to be short. */
function isMadeValid(
  schema: CompiledSchema,
  declared: JsonObject,
  value: unknown,
  kind: RepairKind,
): boolean {
  const check = schema.validate(value);
  return repairValue({ schema, declared, value, check, repair: [kind] }) !== undefined;
}

/**
 * Yields values that aim at the differences, in both directions, and then random ones; undefined if it is time for a
 * pause.
 */
function* valuesOf(
  first: JsonObject,
  second: JsonObject,
  canonical: readonly (JsonObject | undefined)[],
  isPatient: boolean,
): Generator<SampledValue | undefined, void, void> {
  const [before, after] = canonical;
  if (before !== undefined && after !== undefined && isAimedAt([before, after], isPatient)) {
    for (const [from, to] of [[before, after] as const, [after, before] as const]) {
      const work = new BoundedWork(isPatient ? PATIENT_STEPS : AIMED_STEPS);
      const aim = {
        declaredOnly: false,
        work,
        ...(isPatient ? {} : { textSteps: AIMED_TEXT_STEPS, maxSize: AIMED_SIZE }),
      };
      let left = MAX_AIMED;
      for (const value of counterexampleCandidates(from, to, aim)) {
        if (value === SEARCH_PAUSE) {
          yield undefined;
          continue;
        }
        yield { value, made: AIMED_MADE };
        left -= 1;
        if (left === 0) break;
      }
      yield undefined;
    }
  }
  const random = randomFrom(SAMPLES);
  for (let tried = 1; tried <= SAMPLES; tried += 1) {
    const work = isPatient ? undefined : new BoundedWork(SAMPLE_STEPS);
    yield sampleInstance(tried % 2 === 0 ? first : second, random, undefined, work);
  }
}

function isAimedAt(schemas: readonly JsonObject[], isPatient: boolean): boolean {
  return isPatient || schemas.every((schema) => JSON.stringify(schema).length <= MAX_AIMED_TEXT);
}

/**
 * Makes values from both schemas, first those that aim at differences, and checks each of them by both schemas. The
 * values are always the same, and each step handles a few.
 * @param compiled the first schema
 */
export function* compareSteps(
  first: JsonObject,
  compiled: CompiledSchema,
  second: JsonObject,
  {
    ofArguments = false,
    dropsNulls = false,
    mayRefuseMore = false,
    most = MAX_MADE,
    isPatient = false,
  }: CompareOptions = {},
): Generator<void, SchemaComparison, void> {
  const after = compileDeclared({ value: second });
  if (after.error !== undefined) {
    return { judged: 0, accepted: 0, made: 0, disagreement: { value: after.error.message } };
  }
  yield;
  const nulls = dropsNulls ? nullsOf(first, compiled, second, after) : undefined;
  const enough = Math.min(most, MAX_MADE);
  let [judged, accepted, all, inStep, tooLong] = [0, 0, 0, 0, 0];
  const canonical = [compiled.canonical, after.canonical];
  for (const sample of valuesOf(first, second, canonical, isPatient)) {
    if (sample === undefined) {
      yield;
      continue;
    }
    if (all >= enough) break;
    const { value, made } = sample;
    all += made;
    inStep += made;
    if (inStep > MADE_IN_STEP) {
      yield;
      inStep = 0;
    }
    if (ofArguments && !isObject(value)) continue;
    const text = isPatient ? "" : (JSON.stringify(value) ?? "null");
    inStep += text.length >> CHARACTERS_AS_MADE;
    const valid = verdictOf(compiled, value, text, isPatient);
    const validAfter = valid === undefined ? valid : verdictOf(after, value, text, isPatient);
    if (validAfter === undefined) {
      tooLong += 1;
      if (judged === 0 && tooLong === ENOUGH_TOO_LONG) break;
      continue;
    }
    judged += 1;
    const isAllowed = valid === validAfter || (mayRefuseMore && valid === true);
    if (!isAllowed && nulls?.(value, valid === true) !== true)
      return { judged, accepted, made: all, disagreement: { value } };
    if (valid && validAfter) accepted += 1;
  }
  if (judged > 0) return { judged, accepted, made: all };
  const value = "no value could be checked in time";
  return { judged, accepted, made: all, disagreement: { value } };
}
