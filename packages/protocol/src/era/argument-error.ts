import { isObject, parseJson } from "@touchstone/core";
import { ERROR_CODES } from "../codes.ts";
import type { Frame } from "../frame.ts";
import type { Revision } from "../revisions/revision.ts";

/** What the official SDKs write in front of a result that tells of bad arguments. */
const BY_SDK =
  /^(?:MCP error -32602\b|Input validation error\b|Error executing tool \S+: \d+ validation errors? for )/;
/** What servers of their own make say, near the beginning of the text. */
const BY_WORDS =
  /\b(?:invalid|missing|unexpected|unknown|bad) (?:required )?(?:tool )?(?:argument|parameter|param|input)s?\b|\b(?:argument|parameter|param|input|schema)s? validation\b|\bvalidation (?:error|fail)|\bis (?:a )?required (?:argument|parameter|property)\b/i;
const UNKNOWN_TOOL = /\b(?:unknown tool|tool \S+ (?:is )?(?:not found|disabled)|no such tool)\b/i;
const MAX_TEXT = 400;

function part(frame: Frame, pointer: string): unknown {
  const range = frame.range(pointer);
  const parsed = range && parseJson(frame.bytes.subarray(range.start, range.end));
  return parsed?.ok === true ? parsed.value : undefined;
}

/** The text of the first block of a result's content. */
function firstText(frame: Frame): string {
  const result = part(frame, "/result");
  const content = isObject(result) ? result["content"] : undefined;
  const [block] = Array.isArray(content) ? content : [];
  const text = isObject(block) ? block["text"] : undefined;
  return typeof text === "string" ? text.slice(0, MAX_TEXT) : "";
}

/**
 * Whether a server's answer to `tools/call` says that it did not accept the arguments: the error
 * -32602, as all revisions have had it, unless its text says that the tool is not known; or a
 * result with `isError`, which is the form from 2025-11-25 on (SEP-1303) and is known by its text. In
 * a revision that wants an error there, a result counts only in the words of the official SDKs.
 */
export function isArgumentError(frame: Frame, revision: Revision): boolean {
  if (frame.kind === "error") {
    if (frame.errorCode !== ERROR_CODES.invalidParams) return false;
    const message = part(frame, "/error/message");
    return typeof message !== "string" || !UNKNOWN_TOOL.test(message.slice(0, MAX_TEXT));
  }
  if (frame.kind !== "response" || !frame.isError) return false;
  const text = firstText(frame);
  if (UNKNOWN_TOOL.test(text)) return false;
  return BY_SDK.test(text) || (revision.invalidArguments === "result" && BY_WORDS.test(text));
}
