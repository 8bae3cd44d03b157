import { RULES } from "@touchstone/core";
import { DRIFT_REPORT, DRIFTS } from "../../features/drift/schemas.ts";
import {
  ACTIVITY_PAGE,
  ACTIVITY_RECORD,
  ACTIVITY_SUMMARY,
  CALL_DETAIL,
  CALL_HISTOGRAM,
  CALL_PAGE,
  CALL_VALUES,
  DEFINITION_CHANGE,
  OVERVIEW,
  REPAIRS,
  ROLLOUT,
  SESSION_PAGE,
} from "../../records/api/schemas.ts";
import { EXPORT_FORMATS, EXPORT_TYPES } from "../../records/export/formats.ts";
import {
  ACTIVITY_FILTERS,
  ACTIVITY_SCOPES,
  type ActivityFilterName,
  CALL_SCOPES,
  DEFAULT_BUCKETS,
  DEFAULT_LIMIT,
  MAX_BUCKETS,
  MAX_CALLS,
  MAX_LIMIT,
} from "../../records/filter-names.ts";
import { OVERVIEW_PERIODS } from "../../records/overview.ts";
import { FIELD_FILTERS, type FieldFilterName } from "../../records/record.ts";
import { type Json, limited, oneOf, ref, text } from "../../util/json-schema.ts";
import {
  answer,
  BAD_FILTER,
  content,
  fails,
  NOT_FOUND,
  type Operation,
  operation,
  type Parameter,
  type Query,
  UNREADABLE,
} from "./operation.ts";

/** The path of the records. */
const ACTIVITY_API_PATH = "/api/v1/activity";

/** A comma list. OpenAPI cannot list its values without describing how they are joined. */
const anyOf = (values: readonly string[]): Json =>
  text(`One or more of ${values.join(", ")}, separated by commas.`);
