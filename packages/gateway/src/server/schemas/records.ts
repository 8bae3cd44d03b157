import { type Issue, REPAIR_KINDS, RULES } from "@touchstone/core";
import type { DriftFinding, Unsure } from "../../drift/finding.ts";
import type { DriftReport } from "../../drift/report.ts";
import type {
  Call,
  CallBucket,
  CallDetail,
  CallHistogram,
  CallPage,
  CallValues,
  Session,
  SessionPage,
} from "../../records/calls.ts";
import type { MeantChange } from "../../records/change-meaning.ts";
import type { DefinitionChange } from "../../records/definition-change.ts";
import { FIELDS } from "../../records/fields.ts";
import type { Offender, Overview, OverviewBucket } from "../../records/overview.ts";
import { RECORD_FIELDS } from "../../records/record.ts";
import type { RepairCount, RepairReport } from "../../records/repairs.ts";
import type {
  ActivityPage,
  ActivitySummary,
  Rollout,
  RolloutOffence,
  RuleCount,
  ToolSummary,
} from "../../records/store.ts";
import type { Suggestion } from "../../records/suggest.ts";
import {
  count,
  flag,
  type Json,
  list,
  members,
  moment,
  oneOf,
  orNull,
  ref,
  text,
} from "./json-schema.ts";

const name = orNull(text());
const direction = orNull(FIELDS.direction.schema);
const outcome = orNull(FIELDS.outcome.schema);
const OVERVIEW_COUNTS = {
  calls: count(),
  blocked: count(),
  would_block: count("How many strict would have blocked."),
  repaired: count(),
  errors: count("Calls that ended with an error, or were rejected."),
  p50_ms: orNull({
    type: "number",
    minimum: 0,
    description: "What half of the calls took at most, within 5 %.",
  }),
  p95_ms: orNull({ type: "number", minimum: 0, description: "The same for 95 % of the calls." }),
};
const CALL_FIELDS = [
  ...["id", "time", "source", "server", "tool", "client"],
  ...["caller", "session", "status", "decision"],
  ...[
    "direction",
    "mode",
    "outcome",
    "reason",
    "request_id",
    "bytes_in",
    "bytes_out",
    "duration_ms",
  ],
] as const;
const counts = { type: "object", additionalProperties: count() };
const rules = { type: "object", additionalProperties: { const: "warning" } };
const section = { type: "object", properties: { rules }, additionalProperties: false };

const record: Json = {
  type: "object",
  required: RECORD_FIELDS.flatMap(([field, { unset }]) => (unset === undefined ? [] : [field])),
  properties: Object.fromEntries(
    RECORD_FIELDS.map(([field, { schema, unset }]) => [
      field,
      unset === "null" ? orNull(schema) : schema,
    ]),
  ),
  additionalProperties: false,
};

const KINDS: Readonly<Record<DriftFinding["kind"], true>> = {
  never_came: true,
  sometimes_missing: true,
  undeclared: true,
  unnamed: true,
  other_type: true,
  other_value: true,
};
const UNSURE: Readonly<Record<Unsure, true>> = {
  parts: true,
  values: true,
  items: true,
  names: true,
  depth: true,
};

