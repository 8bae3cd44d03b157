import { parseJson } from "@touchstone/core";
import type { ToolContract } from "../../contracts/contract.ts";
import { decodeHeaderValue, encodeHeaderValue } from "./header-value.ts";

/** A parameter of a tool that a request repeats in a header of its own. */
export interface ParamHeader {
  /** The property's name, and those of the objects that it is in, from the arguments on. */
  readonly path: readonly string[];
  /** The header's name as it is sent: `Mcp-Param-` and what the schema says. */
  readonly name: string;
  readonly type: "string" | "integer" | "boolean";
}

/** What a tool's input schema says of headers: the headers, or why it may not be used over HTTP. */
export type ParamHeaders =
  | { readonly valid: true; readonly headers: readonly ParamHeader[] }
  | { readonly valid: false; readonly reason: string };

const ANNOTATION = "x-mcp-header";
const PREFIX = "Mcp-Param-";
/** A token (RFC 9110, section 5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const NONE: ParamHeaders = { valid: true, headers: [] };
const ANNOTATION_BYTES = Buffer.from(`"${ANNOTATION}"`);

const known: WeakMap<ToolContract, ParamHeaders> = new WeakMap();

/** The headers that calls of a tool carry (MCP 2026-07-28, Tools, `x-mcp-header`). */
export function paramHeadersOf(contract: ToolContract): ParamHeaders {
  let headers = known.get(contract);
  if (headers === undefined) {
    headers = contract.inputText === undefined ? NONE : scanParamHeaders(contract.inputText);
    known.set(contract, headers);
  }
  return headers;
}

interface Place {
  readonly value: unknown;
  readonly path: readonly string[];
  /** Whether only `properties` lead here, so that every call has the property in the same place. */
  readonly reachable: boolean;
}

/**
 * Finds the annotations in a schema's source text. One in the wrong place, on a property that is no
 * string, integer or boolean, or with a name that is no header's or is taken, makes the tool invalid.
 */
export function scanParamHeaders(text: Uint8Array): ParamHeaders {
  if (Buffer.from(text.buffer, text.byteOffset, text.length).indexOf(ANNOTATION_BYTES) < 0) {
    return NONE;
  }
  const parsed = parseJson(text);
  if (!parsed.ok) return NONE;
  const headers: ParamHeader[] = [];
  const names = new Set<string>();
  // A list of places instead of recursion: a schema may be deep.
  const places: Place[] = [{ value: parsed.value, path: [], reachable: true }];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { value, path, reachable } = place;
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
      addSubschemas(places, value, path, reachable);
    }
  }
  return { valid: true, headers: headers.reverse() };
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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

function addSubschemas(
  places: Place[],
  schema: JsonObject,
  path: readonly string[],
  reachable: boolean,
): void {
  for (const [keyword, value] of Object.entries(schema)) {
    if (DATA.has(keyword)) continue;
    if (!BY_NAME.has(keyword) || !isObject(value)) {
      places.push({ value, path, reachable: false });
      continue;
    }
    for (const [name, subschema] of Object.entries(value)) {
      const onPath = keyword === "properties";
      places.push({
        value: subschema,
        path: [...path, name],
        reachable: reachable && onPath,
      });
    }
  }
}

function annotated(
  { path, reachable }: Place,
  schema: JsonObject,
): ParamHeader | string | undefined {
  if (!Object.hasOwn(schema, ANNOTATION)) return undefined;
  const name = schema[ANNOTATION];
  const { type } = schema as { readonly type?: unknown };
  const where = `${ANNOTATION} at ${path.length === 0 ? "the schema's root" : path.join(".")}`;
  if (!reachable || path.length === 0) return `${where}: only properties of the arguments have it`;
  if (typeof name !== "string" || !TOKEN.test(name)) return `${where}: this is no header name`;
  if (type !== "string" && type !== "integer" && type !== "boolean") {
    return `${where}: the property must be a string, an integer or a boolean`;
  }
  return { path, name: `${PREFIX}${name}`, type };
}

/** The value of a parameter as its header has it; undefined where no header is sent. */
function headerText(args: unknown, { path }: ParamHeader): string | undefined {
  let value = args;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  if (typeof value === "string" || typeof value === "boolean") return String(value);
  const exact =
    typeof value === "number" && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return exact && Number.isFinite(value) ? String(value) : undefined;
}

/** The headers that a client sends with a call, by name. `args` is the source text of the arguments. */
export function paramHeaderValues(
  headers: readonly ParamHeader[],
  args: Uint8Array | undefined,
): Record<string, string> {
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
    const decoded = decodeHeaderValue(sent);
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
