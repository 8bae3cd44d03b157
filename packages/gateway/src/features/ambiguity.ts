import { foldText, type Issue } from "@touchstone/core/advanced";
import { callTwin, nearMethod, twinText } from "@touchstone/protocol/advanced";
import type { SentMessage } from "./call-step.ts";

const TOOL_METHODS: ReadonlySet<string> = new Set(["tools/call", "tools/list"]);

/** Returns the issue of a call that a setting refuses. */
export function policyIssue(path: string, message: string, keyword?: string): Issue {
  return { path, message, rule: "policy", ...(keyword === undefined ? {} : { keyword }) };
}

/**
 * Returns why servers may read a message as different calls; undefined if they agree.
 * @param narrows whether argument values are limited
 */
export function ambiguousCallIssue(
  { frame, came }: Pick<SentMessage, "frame" | "came">,
  narrows: boolean = false,
): Issue | undefined {
  const { kind, method, scan } = frame;
  if (kind === "batch") return policyIssue("", "a batch inside a batch is not read");
  if (scan.overKeys !== undefined) return policyIssue("", "it has more keys than are read");
  if (came.transport !== undefined) return policyIssue("", came.transport.message);
  const twin = callTwin(frame, narrows);
  if (twin !== undefined) {
    const isParam = twin === "name" || twin === "arguments";
    const path = typeof twin === "symbol" ? "" : isParam ? `/params/${twin}` : `/${twin}`;
    return policyIssue(path, twinText(twin));
  }
  if (method === undefined) {
    // As a key of an object, JavaScript reads `["tools/call"]` as "tools/call".
    const isGiven = frame.range("/method") !== undefined;
    return isGiven ? policyIssue("/method", "it is not a string") : undefined;
  }
  if (TOOL_METHODS.has(method)) return undefined;
  const compared = foldText(method, "name");
  const isNear =
    compared === undefined ||
    method.includes("\0") ||
    TOOL_METHODS.has(compared) ||
    nearMethod(frame).length > 0;
  return isNear ? policyIssue("/method", "it is nearly the name of another method") : undefined;
}