const TIME = text("RFC 3339, or a time before now such as 15m, 24h, 7d.");
const FILTER_SCHEMAS: Readonly<Record<ActivityFilterName, Json>> = {
  ...(Object.fromEntries(
    FIELD_FILTERS.map(({ name, values }) => [name, values === undefined ? text() : anyOf(values)]),
  ) as Record<FieldFilterName, Json>),
  session: text("A session's id, or sha256: and its hash."),
  since: TIME,
  until: TIME,
  limit: { type: "integer", minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
  offset: { type: "integer", minimum: 0, description: "Not beside cursor." },
  cursor: limited(text("next_cursor of an earlier page."), { minLength: 1 }),
};
type Parameters<Name extends string> = { readonly [Each in Name]: Parameter };
const filters = <Name extends ActivityFilterName>(names: readonly Name[]): Parameters<Name> => {
  const entries = names.map((name) => [name, { schema: FILTER_SCHEMAS[name] }]);
  return Object.fromEntries(entries) as Parameters<Name>;
};
const PERIOD: Parameters<"period"> = {
  period: {
    schema: limited(text("A length of time until now, instead of since."), {
      pattern: "^\\d{1,9}[smhdw]$",
    }),
    refusal: "is not a length of time such as 15m, 24h or 7d",
  },
};
const SCOPE = { ...filters(ACTIVITY_SCOPES), ...PERIOD };

/** Search filters for calls, besides the columns of records. */
const SEARCH: Parameters<"session" | "rule" | "q"> = {
  session: {
    schema: text("A session's id, sha256: and its hash, or process: and a process's id."),
  },
  rule: { schema: limited(oneOf(RULES), { description: "A class of issues." }) },
  q: {
    schema: limited(text("Text that the names, the ids or the reason contain, in any case."), {
      maxLength: 256,
    }),
  },
};
const CALL_SCOPE = { ...filters(CALL_SCOPES), ...PERIOD, ...SEARCH };
const CALL_PAGES: Parameters<"limit" | "cursor"> = {
  limit: { schema: { type: "integer", minimum: 1, maximum: MAX_CALLS, default: DEFAULT_LIMIT } },
  cursor: { schema: FILTER_SCHEMAS.cursor },
};

/** Returns an operation that the thread that reads records answers. */
function reading<
  const Path extends string,
  Result,
  const Filters extends Query = Readonly<Record<never, Parameter>>,
>(
  row: Omit<Operation<Path, Filters, never, Result>, "method" | "access" | "body">,
): Operation<Path, Filters, never, Result, "get"> {
  return operation({
    ...row,
    method: "get",
    access: "viewer",
    responses: { ...row.responses, ...(row.query === undefined ? {} : BAD_FILTER), ...UNREADABLE },
  });
}

/** The records. */
export const ACTIVITY = {
  listActivity: reading({
    path: ACTIVITY_API_PATH,
    query: filters(ACTIVITY_FILTERS),
    responses: { 200: answer("Records, newest first.", ref(ACTIVITY_PAGE)) },
  }),
  summariseActivity: reading({
    path: `${ACTIVITY_API_PATH}/summary`,
    query: SCOPE,
    responses: { 200: answer("Counts.", ref(ACTIVITY_SUMMARY)) },
  }),
  getRollout: reading({
    path: `${ACTIVITY_API_PATH}/rollout`,
    query: {
      ...SCOPE,
      suggest: { schema: { type: "boolean", description: "With rules to add." } },
      tools: {
        schema: { type: "boolean", description: "false: without the evidence of each tool." },
      },
    },
    responses: { 200: answer("What strict would have blocked.", ref(ROLLOUT)) },
  }),
  getRepairs: reading({
    path: `${ACTIVITY_API_PATH}/repairs`,
    query: SCOPE,
    responses: {
      200: answer("Which arguments were repaired, how, and how often.", ref(REPAIRS)),
    },
  }),
  getDrift: reading({
    path: `${ACTIVITY_API_PATH}/drift`,
    query: {
      server: { schema: limited(text(), { minLength: 1 }), required: true },
      tool: { schema: limited(text(), { minLength: 1 }), required: true },
    },
    responses: {
      200: answer("How a tool's results differed from its output schema.", ref(DRIFT_REPORT)),
      404: fails("No results of this tool are known."),
    },
  }),
  exportActivity: reading({
    path: `${ACTIVITY_API_PATH}/export`,
    query: {
      ...SCOPE,
      ...SEARCH,
      format: { schema: limited(oneOf(EXPORT_FORMATS), { default: "jsonl" }) },
    },
    responses: {
      200: {
        description: "All matching records, oldest first.",
        content: Object.fromEntries(
          Object.values(EXPORT_TYPES).map((type) => [
            type.split(";", 1)[0] ?? type,
            { schema: text() },
          ]),
        ),
      },
    },
  }),
  followActivity: reading({
    path: `${ACTIVITY_API_PATH}/events`,
    query: SCOPE,
    headers: { "Last-Event-ID": { schema: text("Continues after this event.") } },
    responses: {
      200: content(
        "Server-sent events: activity, with a record as data.",
        "text/event-stream",
        text(),
      ),
    },
  }),
  getDefinitionChange: reading({
    path: `${ACTIVITY_API_PATH}/{id}/diff`,
    responses: {
      200: answer(
        "How a definition differs, for a schema_change or an approval.",
        ref(DEFINITION_CHANGE),
      ),
      404: fails("No record has this id, or it is not about a change of a definition."),
    },
  }),
  getActivityRecord: reading({
    path: `${ACTIVITY_API_PATH}/{id}`,
    responses: { 200: answer("The record.", ref(ACTIVITY_RECORD)), ...NOT_FOUND },
  }),
};

/** Calls, each with the decisions about it: what people read as one row. */
export const CALLS = {
  listCalls: reading({
    path: "/api/v1/calls",
    query: {
      ...CALL_SCOPE,
      ...CALL_PAGES,
      order: { schema: limited(oneOf(["desc", "asc"]), { default: "desc" }) },
    },
    responses: { 200: answer("Calls, newest first.", ref(CALL_PAGE)) },
  }),
  countCalls: reading({
    path: "/api/v1/calls/histogram",
    query: {
      ...CALL_SCOPE,
      buckets: {
        schema: { type: "integer", minimum: 1, maximum: MAX_BUCKETS, default: DEFAULT_BUCKETS },
      },
    },
    responses: { 200: answer("Calls by time and status.", ref(CALL_HISTOGRAM)) },
  }),
  listCallValues: reading({
    path: "/api/v1/calls/values",
    responses: { 200: answer("The values by which calls can be filtered.", ref(CALL_VALUES)) },
  }),
  getCall: reading({
    path: "/api/v1/calls/{id}",
    query: CALL_SCOPE,
    responses: {
      200: answer("The call, or the one that the decision is about.", ref(CALL_DETAIL)),
      ...NOT_FOUND,
    },
  }),
  getOverview: reading({
    path: "/api/v1/overview",
    query: {
      period: { schema: limited(oneOf(Object.keys(OVERVIEW_PERIODS)), { default: "24h" }) },
    },
    responses: { 200: answer("Counts, errors and durations of calls over time.", ref(OVERVIEW)) },
  }),
  listDrift: reading({
    path: "/api/v1/drift",
    responses: {
      200: answer("Tools whose results are compared, latest first.", ref(DRIFTS)),
    },
  }),
  listSessions: reading({
    path: "/api/v1/sessions",
    query: CALL_PAGES,
    responses: { 200: answer("Conversations, latest first.", ref(SESSION_PAGE)) },
  }),
};
