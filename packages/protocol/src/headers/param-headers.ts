import { isObject, type JsonObject } from "@touchstone/core/advanced";

/** A tool parameter that a request repeats in its own header. */
export interface ParamHeader {
  /** The path to the property, from the arguments down: the names of the objects that contain it, then its own. */
  readonly path: readonly string[];
  /** The full header name: `Mcp-Param-` and the name from the schema. */
  readonly name: string;
  readonly type: "string" | "integer" | "boolean";
}

/** What a tool's input schema says about headers: the headers, or why the tool may not be used over HTTP. */
export type ParamHeaders =
  | { readonly valid: true; readonly headers: readonly ParamHeader[] }
  | { readonly valid: false; readonly reason: string };

const HEADER_ANNOTATION = "x-mcp-header";
const PREFIX = "Mcp-Param-";
/** A token (RFC 9110, section 5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** How deep properties may be nested: each header keeps the whole path to its property. */
const MAX_LEVELS = 1_000;
/** The longest path shown, in UTF-16 code units. */
const MAX_SHOWN = 200;

/** A name on the path to a place, linked to those before it: a separate list for each place would be quadratic. */
interface Step {
  readonly name: string;
  readonly before: Step | undefined;
  readonly level: number;
}

interface PropertyPlace {
  readonly value: unknown;
  readonly step: Step | undefined;
  /** Whether only `properties` lead here, so that every call has the property in the same place. */
  readonly reachable: boolean;
}

function pathOf(last: Step | undefined): readonly string[] {
  const path: string[] = [];
  for (let step = last; step !== undefined; step = step.before) path.push(step.name);
  return path.reverse();
}

/** Keywords whose values are not schemas: anything in them that looks like an annotation is data. */
const DATA: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);
/** Keywords that hold schemas under names that the author chose, which are not keywords. */
const BY_NAME: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);

function placesBelow(schema: JsonObject, { step, reachable }: PropertyPlace): PropertyPlace[] {
  const level = (step?.level ?? 0) + 1;
  return Object.entries(schema).flatMap(([keyword, value]): PropertyPlace[] => {
    if (DATA.has(keyword)) return [];
    if (!BY_NAME.has(keyword) || !isObject(value)) return [{ value, step, reachable: false }];
    return Object.entries(value).map(([name, subschema]) => ({
      value: subschema,
      step: { name, before: step, level },
      reachable: reachable && keyword === "properties",
    }));
  });
}

/** Describes in words where an annotation is. */
function whereIs(path: readonly string[]): string {
  const names = path.join(".");
  const shown = names.length > MAX_SHOWN ? `${names.slice(0, MAX_SHOWN)}…` : names;
  return `${HEADER_ANNOTATION} at ${path.length === 0 ? "the schema's root" : shown}`;
}

function annotated(
  { step, reachable }: PropertyPlace,
  schema: JsonObject,
): ParamHeader | string | undefined {
  if (!Object.hasOwn(schema, HEADER_ANNOTATION)) return undefined;
  if (step !== undefined && step.level > MAX_LEVELS) {
    return `${HEADER_ANNOTATION} stands below more than ${MAX_LEVELS} properties in one another`;
  }
  const name = schema[HEADER_ANNOTATION];
  const { type } = schema as { readonly type?: unknown };
  const path = pathOf(step);
  const where = whereIs(path);
  if (!reachable || path.length === 0) return `${where}: only properties of the arguments have it`;
  if (typeof name !== "string" || !TOKEN.test(name)) return `${where}: this is not a header name`;
  if (type !== "string" && type !== "integer" && type !== "boolean") {
    return `${where}: the property must be a string, an integer or a boolean`;
  }
  return { path, name: `${PREFIX}${name}`, type };
}

/**
 * Finds the header annotations in a tool's input schema (MCP 2026-07-28, Tools, `x-mcp-header`). An annotation makes
 * the tool invalid over HTTP if it is in the wrong place, on a property that is not a string, integer or boolean, or
 * if its name is not a valid header name or is already taken.
 * @param schema a parsed JSON value
 */
export function paramHeadersOf(schema: unknown): ParamHeaders {
  const headers: ParamHeader[] = [];
  const names = new Set<string>();
  // A list of places instead of recursion, because a schema may be deep.
  const places: PropertyPlace[] = [{ value: schema, step: undefined, reachable: true }];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { value, step } = place;
    if (Array.isArray(value)) {
      for (const item of value) places.push({ value: item, step, reachable: false });
    } else if (isObject(value)) {
      const header = annotated(place, value);
      if (typeof header === "string") return { valid: false, reason: header };
      if (header !== undefined) {
        const lower = header.name.toLowerCase();
        if (names.has(lower)) return { valid: false, reason: `${header.name} is declared twice` };
        names.add(lower);
        headers.push(header);
      }
      for (const below of placesBelow(value, place)) places.push(below);
    }
  }
  return { valid: true, headers: headers.reverse() };
}
