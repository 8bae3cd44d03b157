import {
  type CompiledSchema,
  describeCheck,
  isObject,
  type JsonObject,
  valueAt,
} from "@touchstone/core/advanced";
import { BoundedWork } from "../bounded-work.ts";
import { counterexampleCandidates, SEARCH_PAUSE } from "./aim.ts";
import { withExactNumbers } from "./exact-numbers.ts";
import { randomFrom, sampleInstance } from "./sample.ts";

/** A fixed seed, so that the values are the same each time. */
const SEED = 20_260_728;
/** How many values are tried, if they are small. */
const SAMPLES = 1_000;
/** The share of the steps that is spent on values that aim at differences. */
const AIMED_SHARE = 0.4;
/** Longer values are not remembered, so they may be tried twice. */
const MAX_REMEMBERED = 2_000;
/** How many values that aim at differences are tried. */
const MAX_AIMED = 3_000;
/** How many values may be made in total, including nested ones. */
const MAX_MADE = 200_000;
/** How many issues of a counterexample are listed. */
const MAX_ISSUES = 3;
/** How many smaller values are tried after one was found. */
const MAX_REDUCTIONS = 500;
/** How many steps a search may take. */
const MAX_STEPS = 40_000_000;
/** The steps for examining one schema of a value or of a name. */
const STEPS_PER_SCHEMA = 5;
/** How many values may be found on which the check in memory and the check of the text disagree. */
const MAX_UNCONFIRMED = 20;

/** A value that one schema accepts and another refuses. */
export interface Counterexample {
  readonly value: unknown;
  /** Its JSON text. */
  readonly text: string;
  /** What the second schema reports about it, one sentence for each issue. */
  readonly issues: readonly string[];
}

/** How much effort the search for a counterexample may take. */
export interface SearchEffort {
  /** The largest number of values to try. Default 1,000. */
  readonly samples?: number;
  /** The largest number of steps to take. Default 40,000,000. */
  readonly steps?: number;
  /**
   * Returns whether to stop the search now. By default only the limits above end it, so that every search has the same
   * outcome.
   */
  readonly isOver?: () => boolean;
}

export interface CounterexampleSearch {
  /** How many of the tried values both schemas accept. */
  readonly accepted: number;
  /** Whether some values were skipped or left undecided because they would take too many steps. */
  readonly isCut: boolean;
  readonly counterexample?: Counterexample;
}

/**
 * Looks for a value that the first schema accepts and the second refuses, among values made from both, the same ones
 * each time: first those that aim at what the second schema adds, then random ones. Removes members that the second schema declares and the first does not mention. A value counts only if
 * the check of values and the check of texts agree on it. Ends early if the schemas take many steps to check.
 * @param first without a fault, like the second
 * @param numbers JSON texts of numbers that no double holds, to try as well
 */
export function findCounterexample(
  first: CompiledSchema,
  second: CompiledSchema,
  { samples = SAMPLES, steps = MAX_STEPS, isOver = () => false }: SearchEffort = {},
  numbers: readonly string[] = [],
): CounterexampleSearch {
  const { canonical: from = {} } = first;
  const { canonical: to = {} } = second;
  // Values that aim at differences leave steps for random ones.
  const aimed = new BoundedWork(Math.floor(steps * AIMED_SHARE));
  const random = new BoundedWork(steps - Math.floor(steps * AIMED_SHARE));
  const tried = new Set<string>();
  let [accepted, unconfirmed, isCut] = [0, 0, false];
  for (const [whole, work] of candidates(from, to, samples, aimed, random)) {
    if (isOver()) break;
    const isOne = (value: unknown): boolean =>
      work.accepts(first, value) === true && work.accepts(second, value) === false;
    const value = withoutUndeclared(whole, from, to, work);
    for (const text of withExactNumbers(value, numbers)) {
      const counterexample = refuted(text, first, second);
      if (counterexample !== undefined) return { accepted, isCut, counterexample };
    }
    if (isKnown(value, tried)) continue;
    // Values that were cut short are not tried.
    const isFirst = work.isOver ? undefined : work.accepts(first, value);
    const isAccepted = isFirst === true ? work.accepts(second, value) : isFirst;
    isCut ||= isAccepted === undefined;
    if (random.isOver) break;
    if (isFirst !== true || isAccepted === undefined) continue;
    if (isAccepted) {
      accepted += 1;
      continue;
    }
    const small =
      confirmed(reduced(value, isOne), first, second) ?? confirmed(value, first, second);
    if (small !== undefined) return { accepted, isCut, counterexample: small };
    unconfirmed += 1;
    isCut = true;
    if (unconfirmed === MAX_UNCONFIRMED) break;
  }
  return { accepted, isCut };
}

