import { rawAt } from "./raw-json.mjs";

/** JSON-RPC 2.0 section 5.1, and -32022 of MCP 2026-07-28 (UnsupportedProtocolVersionError). */
export const ERRORS = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  unsupportedVersion: -32022,
};

/** Larger frames are answered with an error and skipped, so that memory stays bounded. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** UTF-16 units; a JavaScript string holds about twice as many. */
const MAX_BATCH_ANSWER = 256 * 1024 * 1024;

/** An error that travels to the caller as a JSON-RPC error. */
export class RpcError extends Error {
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/**
 * Splits a byte stream at line feeds (MCP, Transports, stdio).
 *
 * @param {(frame: Buffer) => void} onFrame one line without its line feed; never an empty one
 * @param {() => void} onTooLarge called once for each line over the limit, which is dropped
 * @returns {(chunk: Buffer) => void}
 */
export function frameSplitter(onFrame, onTooLarge) {
  let parts = [];
  let size = 0;
  let skipping = false;
  const take = (part) => {
    if (skipping) return;
    size += part.length;
    if (size > MAX_FRAME_BYTES) {
      skipping = true;
      parts = [];
      onTooLarge();
      return;
    }
    parts.push(part);
  };
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      take(chunk.subarray(from, end));
      const frame = Buffer.concat(parts);
      const whole = !skipping;
      parts = [];
      size = 0;
      skipping = false;
      from = end + 1;
      if (whole && frame.toString("latin1").trim() !== "") onFrame(frame);
    }
    if (from < chunk.length) take(chunk.subarray(from));
  };
}

/**
 * Answers one frame.
 *
 * @param {Buffer} frame
 * @param {{ handle: (message: object, raw: (path: (string | number)[]) => string | undefined) =>
 *   string, batches: () => boolean }} server `handle` gives the text of the result or throws
 *   {@link RpcError}; `batches` says whether the revision in use has JSON-RPC batches
 * @returns {string | undefined} the response's text, or nothing for notifications and responses
 */
export function answerFrame(frame, server) {
  let text;
  let parsed;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(frame);
    parsed = JSON.parse(text);
  } catch {
    return errorAnswer("null", new RpcError(ERRORS.parse, "Parse error: the line is not JSON"));
  }
  if (!Array.isArray(parsed)) return answerMessage(parsed, text, [], server);
  if (!server.batches() || parsed.length === 0) {
    const reason = parsed.length === 0 ? "an empty batch" : "batches exist in 2025-03-26 only";
    return errorAnswer("null", new RpcError(ERRORS.invalidRequest, `Invalid request: ${reason}`));
  }
  const answers = parsed
    .map((message, index) => answerMessage(message, text, [index], server))
    .filter((answer) => answer !== undefined);
  if (answers.reduce((size, answer) => size + answer.length, 0) > MAX_BATCH_ANSWER) {
    return errorAnswer("null", new RpcError(ERRORS.internal, "The batch's answer is too large"));
  }
  return answers.length === 0 ? undefined : `[${answers.join(",")}]`;
}

function answerMessage(message, text, path, server) {
  if (!isObject(message) || message.jsonrpc !== "2.0") {
    const reason = 'a message is an object with "jsonrpc": "2.0"';
    return errorAnswer("null", new RpcError(ERRORS.invalidRequest, `Invalid request: ${reason}`));
  }
  if (!Object.hasOwn(message, "method")) {
    if (Object.hasOwn(message, "result") || Object.hasOwn(message, "error")) return undefined;
    return errorAnswer("null", new RpcError(ERRORS.invalidRequest, "Invalid request: no method"));
  }
  if (!Object.hasOwn(message, "id")) return undefined;
  const id = message.id;
  if (typeof id !== "string" && !Number.isInteger(id)) {
    const reason = "an id is a string or an integer";
    return errorAnswer("null", new RpcError(ERRORS.invalidRequest, `Invalid request: ${reason}`));
  }
  const raw = (rest) => rawAt(text, [...path, ...rest]);
  const rawId = raw(["id"]);
  try {
    if (typeof message.method !== "string") {
      throw new RpcError(ERRORS.invalidRequest, "Invalid request: the method is not a string");
    }
    return `{"jsonrpc":"2.0","id":${rawId},"result":${server.handle(message, raw)}}`;
  } catch (error) {
    if (error instanceof RpcError) return errorAnswer(rawId, error);
    return errorAnswer(rawId, new RpcError(ERRORS.internal, `Internal error: ${error.message}`));
  }
}

function errorAnswer(rawId, { code, message, data }) {
  const error = data === undefined ? { code, message } : { code, message, data };
  return `{"jsonrpc":"2.0","id":${rawId},"error":${JSON.stringify(error)}}`;
}

/** @returns {boolean} whether the value is a JSON object */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
