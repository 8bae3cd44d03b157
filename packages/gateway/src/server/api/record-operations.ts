import { RULES } from "@touchstone/core/advanced";
import { MAX_QUERY } from "@touchstone/records/query";
import { FIELD_FILTERS, type FieldFilterName } from "@touchstone/records/record";
import {
  ACTIVITY_FILTERS,
  ACTIVITY_PAGE,
  ACTIVITY_RECORD,
  ACTIVITY_SCOPES,
  ACTIVITY_SUMMARY,
  type ActivityFilterName,
  CALL_DETAIL,
  CALL_HISTOGRAM,
  CALL_PAGE,
  CALL_SCOPES,
  CALL_VALUES,
  CALLER_PAGE,
  CALLER_SORTS,
  CHECKED_SCHEMAS,
  DEFAULT_BUCKETS,
  DEFAULT_LIMIT,
  DEFINITION_CHANGE,
  EXPORT_FORMATS,
  EXPORT_TYPES,
  MAX_BUCKETS,
  MAX_CALLS,
  MAX_LIMIT,
  MOST_SHOWN_PROBLEMS,
  OVERVIEW,
  PROBLEM,
  PROBLEM_PAGE,
  PROBLEM_STATES,
  REPAIRS,
  ROLLOUT,
  SESSION_PAGE,
  SESSION_SORTS,
  WITHOUT,
} from "@touchstone/records/schemas";
import { type Json, limited, oneOf, ref, text } from "@touchstone/util/schema";
import { DRIFT_LIST, DRIFT_REPORT } from "../../features/drift/schemas.ts";
import {
  BAD_FILTER,
  content,
  errorResponse,
  jsonResponse,
  NOT_FOUND,
  type Operation,
  operation,
  type Parameter,
  type Query,
  STORE_ERROR_RESPONSES,
} from "./operation.ts";

/** The path of the records. */
const ACTIVITY_API_PATH = "/api/v1/activity";

/** A list separated by commas. OpenAPI cannot list its values without describing how they are joined. */
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
  offset: { type: "integer", minimum: 0, description: "Cannot be combined with cursor." },
  cursor: limited(text("next_cursor of an earlier page."), { minLength: 1 }),
};
type Parameters<Name extends string> = { readonly [Each in Name]: Parameter };
const filters = <Name extends ActivityFilterName>(names: readonly Name[]): Parameters<Name> => {
  const entries = names.map((name) => [name, { schema: FILTER_SCHEMAS[name] }]);
  return Object.fromEntries(entries) as Parameters<Name>;
};
const PERIOD: Parameters<"period"> = {
  period: {
    schema: limited(text("A duration up to now, instead of since."), {
      pattern: "^\\d{1,9}[smhdw]$",
    }),
    refusal: "is not a length of time such as 15m, 24h or 7d",
  },
};
const SCOPE = { ...filters(ACTIVITY_SCOPES), ...PERIOD };
/** Filters as one text: `records/src/query/query.ts`. */
const QUERY: Parameters<"query"> = {
  query: {
    schema: limited(
      text(
        "Further filters as one text: key:value, several values by commas, -key:value to exclude, quotes around a value with spaces, such as status:blocked,error -tool:echo. In calls and exports, other words are text to search for.",
      ),
      { maxLength: MAX_QUERY },
    ),
  },
};

/** Search filters for calls, besides the columns of records. */
const SEARCH: Parameters<"session" | "rule" | "q" | "problem" | "without"> = {
  session: {
    schema: text("A session's id, sha256: and its hash, or process: and a process's id."),
  },
  rule: { schema: limited(oneOf(RULES), { description: "A class of issues." }) },
  problem: {
    schema: limited(text("The id of a problem."), { pattern: "^[0-9a-f]{20}$" }),
    refusal: "is not the id of a problem: 20 hexadecimal digits",
  },
  q: {
    schema: limited(text("Text that the names, the ids or the reason contain, in any case."), {
      maxLength: 256,
    }),
  },
  without: {
    schema: limited(oneOf(WITHOUT), {
      description: "Calls without the name of a caller, of a client, or of both.",
    }),
  },
};
const CALL_SCOPE = { ...filters(CALL_SCOPES), ...PERIOD, ...QUERY, ...SEARCH };
const CALL_PAGES: Parameters<"limit" | "cursor"> = {
  limit: { schema: { type: "integer", minimum: 1, maximum: MAX_CALLS, default: DEFAULT_LIMIT } },
  cursor: { schema: FILTER_SCHEMAS.cursor },
};

