import { ACTIVITY_API_PATH } from "../../../records/api/api.ts";
import { EXPORT_FORMATS, EXPORTS } from "../../../records/export/export.ts";
import {
  ACTIVITY_FILTERS,
  ACTIVITY_SCOPES,
  type ActivityFilterName,
  DECISIONS,
  DEFAULT_LIMIT,
  DIRECTIONS,
  MAX_LIMIT,
  OUTCOMES,
} from "../../../records/filter.ts";
import { ACTIVITY_STATUSES, ACTIVITY_TYPES } from "../../../records/record.ts";
import { ADMIN_API_PATH, OPENAPI_PATH } from "../route.ts";
import { type Json, list, oneOf, ref, text } from "./parts.ts";

const given = (description: string, type: string, schema: Json): Json => ({
  description,
  content: { [type]: { schema } },
});
const answer = (description: string, schema: Json): Json =>
  given(description, "application/json", schema);
const fails = (description: string): Json => answer(description, ref("Error"));

/** Who is turned away, whatever is asked for. */
const REFUSALS = {
  401: fails("The API key is missing, or another one."),
  403: fails("The Host or Origin is not allowed."),
};
const FAULTS = { 500: fails("A bug; the gateway's log says more.") };
const UNREADABLE = { ...FAULTS, 503: fails("The records cannot be read; code says why.") };
const BAD_FILTER = { 400: fails("A parameter is not what it should be.") };
const NOT_FOUND = { 404: fails("There is no such thing.") };

/** A comma list, of values that the document cannot name apart without saying how they are joined. */
const anyOf = (values: readonly string[]): Json =>
  text(`One or several of ${values.join(", ")}, joined by commas.`);
