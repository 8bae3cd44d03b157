import { isObject, type JsonObject, parseJson } from "@touchstone/core";
import { decodeHeaderValue, encodeHeaderValue } from "./header-value.ts";

/** A parameter of a tool that a request repeats in a header of its own. */
export interface ParamHeader {
  /** The property's name, behind those of the objects that it is in, from the arguments on. */
  readonly path: readonly string[];
  /** The header's name as it is sent: `Mcp-Param-` and what the schema says. */
  readonly name: string;
  readonly type: "string" | "integer" | "boolean";
}

/** What a tool's input schema says of headers: the headers, or why it may not be used over HTTP. */
export type ParamHeaders =
  | { readonly valid: true; readonly headers: readonly ParamHeader[] }
  | { readonly valid: false; readonly reason: string };

const HEADER_ANNOTATION = "x-mcp-header";
const PREFIX = "Mcp-Param-";
/** A token (RFC 9110, section 5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

interface Place {
  readonly value: unknown;
  readonly path: readonly string[];
  /** Whether only `properties` lead here, so that every call has the property in the same place. */
  readonly reachable: boolean;
}

/** Keywords whose values are no schemas: what looks like an annotation in there is data. */
const DATA: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);
/** Keywords that hold schemas by names of the author's, which are no keywords. */
const BY_NAME: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);

function placesBelow(schema: JsonObject, { path, reachable }: Place): Place[] {
  return Object.entries(schema).flatMap(([keyword, value]): Place[] => {
    if (DATA.has(keyword)) return [];
    if (!BY_NAME.has(keyword) || !isObject(value)) return [{ value, path, reachable: false }];
    return Object.entries(value).map(([name, subschema]) => ({
      value: subschema,
      path: [...path, name],
      reachable: reachable && keyword === "properties",
    }));
  });
}

function annotated(
  { path, reachable }: Place,
  schema: JsonObject,
): ParamHeader | string | undefined {
  if (!Object.hasOwn(schema, HEADER_ANNOTATION)) return undefined;
  const name = schema[HEADER_ANNOTATION];
  const { type } = schema as { readonly type?: unknown };
  const where = `${HEADER_ANNOTATION} at ${path.length === 0 ? "the schema's root" : path.join(".")}`;
  if (!reachable || path.length === 0) return `${where}: only properties of the arguments have it`;
  if (typeof name !== "string" || !TOKEN.test(name)) return `${where}: this is no header name`;
  if (type !== "string" && type !== "integer" && type !== "boolean") {
    return `${where}: the property must be a string, an integer or a boolean`;
  }
  return { path, name: `${PREFIX}${name}`, type };
}

/**
 * Finds the header annotations in a tool's input schema (MCP 2026-07-28, Tools, `x-mcp-header`). One
 * in the wrong place, on a property that is no string, integer or boolean, or with a name that is no
 * header's or is taken, makes the tool invalid over HTTP.
 * @param schema a parsed JSON value
 */
export function paramHeadersOf(schema: unknown): ParamHeaders {
  const headers: ParamHeader[] = [];
  const names = new Set<string>();
  // A list of places instead of recursion: a schema may be deep.
  const places: Place[] = [{ value: schema, path: [], reachable: true }];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { value, path } = place;
    if (Array.isArray(value)) {
      for (const item of value) places.push({ value: item, path, reachable: false });
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

/** The value of a parameter as its header has it; undefined where no header is sent. */
function headerText(args: unknown, { path }: ParamHeader): string | undefined {
  let value = args;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  if (typeof value === "string" || typeof value === "boolean") return String(value);
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

/** The headers that a client sends with a call, by name. `args` is the source text of the arguments. */
export function paramHeaderValues(
  headers: readonly ParamHeader[],
  args: Uint8Array | undefined,
): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  const parsed = args === undefined || headers.length === 0 ? undefined : parseJson(args);
  if (!parsed?.ok) return values;
  for (const header of headers) {
    const text = headerText(parsed.value, header);
    if (text !== undefined) values[header.name] = encodeHeaderValue(text);
  }
  return values;
}

/**
 * What is wrong with the headers of a call, by the check that a server owes (MCP 2026-07-28,
 * Transports, Custom Headers from Tool Parameters). Undefined where nothing is.
 * @param args the source text of the arguments
 * @param given the value of a header by its name in lower case
 */
export function paramHeaderFault(
  headers: readonly ParamHeader[],
  args: Uint8Array | undefined,
  given: (name: string) => string | undefined,
): string | undefined {
  const parsed = args === undefined || headers.length === 0 ? undefined : parseJson(args);
  if (!parsed?.ok) return undefined;
  for (const header of headers) {
    const expected = headerText(parsed.value, header);
    if (expected === undefined) continue;
    const sent = given(header.name.toLowerCase());
    if (sent === undefined) return `the header ${header.name} is missing`;
    const decoded = decodeHeaderValue(sent.trim());
    if (decoded === undefined) return `the header ${header.name} is no valid Base64`;
    if (decoded !== expected && !sameInteger(header, decoded, expected)) {
      return `the header ${header.name} does not say what the body says`;
    }
  }
  return undefined;
}

/** `42` and `42.0` are the same integer. */
function sameInteger({ type }: ParamHeader, given: string, expected: string): boolean {
  return type === "integer" && /^-?\d+(\.\d+)?$/.test(given) && Number(given) === Number(expected);
}
