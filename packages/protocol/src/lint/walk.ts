import { isObject, type JsonObject, joinPointer } from "@touchstone/core";
import { HOLDERS, MAPS } from "./keywords.ts";

/** A schema inside a schema. */
export interface Place {
  readonly schema: JsonObject;
  /** RFC 6901 pointer to it, beginning with that of the outermost schema. */
  readonly path: string;
  /** Whether it describes a property that callers see: only `properties` lead to it. */
  readonly property: boolean;
}

/** The most places of one schema that are looked at. */
const MAX_PLACES = 20_000;

function placesBelow({ schema, path, property }: Place): Place[] {
  const below: Place[] = [];
  const add = (value: unknown, at: string, seen: boolean): void => {
    if (isObject(value)) below.push({ schema: value, path: at, property: seen });
  };
  for (const [keyword, held] of Object.entries(schema)) {
    const at = joinPointer(path, keyword);
    if (MAPS.has(keyword) && isObject(held)) {
      const seen = keyword === "properties" && (property || !path.includes("/", 1));
      for (const [name, value] of Object.entries(held)) add(value, joinPointer(at, name), seen);
    } else if (HOLDERS.has(keyword)) {
      if (Array.isArray(held))
        for (const [i, item] of held.entries()) add(item, joinPointer(at, i), false);
      else add(held, at, false);
    }
  }
  return below;
}

/** A schema and all schemas in it, in the order of the text. How deep it nests costs no stack. */
export function placesOf(schema: JsonObject, path: string): readonly Place[] {
  const found: Place[] = [];
  const open: Place[] = [{ schema, path, property: false }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    found.push(place);
    if (found.length === MAX_PLACES) break;
    // One by one: more arguments than a call takes would end it.
    for (const below of placesBelow(place).reverse()) open.push(below);
  }
  return found;
}
