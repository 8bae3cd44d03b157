import { encodeUtf8 } from "@touchstone/core/advanced";

/** Returns the JSON text of a value, or undefined if it has none (cyclic, too deep, a bigint, a function). */
function jsonTextOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/**
 * Returns a request (JSON-RPC 2.0, section 4).
 * @param idText the source text of the id, a JSON string or integer. It is inserted verbatim, as are the params.
 */
export function requestFrame(idText: string, method: string, paramsText?: string): Uint8Array {
  const params = paramsText === undefined ? "" : `,"params":${paramsText}`;
  return encodeUtf8(`{"jsonrpc":"2.0","id":${idText},"method":${JSON.stringify(method)}${params}}`);
}

/** Returns a notification (JSON-RPC 2.0, section 4.1). The params are inserted verbatim. */
export function notificationFrame(method: string, paramsText?: string): Uint8Array {
  const params = paramsText === undefined ? "" : `,"params":${paramsText}`;
  return encodeUtf8(`{"jsonrpc":"2.0","method":${JSON.stringify(method)}${params}}`);
}

/** Returns a response with a result (JSON-RPC 2.0, section 5). Both texts are inserted verbatim. */
export function resultFrame(idText: string, resultText: string): Uint8Array {
  return encodeUtf8(`{"jsonrpc":"2.0","id":${idText},"result":${resultText}}`);
}

/**
 * Returns an error response (JSON-RPC 2.0, section 5.1).
 * @param idText the source text of the request's id, inserted verbatim; null if it could not be read.
 * @param code an integer, such as one of `ERROR_CODES`.
 * @param data anything with a JSON form; left out if it has none.
 */
export function errorFrame(
  idText: string | null,
  code: number,
  message: string,
  data?: unknown,
): Uint8Array {
  const dataText = jsonTextOf(data);
  const rest = dataText === undefined ? "" : `,"data":${dataText}`;
  return encodeUtf8(
    `{"jsonrpc":"2.0","id":${idText},"error":{"code":${code},"message":${JSON.stringify(message)}${rest}}}`,
  );
}

/** What the result contains in addition to its text. */
export interface ToolErrorOptions {
  /** Whether the revision requires `resultType` on every result (from 2026-07-28 on). */
  readonly modern: boolean;
  /** `_meta` of the result; left out if it has no JSON form. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/**
 * Returns a `CallToolResult` that reports an error to the model (MCP, Tools, Error Handling): one text block,
 * `isError: true`, and `resultType: "complete"` on a modern revision.
 * @param idText the source text of the call's id, inserted verbatim.
 */
export function toolErrorFrame(
  idText: string,
  text: string,
  options: ToolErrorOptions,
): Uint8Array {
  const type = options.modern ? '"resultType":"complete",' : "";
  const metaText = jsonTextOf(options.meta);
  const meta = metaText === undefined ? "" : `,"_meta":${metaText}`;
  const content = `[{"type":"text","text":${JSON.stringify(text)}}]`;
  return resultFrame(idText, `{${type}"content":${content},"isError":true${meta}}`);
}
