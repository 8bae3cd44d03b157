import { type ActivityRecord, BODY_FIELDS } from "@touchstone/records/record";
import { visible } from "@touchstone/util";
import type { AlertRule } from "../../features/alerts/alerts.ts";
import { type AlertEvent, EVENTS } from "../../features/alerts/events.ts";

/** Members of a record with content from a client or server. Alerts never include them. */
const BODIES: ReadonlySet<string> = new Set([...BODY_FIELDS, "response_text"]);
/**
 * Slack cuts texts after 40,000 characters (https://docs.slack.dev/changelog/2018-truncating-really-long-messages),
 * but nobody reads that many.
 */
const MAX_TEXT = 2_000;

/** Returns whether a rule matches a record. */
export function matchesRule(rule: AlertRule, event: AlertEvent, record: ActivityRecord): boolean {
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
  const text = [`Touchstone: ${EVENTS[event].title}`, about, reason ?? ""].filter(
    (part) => part !== "",
  );
  const escaped = visible(text.join(": "), MAX_TEXT)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
  return JSON.stringify({ text: escaped, mrkdwn: false });
}
