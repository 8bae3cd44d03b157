import { isObject, type JsonObject } from "@touchstone/core";
import { json } from "./answers/answer.ts";
import { encodeJson } from "./answers/encode.ts";
import type { CallResult, Content } from "./call-types.ts";
import { publicMessage } from "./public-message.ts";

const isContent = (value: unknown): value is readonly Content[] =>
  Array.isArray(value) && value.every((item) => isObject(item) && typeof item["type"] === "string");

function fromTuple([content, isError, traceId]: readonly unknown[]): JsonObject {
  return { content, isError, traceId };
}

function metaOf({ _meta: meta, traceId }: JsonObject): JsonObject | undefined {
  const given = isObject(meta) ? meta : undefined;
  return typeof traceId === "string" && traceId !== "" ? { ...given, _trace_id: traceId } : given;
}

/** What a handler gave, as an MCP `CallToolResult`, or why it is none. */
export type ReadOutcome =
  | { readonly ok: true; readonly result: CallResult }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads what a handler gave, an object or a tuple.
 * @throws what a getter of it throws
 */
export function readOutcome(outcome: unknown): ReadOutcome {
  const given = Array.isArray(outcome) ? fromTuple(outcome) : outcome;
  if (!isObject(given))
    return { ok: false, reason: "the handler gave neither an object nor a tuple" };
  const { content, isError, structuredContent } = given;
  if (!isContent(content)) {
    return { ok: false, reason: "content is no list of objects that have a type" };
  }
  const meta = metaOf(given);
  const result: CallResult = {
    content,
    isError: Boolean(isError),
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
  return { ok: true, result };
}

/** The answer to a call that ended in an error of the tool: 200's shape, with a text. */
export function toolError(status: number, text: string, structuredContent?: unknown): Response {
  const content = [{ type: "text", text }];
  const structured = structuredContent === undefined ? {} : { structuredContent };
  return json(status, JSON.stringify({ content, isError: true, ...structured }));
}

/** The answer to a call whose handler threw: its message, without what tells of the host. */
export function thrownError(status: number, thrown: unknown): Response {
  return toolError(status, publicMessage(thrown));
}

/** The answer with a result, or nothing where the result has no JSON text. */
export function answerResult(result: CallResult, toolErrorStatus: number): Response | undefined {
  const text = encodeJson(result);
  return text === undefined ? undefined : json(result.isError ? toolErrorStatus : 200, text);
}
