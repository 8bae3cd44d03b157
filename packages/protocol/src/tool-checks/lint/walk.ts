import {
  isObject,
  type JsonObject,
  joinPointer,
  runSteps,
  SCHEMA_LIMITS,
} from "@touchstone/core/advanced";
import { IN_PLACE_KEYWORDS, SCHEMA_KEYWORDS, SCHEMA_MAP_KEYWORDS } from "../../keywords.ts";

/** A schema inside a schema. */
export interface Subschema {
  readonly schema: JsonObject;
  /** RFC 6901 pointer to it, beginning with the pointer of the outermost schema. */
  readonly path: string;
  /** Whether it describes a property that callers see: one reached only through `properties`. */
  readonly property: boolean;
  /** How many schemas enclose it. */
  readonly depth: number;
  /** How many of these steps go through `properties` or `items`: the levels above it in a value. */
  readonly nesting: number;
  /** The enclosing schema that applies to the same value, such as the one around a branch of `anyOf`. */
  readonly around: Subschema | undefined;
}

/** Limits on the number and depth of places examined in one schema. No check accepts deeper schemas. */
const MAX_PLACES = 20_000;
const MAX_DEPTH = SCHEMA_LIMITS.maxDepth;
/** How many places are visited in one step. */
export const PLACES_PER_STEP = 500;

/** @param most how many places to return */
function* placesBelow(outer: Subschema, most: number): Generator<void, Subschema[], void> {
  const { schema, path, property, depth, nesting } = outer;
  const below: Subschema[] = [];
  if (depth === MAX_DEPTH) return below;
  let looked = 0;
  for (const [keyword, held] of Object.entries(schema)) {
    const at = joinPointer(path, keyword);
    const further = keyword === "properties" || keyword === "items" ? 1 : 0;
    const around = IN_PLACE_KEYWORDS.has(keyword) ? outer : undefined;
    const add = (value: unknown, to: string, seen: boolean): void => {
      if (!isObject(value)) return;
      const place = { schema: value, path: to, property: seen };
      below.push({ ...place, depth: depth + 1, nesting: nesting + further, around });
    };
    const isMap = SCHEMA_MAP_KEYWORDS.has(keyword) && isObject(held);
    if (!isMap && !SCHEMA_KEYWORDS.has(keyword)) continue;
    if (!isMap && !Array.isArray(held)) {
      add(held, at, false);
      continue;
    }
    const seen = isMap && keyword === "properties" && (property || depth === 0);
    for (const [name, value] of Object.entries(held)) {
      add(value, joinPointer(at, name), seen);
      if (below.length >= most) return below;
      looked += 1;
      if (looked % PLACES_PER_STEP === 0) yield;
    }
  }
  return below;
}

/** Returns a schema and the schemas inside it, in text order. Uses no call stack, however deep they nest. */
export function subschemasOf(schema: JsonObject, path: string): readonly Subschema[] {
  return runSteps(subschemaSteps(schema, path));
}

/** {@link subschemasOf}, in steps of a few milliseconds. */
export function* subschemaSteps(
  schema: JsonObject,
  path: string,
): Generator<void, readonly Subschema[], void> {
  const found: Subschema[] = [];
  const open: Subschema[] = [
    { schema, path, property: false, depth: 0, nesting: 0, around: undefined },
  ];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    found.push(place);
    if (found.length === MAX_PLACES) break;
    if (found.length % PLACES_PER_STEP === 0) yield;
    // The schemas inside this one come next, before all others that are still to be visited.
    const below = yield* placesBelow(place, MAX_PLACES - found.length);
    // Pushed one by one: a single call with too many arguments would fail.
    for (const inner of below.reverse()) open.push(inner);
  }
  return found;
}

/** Returns whether a schema may have more places than were found. */
export function mayHaveMorePlaces(places: readonly Subschema[]): boolean {
  return places.length === MAX_PLACES || places.some(({ depth }) => depth === MAX_DEPTH);
}

/** Returns whether the text of a schema may have a reference; a value that looks like one counts, too. */
export function mayHaveReference(text: string): boolean {
  return text.includes('Ref"') || text.includes('"$ref"');
}
