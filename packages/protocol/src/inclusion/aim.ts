import type { JsonObject } from "@touchstone/core/advanced";
import type { BoundedWork } from "../bounded-work.ts";
import { alternativesOf } from "./alternatives.ts";
import { arrayShape, joinedDemands } from "./demands.ts";
import { LinkedSchemas } from "./linked-schemas.ts";
import { numbersOf } from "./make-number.ts";
import { textsOf } from "./make-text.ts";
import {
  kindsOfPlan,
  type MemberDemand,
  NO_VIOLATION_PLAN,
  type ViolationPlan,
  ViolationPlanner,
} from "./plan.ts";
import {
  arrayOrEmpty,
  itemSchemas,
  kindOf,
  listedValues,
  objectOrEmpty,
  requiredBy,
  type SchemaParts,
  sizeBounds,
} from "./schema-parts.ts";

const TEXT_STEPS = 20_000;
/** How many schemas to examine. */
const MAX_STEPS = 60_000;
/** How deeply values may nest. */
const MAX_DEPTH = 16;
/**
 * How many values are made for a member or item that must fail a schema, and how many for one that only has to be
 * present.
 */
const MAX_FAILING = 400;
const MAX_FILLING = 2;
const MAX_SIZE = 20_000;
const MAX_UNIQUE = 2_000;

/** Pauses between values if making the next one may take a while: a few milliseconds after the previous pause. */
export const SEARCH_PAUSE: unique symbol = Symbol("pause");
/** How much work is done between two pauses. */
const PAUSE_WORK = 2_000;
/** How much work one step of the search counts as. */
const STEP_WORK = 20;

/** The purpose of the values, and limits on making them. */
export interface SearchAim {
  /** Whether members that only the second schema declares are left out. */
  readonly declaredOnly: boolean;
  /** The work that may be spent on making the values. */
  readonly work: BoundedWork;
  /** Steps of one search for a text that patterns match; 20,000 take some 20 ms. Default 20,000. */
  readonly textSteps?: number;
  /** How many members or items a value may have, and how many times 50 characters. Default 20,000. */
  readonly maxSize?: number;
}

/**
 * Yields values that the first schema probably accepts and the second one probably refuses: for each keyword of the
 * second schema that the first does not have, one that fails this keyword and little else. The caller must still check
 * each of them. Yields the same values each time, and a {@link SEARCH_PAUSE} now and then. Never throws.
 * @param first in canonical form (`CompiledSchema.canonical`), as the second
 */
export function* counterexampleCandidates(
  first: JsonObject,
  second: JsonObject,
  aim: SearchAim,
): Generator<unknown, void, void> {
  // Copied, so that the two have no schema in common.
  const [from, to] = [structuredClone(first), structuredClone(second)] as [JsonObject, JsonObject];
  yield* new Aimer([from, to], aim).values([from], [to], NO_VIOLATION_PLAN, 0);
}

class Aimer {
  readonly #schemas: LinkedSchemas;
  readonly #aim: SearchAim;
  /** The searches in progress, so that none is started again inside itself. */
  readonly #open: Set<string> = new Set();
  /** The values made for schemas that have nothing to fail. */
  readonly #filled: Map<string, readonly unknown[]> = new Map();
  readonly #maxSize: number;
  #since = 0;

  constructor(documents: readonly JsonObject[], aim: SearchAim) {
    this.#schemas = new LinkedSchemas(documents, MAX_STEPS);
    this.#maxSize = aim.maxSize ?? MAX_SIZE;
    this.#aim = aim;
  }

