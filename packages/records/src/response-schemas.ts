import { type Issue, REPAIR_KINDS, RULES } from "@touchstone/core/advanced";
import {
  type Component,
  component,
  count,
  dateTime,
  flag,
  limited,
  list,
  members,
  object,
  oneOf,
  orNull,
  partial,
  record,
  ref,
  type Schema,
  type Static,
  text,
  typed,
} from "@touchstone/util/schema";
import { PIN_KINDS, SHOWN_PIN_STATES } from "./contracts/pin-store.ts";
import { FIELDS } from "./fields.ts";
import { type ActivityRecord, RECORD_FIELDS } from "./record.ts";

/** The schema of a record's field, without null. */
const field = <Name extends keyof ActivityRecord>(
  name: Name,
): Schema<NonNullable<ActivityRecord[Name]>> => FIELDS[name].schema;

const name = orNull(text());

/** Records keep the engine's own text in `message`. */
type RecordedName = Exclude<keyof Issue, "nativeMessage">;

export const ISSUE: Component<Issue> = component(
  "Issue",
  members(
    {
      path: text('RFC 6901 pointer to the offending or missing property; "" is the root.'),
      message: text("The engine's own message."),
      rule: oneOf(RULES),
      keyword: text(),
      instancePath: text(),
      schemaPath: text(),
      params: object(),
    } satisfies { readonly [Name in RecordedName]: Schema },
    ...(["keyword", "instancePath", "schemaPath", "params"] as const),
  ) as Schema<Issue>,
);

export const ACTIVITY_RECORD = component(
  "ActivityRecord",
  typed<{ [Name in keyof ActivityRecord]: ActivityRecord[Name] }>({
    type: "object",
    required: RECORD_FIELDS.flatMap(([name, { unset }]) => (unset === undefined ? [] : [name])),
    properties: Object.fromEntries(
      RECORD_FIELDS.map(([name, { schema, unset }]) => [
        name,
        unset === "null" ? orNull(schema) : schema,
      ]),
    ),
    additionalProperties: false,
  }),
);

/** One page of a listing, newest record first. */
export const ACTIVITY_PAGE = component(
  "ActivityPage",
  members({
    activities: list(ref(ACTIVITY_RECORD)),
    total: count("Records that match the filters, on all pages."),
    limit: count(),
    offset: count(),
    next_cursor: orNull(text("Pass it as the parameter cursor to get the next page.")),
  }),
);
export type ActivityPage = Static<typeof ACTIVITY_PAGE>;

/** One call with the decisions about it: one row in lists. */
const CALL = component(
  "Call",
  members({
    id: text("Id of the record of the call."),
    time: dateTime(),
    source: field("source"),
    server: orNull(field("server")),
    tool: orNull(field("tool")),
    client: orNull(field("client")),
    caller: orNull(field("caller")),
    session: orNull(field("session")),
    status: orNull(field("status")),
    decision: orNull(field("decision")),
    direction: orNull(field("direction")),
    mode: orNull(field("mode")),
    outcome: orNull(field("outcome")),
    reason: orNull(field("reason")),
    request_id: orNull(field("request_id")),
    bytes_in: orNull(field("bytes_in")),
    bytes_out: orNull(field("bytes_out")),
    duration_ms: orNull(field("duration_ms")),
    /** Also null if the call was rejected for another reason. */
    issue: orNull(text("The first issue of the heaviest decision, as a sentence for people.")),
    issues: count("How many issues all decisions have."),
    rules: list(oneOf(RULES)),
    repairs: name,
    /** The oldest first. */
    decisions: list(text("Id of a decision about it.")),
  }),
);
export type Call = Static<typeof CALL>;

export const CALL_PAGE = component(
  "CallPage",
  members({
    calls: list(ref(CALL)),
    total: orNull(count("null if every record would have to be read to know.")),
    limit: count(),
    next_cursor: orNull(text("Also of a page that is not full: the search then goes on with it.")),
    searched_to: orNull(dateTime("Where the search stopped before the page was full.")),
    searched: orNull(
      members({
        calls: count("The newest calls that were searched, with those of earlier pages: at least."),
        of: count("Calls of the time range."),
        indexed: flag,
      }),
    ),
  }),
);
export type CallPage = Static<typeof CALL_PAGE>;