/** Returns whether a value was tried before, and remembers it. Long ones are not remembered. */
function isKnown(value: unknown, tried: Set<string>): boolean {
  const text = JSON.stringify(value);
  if (tried.has(text)) return true;
  if (text.length <= MAX_REMEMBERED) tried.add(text);
  return false;
}

/** Yields values that aim at the differences, and then random ones, each with its amount of work. */
function* candidates(
  from: JsonObject,
  to: JsonObject,
  samples: number,
  aimed: BoundedWork,
  random: BoundedWork,
): Generator<[value: unknown, work: BoundedWork], void, void> {
  let left = MAX_AIMED;
  for (const value of counterexampleCandidates(from, to, { declaredOnly: true, work: aimed })) {
    if (value === SEARCH_PAUSE) continue;
    yield [value, aimed];
    left -= 1;
    if (left === 0 || aimed.isOver) break;
  }
  const numbers = randomFrom(SEED);
  let made = 0;
  for (let tried = 0; tried < samples && made < MAX_MADE; tried += 1) {
    const sample =
      tried % 4 === 3
        ? sampleInstance(to, numbers, from, random)
        : sampleInstance(from, numbers, to, random);
    made += sample.made;
    yield [sample.value, random];
  }
}

function confirmed(
  found: unknown,
  first: CompiledSchema,
  second: CompiledSchema,
): Counterexample | undefined {
  const text = JSON.stringify(found);
  // JSON text made from a value has no negative zero.
  const value: unknown = JSON.parse(text);
  // `isValid` also returns false if the check takes too much work. {@link refuted} does not count such a value as
  // refused.
  return first.isValid(value) && !second.isValid(value) ? refuted(text, first, second) : undefined;
}

/** Returns a text as a counterexample if the first schema accepts it and the second one refuses it. */
function refuted(
  text: string,
  first: CompiledSchema,
  second: CompiledSchema,
): Counterexample | undefined {
  if (first.validateText(text).outcome !== "pass") return undefined;
  const check = second.validateText(text);
  if (check.outcome !== "violation") return undefined;
  const issues = describeCheck(check, "the value", MAX_ISSUES).map((sentence) => sentence.text);
  return { value: JSON.parse(text), text, issues };
}

/** Returns the smallest value found by leaving parts out. */
function reduced(value: unknown, isOne: (value: unknown) => boolean): unknown {
  let current = value;
  let left = MAX_REDUCTIONS;
  for (let found = true; found && left > 0; ) {
    found = false;
    for (const next of reductions(current)) {
      left -= 1;
      if (left === 0) break;
      if (!isOne(next)) continue;
      current = next;
      found = true;
      break;
    }
  }
  return current;
}

/** Yields values with one member or item less. */
function* reductions(value: unknown): Generator<unknown, void, void> {
  if (Array.isArray(value)) {
    for (const at of value.keys()) yield value.filter((_, index) => index !== at);
    for (const [at, item] of value.entries()) {
      for (const next of reductions(item)) yield value.with(at, next);
    }
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      const { [name]: _, ...rest } = value;
      yield rest;
    }
    for (const [name, member] of Object.entries(value)) {
      for (const next of reductions(member)) yield { ...value, [name]: next };
    }
  } else if (typeof value === "string" && value.length > 1) {
    yield "";
    yield value.slice(0, 1);
  }
}

/** Schemas that apply to the same value, and the document that they belong to. */
interface Speaking {
  readonly root: JsonObject;
  readonly schemas: readonly unknown[];
  readonly work: BoundedWork;
}

