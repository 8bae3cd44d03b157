import { isObject, parseJson } from "@touchstone/core/advanced";
import type { Frame } from "@touchstone/protocol/advanced";
import type { EndpointResponse } from "./endpoint-poster.ts";

/** Why a server gave no result. */
export class ServerCallError extends Error {
  override readonly name: string = "ServerCallError";
}

/** A server has responded with a JSON-RPC error. */
export class JsonRpcResponseError extends ServerCallError {
  override readonly name: string = "JsonRpcResponseError";
  /** The error, and its JSON text as it came. */
  readonly error: { readonly value: Readonly<Record<string, unknown>>; readonly text: string };

  constructor(method: string, error: JsonRpcResponseError["error"]) {
    const { code, message } = error.value;
    super(`${method} was answered with the error ${String(code)}: ${String(message)}`);
    this.error = error;
  }
}

/** The longest error of a server that is read and forwarded, in bytes. */
const MAX_ERROR = 262_144;

/**
 * Returns the frame of a result.
 * @throws ServerCallError for any other frame
 */
export function resultOf(method: string, { status, answer }: EndpointResponse): Frame {
  if (answer?.kind === "response") return answer;
  const range = answer?.ranges.error;
  const isShort = range !== undefined && range.end - range.start <= MAX_ERROR;
  if (answer !== undefined && isShort) {
    const text = answer.text(range);
    const parsed = parseJson(text);
    if (parsed.ok && isObject(parsed.value)) {
      throw new JsonRpcResponseError(method, { value: parsed.value, text });
    }
  }
  throw new ServerCallError(`${method} was answered with an error: HTTP status ${status}`);
}
