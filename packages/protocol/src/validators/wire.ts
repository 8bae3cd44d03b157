import { encodeUtf8, type Issue, messageOf, quote } from "@touchstone/core/advanced";
import { protocolIssue } from "../issue.ts";
import { messagesOf } from "../messages/tables.ts";
import { REVISIONS } from "../revisions/revisions.ts";

/** The bytes that would be sent for a value, or the reason why it has no JSON text. */
export type WireText = { readonly bytes: Uint8Array } | { readonly issue: Issue };

/**
 * Returns the JSON text that would be sent for a value in memory. If `text` is set, uses strings and bytes as they
 * are. Never throws, whatever getters and proxies do.
 * @param text whether a string is JSON text rather than a value
 */
export function wireText(value: unknown, text: boolean): WireText {
  try {
    if (text && value instanceof Uint8Array) return { bytes: value };
    if (text && typeof value === "string") return { bytes: encodeUtf8(value) };
    const json: unknown = JSON.stringify(value);
    if (typeof json === "string") return { bytes: encodeUtf8(json) };
    return { issue: protocolIssue("", `a value of type ${typeof value} has no JSON text`, "type") };
  } catch (thrown) {
    const message = `the value has no JSON text: ${messageOf(thrown)}`;
    return { issue: protocolIssue("", message, "type") };
  }
}

/** Returns a member of options, which may be any value; undefined if reading it throws. */
export function safeOption<T, K extends keyof T>(
  options: T | undefined,
  name: K,
): T[K] | undefined {
  try {
    return options?.[name];
  } catch {
    return undefined;
  }
}

/** Returns an issue if an untyped caller gave an unknown profile; undefined if the profile is known or absent. */
export function profileIssue(given: unknown, known: readonly string[]): Issue | undefined {
  if (given === undefined || known.some((name) => name === given)) return undefined;
  const found = typeof given === "string" ? quote(given) : `a value of type ${typeof given}`;
  return protocolIssue("", `the profile must be ${known.join(" or ")}, found ${found}`, "enum");
}

/**
 * Returns an issue if the given value is not an MCP revision, as nothing would be checked; undefined for a known
 * revision.
 */
export function revisionIssue(given: unknown): Issue | undefined {
  if (typeof given === "string" && messagesOf(given) !== undefined) return undefined;
  const shown = typeof given === "string" ? quote(given, 40) : `a value of type ${typeof given}`;
  const known = REVISIONS.map(({ version }) => version).join(", ");
  return protocolIssue("", `MCP has no revision ${shown}; it has ${known}`, "enum");
}

/** Runs a check, and turns an unexpected exception into an issue. */
export function withoutThrowing<R>(check: () => R, otherwise: (issue: Issue) => R): R {
  try {
    return check();
  } catch (thrown) {
    const message = `the value could not be checked: ${messageOf(thrown)}`;
    return otherwise({ path: "", message, rule: "budget", keyword: "budget" });
  }
}
