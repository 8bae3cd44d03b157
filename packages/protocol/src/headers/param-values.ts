import { isObject, parseJson } from "@touchstone/core/advanced";
import { decodeHeaderValue, encodeHeaderValue } from "./header-value.ts";
import type { ParamHeader } from "./param-headers.ts";

/** Returns the value of a parameter; undefined if there is none. */
function parameterOf(args: unknown, { path }: ParamHeader): unknown {
  let value = args;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** Returns the value of a parameter as its header holds it; undefined if no header is sent. */
function headerText(args: unknown, header: ParamHeader): string | undefined {
  const value = parameterOf(args, header);
  if (typeof value === "string" || typeof value === "boolean") return String(value);
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

/** Returns the headers that a client sends with a call, by name. `args` is the source text of the arguments. */
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
 * Returns the headers of a call whose values change because its arguments were changed, by name in lower case;
 * undefined for one that is no longer sent. All other headers stay the same.
 * @param before the source text of the arguments as received
 * @param after the source text of the arguments as sent on
 */
export function changedParamHeaders(
  headers: readonly ParamHeader[],
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): Readonly<Record<string, string | undefined>> {
  const changed: Record<string, string | undefined> = {};
  const [came, sent] = [parsedArguments(before), parsedArguments(after)];
  for (const header of headers) {
    // A client that compares types may have sent no header for a "3" that is now 3.
    if (parameterOf(came, header) === parameterOf(sent, header)) continue;
    const text = headerText(sent, header);
    changed[header.name.toLowerCase()] = text === undefined ? undefined : encodeHeaderValue(text);
  }
  return changed;
}

function parsedArguments(args: Uint8Array | undefined): unknown {
  const parsed = args === undefined ? undefined : parseJson(args);
  return parsed?.ok === true ? parsed.value : undefined;
}

/**
 * Returns what is wrong with the headers of a call, by the check that a server has to make (MCP 2026-07-28,
 * Transports, Custom Headers from Tool Parameters). Undefined if nothing is wrong.
 * @param args the source text of the arguments
 * @param given returns the value of a header by its name in lower case
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
    if (decoded === undefined) return `the header ${header.name} is not valid Base64`;
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
