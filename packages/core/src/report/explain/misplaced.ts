import { type Found, joinPointer, pointerTokens, valueAt } from "../../json/pointer.ts";
import { isObject, type JsonObject } from "../../json/value.ts";
import { alwaysApplied, possiblyApplied, propertyNode } from "../../keywords/literals.ts";
import type { SchemaNode } from "../../keywords/node.ts";
import { satisfies } from "../issues/default.ts";
import { checkersAt } from "../issues/issue-subject.ts";
import type { SuggestionLookup } from "../issues/suggestion-lookup.ts";
import { type Fact, type MemberMoves, type MovedValue, propertyOf } from "./fact.ts";

/** Maximum number of members of an object to examine, and of nested wrappers. */
const MAX_MEMBERS = 50;
const MAX_WRAPPERS = 3;
/** Longest string that is read as an object, in UTF-16 code units. */
const MAX_TEXT = 16_384;
/** The cost of examining one schema, in cells of a {@link SuggestionLookup}. */
const NODE_CELLS = 40;
/** The maximum number of facts to examine; a report has fewer lines than this. */
const MAX_FACTS = 40;

/** What is reported for each fact. */
type Facts = Map<Fact, readonly Fact[]>;

/** An object with missing or undeclared members, and what is reported about these. */
class Sent {
  readonly path: string;
  readonly object: JsonObject;
  readonly missing: Fact[] = [];
  readonly unknown: Fact[] = [];
  #checkers: readonly SchemaNode[] = [];
  readonly #lookup: SuggestionLookup;
  #undeclared: readonly string[] | undefined;

  constructor(fact: Fact, object: JsonObject, lookup: SuggestionLookup) {
    const { error, issue, within } = fact;
    this.path = issue.instancePath ?? "";
    this.object = object;
    this.#lookup = lookup;
    if (error === undefined) return;
    const checkers = checkersAt({ error, within }, this.path, lookup);
    this.#checkers = [...new Set([...checkers, ...alwaysApplied(error.node)])];
  }

  /** Returns the schema for a declared name. */
  declared(name: string): SchemaNode | undefined {
    return this.#checkers.find(({ properties }) => properties?.has(name))?.properties?.get(name);
  }

  /**
   * The names that the object has and no part of the schema declares; empty if the schema treats any name as declared.
   */
  get undeclared(): readonly string[] {
    this.#undeclared ??= this.#undeclaredNames();
    return this.#undeclared;
  }