/** Schemas of the responses of `/api/v1/activity` and the paths below it, by name. */
export const RECORD_SCHEMAS: Readonly<Record<string, Json>> = {
  Issue: members<Issue>(
    {
      path: text('RFC 6901 pointer to the offending or missing property; "" is the root.'),
      message: text("The engine's own text."),
      rule: oneOf(RULES),
      keyword: text(),
      instancePath: text(),
      schemaPath: text(),
      params: { type: "object" },
    },
    "keyword",
    "instancePath",
    "schemaPath",
    "params",
  ),
  ActivityRecord: record,
  ActivityPage: members<ActivityPage>({
    activities: list(ref("ActivityRecord")),
    total: count("Records that match the filters, on all pages."),
    limit: count(),
    offset: count(),
    next_cursor: orNull(text("Pass it as the parameter cursor to get the next page.")),
  }),
  Call: members<Call>({
    ...(Object.fromEntries(
      CALL_FIELDS.map((field) => [field, orNull(FIELDS[field].schema)]),
    ) as Readonly<Record<(typeof CALL_FIELDS)[number], Json>>),
    id: text("Of the record of the call."),
    time: moment(),
    source: FIELDS.source.schema,
    issue: orNull(text("The first issue of the heaviest decision, as a sentence for people.")),
    issues: count("How many issues all decisions have."),
    rules: list(oneOf(RULES)),
    repairs: name,
    decisions: list(text("Id of a decision about it.")),
  }),
  CallPage: members<CallPage>({
    calls: list(ref("Call")),
    total: orNull(count("null if every record would have to be read to know.")),
    limit: count(),
    next_cursor: orNull(text("Also of a page that is not full: the search then goes on with it.")),
    searched_to: orNull(moment("Where the search stopped before the page was full.")),
  }),
  CallDetail: members<CallDetail>({
    call: orNull(ref("Call")),
    records: list(ref("ActivityRecord")),
    received: orNull(text("The text that the client received, if the call was blocked.")),
    next_attempt: orNull(ref("Call")),
    newer: orNull(text("Id of the call after it in the filtered list.")),
    older: orNull(text("Id of the call before it.")),
  }),
  CallHistogram: members<CallHistogram>({
    since: moment(),
    until: moment(),
    bucket_ms: count(),
    buckets: list(
      members<CallBucket>({
        time: moment(),
        calls: count(),
        success: count(),
        warning: count(),
        repaired: count(),
        blocked: count(),
        error: count(),
        rejected: count(),
      }),
    ),
    counted_from: orNull(moment("The time from which calls were counted, if there were too many.")),
  }),
  CallValues: members<CallValues>({
    servers: list(text()),
    tools: list(members<CallValues["tools"][number]>({ server: name, tool: text() })),
    clients: list(text()),
    callers: list(text()),
    sessions: list(text()),
    rules: list(text()),
    complete: flag,
  }),
  Overview: members<Overview>({
    since: moment(),
    until: moment(),
    bucket_ms: count(),
    buckets: list(members<OverviewBucket>({ time: moment(), ...OVERVIEW_COUNTS })),
    totals: members<Overview["totals"]>({
      ...OVERVIEW_COUNTS,
      error_rate: { type: "number", minimum: 0, maximum: 1 },
    }),
    offenders: list(
      members<Offender>({
        server: name,
        tool: name,
        calls: count(),
        blocked: count(),
        would_block: count(),
        errors: count(),
      }),
    ),
    schema_changes: list(
      members<Overview["schema_changes"][number]>({
        id: text("Of the record."),
        time: moment(),
        server: name,
        tool: name,
        reason: name,
      }),
    ),
    counted_from: orNull(moment("The time from which calls were counted, if there were too many.")),
  }),
  Drifts: {
    type: "object",
    required: ["tools"],
    properties: {
      tools: list({
        type: "object",
        required: ["server", "tool", "schema_hash", "since", "until", "results", "findings"],
        properties: {
          server: text(),
          tool: text(),
          schema_hash: text(),
          since: moment(),
          until: moment(),
          results: count("How many results were compared."),
          findings: count("In how many ways they differ from the schema."),
        },
        additionalProperties: false,
      }),
    },
    additionalProperties: false,
  },
  SessionPage: members<SessionPage>({
    sessions: list(
      members<Session>({
        session: text("The filter session of its calls."),
        client: name,
        servers: list(text()),
        first: moment(),
        last: moment(),
        calls: count(),
        blocked: count(),
        warning: count(),
        error: count(),
      }),
    ),
    next_cursor: orNull(text()),
  }),
  ActivitySummary: members<ActivitySummary>({
    since: orNull(moment()),
    until: orNull(moment()),
    records: count(),
    types: counts,
    calls: { ...counts, description: "total, and the number of each status." },
    decisions: counts,
    tools: list(
      members<ToolSummary>({
        server: name,
        tool: name,
        calls: count(),
        success: count(),
        error: count(),
        blocked: count(),
        warning: count(),
        rejected: count(),
        repaired: count("Calls whose arguments were repaired, however they ended."),
        mean_ms: { type: "number", minimum: 0 },
      }),
    ),
    tools_left_out: count(),
    rules: list(
      members<RuleCount>({
        server: name,
        tool: name,
        direction,
        rule: text("A class of issues; none if the decision named no issue."),
        records: count(),
      }),
    ),
    rules_left_out: count("Rules beyond those that are listed."),
  }),
  RolloutOffence: members<RolloutOffence>(
    {
      places: list(text("A key of rules: the narrowest that lets these pass.")),
      undeclared: {
        ...oneOf(["some", "all"]),
        description:
          "Which of its issues are undeclared arguments. Absent if none is, or it is not known.",
      },
      server: name,
      tool: name,
      direction,
      outcome,
      rule: name,
      calls: count(),
    },
    "undeclared",
  ),
  Rollout: members<Rollout & { readonly suggestion?: Suggestion }>(
    {
      since: orNull(moment()),
      until: orNull(moment()),
      calls: count("Tool calls that were recorded."),
      would_block: count(
        "Of these, how many strict would have blocked under the rules that are set now.",
      ),
      repaired: count("Of these, how many were forwarded with repaired arguments."),
      other_messages: count("Other messages that strict would have blocked."),
      offences: list(ref("RolloutOffence")),
      offences_left_out: count(
        "Further combinations of tool and rules, which `offences` leaves out.",
      ),
      suggestion: ref("Suggestion"),
    },
    "suggestion",
  ),
  Suggestion: members<Suggestion>({
    mcpServers: ref("SuggestedServers"),
    left: list(ref("RolloutOffence")),
  }),
  SuggestedServers: {
    type: "object",
    description: "What to add to mcpServers in touchstone.json.",
    additionalProperties: nested(
      "touchstone",
      nested("tools", { type: "object", additionalProperties: ref("SuggestedTool") }),
    ),
  },
  SuggestedTool: {
    type: "object",
    properties: {
      input_validation: {
        ...section,
        properties: { rules, undeclared: { const: "warning" } },
      },
      output_validation: section,
    },
    additionalProperties: false,
  },
  Repairs: members<RepairReport>({
    since: orNull(moment()),
    until: orNull(moment()),
    calls: count("Tool calls that were recorded."),
    repaired: count("Of these, how many were forwarded with repaired arguments."),
    repairs: list(
      members<RepairCount>({
        server: name,
        tool: name,
        kind: oneOf(REPAIR_KINDS),
        path: text("RFC 6901 pointer into the arguments; * replaces each number in it."),
        calls: count(),
      }),
    ),
    repairs_left_out: count("Combinations of tool and repairs beyond those in `repairs`."),
    hints: {
      type: "object",
      description: "For each kind that occurs, what the server's author or the prompt can change.",
      propertyNames: oneOf(REPAIR_KINDS),
      additionalProperties: { type: "string" },
    },
  }),
  DefinitionChange: members<DefinitionChange>({
    id: text("Of the record."),
    server: text(),
    tool: orNull(text()),
    kind: orNull({
      ...oneOf(["schema", "tool", "instructions", "prompt", "resource_template"]),
      description: "What the two hashes are of; null if neither text is kept.",
    }),
    diff: orNull(
      text(
        "Lines as of diff -u, with - for what was and + for what is; null if a text is not kept, empty if only white space or the order of keys differs.",
      ),
    ),
    changes: orNull({
      ...list(ref("MeantChange")),
      description: "What the change means, the heaviest first; null if that is not known.",
    }),
  }),
  MeantChange: members<MeantChange>({
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
  Drift: members<DriftReport>({
    server: text(),
    tool: text(),
    schema_hash: text("sha256: and a hex digest, of the output schema."),
    since: moment("When the first of the results was added."),
    until: moment("When the last one was."),
    results: count("Results that were compared."),
    refused: count("Of these, how many the schema refused."),
    partial: { ...flag, description: "Branches, conditions and patterns were not compared." },
    findings: list(ref("DriftFinding")),
    proposed: {
      description: "The schema, which may be true or false, extended to what was returned.",
    },
    proposed_fits: { ...flag, description: "Whether it is known to accept all results so far." },
    proposed_unsure: list(oneOf(Object.keys(UNSURE))),
  }),
  DriftFinding: members<DriftFinding>(
    {
      kind: oneOf(Object.keys(KINDS)),
      path: text("RFC 6901 pointer; * stands for every item of an array."),
      count: count(),
      of: count(),
      types: list(text()),
      declared: list(text()),
      keyword: text("Which refuses a value."),
      says: { description: "What the schema says by keyword." },
      required: flag,
      closed: flag,
    },
    "types",
    "declared",
    "keyword",
    "says",
    "required",
    "closed",
  ),
};

function nested(member: string, schema: Json): Json {
  return {
    type: "object",
    required: [member],
    properties: { [member]: schema },
    additionalProperties: false,
  };
}
