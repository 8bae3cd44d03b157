import { isObject, type JsonObject, joinPointer, SCHEMA_LIMITS } from "@touchstone/core";
import { HOLDERS, MAPS, SAME_VALUE } from "../keywords.ts";

/** A schema inside a schema. */
export interface Place {
  readonly schema: JsonObject;
  /** RFC 6901 pointer to it, beginning with that of the outermost schema. */
  readonly path: string;
  /** Whether it describes a property that callers see: only `properties` lead to it. */
  readonly property: boolean;
  /** In how many other schemas it is. */
  readonly depth: number;
  /** In how many of these by `properties` or `items`: of a value, the levels above it. */
  readonly nesting: number;
  /** The schema that it is a part of, which speaks of the same value: that around a branch of `anyOf`, say. */
  readonly around: Place | undefined;
}

/** The most places of one schema that are looked at, and the deepest: no check takes deeper ones. */
const MAX_PLACES = 20_000;
const MAX_DEPTH = SCHEMA_LIMITS.maxDepth;

function placesBelow(outer: Place): Place[] {
  const { schema, path, property, depth, nesting } = outer;
  const below: Place[] = [];
  if (depth === MAX_DEPTH) return below;
  for (const [keyword, held] of Object.entries(schema)) {
    const at = joinPointer(path, keyword);
    const further = keyword === "properties" || keyword === "items" ? 1 : 0;
    const around = SAME_VALUE.has(keyword) ? outer : undefined;
    const add = (value: unknown, to: string, seen: boolean): void => {
      if (!isObject(value)) return;
      const place = { schema: value, path: to, property: seen };
      below.push({ ...place, depth: depth + 1, nesting: nesting + further, around });
    };
    if (MAPS.has(keyword) && isObject(held)) {
      const seen = keyword === "properties" && (property || depth === 0);
      for (const [name, value] of Object.entries(held)) add(value, joinPointer(at, name), seen);
    } else if (HOLDERS.has(keyword)) {
      if (Array.isArray(held))
        for (const [i, item] of held.entries()) add(item, joinPointer(at, i), false);
      else add(held, at, false);
    }
  }
  return below;
}

/** Returns a schema and the schemas in it, in the order of the text. How deep it nests costs no stack. */
export function placesOf(schema: JsonObject, path: string): readonly Place[] {
  const found: Place[] = [];
  const open: Place[] = [
    { schema, path, property: false, depth: 0, nesting: 0, around: undefined },
  ];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    found.push(place);
    if (found.length === MAX_PLACES) break;
    // One by one: more arguments than a call takes would end it.
    for (const below of placesBelow(place).reverse()) open.push(below);
  }
  return found;
}

/** Returns whether a schema may have more places than were found. */
export function isCut(places: readonly Place[]): boolean {
  return places.length === MAX_PLACES || places.some(({ depth }) => depth === MAX_DEPTH);
}
