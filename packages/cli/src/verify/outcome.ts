import { decodeUtf8, isObject, parseJson } from "@touchstone/core/advanced";
import type { RecordedMessage } from "@touchstone/gateway/recordings";
import type { CallOutcome } from "../servers/connect.ts";
import type { JsonRpcResponseError } from "../servers/json-rpc-error.ts";

/** What came of a call. */
export interface Outcome {
  readonly kind:
    | "result"
    | "tool error"
    | "result that is not complete"
    | "malformed result"
    | "JSON-RPC error"
    | "no response";
  /** The code of a JSON-RPC error. */
  readonly code?: string | undefined;
  /** What an error says. */
  readonly message?: string | undefined;
  /** The JSON text of a result. */
  readonly text?: string;
  /** The result. */
  readonly value?: unknown;
}

/** Returns the outcome in a recorded response; undefined if it cannot be compared with one of another time. */
export function recordedOutcome({ frame }: RecordedMessage): Outcome | undefined {
  const { result, error } = frame.ranges;
  if (frame.kind === "response" && result !== undefined) {
    const { resultType = "complete" } = frame;
    if (resultType !== "complete" || frame.announcesTask) return undefined;
    return resultOutcome(frame.text(result));
  }
  if (frame.kind !== "error" || error === undefined) return undefined;
  const parsed = parseJson(frame.text(error));
  const { code, message } = parsed.ok && isObject(parsed.value) ? parsed.value : {};
  return {
    kind: "JSON-RPC error",
    code: JSON.stringify(code),
    message: typeof message === "string" ? message : undefined,
  };
}

/** Returns the outcome of a call whose result has come. */
export function outcomeOf({ text }: CallOutcome): Outcome {
  return resultOutcome(text);
}

export function errorOutcome({ code, message }: JsonRpcResponseError): Outcome {
  return { kind: "JSON-RPC error", code, message };
}

function resultOutcome(text: string): Outcome {
  const parsed = parseJson(text);
  const value = parsed.ok ? parsed.value : undefined;
  if (!isObject(value)) return { kind: "malformed result", text, value };
  const { content, isError = false, resultType = "complete" } = value;
  if (resultType !== "complete") return { kind: "result that is not complete", text, value };
  if (!Array.isArray(content) || typeof isError !== "boolean") {
    return { kind: "malformed result", text, value };
  }
  if (!isError) return { kind: "result", text, value };
  return { kind: "tool error", text, value, message: firstText(value) };
}

/** Returns the first text in a result. */
function firstText(result: unknown): string | undefined {
  const content = isObject(result) ? result["content"] : undefined;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  for (const block of blocks) {
    if (isObject(block) && typeof block["text"] === "string") return block["text"];
  }
  return undefined;
}

/** Returns the JSON in a text block, if it is an object or an array: many servers return data in this way only. */
export function jsonIn(text: unknown): unknown {
  if (typeof text !== "string" || !/^\s*[{[]/.test(text)) return undefined;
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : undefined;
}

/** Returns the arguments of a recorded call, as JSON text; undefined if it has none. */
export function recordedArguments({ frame }: RecordedMessage): Uint8Array | undefined {
  const { arguments: range } = frame.ranges;
  return range === undefined ? undefined : frame.bytes.subarray(range.start, range.end);
}

const MAX_SHOWN = 1_000;

/** Returns the arguments of a recorded call for a report. */
export function shownArguments(request: RecordedMessage): string {
  const args = recordedArguments(request);
  const text = args === undefined ? "{}" : decodeUtf8(args.subarray(0, 4 * MAX_SHOWN));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
