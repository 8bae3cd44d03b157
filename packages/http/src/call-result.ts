import { encodeUtf8, isObject, type JsonObject, scanJson } from "@touchstone/core/advanced";
import { encodeJson } from "./answers/encode.ts";
import { json } from "./answers/respond.ts";
import type { CallRefusal, CallResult, Content, ResultTexts } from "./call-types.ts";
import { publicMessage } from "./public-message.ts";

/** The members that a handler may return as texts. */
const EXACT = ["content", "structuredContent"] as const;

const isJsonText = (text: unknown): boolean =>
  typeof text === "string" && scanJson(encodeUtf8(text)).error === undefined;

const isContent = (value: unknown): value is readonly Content[] =>
  Array.isArray(value) && value.every((item) => isObject(item) && typeof item["type"] === "string");

function fromTuple([content, isError, traceId]: readonly unknown[]): JsonObject {
  return { content, isError, traceId };
}

function metaOf({ _meta: meta, traceId }: JsonObject): JsonObject | undefined {
  const given = isObject(meta) ? meta : undefined;
  return typeof traceId === "string" && traceId !== "" ? { ...given, _trace_id: traceId } : given;
}

/** A handler's result as an MCP `CallToolResult`, or why it is not one. */
export type ReadOutcome =
  | {
      readonly ok: true;
      readonly result: CallResult;
      readonly texts: ResultTexts;
      readonly refusal: CallRefusal | undefined;
    }
  | { readonly ok: false; readonly reason: string };

/** Reads how a call is refused; undefined if the value is not a refusal. */
export function readRefusal(given: unknown): CallRefusal | undefined {
  if (!isObject(given)) return undefined;
  const { status, retryAfter } = given;
  if (status !== 403 && status !== 429) return undefined;
  const isDelay = typeof retryAfter === "number" && retryAfter >= 0 && retryAfter < 2 ** 31;
  return isDelay ? { status, retryAfter: Math.ceil(retryAfter) } : { status };
}

/**
 * Reads a handler's result, an object or a tuple.
 * @throws errors of its getters
 */
export function readOutcome(outcome: unknown): ReadOutcome {
  const given = Array.isArray(outcome) ? fromTuple(outcome) : outcome;
  if (!isObject(given))
    return { ok: false, reason: "the handler returned neither an object nor a tuple" };
  const { content, isError, structuredContent } = given;
  if (!isContent(content)) {
    return { ok: false, reason: "content is not a list of objects that have a type" };
  }
  const texts = isObject(given["texts"]) ? (given["texts"] as ResultTexts) : {};
  const broken = EXACT.find((name) => texts[name] !== undefined && !isJsonText(texts[name]));
  if (broken !== undefined) return { ok: false, reason: `the text of ${broken} is not JSON` };
  const meta = metaOf(given);
  const result: CallResult = {
    content,
    isError: Boolean(isError),
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
  return { ok: true, result, texts, refusal: readRefusal(given["refusal"]) };
}

/** Returns the response to a call that ended in a tool error: in the form of a 200, with a text. */
export function toolError(status: number, text: string, structuredContent?: unknown): Response {
  return json(status, errorBody(text, structuredContent));
}

function errorBody(text: string, structuredContent?: unknown): string {
  // A member that is undefined has no JSON text.
  return JSON.stringify({ content: [{ type: "text", text }], isError: true, structuredContent });
}

/** Returns the response to a call whose handler threw: its message, without details about the host. */
export function thrownErrorResponse(status: number, thrown: unknown): Response {
  return toolError(status, publicMessage(thrown));
}

/** Returns the headers of a call that may be sent again. */
function retryHeaders(retryAfter: number | undefined): Readonly<Record<string, string>> {
  return retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
}

/** Returns the response to a call that the host does not admit: in the form of a tool error. */
export function rejectionResponse(text: string, refusal: CallRefusal): Response {
  return json(refusal.status, errorBody(text), retryHeaders(refusal.retryAfter));
}

/**
 * Returns the response with a result; undefined if the result has no JSON text.
 * @param outcome.texts replace members, unchanged
 */
export function answerResult(
  { result, texts, refusal }: Extract<ReadOutcome, { readonly ok: true }>,
  toolErrorStatus: number,
): Response | undefined {
  const members: string[] = [];
  for (const [name, value] of Object.entries(result)) {
    const own = EXACT.find((exact) => exact === name);
    const text = (own && texts[own]) ?? encodeJson(value);
    if (text === undefined) return undefined;
    members.push(`${JSON.stringify(name)}:${text}`);
  }
  const body = `{${members.join(",")}}`;
  if (!result.isError) return json(200, body);
  return json(refusal?.status ?? toolErrorStatus, body, retryHeaders(refusal?.retryAfter));
}