const TIME = text("RFC 3339, or a time before now such as 15m, 24h, 7d.");
const FILTERS: Readonly<Record<ActivityFilterName, Json>> = {
  type: anyOf(ACTIVITY_TYPES),
  server: text(),
  tool: text(),
  direction: anyOf(DIRECTIONS),
  decision: anyOf(DECISIONS),
  status: anyOf(ACTIVITY_STATUSES),
  outcome: anyOf(OUTCOMES),
  session: text("A session's id, or sha256: and its hash."),
  request: text(),
  since: TIME,
  until: TIME,
  limit: { type: "integer", minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
  offset: { type: "integer", minimum: 0, description: "Not beside cursor." },
  cursor: { ...text("next_cursor of an earlier page."), minLength: 1 },
};
const inQuery = (name: string, schema: Json): Json => ({ name, in: "query", schema });
const inPath = (name: string): Json => ({
  name,
  in: "path",
  required: true,
  schema: { type: "string" },
});
const filters = (names: readonly ActivityFilterName[]): readonly Json[] =>
  names.map((name) => inQuery(name, FILTERS[name]));
const scope = [
  ...filters(ACTIVITY_SCOPES),
  inQuery("period", {
    ...text("So long ago until now, in the place of since."),
    pattern: "^\\d{1,9}[smhdw]$",
  }),
];

function get(operationId: string, responses: Json, parameters: readonly Json[] = []): Json {
  const named = parameters.length === 0 ? {} : { parameters };
  return { get: { operationId, ...named, responses: { ...responses, ...REFUSALS } } };
}

/** What stands on the gateway itself, for those who run it. */
const OWN: Json = {
  "/healthz": {
    get: {
      operationId: "getHealth",
      security: [],
      responses: { 200: answer("The gateway runs.", ref("Health")) },
    },
  },
  "/readyz": {
    get: {
      operationId: "getReadiness",
      security: [],
      responses: {
        200: answer("Requests may be sent.", ref("Readiness")),
        503: answer("It is stopping, or its records cannot be kept or read.", ref("Readiness")),
      },
    },
  },
  "/metrics": get("getMetrics", {
    200: given("Metrics for Prometheus.", "text/plain", text()),
    404: fails("telemetry.metrics is not on."),
  }),
  [OPENAPI_PATH]: get("getOpenapi", {
    200: answer("This document.", { type: "object", required: ["openapi", "paths"] }),
  }),
};

/** The records. */
const ACTIVITY: Json = {
  [ACTIVITY_API_PATH]: get(
    "listActivity",
    { 200: answer("Records, newest first.", ref("ActivityPage")), ...BAD_FILTER, ...UNREADABLE },
    filters(ACTIVITY_FILTERS),
  ),
  [`${ACTIVITY_API_PATH}/summary`]: get(
    "summariseActivity",
    { 200: answer("Counts.", ref("ActivitySummary")), ...BAD_FILTER, ...UNREADABLE },
    scope,
  ),
  [`${ACTIVITY_API_PATH}/rollout`]: get(
    "getRollout",
    {
      200: answer("What strict would have blocked.", ref("Rollout")),
      ...BAD_FILTER,
      ...UNREADABLE,
    },
    [...scope, inQuery("suggest", { type: "boolean", description: "With rules to add." })],
  ),
  [`${ACTIVITY_API_PATH}/drift`]: get(
    "getDrift",
    {
      200: answer("In what a tool's results differed from its output schema.", ref("Drift")),
      ...BAD_FILTER,
      404: fails("Nothing is known of results of this tool."),
      ...UNREADABLE,
    },
    ["server", "tool"].map((name) => ({
      ...inQuery(name, { ...text(), minLength: 1 }),
      required: true,
    })),
  ),
  [`${ACTIVITY_API_PATH}/export`]: get(
    "exportActivity",
    {
      200: {
        description: "All records that meet the filters, oldest first.",
        content: Object.fromEntries(
          Object.values(EXPORTS).map(({ contentType }) => [
            mediaType(contentType),
            { schema: text() },
          ]),
        ),
      },
      ...BAD_FILTER,
      ...UNREADABLE,
    },
    [...scope, inQuery("format", { ...oneOf(EXPORT_FORMATS), default: "jsonl" })],
  ),
  [`${ACTIVITY_API_PATH}/events`]: get(
    "followActivity",
    {
      200: given(
        "Server-sent events: activity, with a record as data.",
        "text/event-stream",
        text(),
      ),
      ...BAD_FILTER,
      ...UNREADABLE,
    },
    [...scope, { name: "Last-Event-ID", in: "header", schema: text("Goes on behind this event.") }],
  ),
  [`${ACTIVITY_API_PATH}/{id}`]: get(
    "getActivityRecord",
    { 200: answer("The record.", ref("ActivityRecord")), ...NOT_FOUND, ...UNREADABLE },
    [inPath("id")],
  ),
};

function mediaType(contentType: string): string {
  return contentType.split(";", 1)[0] ?? contentType;
}

function secretIn(name: string): Json {
  return { type: "object", required: [name], properties: { [name]: { type: "string" } } };
}

function change(operationId: string, parameters: readonly Json[] = []): Json {
  const named = parameters.length === 0 ? {} : { parameters };
  const body = { required: true, content: { "application/json": { schema: ref("ModeChange") } } };
  return {
    patch: {
      operationId,
      ...named,
      security: [{ apiKey: [] }, { bearer: [] }],
      requestBody: body,
      responses: {
        200: answer("What holds now.", ref("ModesChanged")),
        400: fails("The body is not what is wanted."),
        401: fails("The API key or the printed token is missing, or another one."),
        403: REFUSALS[403],
        ...(parameters.length === 0 ? {} : NOT_FOUND),
        409: fails("There is no file to edit, or it cannot be taken; code says which."),
        413: fails("The body is over 16 KiB."),
        415: fails("The body is not application/json."),
        500: fails("The file cannot be written, or a bug."),
        503: fails("The gateway is stopping."),
      },
    },
  };
}

/** How a browser signs in: the request brings a secret of its own, so it needs no API key. */
const SIGN_IN: Json = {
  [`${ADMIN_API_PATH}/sign-in`]: {
    post: {
      operationId: "signIn",
      security: [],
      requestBody: given("The code of a link.", "application/json", secretIn("code")),
      responses: {
        200: answer("A token, to be sent instead of the API key.", secretIn("token")),
        403: fails("The Host or Origin is not allowed, or the code is used or older than 60 s."),
        413: fails("The body is over 16 KiB."),
        415: fails("The body is not application/json."),
      },
    },
  },
  [`${ADMIN_API_PATH}/sign-in/codes`]: {
    post: {
      operationId: "createSignInCode",
      security: [],
      parameters: [
        {
          name: "X-Touchstone-Local",
          in: "header",
          required: true,
          schema: text("From the file that the gateway keeps in its data directory."),
        },
      ],
      responses: {
        200: answer("A code, for 60 s and one use.", secretIn("code")),
        403: fails("The Host or Origin is not allowed, or the header is another one."),
      },
    },
  },
};

/** Servers, settings and modes. */
const ADMIN: Json = {
  [`${ADMIN_API_PATH}/servers`]: get("listServers", {
    200: answer("The configured servers.", list(ref("ServerSummary"))),
    ...FAULTS,
  }),
  [`${ADMIN_API_PATH}/servers/{server}`]: get(
    "getServer",
    { 200: answer("The server and its tools.", ref("ServerDetail")), ...NOT_FOUND, ...FAULTS },
    [inPath("server")],
  ),
  [`${ADMIN_API_PATH}/settings`]: get("getSettings", {
    200: answer("The settings that hold, without secrets.", ref("Settings")),
    ...FAULTS,
  }),
  [`${ADMIN_API_PATH}/gateways`]: get("listGateways", {
    200: answer("The gateways that share the store.", ref("Gateways")),
    ...FAULTS,
    503: fails("The store that they share does not answer."),
  }),
  [`${ADMIN_API_PATH}/modes`]: change("changeModes"),
  [`${ADMIN_API_PATH}/servers/{server}/modes`]: change("changeServerModes", [inPath("server")]),
  [`${ADMIN_API_PATH}/servers/{server}/tools/{tool}/modes`]: change("changeToolModes", [
    inPath("server"),
    inPath("tool"),
  ]),
};

/** Every path of the gateway's own API. */
export const PATHS: Json = { ...OWN, ...ACTIVITY, ...SIGN_IN, ...ADMIN };
