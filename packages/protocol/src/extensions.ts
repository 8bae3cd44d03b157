import { type MemberPlan, scanJson } from "@touchstone/core/advanced";
import type { Frame } from "./frame.ts";

/** Results that come later, as tasks (SEP-2663). These are not the tasks that 2025-11-25 itself has. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** Servers that serve skills as resources (SEP-2640). */
export const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";

/**
 * Returns whether a result may be of a type: of one that MCP itself has, or one that a declared extension may add
 * (2026-07-28, ResultType).
 * @param declared whether the client has declared the tasks extension, and any at all
 */
export function isResultType(
  type: string,
  declared: { readonly tasks: boolean; readonly any: boolean },
): boolean {
  if (type === "complete" || type === "input_required") return true;
  return declared.any && (type !== "task" || declared.tasks);
}

const PLAN: MemberPlan = { extensions: { [TASKS_EXTENSION]: true } };
const POINTER = `/extensions/${TASKS_EXTENSION.replace("/", "~1")}`;

/**
 * Returns whether a handshake announces the tasks extension in its capabilities (SEP-2133, `extensions`).
 * @param frame `initialize`, or the response to it
 */
export function announcesTasks(frame: Frame): boolean {
  const range = frame.range(
    frame.kind === "response" ? "/result/capabilities" : "/params/capabilities",
  );
  if (range === undefined) return false;
  const capabilities = frame.bytes.subarray(range.start, range.end);
  return scanJson(capabilities, { members: PLAN }).members.has(POINTER);
}