/** A call and everything that belongs to it. */
export const CALL_DETAIL = component(
  "CallDetail",
  members({
    /** Null if the record belongs to no call. */
    call: orNull(ref(CALL)),
    /** The record of the call and of the decisions about it, oldest first. */
    records: list(ref(ACTIVITY_RECORD)),
    received: orNull(text("The text that the client received, if the call was blocked.")),
    /** The client's next call of the same tool. */
    next_attempt: orNull(ref(CALL)),
    /**
     * For a call that was stopped: the next one of the same tool that was forwarded, in the same session, or else by
     * the same caller.
     */
    next_passed: orNull(ref(CALL)),
    newer: orNull(text("Id of the call after it in the filtered list.")),
    older: orNull(text("Id of the call before it.")),
  }),
);
export type CallDetail = Static<typeof CALL_DETAIL>;

const REFUSED_COUNTS = {
  denied: count("Calls that policy denied."),
  held: count("Calls of tools that a pin held."),
  out_of_bounds: count("Calls with arguments that narrow forbids."),
  limited: count("Calls over a configured limit, and those that the gateway had no capacity for."),
};
const REFUSED_BY_STATUS = {
  ...REFUSED_COUNTS,
  limited: count("Calls over a configured limit."),
  rejected: count(
    "Calls that the gateway had no capacity for; in older records also limited ones.",
  ),
};

const CALL_BUCKET = members({
  time: dateTime(),
  calls: count(),
  success: count(),
  warning: count(),
  repaired: count(),
  blocked: count(),
  error: count("The server failed."),
  ...REFUSED_BY_STATUS,
});
/** Numbers of calls in one time bucket. */
export type CallBucket = Static<typeof CALL_BUCKET>;

const COUNTED_FROM = orNull(
  dateTime("The time from which calls were counted, if there were too many."),
);

export const CALL_HISTOGRAM = component(
  "CallHistogram",
  members({
    since: dateTime(),
    until: dateTime(),
    bucket_ms: count(),
    buckets: list(CALL_BUCKET),
    counted_from: COUNTED_FROM,
  }),
);
export type CallHistogram = Static<typeof CALL_HISTOGRAM>;

/** The values by which calls can be filtered. */
export const CALL_VALUES = component(
  "CallValues",
  members({
    servers: list(text()),
    tools: list(members({ server: name, tool: text() })),
    clients: list(text()),
    callers: list(text()),
    /** The latest. */
    sessions: list(text()),
    rules: list(text()),
    /** Whether the values are complete: clients, callers, sessions and rules come from the latest records. */
    complete: flag,
  }),
);
export type CallValues = Static<typeof CALL_VALUES>;

const OVERVIEW_COUNTS = {
  calls: count(),
  blocked: count(),
  would_block: count("How many calls strict would have blocked."),
  repaired: count(),
  errors: count("Calls that the server failed."),
  ...REFUSED_COUNTS,
  p50_ms: orNull(
    typed<number>({
      type: "number",
      minimum: 0,
      description: "Median duration, within 5 %.",
    }),
  ),
  p95_ms: orNull(
    typed<number>({
      type: "number",
      minimum: 0,
      description: "95th percentile of the duration, within 5 %.",
    }),
  ),
};
const OVERVIEW_BUCKET = members({ time: dateTime(), ...OVERVIEW_COUNTS });
/** The calls in one time interval. */
export type OverviewBucket = Static<typeof OVERVIEW_BUCKET>;
const FAILING_TOOL = members({
  server: name,
  tool: name,
  calls: count(),
  errors: count("Calls that the server failed."),
  ...REFUSED_COUNTS,
});
/** A tool whose calls failed at the server, or were refused. Problems include neither. */
export type FailingTool = Static<typeof FAILING_TOOL>;

/** Statistics about calls over time. */
export const OVERVIEW = component(
  "Overview",
  members({
    since: dateTime(),
    until: dateTime(),
    bucket_ms: count(),
    buckets: list(OVERVIEW_BUCKET),
    totals: members({
      ...OVERVIEW_COUNTS,
      error_rate: typed<number>({ type: "number", minimum: 0, maximum: 1 }),
    }),
    failing_tools: list(FAILING_TOOL),
    schema_changes: list(
      members({
        id: text("Of the record."),
        time: dateTime(),
        server: name,
        tool: name,
        reason: name,
      }),
    ),
    counted_from: COUNTED_FROM,
  }),
);
export type Overview = Static<typeof OVERVIEW>;

