import { PIN_KIND } from "@touchstone/records/schemas";
import {
  component,
  count,
  dateTime,
  flag,
  limited,
  list,
  members,
  oneOf,
  orNull,
  ref,
  type Schema,
  type Static,
  text,
  typed,
} from "@touchstone/util/schema";
import { EVENT_NAMES } from "../../features/alerts/events.ts";

/** How one delivery of an alert ended. */
export const DELIVERY = component(
  "Delivery",
  members(
    {
      time: dateTime("When it ended."),
      sent: limited(flag, { description: "Whether the receiver accepted it." }),
      test: limited(flag, { description: "Whether it was a test." }),
      durationMs: limited(count(), { description: "How long the last attempt took." }),
      status: count("The HTTP status of the receiver's response."),
      exitCode: count("The exit status or signal of the command."),
      reason: text("Why it was not sent, without secrets."),
    },
    ...(["status", "exitCode", "reason"] as const),
  ),
);
export type Delivery = Static<typeof DELIVERY>;

/** One entry of `alerts`, without its secrets. */
export const ALERT = component(
  "Alert",
  members(
    {
      id: text("Identifies the entry until it is changed or the gateway ends."),
      when: oneOf(EVENT_NAMES),
      server: text("Only records of this server."),
      tool: text("Only records of this tool."),
      to: oneOf(["webhook", "slack", "command"]),
      place: text("The origin of the URL, or the program: without path, query and arguments."),
      signed: limited(flag, { description: "Whether its requests are signed." }),
      minInterval: typed<number>({
        type: "number",
        minimum: 0,
        description: "Minimum time between two alerts, in seconds; 0 if there is none.",
      }),
      waiting: count("How many alerts wait for this destination, of all entries that have it."),
      since: dateTime("When the entry took effect; the counts begin then."),
      sent: count("Alerts that were sent, without tests."),
      failed: count("Alerts that could not be sent."),
      suppressed: count("Alerts within minInterval after another one."),
      dropped: count("Alerts that were dropped because 100 waited."),
      last: orNull(ref(DELIVERY)),
      lastFailure: orNull(ref(DELIVERY)),
    },
    "server",
    "tool",
  ),
);
export type ShownAlert = Static<typeof ALERT>;

const LOG_LINE = component(
  "LogLine",
  members(
    {
      time: dateTime(),
      kind: limited(oneOf(["stderr", "info", "error"]), {
        description: "What the server wrote to its stderr, or what happened to it.",
      }),
      text: text(
        "Secrets of known forms and colors are removed. Other control characters may remain.",
      ),
      pid: count("The process."),
      cut: limited(flag, { description: "Whether the line continues." }),
    },
    "pid",
    "cut",
  ),
);

/** The log of a server, as this process keeps it. */
export const SERVER_LOG = component(
  "ServerLog",
  members({
    place: limited(oneOf(["gateway", "client", "disabled"]), {
      description: "Which process has the log: a wrapped server's client has it.",
    }),
    lines: list(ref(LOG_LINE)),
    cursor: text("Send it as `after` to get the lines that follow."),
    missed: count("How many lines after `after`, or before all of these, are not kept."),
  }),
);
export type ShownServerLog = Static<typeof SERVER_LOG>;

/** The items of one kind that wait for an operator, or why they are unknown. */
const waiting = <Value>(item: Schema<Value>) =>
  members(
    {
      count: orNull(count("How many there are; null if that cannot be read.")),
      atLeast: limited(flag, { description: "True if there may be more than were read." }),
      items: list(item),
      error: text("Why they cannot be read."),
    },
    "error",
  );

/** What waits for an operator. Each list has its first items only. */
export const ATTENTION = component(
  "Attention",
  members({
    /** Tools and instructions that are held back until they are approved. */
    held: waiting(
      members({ server: text(), kind: PIN_KIND, name: text(), hash: text("Of the declaration.") }),
    ),
    /** Servers that failed. */
    servers: waiting(members({ name: text(), error: text("Why it failed.") })),
    /** Changes of definitions since a time. */
    schemaChanges: waiting(
      members({
        id: text("The id of a record of the change."),
        time: dateTime("Time of its last record."),
        server: orNull(text()),
        tool: orNull(text()),
      }),
    ),
    /** Entries of `alerts` whose last alert could not be sent. */
    alerts: waiting(
      members({ id: text(), place: text("Without path, query and arguments."), reason: text() }),
    ),
  }),
);
export type Attention = Static<typeof ATTENTION>;

export const OPERATOR_COMPONENTS = [DELIVERY, ALERT, ATTENTION, SERVER_LOG, LOG_LINE];
