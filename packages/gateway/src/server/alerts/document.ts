import type { AlertEvent, AlertRule } from "../../features/alerts/alerts.ts";
import { type ActivityRecord, BODY_FIELDS } from "../../records/record.ts";
import { visible } from "../../util/log.ts";

/** Members of a record with contents of a client or server. Alerts never include them. */
const BODIES: ReadonlySet<string> = new Set([...BODY_FIELDS, "response_text"]);
/** Slack cuts texts after 40,000 characters (https://docs.slack.dev/changelog/2018-truncating-really-long-messages); nobody reads that many. */
const MAX_TEXT = 2_000;

const HAPPENED: Readonly<Record<AlertEvent, string>> = {
  blocked: "blocked",
  server_failed: "server failed",
  call_error: "call failed",
  schema_change: "schema changed",
};

/** Returns a record's event, or undefined if no rule can match it. */
export function eventOf({
  type,
  status,
  decision,
}: Pick<ActivityRecord, "type" | "status" | "decision">): AlertEvent | undefined {
  switch (type) {
    case "policy_decision":
      return decision === "blocked" ? "blocked" : undefined;
    case "server_change":
      return status === "error" ? "server_failed" : undefined;
    case "tool_call":
      return status === "error" ? "call_error" : undefined;
    case "schema_change":
      return "schema_change";
    default:
      return undefined;
  }
}

/** Returns whether a rule matches a record. */
export function matches(rule: AlertRule, event: AlertEvent, record: ActivityRecord): boolean {
  return (
    rule.when === event &&
    (rule.server === undefined || rule.server === record.server) &&
    (rule.tool === undefined || rule.tool === record.tool)
  );
}

/** Returns the record as JSON text, without contents that were sent or returned. */
export function documentOf(record: ActivityRecord): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(record).filter(([name]) => !BODIES.has(name))),
  );
}

/**
 * Returns the body for Slack's incoming webhook: one line without formatting, mentions or links
 * (https://docs.slack.dev/messaging/formatting-message-text, "Escaping text").
 */
export function slackBody(event: AlertEvent, { server, tool, reason }: ActivityRecord): string {
  const about = [server, tool].filter((name) => name !== null).join("/");
  const text = [`Touchstone: ${HAPPENED[event]}`, about, reason ?? ""].filter(
    (part) => part !== "",
  );
  const escaped = visible(text.join(": "), MAX_TEXT)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
  return JSON.stringify({ text: escaped, mrkdwn: false });
}