const CALLER_COUNTS = {
  calls: count(),
  blocked: count(),
  warning: count(),
  error: count("The server failed."),
  ...REFUSED_COUNTS,
};
const COUNTED = {
  total: count("How many there are on all pages."),
  counted_from: COUNTED_FROM,
  uncounted: count("Records that are not counted yet, as after an upgrade."),
  next_cursor: orNull(text()),
};
const SESSION = members({
  caller: orNull(text("Who called; null if the gateway identified nobody.")),
  client: name,
  servers: list(text()),
  first: dateTime("Of its first call."),
  last: dateTime("Of its last call."),
  may_begin_earlier: {
    ...flag,
    description: "Whether calls from before the time that was read may belong to it.",
  },
  ...CALLER_COUNTS,
});
/** The calls of one caller with one client on all servers, without a long pause. */
export type Session = Static<typeof SESSION>;
export const SESSION_PAGE = component(
  "SessionPage",
  members({
    sessions: list(SESSION),
    gap_minutes: count("A session ends if its client sends no call for this long."),
    ...COUNTED,
  }),
);
export type SessionPage = Static<typeof SESSION_PAGE>;

const CALLER = members({
  caller: orNull(text("Null for calls of a client whose callers the gateway did not identify.")),
  clients: list(text()),
  servers: list(text()),
  tools: list(members({ server: name, tool: name, calls: count() })),
  tool_count: count("Tools that it called, of which tools has those with the most calls."),
  first: dateTime(),
  last: dateTime(),
  ...CALLER_COUNTS,
  calls_last_minute: orNull(
    count("Calls that were sent in the last minute, by the records; null without a caller."),
  ),
});
/** Statistics about one caller. */
export type CallerRow = Static<typeof CALLER>;
export const CALLER_PAGE = component(
  "CallerPage",
  members({
    callers: list(CALLER),
    since: orNull(dateTime("The time from which calls were counted; null for all.")),
    ...COUNTED,
  }),
);
export type CallerPage = Static<typeof CALLER_PAGE>;

const TOOL_SUMMARY = members({
  server: name,
  tool: name,
  calls: count(),
  success: count(),
  error: count(),
  blocked: count(),
  warning: count(),
  ...REFUSED_BY_STATUS,
  repaired: count("Calls whose arguments were repaired, however they ended."),
  mean_ms: typed<number>({ type: "number", minimum: 0 }),
});
/** The totals of one tool's calls. */
export type ToolSummary = Static<typeof TOOL_SUMMARY>;
const SERVER_TOTALS = component(
  "ServerTotals",
  members({
    server: name,
    calls: count(),
    success: count(),
    error: count(),
    blocked: count(),
    warning: count(),
    ...REFUSED_BY_STATUS,
    mean_ms: typed<number>({ type: "number", minimum: 0 }),
    p95_ms: orNull(
      typed<number>({
        type: "number",
        minimum: 0,
        description: "Within 5 %; null if there are no durations.",
      }),
    ),
  }),
);
/** The totals of one server's calls. */
export type ServerTotals = Static<typeof SERVER_TOTALS>;
const RULE_COUNT = members({
  server: name,
  tool: name,
  direction: orNull(field("direction")),
  rule: text("A class of issues; none if the decision named no issue."),
  records: count(),
});
/** How many decisions about a tool named a class of issues. */
export type RuleCount = Static<typeof RULE_COUNT>;

const COUNTS = record(count());
export const ACTIVITY_SUMMARY = component(
  "ActivitySummary",
  members({
    since: orNull(dateTime()),
    until: orNull(dateTime()),
    records: count(),
    types: COUNTS,
    calls: limited(COUNTS, { description: "total, and the number of each status." }),
    /** Policy decisions, by decision. */
    decisions: COUNTS,
    /** Up to 100 servers, those with the most calls first. */
    servers: list(ref(SERVER_TOTALS)),
    servers_left_out: count(),
    /** Up to 500 tools, those with the most calls first. */
    tools: list(TOOL_SUMMARY),
    tools_left_out: count(),
    /** Up to 100, the most frequent first. */
    rules: list(RULE_COUNT),
    /** The rules are only counted for 1,000 combinations of tool, direction and rules. */
    rules_left_out: count("Rules beyond those that are listed."),
  }),
);
export type ActivitySummary = Static<typeof ACTIVITY_SUMMARY>;