  #spend(work: number): void {
    this.#aim.work.spend(work);
    this.#since += work;
  }

  /** Returns whether it is time for a pause. */
  #isDue(): boolean {
    if (this.#since < PAUSE_WORK) return false;
    this.#since = 0;
    return true;
  }

  #isOver(): boolean {
    this.#spend(STEP_WORK);
    return this.#aim.work.isOver || !this.#schemas.step();
  }

  /** Yields values that satisfy some schemas and fail others. */
  *values(
    must: readonly unknown[],
    fails: readonly unknown[],
    plan: ViolationPlan,
    depth: number,
  ): Generator<unknown, void, void> {
    if (this.#isDue()) yield SEARCH_PAUSE;
    if (depth > MAX_DEPTH || this.#isOver()) return;
    const all = this.#schemas.partsOf(must);
    if (all === undefined) return;
    const nots = all.filter((part) => part["not"] !== undefined);
    const parts = nots.reduce<SchemaParts>(
      (rest, part) => this.#schemas.without(rest, rest[all.indexOf(part)] ?? part, ["not"]),
      all,
    );
    const failing = [...fails, ...nots.map((part) => part["not"])];
    for (const part of parts) {
      const split = alternativesOf(this.#schemas, parts, part);
      if (split === undefined) continue;
      for (const { more, less } of split.branches) {
        yield* this.values([...split.rest, ...more], [...failing, ...less], plan, depth + 1);
      }
      return;
    }
    if (failing.length === 0) {
      yield* this.#built(parts, plan, depth);
      return;
    }
    const key = `${this.#keyOf(parts)}>${this.#keyOf(failing)}`;
    if (this.#open.has(key)) return;
    this.#open.add(key);
    const { declaredOnly } = this.#aim;
    const ways = new ViolationPlanner(
      this.#schemas,
      parts,
      declaredOnly,
      (own, named, missed) => this.#otherNames(own, named, missed, depth),
      (wanted, unwanted) => this.values(wanted, unwanted, NO_VIOLATION_PLAN, depth + 1),
    );
    for (const next of ways.all(plan, failing)) {
      if (this.#isOver()) break;
      if (this.#isDue()) yield SEARCH_PAUSE;
      if (next.must.length === 0) yield* this.#built(parts, next, depth);
      else yield* this.values([...parts, ...next.must], [], { ...next, must: [] }, depth + 1);
    }
    this.#open.delete(key);
  }

  #keyOf(schemas: readonly unknown[]): string {
    const ids = schemas.map((one) =>
      typeof one === "object" && one !== null ? this.#schemas.idOf(one) : String(one),
    );
    return ids.sort().join();
  }

  /** Yields values for parts without alternatives. */
  *#built(parts: SchemaParts, plan: ViolationPlan, depth: number): Generator<unknown, void, void> {
    const kinds = kindsOfPlan(parts, plan);
    if (kinds.size === 0) return;
    const isForbidden = (value: unknown): boolean =>
      plan.forbidden.length > 0 && isListed(plan.forbidden, JSON.stringify(value));
    const listed = listedValues(parts);
    if (listed !== undefined) {
      for (const value of listed) {
        this.#spend(4);
        if (kinds.has(kindOf(value)) && !isForbidden(value)) yield value;
      }
      return;
    }
    // The kinds of values that most schemas describe come first.
    for (const kind of [
      "string",
      "integer",
      "fraction",
      "object",
      "array",
      "null",
      "boolean",
    ] as const) {
      if (!kinds.has(kind)) continue;
      if (kind === "null" || kind === "boolean") {
        const values = kind === "null" ? [null] : [true, false];
        for (const value of values) if (!isForbidden(value)) yield value;
      } else if (kind === "string") yield* this.#texts(parts, plan, isForbidden);
      else if (kind === "object") yield* this.#objects(parts, plan, depth);
      else if (kind === "array") yield* this.#arrays(parts, plan, depth);
      else {
        const { notMultiples } = plan;
        const count = plan.forbidden.reduce((sum, { size }) => sum + size, 0);
        const more = Math.min(count, MAX_UNIQUE);
        const wanted = { kind, notMultiples, isForbidden, more };
        yield* numbersOf(parts, wanted);
      }
    }
  }

  #texts(
    parts: SchemaParts,
    plan: ViolationPlan,
    isForbidden: (value: unknown) => boolean,
  ): Iterable<string> {
    const ofParts = (keyword: string): string[] =>
      parts.flatMap((part) => (typeof part[keyword] === "string" ? [part[keyword]] : []));
    const [least, most] = sizeBounds(parts, "minLength", "maxLength");
    if (least > most || least > this.#maxSize * 50) return [];
    const { missed, misformats } = plan;
    const [matched, formats] = [ofParts("pattern"), ofParts("format")];
    const { textSteps: steps = TEXT_STEPS } = this.#aim;
    const wanted = { matched, missed, formats, misformats, least, most, isForbidden, steps };
    // A search for a text takes longer than its steps suggest, so it counts as more work.
    if (matched.length + missed.length > 0) this.#since += steps >> 2;
    return textsOf(wanted, this.#aim.work);
  }

  /** Yields names of members that a schema allows but does not name, and that match none of some patterns. */
  *#otherNames(
    parts: SchemaParts,
    named: ReadonlySet<string>,
    missed: readonly string[],
    depth: number,
  ): Generator<string, void, void> {
    const isOther = (name: string): boolean =>
      !named.has(name) && missed.every((source) => this.#schemas.matches(source, name) === false);
    for (const { properties } of parts) {
      for (const name of Object.keys(objectOrEmpty(properties))) if (isOther(name)) yield name;
    }
    const sources = parts.flatMap((part) => Object.keys(objectOrEmpty(part["patternProperties"])));
    const ofNames = parts.flatMap(({ propertyNames }) =>
      propertyNames === undefined ? [] : [propertyNames],
    );
    const avoided = [...missed.map((source) => ({ pattern: source })), { enum: [...named] }];
    for (const more of [...sources.map((source) => ({ pattern: source })), true]) {
      const wanted = [{ type: "string", minLength: 1 }, more, ...ofNames];
      const except = more === true ? sources.map((source) => ({ pattern: source })) : [];
      let left = MAX_FILLING;
      for (const name of this.values(
        wanted,
        [...avoided, ...except],
        NO_VIOLATION_PLAN,
        depth + 1,
      )) {
        if (typeof name !== "string") continue;
        yield name;
        left -= 1;
        if (left === 0) break;
      }
    }
  }

  *#objects(
    parts: SchemaParts,
    plan: ViolationPlan,
    depth: number,
  ): Generator<unknown, void, void> {
    const demands = joinedDemands(plan.members);
    const names = new Set([...demands.keys(), ...requiredBy(parts)]);
    const extra = new Set<unknown>();
    for (const name of names) {
      for (const { dependentRequired, dependentSchemas } of parts) {
        for (const other of arrayOrEmpty(memberOf(dependentRequired, name)))
          names.add(String(other));
        const below = memberOf(dependentSchemas, name);
        if (below !== undefined) extra.add(below);
      }
    }
    if ([...names].some((name) => plan.absent.has(name)) || names.size > this.#maxSize) return;
    const known = new Set<unknown>(parts);
    const added = [...extra].filter((below) => below !== true && !known.has(below));
    if (added.length > 0) {
      yield* this.values([...parts, ...added], [], plan, depth + 1);
      return;
    }
    const [least, most] = sizeBounds(parts, "minProperties", "maxProperties");
    if (names.size < least) this.#addNames(names, parts, plan, least, depth);
    if (names.size > most) return;
    const schemasOf = (name: string): readonly unknown[] => this.#schemas.member(parts, name);
    yield* this.#composed([...names], demands, schemasOf, depth, (entries) =>
      Object.fromEntries(entries),
    );
  }

  #addNames(
    names: Set<string>,
    parts: SchemaParts,
    plan: ViolationPlan,
    least: number,
    depth: number,
  ): void {
    const add = (name: string): void => {
      const isLess = names.size < Math.min(least, this.#maxSize);
      const isRefused = (): boolean => this.#schemas.member(parts, name).includes(false);
      if (isLess && !plan.absent.has(name) && !isRefused()) names.add(name);
    };
    for (const { properties } of parts)
      for (const name of Object.keys(objectOrEmpty(properties))) add(name);
    for (const name of this.#otherNames(parts, names, [], depth)) add(name);
    for (let at = 0; names.size < least && at < MAX_UNIQUE + least && !this.#isOver(); at += 1)
      add(`a${at}`);
  }

  *#arrays(parts: SchemaParts, plan: ViolationPlan, depth: number): Generator<unknown, void, void> {
    const sizes = { maxSize: this.#maxSize, maxMade: MAX_UNIQUE };
    const shape = arrayShape(parts, plan, sizes);
    if (shape === undefined) return;
    const { size, indices, demands, isUnique } = shape;
    const schemasOf = (at: number): readonly unknown[] => itemSchemas(parts, at);
    yield* this.#composed(
      indices,
      demands,
      schemasOf,
      depth,
      (entries) => {
        const items = entries.map(([, value]) => value);
        if (plan.hasTwins && items.length > 1) items[1] = items[0];
        // The remaining items are copies of the last one, which has nothing to fail.
        const last = items.at(-1);
        return [...items, ...Array.from({ length: size - items.length }, () => last)];
      },
      isUnique,
    );
  }

  /** Yields objects or arrays, whose members or items are made by their schemas and demands. */
  *#composed<Key extends string | number>(
    keys: readonly Key[],
    demands: ReadonlyMap<Key, MemberDemand<Key>>,
    schemasOf: (key: Key) => readonly unknown[],
    depth: number,
    make: (entries: [Key, unknown][]) => unknown,
    isUnique = false,
  ): Generator<unknown, void, void> {
    const met = new Set<string>();
    const choices = new Map<Key, readonly unknown[]>();
    for (const key of keys) {
      const { must = [], fails = [] } = demands.get(key) ?? {};
      const schemas = [...schemasOf(key), ...must];
      const isFilling = fails.length === 0 && !isUnique;
      const ids = isFilling ? this.#keyOf(schemas) : "";
      const filled = isFilling ? this.#filled.get(ids) : undefined;
      if (filled !== undefined) {
        this.#spend(1);
        choices.set(key, filled);
        continue;
      }
      const plan = isUnique ? { ...NO_VIOLATION_PLAN, forbidden: [met] } : NO_VIOLATION_PLAN;
      const found: unknown[] = [];
      const most = fails.length > 0 ? MAX_FAILING : MAX_FILLING;
      for (const value of this.values(schemas, fails, plan, depth + 1)) {
        if (value === SEARCH_PAUSE) {
          yield SEARCH_PAUSE;
          continue;
        }
        found.push(value);
        if (found.length === most || (isUnique && fails.length === 0)) break;
      }
      const [first] = found;
      if (found.length === 0) return;
      if (isFilling) this.#filled.set(ids, found);
      if (isUnique) met.add(JSON.stringify(first));
      choices.set(key, found);
      if (this.#isOver()) return;
    }
    const firsts = keys.map((key): [Key, unknown] => [key, choices.get(key)?.[0]]);
    this.#spend(keys.length >> 2);
    yield make(firsts.map(([key, value]) => [key, value]));
    const places = new Map(keys.map((key, at) => [key, at]));
    for (const [key, found] of choices) {
      const at = places.get(key) as number;
      for (const value of found.slice(1)) {
        this.#spend(keys.length >> 2);
        if (this.#isOver()) return;
        if (this.#isDue()) yield SEARCH_PAUSE;
        yield make(firsts.map(([name, first], place) => [name, place === at ? value : first]));
      }
    }
  }
}

function isListed(lists: readonly ReadonlySet<string>[], text: string): boolean {
  return lists.some((list) => list.has(text));
}

function memberOf(map: unknown, name: string): unknown {
  const members = objectOrEmpty(map);
  return Object.hasOwn(members, name) ? members[name] : undefined;
}