/** Parameters of pages whose items are counted in half hours. */
const SORTED_PAGES: Parameters<"since" | "until" | "limit" | "cursor"> &
  Readonly<Record<"period" | "q" | "order", Parameter>> = {
  ...filters(["since", "until"]),
  ...PERIOD,
  ...CALL_PAGES,
  q: { schema: limited(text("Text that the names contain, in any case."), { maxLength: 256 }) },
  order: { schema: limited(oneOf(["desc", "asc"]), { default: "desc" }) },
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
    responses: {
      ...row.responses,
      ...(row.query === undefined ? {} : BAD_FILTER),
      ...STORE_ERROR_RESPONSES,
    },
  });
}

/** The records. */
export const ACTIVITY_OPERATIONS = {
  listActivity: reading({
    path: ACTIVITY_API_PATH,
    query: { ...filters(ACTIVITY_FILTERS), ...QUERY },
    responses: { 200: jsonResponse("Records, newest first.", ref(ACTIVITY_PAGE)) },
  }),
  summariseActivity: reading({
    path: `${ACTIVITY_API_PATH}/summary`,
    query: SCOPE,
    responses: { 200: jsonResponse("Counts.", ref(ACTIVITY_SUMMARY)) },
  }),
  getRollout: reading({
    path: `${ACTIVITY_API_PATH}/rollout`,
    query: {
      ...SCOPE,
      suggest: { schema: { type: "boolean", description: "With rules to add." } },
      tools: {
        schema: { type: "boolean", description: "false: leave out the evidence of each tool." },
      },
    },
    responses: { 200: jsonResponse("What strict would have blocked.", ref(ROLLOUT)) },
  }),
  getRepairs: reading({
    path: `${ACTIVITY_API_PATH}/repairs`,
    query: SCOPE,
    responses: {
      200: jsonResponse("Which arguments were repaired, how, and how often.", ref(REPAIRS)),
    },
  }),
  getDrift: reading({
    path: `${ACTIVITY_API_PATH}/drift`,
    query: {
      server: { schema: limited(text(), { minLength: 1 }), required: true },
      tool: { schema: limited(text(), { minLength: 1 }), required: true },
    },
    responses: {
      200: jsonResponse("How a tool's results differed from its output schema.", ref(DRIFT_REPORT)),
      404: errorResponse("No results of this tool are known."),
    },
  }),
  exportActivity: reading({
    path: `${ACTIVITY_API_PATH}/export`,
    query: {
      ...SCOPE,
      ...QUERY,
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
    query: { ...SCOPE, ...QUERY },
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
    query: {
      after: {
        schema: text(
          "The id of an earlier schema_change of the tool: compares with the definition after it, instead of the one before this record. The difference is of both schemas, or of the whole definition if both records are about that.",
        ),
      },
      before: {
        schema: text(
          "The same with the definition before that schema_change. Cannot be combined with after.",
        ),
      },
    },
    responses: {
      200: jsonResponse(
        "How a definition differs, for a schema_change or an approval.",
        ref(DEFINITION_CHANGE),
      ),
      404: errorResponse(
        "No record has this id, it is not about a change of a definition, or the other record is not an earlier change of the tool.",
      ),
    },
  }),
  getCheckedSchemas: reading({
    path: `${ACTIVITY_API_PATH}/{id}/schema`,
    responses: {
      200: jsonResponse(
        "The schemas by which a call was checked, as they were then.",
        ref(CHECKED_SCHEMAS),
      ),
      404: errorResponse("No call or decision has this id."),
    },
  }),
  getActivityRecord: reading({
    path: `${ACTIVITY_API_PATH}/{id}`,
    responses: { 200: jsonResponse("The record.", ref(ACTIVITY_RECORD)), ...NOT_FOUND },
  }),
};

const PROBLEM_TIME = { ...filters(["since", "until"]), ...PERIOD };

/** Calls that had issues, by what was wrong. */
export const PROBLEM_OPERATIONS = {
  listProblems: reading({
    path: "/api/v1/problems",
    query: {
      ...filters(["server", "tool"]),
      state: { schema: anyOf(PROBLEM_STATES) },
      ...PROBLEM_TIME,
      limit: {
        schema: {
          type: "integer",
          minimum: 1,
          maximum: MOST_SHOWN_PROBLEMS,
          default: DEFAULT_LIMIT,
        },
      },
      offset: { schema: { type: "integer", minimum: 0 } },
    },
    responses: {
      200: jsonResponse(
        "Problems, open ones first, then those with the most calls.",
        ref(PROBLEM_PAGE),
      ),
    },
  }),
  getProblem: reading({
    path: "/api/v1/problems/{id}",
    query: PROBLEM_TIME,
    responses: { 200: jsonResponse("The problem.", ref(PROBLEM)), ...NOT_FOUND },
  }),
};

/** Calls, each with the decisions about it: one row in the console. */
export const CALL_OPERATIONS = {
  listCalls: reading({
    path: "/api/v1/calls",
    query: {
      ...CALL_SCOPE,
      ...CALL_PAGES,
      order: { schema: limited(oneOf(["desc", "asc"]), { default: "desc" }) },
    },
    responses: { 200: jsonResponse("Calls, newest first.", ref(CALL_PAGE)) },
  }),
  countCalls: reading({
    path: "/api/v1/calls/histogram",
    query: {
      ...CALL_SCOPE,
      buckets: {
        schema: { type: "integer", minimum: 1, maximum: MAX_BUCKETS, default: DEFAULT_BUCKETS },
      },
    },
    responses: { 200: jsonResponse("Calls by time and status.", ref(CALL_HISTOGRAM)) },
  }),
  listCallValues: reading({
    path: "/api/v1/calls/values",
    responses: {
      200: jsonResponse("The values by which calls can be filtered.", ref(CALL_VALUES)),
    },
  }),
  getCall: reading({
    path: "/api/v1/calls/{id}",
    query: CALL_SCOPE,
    responses: {
      200: jsonResponse("The call, or the one that the decision is about.", ref(CALL_DETAIL)),
      ...NOT_FOUND,
    },
  }),
  getOverview: reading({
    path: "/api/v1/overview",
    query: { ...filters(["since", "until"]), ...PERIOD },
    responses: {
      200: jsonResponse(
        "Counts, errors and durations of calls over time. Default: the last 24 hours.",
        ref(OVERVIEW),
      ),
    },
  }),
  listDrift: reading({
    path: "/api/v1/drift",
    responses: {
      200: jsonResponse("Tools whose results are compared, latest first.", ref(DRIFT_LIST)),
    },
  }),
  listSessions: reading({
    path: "/api/v1/sessions",
    query: {
      ...filters(["caller", "client", "server"]),
      ...SORTED_PAGES,
      sort: { schema: limited(oneOf(SESSION_SORTS), { default: "last" }) },
    },
    responses: {
      200: jsonResponse(
        "Calls by agent and time: each entry has those of one caller with one client, on all servers, without a pause of gap_minutes.",
        ref(SESSION_PAGE),
      ),
    },
  }),
  listCallers: reading({
    path: "/api/v1/callers",
    query: {
      ...SORTED_PAGES,
      sort: { schema: limited(oneOf(CALLER_SORTS), { default: "last" }) },
    },
    responses: {
      200: jsonResponse(
        "Who called. Calls without a caller are in an entry for each client.",
        ref(CALLER_PAGE),
      ),
    },
  }),
};
