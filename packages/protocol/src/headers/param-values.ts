import { isObject, parseJson } from "@touchstone/core";
import { decodeHeaderValue, encodeHeaderValue } from "./header-value.ts";
import type { ParamHeader } from "./param-headers.ts";

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
