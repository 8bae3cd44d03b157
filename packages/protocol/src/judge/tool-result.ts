import { derivedIssue, type Issue } from "@touchstone/core/advanced";
import { resultFrame } from "../build.ts";
import { readFrame } from "../read.ts";
import { LATEST, LATEST_LEGACY } from "../revisions/revisions.ts";
import { judgeMessage } from "./judge-message.ts";
import type { MessageCheck } from "./message-check.ts";

/**
 * Checks the result of a `tools/call` on its own, whatever its size, just as {@link judgeMessage} checks the response
 * that holds it.
 * @param text JSON of the result
 * @param revision the `protocolVersion`. Defaults to 2026-07-28 for a result with a `resultType`, which earlier
 *   revisions do not know, and to 2025-11-25 for others
 * @returns paths point into the result
 */
export function judgeToolResult(text: string, revision?: string): MessageCheck {
  return judgeTypedResult(text, revision).check;
}

/** {@link judgeToolResult}, with the `resultType` of the result. */
export function judgeTypedResult(
  text: string,
  revision?: string,
): { readonly check: MessageCheck; readonly resultType: string | undefined } {
  const frame = readFrame(resultFrame("0", text), { duplicates: true });
  const { resultType } = frame;
  const inferred = resultType === undefined ? LATEST_LEGACY : LATEST;
  const check = judgeMessage(frame, {
    revision: revision ?? inferred,
    sender: "server",
    requestMethod: "tools/call",
    maxBytes: frame.bytes.length,
  });
  const { errors, warnings } = check;
  const own = { errors: errors.map(inResult), warnings: warnings.map(inResult) };
  return { check: { ...check, ...own }, resultType };
}

const RESULT = "/result";

/** Turns an issue of a message into one of its result. */
function inResult(issue: Issue): Issue {
  const { path, instancePath } = issue;
  const strip = (pointer: string): string =>
    pointer.startsWith(RESULT) ? pointer.slice(RESULT.length) : pointer;
  const own = { ...issue, path: strip(path) };
  return derivedIssue(
    instancePath === undefined ? own : { ...own, instancePath: strip(instancePath) },
    issue,
  );
}