/** Calls that `strict` would have blocked for one reason. */
const ROLLOUT_OFFENCE = component(
  "RolloutOffence",
  members(
    {
      /** Empty if only a rule for their class would forward all of them. Does not include undeclared arguments. */
      places: list(text("A key of rules: the narrowest that lets these pass.")),
      undeclared: limited(oneOf(["some", "all"]), {
        description:
          "Which of its issues are undeclared arguments. Absent if none is, or it is not known.",
      }),
      server: name,
      /** Null if the message was not a call. */
      tool: name,
      direction: orNull(field("direction")),
      outcome: orNull(field("outcome")),
      /** The class of issues; null if none was named. */
      rule: name,
      calls: count(),
    },
    "undeclared",
  ),
);
export type RolloutOffence = Static<typeof ROLLOUT_OFFENCE>;

/** Places, and classes of issues without places, in the form of the setting `rules`. */
const SUGGESTED_RULES = record(oneOf(["warning", "ignore"]));
export type SuggestedRules = Static<typeof SUGGESTED_RULES>;
/**
 * Settings for one tool that would forward its known offenders. Issues that are warnings in every mode are ignored,
 * or allowed.
 */
const SUGGESTED_TOOL = component(
  "SuggestedTool",
  partial({
    input_validation: partial({ rules: SUGGESTED_RULES, undeclared: oneOf(["warning", "allow"]) }),
    output_validation: partial({ rules: SUGGESTED_RULES }),
  }),
);
export type SuggestedTool = Static<typeof SUGGESTED_TOOL>;
export const SUGGESTED_SERVERS = component("SuggestedServers", {
  type: "object",
  description: "What to add to mcpServers in touchstone.json.",
  ...record(members({ touchstone: members({ tools: record(ref(SUGGESTED_TOOL)) }) })),
});
/** The settings to add to `mcpServers` in `touchstone.json`, and what no rule can exempt. */
const SUGGESTION = component(
  "Suggestion",
  members({ mcpServers: ref(SUGGESTED_SERVERS), left: list(ref(ROLLOUT_OFFENCE)) }),
);
export type Suggestion = Static<typeof SUGGESTION>;

/** The evidence for one direction of a tool. */
const DIRECTION_ROLLOUT = component(
  "DirectionRollout",
  members(
    {
      /**
       * `strict`: it is already strict. `safe`: at least one call was checked, and `strict` would not have blocked
       * any of the checked ones. `cannot_be_checked`: there is no usable schema.
       */
      state: oneOf([
        ...(["strict", "safe", "would_block", "not_checked"] as const),
        ...(["cannot_be_checked", "no_such_tool"] as const),
      ]),
      text: text("The state for people, with the counts that it rests on."),
      reason: limited(oneOf(["uncompilable", "undeclared", "unknown"]), {
        description: "Why it cannot be checked. Absent in other states.",
      }),
      checked: count("Calls that were checked by the schema that the tool has now."),
      would_block: count("How many of these strict would block, or did block."),
      excused: count(
        "Of would_block: calls that strict blocked, and that the current settings allow.",
      ),
      set_elsewhere: limited(flag, {
        description:
          "Whether the newest call was checked in another mode, or for other issues, than the file sets.",
      }),
      not_checked: count(
        "Calls that were not checked, or only by an earlier schema or with other settings.",
      ),
      other_settings: count(
        "Of not_checked: checked with settings that may not find all that those of now find.",
      ),
      not_known: count("Calls of earlier builds, whose records do not have what was checked."),
    },
    "reason",
  ),
);
export type DirectionRollout = Static<typeof DIRECTION_ROLLOUT>;

