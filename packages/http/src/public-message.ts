import { maskPaths } from "./mask-paths.ts";

const MAX_LENGTH = 2000;

function thrownText(thrown: unknown): string {
  try {
    const text = thrown instanceof Error ? thrown.message : thrown;
    return typeof text === "string" ? text : "";
  } catch {
    return "";
  }
}

/**
 * Returns the message of a handler's error, for its caller: without stack lines, and with absolute paths of files
 * masked, because both reveal the host. Never throws.
 */
export function publicMessage(thrown: unknown): string {
  const [message = ""] = thrownText(thrown)
    .slice(0, 4 * MAX_LENGTH)
    .split(/\n\s+at /, 1);
  const masked = maskPaths(message).trim();
  if (masked === "") return "The tool failed without a message.";
  return masked.length > MAX_LENGTH ? `${masked.slice(0, MAX_LENGTH - 1).toWellFormed()}…` : masked;
}