  #undeclaredNames(): readonly string[] {
    const nodes = new Set<SchemaNode>();
    for (const checker of this.#checkers) {
      const applied = possiblyApplied(checker);
      if (!this.#lookup.compare(applied.length * NODE_CELLS) || applied.some(isMap)) return [];
      for (const node of applied) nodes.add(node);
    }
    const names = Object.keys(this.object).slice(0, MAX_MEMBERS);
    if (!this.#lookup.compare(names.length * nodes.size)) return [];
    return names.filter((name) => ![...nodes].some(({ properties }) => properties?.has(name)));
  }

  /** Returns the schema for a member, or for a member of a declared object. */
  nodeAt(pointer: string): SchemaNode | undefined {
    const [name = "", ...below] = pointerTokens(pointer.slice(this.path.length));
    return below.reduce<SchemaNode | undefined>(
      (node, token) => node && propertyNode(node, token),
      this.declared(name),
    );
  }

  valueAt(pointer: string): Found | undefined {
    return valueAt(this.object, pointerTokens(pointer.slice(this.path.length)));
  }

  /** Returns a value in the JSON text at a pointer. */
  valueIn(text: string, pointer: string): Found | undefined {
    const held = objectIn(this.valueAt(text)?.value, this.#lookup);
    return valueAt(held, pointerTokens(pointer.slice(text.length)));
  }

  objectIn(value: unknown): JsonObject | undefined {
    return objectIn(value, this.#lookup);
  }

  accepts(name: string, value: unknown): boolean {
    const node = this.declared(name);
    return node !== undefined && satisfies(node, value, this.#lookup);
  }
}

/** Returns whether a schema is about names that it does not list. */
function isMap({
  patternProperties,
  additionalProperties,
  unevaluatedProperties,
}: SchemaNode): boolean {
  const isOpen = (schema: SchemaNode | undefined): boolean =>
    schema !== undefined && schema.always === undefined;
  return (
    patternProperties !== undefined || isOpen(additionalProperties) || isOpen(unevaluatedProperties)
  );
}

/** Returns an object, or the object that a JSON text holds. */
function objectIn(value: unknown, lookup: SuggestionLookup): JsonObject | undefined {
  if (isObject(value)) return value;
  const isText = typeof value === "string" && value.length <= MAX_TEXT && /^\s*\{/.test(value);
  if (!isText || !lookup.compare(value.length)) return undefined;
  try {
    const held: unknown = JSON.parse(value);
    return isObject(held) ? held : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the members of an object inside an undeclared member that its own object should have. */
function unwrapped(sent: Sent, name: string): MemberMoves | undefined {
  const emptied = joinPointer(sent.path, name);
  const wanted = sent.missing.map(propertyOf);
  let [path, value, text]: [string, unknown, string | undefined] = [
    emptied,
    sent.object[name],
    undefined,
  ];
  for (let n = 0; n < MAX_WRAPPERS; n++) {
    const inner = sent.objectIn(value);
    if (inner === undefined || (text !== undefined && inner !== value)) return undefined;
    if (inner !== value) text = path;
    const names = Object.keys(inner);
    const own = names
      .slice(0, MAX_MEMBERS)
      .filter((one) => sent.declared(one) !== undefined && !Object.hasOwn(sent.object, one));
    const isMeant = wanted.length === 0 || own.some((one) => wanted.includes(one));
    if (own.length > 0 && isMeant && 2 * own.length >= names.length) {
      const from = path;
      const places = own.map(
        (one) => [joinPointer(from, one), joinPointer(sent.path, one)] as const,
      );
      const isAll = own.length === names.length;
      return { places, ...(isAll && { emptied }), ...(text === undefined ? {} : { text }) };
    }
    const [only] = names;
    if (names.length !== 1 || only === undefined) return undefined;
    path = joinPointer(path, only);
    value = inner[only];
  }
  return undefined;
}

/** Returns the undeclared members of an object that belong in a missing one. */
function wrapped(sent: Sent, fact: Fact): MemberMoves | undefined {
  const name = propertyOf(fact);
  const node = name === undefined ? undefined : sent.declared(name);
  if (name === undefined || node === undefined) return undefined;
  const nodes = alwaysApplied(node);
  const own = sent.undeclared.filter((one) => nodes.some(({ properties }) => properties?.has(one)));
  const required = nodes.flatMap((each) => each.required ?? []);
  if (own.length === 0 || !required.every((one) => own.includes(one))) return undefined;
  const to = joinPointer(sent.path, name);
  return {
    places: own.map((one) => [joinPointer(sent.path, one), joinPointer(to, one)] as const),
  };
}

/** Returns the moved values, with the schemas for their places. */
function placedBy(sent: Sent, { places, text }: MemberMoves): readonly MovedValue[] {
  return places.flatMap(([from, to]) => {
    const node = sent.nodeAt(to);
    const found = text === undefined ? sent.valueAt(from) : sent.valueIn(text, from);
    return node === undefined || found === undefined
      ? []
      : [{ path: to, value: found.value, node }];
  });
}

/** Replaces facts by one about moves. Returns whether there was one. */
function move(sent: Sent, facts: Facts): boolean {
  const join = (moves: MemberMoves): true => {
    const ends = new Set(moves.places.flat());
    const isCovered = (fact: Fact): boolean =>
      ends.has(fact.path) ||
      fact.path === moves.emptied ||
      moves.places.some(([, to]) => to.startsWith(`${fact.path}/`));
    const covered = [...sent.missing, ...sent.unknown].filter(isCovered);
    const first = covered[0] ?? sent.missing[0] ?? sent.unknown[0];
    if (first === undefined) return true;
    for (const fact of covered) facts.set(fact, []);
    const issues = covered.reduce((sum, fact) => sum + fact.issues, 0);
    const moved: Fact = { ...first, kind: "move", moves, issues, placed: placedBy(sent, moves) };
    facts.set(first, [moved, ...(facts.get(first) ?? [])]);
    return true;
  };
  for (const name of sent.undeclared) {
    const moves = unwrapped(sent, name);
    if (moves !== undefined) return join(moves);
  }
  const found = sent.missing.flatMap((fact) => wrapped(sent, fact) ?? []);
  return found.length === 1 && found[0] !== undefined && join(found[0]);
}

/**
 * Returns the candidate for each of several names, if it is certain: a name has only this candidate left, and no other
 * name depends on the same one.
 */
function matching(candidates: readonly (readonly string[])[]): readonly (string | undefined)[] {
  const found: (string | undefined)[] = candidates.map(() => undefined);
  const taken = new Set<string>();
  for (;;) {
    const left = candidates.map((all, i) =>
      found[i] === undefined ? all.filter((one) => !taken.has(one)) : [],
    );
    const lone = left.flatMap((all) => (all.length === 1 ? all : []));
    const at = left.findIndex(
      ([only, ...others]) =>
        only !== undefined && others.length === 0 && lone.indexOf(only) === lone.lastIndexOf(only),
    );
    const only = left[at]?.[0];
    if (only === undefined) return found;
    found[at] = only;
    taken.add(only);
  }
}

/** Notes the undeclared members that a missing one may be, and joins the facts about both if it is certain which. */
function pair(sent: Sent, facts: Facts, lookup: SuggestionLookup): void {
  const { path, object, missing, unknown } = sent;
  // Not all members of a larger object were examined, so it is not certain how many are undeclared, or which one was
  // meant.
  if (Object.keys(object).length > MAX_MEMBERS) return;
  const taken = new Set(
    unknown.flatMap((fact) => {
      const name = propertyOf(fact);
      const near = fact.error && name !== undefined && lookup.namesOf(fact.error).nearestTo(name);
      return near === undefined ? [] : [fact.path];
    }),
  );
  const free = sent.undeclared.filter((name) => !taken.has(joinPointer(path, name)));
  const candidates = missing.map((fact) => {
    const name = propertyOf(fact) ?? "";
    return free.filter((other) => sent.accepts(name, object[other]));
  });
  const matched = matching(candidates);
  const reported = new Set(unknown.map((fact) => fact.path));
  const named = new Set<string>();
  for (const [i, fact] of missing.entries()) {
    const only = matched[i];
    if (only === undefined) continue;
    const at = joinPointer(path, only);
    const gone = unknown.find((other) => other.path === at);
    if (gone !== undefined) facts.set(gone, []);
    const issues = fact.issues + (gone?.issues ?? 0);
    facts.set(fact, [{ ...fact, sent: [at], meant: at, issues }]);
    named.add(at);
  }
  const rest = free
    .map((name) => joinPointer(path, name))
    .filter((at) => !named.has(at) && !reported.has(at));
  const first = missing.find((fact) => facts.get(fact)?.[0] === fact);
  if (first !== undefined && rest.length > 0) facts.set(first, [{ ...first, sent: rest }]);
}

/** Adds the value of a misnamed member to the fact about its name. */
function withValue(fact: Fact): Fact {
  const { kind, error, near, path, issue, choices } = fact;
  const data = error?.data;
  // If the member distinguishes branches, its value may be meant for another branch.
  if (choices !== undefined) return fact;
  if (kind !== "rename" || error === undefined || near === undefined || !isObject(data))
    return fact;
  const node = propertyNode(error.node, near);
  const name = pointerTokens(path).at(-1) ?? "";
  if (node === undefined) return fact;
  const to = joinPointer(issue.instancePath ?? "", near);
  return { ...fact, placed: [{ path: to, value: data[name], node }] };
}

/**
 * Joins facts about one object whose members are in the wrong place or have another name: members of a wrapper that
 * belong one level up, or beside one another in a missing object; undeclared names beside a missing one.
 */
export function joinMisplaced(given: readonly Fact[], lookup: SuggestionLookup): readonly Fact[] {
  const objects = new Map<object, Sent>();
  for (const fact of given.slice(0, MAX_FACTS)) {
    const object = fact.error?.data;
    if (!isObject(object) || propertyOf(fact) === undefined) continue;
    const sent = objects.get(object) ?? new Sent(fact, object, lookup);
    objects.set(object, sent);
    if (fact.kind === "missing") sent.missing.push(fact);
    if (fact.kind === "unknown") sent.unknown.push(fact);
  }
  const facts: Facts = new Map(given.map((fact) => [fact, [fact]]));
  for (const sent of objects.values()) {
    if (sent.missing.length + sent.unknown.length === 0) continue;
    if (!move(sent, facts) && sent.missing.length > 0) pair(sent, facts, lookup);
  }
  return [...facts.values()].flat().map((fact, i) => (i < MAX_FACTS ? withValue(fact) : fact));
}
