import type { Issue } from "@touchstone/core";
import { OPEN_OBJECT } from "../bytes.ts";
import type { Frame, FrameKind } from "../frame.ts";
import { protocolIssue } from "../issue.ts";

/** What a message is treated as; `auto` decides by the members that it has. */
export type MessageType = "request" | "response" | "notification" | "auto";

const TYPES: ReadonlySet<unknown> = new Set<MessageType>([
  "request",
  "response",
  "notification",
  "auto",
]);

/** Returns an issue if an untyped caller gave an unknown message type; undefined if the type is known or absent. */
export function typeIssue(given: unknown): Issue | undefined {
  if (given === undefined || TYPES.has(given)) return undefined;
  const found = typeof given === "string" ? JSON.stringify(given.slice(0, 40)) : typeof given;
  const wanted = "request, response, notification or auto";
  return protocolIssue("", `the message type must be ${wanted}, found ${found}`, "enum");
}

const KINDS: Readonly<Record<Exclude<MessageType, "auto">, readonly FrameKind[]>> = {
  request: ["request"],
  notification: ["notification"],
  response: ["response", "error"],
};

/**
 * Returns the reasons why a message is not of a type.
 * @param type if absent, the message is treated as a request, or as a notification if it has no id
 */
export function kindIssues(
  frame: Frame,
  type: Exclude<MessageType, "auto"> | undefined,
): readonly Issue[] {
  if (type === undefined) return frame.kind === "notification" ? [] : kindIssues(frame, "request");
  if (frame.scan.error !== undefined || KINDS[type].includes(frame.kind)) return [];
  if (frame.kind === "batch") return [protocolIssue("", `a batch is not a ${type}`, "type")];
  // A value that is not an object has already been reported as such, so no missing members are reported.
  if (frame.bytes[frame.scan.root.start] !== OPEN_OBJECT) return [];
  const has = (member: string): boolean => frame.range(`/${member}`) !== undefined;
  if (type === "response") {
    return has("method")
      ? [protocolIssue("/method", "A response must have no method", "not")]
      : [protocolIssue("", "A response must have either result or error", "required")];
  }
  if (!has("method"))
    return [protocolIssue("/method", "Missing required field: method", "required")];
  return type === "request"
    ? [protocolIssue("/id", "Missing required field: id", "required")]
    : [protocolIssue("/id", "A notification must have no id", "not")];
}
