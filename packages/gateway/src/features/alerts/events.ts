/** The names of events, as `when` of an alert has them. */
export const EVENT_NAMES = ["blocked", "server_failed", "call_error", "schema_change"] as const;
/** The event of an alert. */
export type AlertEvent = (typeof EVENT_NAMES)[number];

/** The parts of a record that decide its event. */
interface Recorded {
  readonly type: string;
  readonly status?: string | null | undefined;
  readonly decision?: string | null | undefined;
}

interface Event {
  /** What happened, in words for people. */
  readonly title: string;
  /** Whether its records name a tool, so that a rule can ask for one. */
  readonly hasTool: boolean;
  /** Returns whether a record is one of the event. */
  readonly is: (record: Recorded) => boolean;
}

/** Every event. A record belongs to the first event that matches it. */
export const EVENTS: Readonly<Record<AlertEvent, Event>> = {
  blocked: {
    title: "blocked",
    hasTool: true,
    is: ({ type, decision }) => type === "policy_decision" && decision === "blocked",
  },
  server_failed: {
    title: "server failed",
    hasTool: false,
    is: ({ type, status }) => type === "server_change" && status === "error",
  },
  call_error: {
    title: "call failed",
    hasTool: true,
    is: ({ type, status }) => type === "tool_call" && status === "error",
  },
  schema_change: {
    title: "schema changed",
    hasTool: true,
    is: ({ type }) => type === "schema_change",
  },
};

/** Returns a record's event; undefined if no rule can match it. */
export function eventOf(record: Recorded): AlertEvent | undefined {
  return EVENT_NAMES.find((name) => EVENTS[name].is(record));
}
