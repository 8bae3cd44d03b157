import { isObject, type JsonObject } from "@touchstone/core/advanced";
import { ownMember } from "./object.ts";

/** The arguments to validate, and the name that they were sent under. */
export interface RequestedCall {
  readonly tool: string;
  readonly arguments: unknown;
  /** The member that contains them: older clients use `parameters`. */
  readonly member: "arguments" | "parameters";
  /** The requested levels; all if none were named. */
  readonly levels: readonly string[] | undefined;
}

/** A request to the validation tool. */
export type ValidateRequest =
  | { readonly kind: "single"; readonly call: RequestedCall }
  | { readonly kind: "batch"; readonly calls: readonly (RequestedCall | string)[] }
  | { readonly kind: "malformed"; readonly message: string };

const MAX_LEVELS = 10;

function readLevels(value: unknown): readonly string[] | undefined | "malformed" {
  if (value === undefined) return undefined;
  const isList = Array.isArray(value) && value.length <= MAX_LEVELS;
  if (!isList || !value.every((level) => typeof level === "string")) return "malformed";
  return value;
}

const BAD_LEVELS = `"levels" must be an array of at most ${MAX_LEVELS} names of levels`;

/** Returns a call to validate, or what is wrong with it. `common` holds the default levels. */
function readCall(value: JsonObject, common?: readonly string[]): RequestedCall | string {
  const tool = ownMember(value, "tool");
  if (typeof tool !== "string") return '"tool" must be a string: the name of the tool to validate';
  const named = readLevels(ownMember(value, "levels"));
  if (named === "malformed") return BAD_LEVELS;
  const levels = named ?? common;
  for (const member of ["arguments", "parameters"] as const) {
    if (Object.hasOwn(value, member)) return { tool, arguments: value[member], member, levels };
  }
  return '"arguments" is missing: the arguments that the tool would be called with';
}

/**
 * Reads the arguments of the validation tool. Never throws.
 * @param value `params.arguments` of `tools/call`
 * @param maxBatchSize most calls in one batch; 0 if batches are not supported
 */
export function readRequest(value: unknown, maxBatchSize: number): ValidateRequest {
  if (!isObject(value)) {
    return { kind: "malformed", message: "the arguments must be an object" };
  }
  const calls = ownMember(value, "calls");
  if (calls === undefined || maxBatchSize === 0) {
    const call = readCall(value);
    if (typeof call !== "string") return { kind: "single", call };
    const message =
      calls === undefined
        ? call
        : 'this server does not accept batches: send "tool" and "arguments"';
    return { kind: "malformed", message };
  }
  if (!Array.isArray(calls)) return { kind: "malformed", message: '"calls" must be an array' };
  if (Object.hasOwn(value, "tool")) {
    return { kind: "malformed", message: 'send either "tool" or "calls", not both' };
  }
  if (calls.length > maxBatchSize) {
    const message = `"calls" holds more than maxBatchSize (${maxBatchSize}) calls; send several batches`;
    return { kind: "malformed", message };
  }
  const common = readLevels(ownMember(value, "levels"));
  if (common === "malformed") return { kind: "malformed", message: BAD_LEVELS };
  const read = (call: unknown): RequestedCall | string =>
    isObject(call)
      ? readCall(call, common)
      : 'a call must be an object with "tool" and "arguments"';
  return { kind: "batch", calls: calls.map(read) };
}