/**
 * Returns a value without the members that one schema does not mention and the other declares. A schema that
 * describes other members (`additionalProperties`) mentions all of them.
 * @param from in canonical form, like the other schema
 * @param work if it is over, the rest of the value stays as it is
 */
export function withoutUndeclared(
  value: unknown,
  from: JsonObject,
  to: JsonObject,
  work: BoundedWork,
): unknown {
  return strip(value, { root: from, schemas: [from], work }, { root: to, schemas: [to], work });
}

function strip(value: unknown, from: Speaking, to: Speaking): unknown {
  if (typeof value !== "object" || value === null || from.work.isOver) return value;
  const [mine, theirs] = [inPlace(from), inPlace(to)];
  if (Array.isArray(value)) {
    const items = value.map((item, at) =>
      strip(
        item,
        { ...from, schemas: itemSchemas(mine, at) },
        { ...to, schemas: itemSchemas(theirs, at) },
      ),
    );
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  const kept: [string, unknown][] = [];
  let isChanged = false;
  for (const [name, member] of Object.entries(value)) {
    if (from.work.isOver) return value;
    if (!speaksOf(mine, name, from.work, true) && speaksOf(theirs, name, from.work, false)) {
      isChanged = true;
      continue;
    }
    const below = strip(
      member,
      { ...from, schemas: memberSchemas(mine, name, from.work) },
      { ...to, schemas: memberSchemas(theirs, name, from.work) },
    );
    if (below !== member) isChanged = true;
    kept.push([name, below]);
  }
  return isChanged ? Object.fromEntries(kept) : value;
}

/** Returns all schemas that may apply to the value, including those of alternatives. */
function inPlace({ root, schemas, work }: Speaking): readonly JsonObject[] {
  const found = new Set<JsonObject>();
  const waiting = [...schemas];
  for (let at = 0; at < waiting.length; at += 1) {
    const schema = waiting[at];
    if (!isObject(schema) || found.has(schema)) continue;
    found.add(schema);
    const { $ref, allOf, anyOf, oneOf, dependentSchemas } = schema;
    if (typeof $ref === "string") waiting.push(valueAt(root, $ref.split("/").slice(1))?.value);
    for (const list of [allOf, anyOf, oneOf]) if (Array.isArray(list)) waiting.push(...list);
    if (isObject(dependentSchemas)) waiting.push(...Object.values(dependentSchemas));
    waiting.push(schema["if"], schema["then"], schema["else"]);
  }
  work.spend(STEPS_PER_SCHEMA * waiting.length);
  return [...found];
}

/** Returns the schemas of an object for one name. A pattern that cannot be tested counts as one that matches. */
function named(
  { properties, patternProperties }: JsonObject,
  name: string,
  work: BoundedWork,
): readonly unknown[] {
  const own = isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [];
  const patterns = isObject(patternProperties) ? Object.entries(patternProperties) : [];
  work.spend(STEPS_PER_SCHEMA * (1 + patterns.length));
  return [
    ...own,
    ...patterns
      .filter(([source]) => work.matches(source, name) !== false)
      .map(([, schema]) => schema),
  ];
}

/** @param orOthers whether a schema for all other members also counts */
function speaksOf(
  schemas: readonly JsonObject[],
  name: string,
  work: BoundedWork,
  orOthers: boolean,
): boolean {
  return schemas.some((schema) => {
    if (named(schema, name, work).length > 0) return true;
    const { additionalProperties, unevaluatedProperties } = schema;
    return orOthers && (additionalProperties ?? unevaluatedProperties) !== undefined;
  });
}

function memberSchemas(
  schemas: readonly JsonObject[],
  name: string,
  work: BoundedWork,
): readonly unknown[] {
  return schemas.flatMap((schema) => {
    const own = named(schema, name, work);
    return own.length > 0 ? own : [schema["additionalProperties"], schema["unevaluatedProperties"]];
  });
}

function itemSchemas(schemas: readonly JsonObject[], at: number): readonly unknown[] {
  return schemas.flatMap(({ prefixItems, items, contains, unevaluatedItems }) => {
    const isPlaced = Array.isArray(prefixItems) && at < prefixItems.length;
    return [isPlaced ? prefixItems[at] : items, contains, unevaluatedItems];
  });
}