/** The evidence for one tool. */
const TOOL_ROLLOUT = component(
  "ToolRollout",
  members({
    server: name,
    tool: text(),
    calls: count(),
    input: ref(DIRECTION_ROLLOUT),
    output: ref(DIRECTION_ROLLOUT),
    protocol: ref(DIRECTION_ROLLOUT),
    policy: count("Calls that a policy or pin in warn forwarded."),
  }),
);
export type ToolRollout = Static<typeof TOOL_ROLLOUT>;

export const ROLLOUT = component(
  "Rollout",
  members(
    {
      since: orNull(dateTime()),
      until: orNull(dateTime()),
      calls: count("Tool calls: each is in one of checked, not_checked and not_known."),
      checked: count("Calls with a direction that was checked in warn or strict."),
      would_block: count(
        "How many of these strict would block under the current rules, or did block.",
      ),
      excused: count(
        "Of would_block: calls that strict blocked, and that the current settings allow.",
      ),
      not_checked: count("Calls without a direction that was checked."),
      other_settings: count(
        "Calls with a direction that was checked with other settings, which may not find all that those of now find.",
      ),
      not_known: count("Calls of earlier builds, whose records do not have what was checked."),
      policy: count("Calls that a policy or pin in warn forwarded. Strict does not change these."),
      repaired: count("Calls that were forwarded with repaired arguments."),
      other_messages: count("Other messages that strict would have blocked."),
      /** By server, tool, direction and rule; the most frequent first. */
      offences: list(ref(ROLLOUT_OFFENCE)),
      /** The number beyond the 1,000 most frequent. */
      offences_left_out: count(
        "Further combinations of tool and rules, which `offences` leaves out.",
      ),
      /** Each tool that was called or is listed, up to 1,000; the most called first. */
      tools: list(ref(TOOL_ROLLOUT)),
      tools_left_out: count("Further tools, which `tools` leaves out."),
      suggestion: ref(SUGGESTION),
    },
    "suggestion",
  ),
);
export type Rollout = Static<typeof ROLLOUT>;

const REPAIR_COUNT = members({
  server: name,
  tool: name,
  kind: oneOf(REPAIR_KINDS),
  path: text("RFC 6901 pointer into the arguments; * replaces each number in it."),
  /** How many calls were repaired. */
  calls: count(),
});
/** A repair at one place of a tool's arguments. */
export type RepairCount = Static<typeof REPAIR_COUNT>;
/** Which arguments were repaired, and how often. */
export const REPAIRS = component(
  "Repairs",
  members({
    since: orNull(dateTime()),
    until: orNull(dateTime()),
    calls: count("Tool calls that were recorded."),
    repaired: count("How many of these were forwarded with repaired arguments."),
    /** By server, tool, kind and place; the most frequent first. */
    repairs: list(REPAIR_COUNT),
    /** The number beyond the 1,000 most frequent. */
    repairs_left_out: count("Combinations of tool and repairs beyond those in `repairs`."),
    hints: typed<Readonly<Partial<Record<RepairCount["kind"], string>>>>({
      type: "object",
      description: "For each kind that occurs, what the server's author or the prompt can change.",
      propertyNames: oneOf(REPAIR_KINDS),
      additionalProperties: { type: "string" },
    }),
  }),
);
export type RepairReport = Static<typeof REPAIRS>;

/** One difference, and what it means. */
const MEANT_CHANGE = component(
  "MeantChange",
  members({
    class: oneOf(["breaking", "unproven", "text", "compatible", "new"]),
    rule: text(),
    path: text("RFC 6901 pointer into the definition."),
    message: text(),
    counterexample: orNull(
      text(
        "JSON of arguments that were accepted and are refused, or of a result that may come now.",
      ),
    ),
  }),
);
export type MeantChange = Static<typeof MEANT_CHANGE>;
/** The change of a definition, and what it means for callers. */
export const DEFINITION_CHANGE = component(
  "DefinitionChange",
  members({
    id: text("Of the record."),
    server: text(),
    tool: orNull(text()),
    kind: orNull(
      limited(oneOf(["schema", ...PIN_KINDS]), {
        description: "What the two hashes are of; null if neither text is kept.",
      }),
    ),
    diff: orNull(
      text(
        "Lines as of diff -u, with - for what was and + for what is; null if a text is not kept, empty if only white space or the order of keys differs.",
      ),
    ),
    changes: orNull(
      limited(list(ref(MEANT_CHANGE)), {
        description: "What the change means, the heaviest first; null if that is not known.",
      }),
    ),
  }),
);
export type DefinitionChange = Static<typeof DEFINITION_CHANGE>;

/** A schema by which a call was checked. */
const CHECKED_SCHEMA = component(
  "CheckedSchema",
  members({
    hash: text("Digest of the text: sha256: and hex."),
    text: orNull(text("As the server declared it then; null if it is not kept anymore.")),
  }),
);
/** The schemas by which a call was checked. */
export const CHECKED_SCHEMAS = component(
  "CheckedSchemas",
  members({
    id: text("Id of the requested record."),
    server: text(),
    tool: orNull(text()),
    /** Null if no decision about the call names a schema. */
    input: orNull(ref(CHECKED_SCHEMA)),
    output: orNull(ref(CHECKED_SCHEMA)),
  }),
);
export type CheckedSchemas = Static<typeof CHECKED_SCHEMAS>;

export const PIN_KIND = oneOf(PIN_KINDS);
export const PIN_STATE = oneOf(SHOWN_PIN_STATES);

/** The facts about a declaration, and about the one that was approved before. */
const PIN_MEMBERS = {
  server: text(),
  kind: PIN_KIND,
  name: text("Empty for instructions."),
  hash: text("Hash of the whole declaration in canonical form."),
  state: limited(PIN_STATE, {
    description:
      "`held`: not approved, and with pin strict blocked. `recorded`: a prompt or resource template that is not approved, and goes on.",
  }),
  since: dateTime(),
  decided: orNull(text("When it was approved or revoked last, RFC 3339.")),
  caller: orNull(text("Who approved or revoked it, if known.")),
  /** Otherwise the hash from the lock file; null if neither is known. */
  previous: orNull(text("Hash of what was approved under this name last.")),
};
export const PIN = component("Pin", members(PIN_MEMBERS));
export type ShownPin = Static<typeof PIN>;
export const PIN_WITH_DIFF = component(
  "PinWithDiff",
  members({
    ...PIN_MEMBERS,
    diff: orNull(
      text(
        "Lines with - were approved, lines with + are declared now; null if a text is not kept.",
      ),
    ),
    changed: orNull(
      list(text("A member that differs, such as description or inputSchema.required.")),
    ),
  }),
);
export type PinWithDiff = Static<typeof PIN_WITH_DIFF>;

/** The results of an erasure, or of a dry run. */
export const ERASURE = component(
  "Erasure",
  members({
    erasure: orNull(text("The label of the erasure in its records; null after a dry run.")),
    records: count("Records whose content was erased."),
    /** Their content is erased as well, but no record confirms their state after the erasure. */
    edited: count(
      "How many of them were changed before the erasure: verification still reports them.",
    ),
    /** If somebody guesses everything that was erased, the hash can confirm the guess. */
    unsalted: count("How many of them are from before records had a salt."),
    /** In table `pins`. */
    approvals: count("Names of the people who approved."),
    /** Requests that another gateway could have answered. */
    requests: count("Open requests of the session, in PostgreSQL."),
    /** Their browsers are signed out. */
    console_sessions: count("Sessions of the console of a caller."),
    views: count("Saved views that filter by them."),
    remains: list(text("What the store may still have, and what to do.")),
  }),
);
export type Erasure = Static<typeof ERASURE>;

/** The schemas of records in the OpenAPI document, in its order. */
export const RECORD_COMPONENTS: readonly Component[] = [
  ISSUE,
  ACTIVITY_RECORD,
  ACTIVITY_PAGE,
  CALL,
  CALL_PAGE,
  CALL_DETAIL,
  CALL_HISTOGRAM,
  CALL_VALUES,
  OVERVIEW,
  SESSION_PAGE,
  CALLER_PAGE,
  ACTIVITY_SUMMARY,
  SERVER_TOTALS,
  ROLLOUT_OFFENCE,
  TOOL_ROLLOUT,
  DIRECTION_ROLLOUT,
  ROLLOUT,
  SUGGESTION,
  SUGGESTED_SERVERS,
  SUGGESTED_TOOL,
  REPAIRS,
  DEFINITION_CHANGE,
  CHECKED_SCHEMAS,
  CHECKED_SCHEMA,
  MEANT_CHANGE,
];
