import { RULES } from "@touchstone/core";
import type { ActivityOperation } from "../records/api/api.ts";
import type { CallDetail } from "../records/calls.ts";
import { CALL_SCOPES, DEFAULT_BUCKETS, MAX_BUCKETS, MAX_CALLS } from "../records/calls.ts";
import { EXPORT_FORMATS, EXPORTS } from "../records/export/export.ts";
import {
  ACTIVITY_FILTERS,
  ACTIVITY_SCOPES,
  type ActivityFilterName,
  DEFAULT_LIMIT,
  MAX_LIMIT,
} from "../records/filter.ts";
import { OVERVIEW_PERIODS } from "../records/overview.ts";
import { FIELD_FILTERS, type FieldFilterName } from "../records/record.ts";
import { hasRole } from "../transport/http/identity.ts";
import { METADATA_PATH } from "../transport/http/protected-resource.ts";
import { isRead } from "../transport/http/routes.ts";
import type { ConfigAction } from "./admin/actions.ts";
import {
  type ErasureBody,
  linkRefused,
  type PinChoice,
  type ReasonedModeChange,
} from "./admin/admin-api.ts";
import { AdminError } from "./admin/errors.ts";
import { MODE_CHANGE_FORM } from "./admin/modes.ts";
import { authorOf } from "./author-of.ts";
import { type CallToCheck, readCall } from "./check-call.ts";
import { answer, content, documentOf, fails } from "./openapi.ts";
import { readinessResponse } from "./readiness.ts";
import { apiText, plainResponse } from "./responses.ts";
import { type Api, type Body, type Mount, type Parameter, type Route, route } from "./route.ts";
import { flag, type Json, list, members, oneOf, ref, text } from "./schemas/json-schema.ts";

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
  cursor: { ...text("next_cursor of an earlier page."), minLength: 1 },
};
type Parameters<Name extends string> = Readonly<Record<Name, Parameter>>;
const filters = (names: readonly ActivityFilterName[]): Parameters<ActivityFilterName> => {
  const entries = names.map((name) => [name, { schema: FILTER_SCHEMAS[name] }]);
  return Object.fromEntries(entries) as Parameters<ActivityFilterName>;
};
const SCOPE: Parameters<ActivityFilterName | "period"> = {
  ...filters(ACTIVITY_SCOPES),
  period: {
    schema: {
      ...text("A length of time until now, instead of since."),
      pattern: "^\\d{1,9}[smhdw]$",
    },
    refusal: "is not a length of time such as 15m, 24h or 7d",
  },
};

/** Search filters for calls, besides the columns of records. */
const SEARCH: Parameters<"session" | "rule" | "q"> = {
  session: {
    schema: text("A session's id, sha256: and its hash, or process: and a process's id."),
  },
  rule: { schema: { ...oneOf(RULES), description: "A class of issues." } },
  q: {
    schema: {
      ...text("Text that the names, the ids or the reason contain, in any case."),
      maxLength: 256,
    },
  },
};

const FAULTS = { 500: fails("A bug; see the gateway's log.") };
const UNREADABLE = {
  ...FAULTS,
  503: fails("The records cannot be read; `code` names the reason."),
};
const BAD_FILTER = { 400: fails("A parameter is invalid.") };
const NOT_FOUND = { 404: fails("Nothing has this name or id.") };
const BAD_BODY = {
  413: fails("The body is over 16 KiB."),
  415: fails("The body is not application/json."),
};

/** Routes about the gateway itself, for operators. */
const OWN: readonly Route[] = [
  route({
    method: "get",
    path: "/healthz",
    id: "getHealth",
    access: "anyone",
    responses: { 200: answer("The gateway runs.", ref("Health")) },
    answer: () => plainResponse(200, { status: "ok" }),
  }),
  route({
    method: "get",
    path: "/readyz",
    id: "getReadiness",
    access: "anyone",
    responses: {
      200: answer("The gateway takes requests.", ref("Readiness")),
      503: answer(
        "The gateway is stopping, or records cannot be written or read.",
        ref("Readiness"),
      ),
    },
    answer: async ({ readiness }, { refused, identity }) =>
      readinessResponse(await readiness(), refused || !hasRole(identity, "viewer")),
  }),
  route({
    method: "get",
    path: "/metrics",
    id: "getMetrics",
    access: "viewer",
    responses: {
      200: content("Metrics for Prometheus.", "text/plain", text()),
      404: fails("telemetry.metrics is off."),
    },
    answer: ({ metrics }, { signal }) => metrics(new Request("http://gateway/metrics", { signal })),
  }),
  route({
    method: "get",
    path: "/api/v1/openapi.json",
    id: "getOpenapi",
    access: "viewer",
    responses: {
      200: answer("This document.", { type: "object", required: ["openapi", "paths"] }),
    },
    answer: () => gatewayOpenapi(),
  }),
];

/** Returns a row that asks the thread that reads records. */
function reading<Path extends string, Query extends string = never>(
  operation: ActivityOperation,
  row: Omit<Route<Path, Query>, "method" | "access" | "body" | "answer">,
): Route {
  return route<Path, Query>({
    ...row,
    method: "get",
    access: "viewer",
    responses: { ...row.responses, ...(row.query === undefined ? {} : BAD_FILTER), ...UNREADABLE },
    answer: ({ activity }, { path, query, headers, signal }) => {
      const input = { ...path, ...query };
      const lastEventId = [headers["last-event-id"]].flat()[0];
      return activity({ operation, input, lastEventId }, signal);
    },
  });
}

/** The records. */
const ACTIVITY: readonly Route[] = [
  reading("list", {
    path: ACTIVITY_API_PATH,
    id: "listActivity",
    query: filters(ACTIVITY_FILTERS),
    responses: { 200: answer("Records, newest first.", ref("ActivityPage")) },
  }),
  reading("summary", {
    path: `${ACTIVITY_API_PATH}/summary`,
    id: "summariseActivity",
    query: SCOPE,
    responses: { 200: answer("Counts.", ref("ActivitySummary")) },
  }),
  reading("rollout", {
    path: `${ACTIVITY_API_PATH}/rollout`,
    id: "getRollout",
    query: {
      ...SCOPE,
      suggest: { schema: { type: "boolean", description: "With rules to add." } },
    },
    responses: { 200: answer("What strict would have blocked.", ref("Rollout")) },
  }),
  reading("repairs", {
    path: `${ACTIVITY_API_PATH}/repairs`,
    id: "getRepairs",
    query: SCOPE,
    responses: {
      200: answer("Which arguments were repaired, how, and how often.", ref("Repairs")),
    },
  }),
  reading("drift", {
    path: `${ACTIVITY_API_PATH}/drift`,
    id: "getDrift",
    query: {
      server: { schema: { ...text(), minLength: 1 }, required: true },
      tool: { schema: { ...text(), minLength: 1 }, required: true },
    },
    responses: {
      200: answer("How a tool's results differed from its output schema.", ref("Drift")),
      404: fails("No results of this tool are known."),
    },
  }),
  reading("export", {
    path: `${ACTIVITY_API_PATH}/export`,
    id: "exportActivity",
    query: {
      ...SCOPE,
      ...SEARCH,
      format: { schema: { ...oneOf(EXPORT_FORMATS), default: "jsonl" } },
    },
    responses: {
      200: {
        description: "All matching records, oldest first.",
        content: Object.fromEntries(
          Object.values(EXPORTS).map(({ contentType }) => [
            contentType.split(";", 1)[0] ?? contentType,
            { schema: text() },
          ]),
        ),
      },
    },
  }),
  reading("events", {
    path: `${ACTIVITY_API_PATH}/events`,
    id: "followActivity",
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
  reading("diff", {
    path: `${ACTIVITY_API_PATH}/{id}/diff`,
    id: "getDefinitionChange",
    responses: {
      200: answer(
        "How a definition differs, for a schema_change or an approval.",
        ref("DefinitionChange"),
      ),
      404: fails("No record has this id, or it is not about a change of a definition."),
    },
  }),
  reading("get", {
    path: `${ACTIVITY_API_PATH}/{id}`,
    id: "getActivityRecord",
    responses: { 200: answer("The record.", ref("ActivityRecord")), ...NOT_FOUND },
  }),
];

const CALL_SCOPE: Readonly<Record<string, Parameter>> = {
  ...filters(CALL_SCOPES),
  period: SCOPE.period,
  ...SEARCH,
};
const CALL_PAGE: Readonly<Record<string, Parameter>> = {
  limit: { schema: { type: "integer", minimum: 1, maximum: MAX_CALLS, default: DEFAULT_LIMIT } },
  cursor: { schema: FILTER_SCHEMAS.cursor },
};

/** Calls, each with the decisions about it: what people read as one row. */
const CALLS: readonly Route[] = [
  reading("calls", {
    path: "/api/v1/calls",
    id: "listCalls",
    query: {
      ...CALL_SCOPE,
      ...CALL_PAGE,
      order: { schema: { ...oneOf(["desc", "asc"]), default: "desc" } },
    },
    responses: { 200: answer("Calls, newest first.", ref("CallPage")) },
  }),
  reading("histogram", {
    path: "/api/v1/calls/histogram",
    id: "countCalls",
    query: {
      ...CALL_SCOPE,
      buckets: {
        schema: { type: "integer", minimum: 1, maximum: MAX_BUCKETS, default: DEFAULT_BUCKETS },
      },
    },
    responses: { 200: answer("Calls by time and status.", ref("CallHistogram")) },
  }),
  reading("values", {
    path: "/api/v1/calls/values",
    id: "listCallValues",
    responses: { 200: answer("The values by which calls can be filtered.", ref("CallValues")) },
  }),
  reading("call", {
    path: "/api/v1/calls/{id}",
    id: "getCall",
    query: CALL_SCOPE,
    responses: {
      200: answer("The call, or the one that the decision is about.", ref("CallDetail")),
      ...NOT_FOUND,
    },
  }),
  reading("overview", {
    path: "/api/v1/overview",
    id: "getOverview",
    query: { period: { schema: { ...oneOf(Object.keys(OVERVIEW_PERIODS)), default: "24h" } } },
    responses: { 200: answer("Counts, errors and durations of calls over time.", ref("Overview")) },
  }),
  reading("drifts", {
    path: "/api/v1/drift",
    id: "listDrift",
    responses: {
      200: answer("Tools whose results are compared, latest first.", ref("Drifts")),
    },
  }),
  reading("sessions", {
    path: "/api/v1/sessions",
    id: "listSessions",
    query: CALL_PAGE,
    responses: { 200: answer("Conversations, latest first.", ref("SessionPage")) },
  }),
];

const secretIn = (name: string): Json => ({
  type: "object",
  required: [name],
  properties: { [name]: { type: "string" } },
});
const CODE: Body<{ readonly code: string }> = {
  schema: secretIn("code"),
  description: "The code of a link.",
  invalid: linkRefused,
};

/** How a browser signs in. */
const SIGN_IN: readonly Route[] = [
  route({
    method: "post",
    path: "/api/v1/sign-in",
    id: "signIn",
    access: "own secret",
    body: CODE,
    responses: {
      200: answer("A token to send instead of the API key.", secretIn("token")),
      403: fails("The Host or Origin is not allowed, or the code is used or older than 60 s."),
      ...BAD_BODY,
    },
    answer: async ({ admin }, { body }) => admin.exchange((await body()).code),
  }),
  route({
    method: "post",
    path: "/api/v1/sign-in/codes",
    id: "createSignInCode",
    access: "own secret",
    headers: {
      "X-Touchstone-Local": {
        schema: text("From the file that the gateway keeps in its data directory."),
        required: true,
      },
    },
    responses: {
      200: answer("A code, for 60 s and one use.", secretIn("code")),
      403: fails("The Host or Origin is not allowed, or the header is wrong."),
    },
    answer: ({ admin }, { headers }) => admin.issueCode(headers["x-touchstone-local"]),
  }),
];

/** Why a change is made, for its record. */
const REASON: Json = { ...text("Why, for the record of the change."), maxLength: 1000 };
const MODE_CHANGE: Body<ReasonedModeChange> = {
  schema: ref("ModeChange"),
  noun: "a mode",
  invalid: (problem) =>
    new AdminError("BAD_REQUEST", `The body cannot be used: ${problem} Send ${MODE_CHANGE_FORM}.`),
};
const CHANGED = {
  200: answer("The modes that are in force.", ref("ModesChanged")),
  400: fails("The body is invalid."),
  401: fails("The key or token is missing or wrong."),
  409: fails("The gateway has no file to edit, or refuses the new one; `code` names the reason."),
  ...BAD_BODY,
  500: fails("The file cannot be written, or a bug."),
  503: fails("The gateway is stopping."),
};

const unusable = (problem: string): AdminError =>
  new AdminError("BAD_REQUEST", `The body cannot be used: ${problem}`);
const PROPOSAL: Body<{ readonly action: ConfigAction }> = {
  schema: members<{ readonly action: ConfigAction }>({ action: ref("ConfigAction") }),
  invalid: unusable,
};
interface EditBody {
  readonly action: ConfigAction;
  readonly hash: string;
  readonly reason?: string;
}
const EDIT: Body<EditBody> = {
  schema: members<EditBody>(
    { action: ref("ConfigAction"), hash: text("Of the proposal."), reason: REASON },
    "reason",
  ),
  invalid: unusable,
};
/** What takes an edit back may say why. */
const UNDO: Body<{ readonly reason?: string }> = {
  schema: members<{ readonly reason?: string }>({ reason: REASON }, "reason"),
  optional: true,
  invalid: unusable,
};
const LOCKED = {
  403: fails(
    "The Host or Origin is not allowed, the key does not have the role admin, or servers cannot be changed over HTTP.",
  ),
};

/** Returns the call of a record. */
const finder =
  ({ activity }: Api, { signal }: { readonly signal: AbortSignal }) =>
  async (id: string): Promise<CallDetail | undefined> => {
    const response = await activity({ operation: "call", input: { id } }, signal);
    if (response.status === 404) return undefined;
    if (response.status === 200) return (await response.json()) as CallDetail;
    throw new AdminError(
      "STORE_UNREACHABLE",
      "The records cannot be read, so the state of this one is unknown.",
    );
  };

/** Edits of the file: shown first, made for the file that was shown, and undone. */
const CONFIG: readonly Route[] = [
  route({
    method: "post",
    path: "/api/v1/config/proposals",
    id: "proposeEdit",
    access: "admin",
    body: PROPOSAL,
    responses: {
      ...CHANGED,
      200: answer("What would change, or what to write by hand.", ref("ConfigProposal")),
      ...NOT_FOUND,
      ...LOCKED,
    },
    answer: async (api, given) =>
      api.admin.propose((await given.body()).action, finder(api, given)),
  }),
  route({
    method: "post",
    path: "/api/v1/config/edits",
    id: "editConfig",
    access: "admin",
    body: EDIT,
    responses: {
      ...CHANGED,
      200: answer("The edit that was made.", ref("ConfigEdit")),
      ...NOT_FOUND,
      ...LOCKED,
    },
    answer: async (api, given) => {
      const edit = await given.body();
      return api.admin.edit(authorOf(given, edit.reason), edit, finder(api, given));
    },
  }),
  route({
    method: "post",
    path: "/api/v1/config/edits/{id}/undo",
    id: "undoEdit",
    access: "admin",
    body: UNDO,
    responses: {
      ...CHANGED,
      200: answer("The change that was undone.", ref("ConfigEdit")),
      ...NOT_FOUND,
      ...LOCKED,
    },
    answer: async ({ admin }, given) => {
      const { reason } = await given.body();
      return admin.undo(authorOf(given, reason), given.path.id);
    },
  }),
];

const PIN_STATES = ["approved", "held", "revoked"] as const;
const PIN_KINDS = ["tool", "instructions", "prompt", "resource_template"] as const;
const PIN: Body<PinChoice> = {
  schema: members<PinChoice>(
    {
      server: text(),
      kind: oneOf(PIN_KINDS),
      name: text("Empty for instructions."),
      hash: text("The hash of the declaration that was shown."),
      reason: REASON,
    },
    "reason",
  ),
  invalid: unusable,
};
const DECIDED = {
  200: answer("The change that was made.", list(ref("Pin"))),
  400: CHANGED[400],
  401: CHANGED[401],
  ...BAD_BODY,
  ...NOT_FOUND,
  ...UNREADABLE,
};

/** Approvals of servers' declarations. */
const PINS: readonly Route[] = [
  route({
    method: "get",
    path: "/api/v1/pins",
    id: "listPins",
    access: "viewer",
    query: {
      server: { schema: { ...text(), minLength: 1 } },
      state: { schema: oneOf(PIN_STATES) },
    },
    responses: {
      200: answer("Declarations that were approved, held or revoked.", list(ref("Pin"))),
      ...BAD_FILTER,
      ...UNREADABLE,
    },
    answer: ({ admin }, { query }) => admin.pins(query),
  }),
  route({
    method: "get",
    path: "/api/v1/pins/diff",
    id: "diffPin",
    access: "viewer",
    query: {
      server: { schema: { ...text(), minLength: 1 }, required: true },
      kind: { schema: { ...oneOf(PIN_KINDS), default: "tool" } },
      name: { schema: text("Empty for instructions.") },
      hash: { schema: { ...text(), minLength: 1 }, required: true },
    },
    responses: {
      200: answer("A declaration, and what has changed in it.", ref("PinWithDiff")),
      ...BAD_FILTER,
      ...NOT_FOUND,
      ...UNREADABLE,
    },
    answer: ({ admin }, { query }) => admin.pin(query),
  }),
  route({
    method: "post",
    path: "/api/v1/pins/approve",
    id: "approvePin",
    access: "admin",
    body: PIN,
    responses: DECIDED,
    answer: async ({ admin }, given) => {
      const pin = await given.body();
      return admin.decidePin(authorOf(given, pin.reason), "approved", pin);
    },
  }),
  route({
    method: "post",
    path: "/api/v1/pins/revoke",
    id: "revokePin",
    access: "admin",
    body: PIN,
    responses: DECIDED,
    answer: async ({ admin }, given) => {
      const pin = await given.body();
      return admin.decidePin(authorOf(given, pin.reason), "revoked", pin);
    },
  }),
];

const ERASURE: Body<ErasureBody> = {
  schema: members<ErasureBody>(
    {
      caller: text("Whose data: the name of a key or token."),
      session: text("Or one session: its id, or its stored hash."),
      reason: text("Why. It is recorded, and must not name the caller or session."),
      dry_run: { ...flag, description: "Counts, and changes nothing." },
      confirm: { ...flag, description: "Erases. Send either this or dry_run as true." },
    },
    ...(["caller", "session", "reason", "dry_run", "confirm"] as const),
  ),
  invalid: unusable,
};

/** Erasure of one person's data. */
const ERASING: readonly Route[] = [
  route({
    method: "post",
    path: "/api/v1/activity/erase",
    id: "eraseActivity",
    access: "admin",
    body: ERASURE,
    responses: {
      200: answer("What was erased, or would be.", ref("Erasure")),
      400: CHANGED[400],
      401: CHANGED[401],
      ...BAD_BODY,
      ...UNREADABLE,
    },
    answer: async ({ admin }, given) => {
      const body = await given.body();
      return admin.erase(authorOf(given, body.reason), body);
    },
  }),
];

/** Servers, settings and modes. */
const ADMIN: readonly Route[] = [
  route({
    method: "get",
    path: "/api/v1/servers",
    id: "listServers",
    access: "viewer",
    responses: { 200: answer("The configured servers.", list(ref("ServerSummary"))), ...FAULTS },
    answer: ({ admin }) => admin.servers(),
  }),
  route({
    method: "get",
    path: "/api/v1/servers/{server}",
    id: "getServer",
    access: "viewer",
    responses: {
      200: answer("The server and its tools.", ref("ServerDetail")),
      ...NOT_FOUND,
      ...FAULTS,
    },
    answer: ({ admin }, { path }) => admin.server(path.server),
  }),
  route({
    method: "get",
    path: "/api/v1/servers/{server}/view",
    id: "getClientView",
    access: "viewer",
    query: {
      client: { schema: text("name/version, as a client introduces itself.") },
      caller: { schema: text("The name of a key of auth.keys.") },
      tool: { schema: text("The server's name of one tool, to be shown with its difference.") },
    },
    responses: {
      200: answer("The server's list of tools as a client gets it.", ref("ClientView")),
      ...BAD_FILTER,
      ...NOT_FOUND,
      ...FAULTS,
    },
    answer: ({ admin }, { path, query }) => admin.clientView(path.server, query),
  }),
  route({
    method: "get",
    path: "/api/v1/settings",
    id: "getSettings",
    access: "viewer",
    responses: {
      200: answer("The settings in force, without secrets.", ref("Settings")),
      ...FAULTS,
    },
    answer: ({ admin }) => admin.settings(),
  }),
  route({
    method: "get",
    path: "/api/v1/gateways",
    id: "listGateways",
    access: "viewer",
    responses: {
      200: answer("The gateways that share the store.", ref("Gateways")),
      ...FAULTS,
      503: fails("The store that they share does not respond."),
    },
    answer: ({ admin }) => admin.gateways(),
  }),
  route({
    method: "patch",
    path: "/api/v1/modes",
    id: "changeModes",
    access: "admin",
    body: MODE_CHANGE,
    responses: CHANGED,
    answer: ({ admin }, given) =>
      admin.changeModes((reason) => authorOf(given, reason), {}, given.body),
  }),
  route({
    method: "patch",
    path: "/api/v1/servers/{server}/modes",
    id: "changeServerModes",
    access: "admin",
    body: MODE_CHANGE,
    responses: { ...CHANGED, ...NOT_FOUND },
    answer: ({ admin }, given) =>
      admin.changeModes((reason) => authorOf(given, reason), given.path, given.body),
  }),
  route({
    method: "patch",
    path: "/api/v1/servers/{server}/tools/{tool}/modes",
    id: "changeToolModes",
    access: "admin",
    body: MODE_CHANGE,
    responses: { ...CHANGED, ...NOT_FOUND },
    answer: ({ admin }, given) =>
      admin.changeModes((reason) => authorOf(given, reason), given.path, given.body),
  }),
];

const CALL_TO_CHECK: Body<CallToCheck> = {
  schema: {
    type: "object",
    required: ["server", "tool"],
    properties: {
      server: text("The server's name in the configuration."),
      tool: { ...text("The tool's name, as its server lists it."), maxLength: 1024 },
      arguments: { type: "object", description: "The arguments of the call." },
      result: { type: "object", description: "What the tool returned: an MCP CallToolResult." },
    },
    additionalProperties: false,
  },
  maxBytes: 16 * 1024 * 1024,
  read: readCall,
  invalid: unusable,
};

/** Checks of calls that others make. */
const CHECKS: readonly Route[] = [
  route({
    method: "post",
    path: "/api/v1/check",
    id: "checkCall",
    access: "caller",
    body: CALL_TO_CHECK,
    responses: {
      200: answer(
        "The decision. Only `allowed`, `warning` and `repaired` may go on.",
        ref("CheckedCall"),
      ),
      400: fails("The body is invalid."),
      ...NOT_FOUND,
      413: fails("The body is over 16 MiB."),
      415: BAD_BODY[415],
      ...FAULTS,
    },
    answer: async ({ check }, { body, identity }) =>
      apiText(200, await check(await body(), identity)),
  }),
];

/** The operations of the gateway's own API, in the order in which paths are tried. */
export const ROUTES: readonly Route[] = [
  ...OWN,
  // Before the record with an id.
  ...ERASING,
  ...ACTIVITY,
  ...CALLS,
  ...CHECKS,
  ...SIGN_IN,
  ...ADMIN,
  ...CONFIG,
  ...PINS,
];

/** The console, and the tool API of each server and of all. Their handlers read the request target themselves. */
export const MOUNTS: readonly Mount[] = [
  {
    mount: "/",
    access: "anyone",
    isOpen: ({ tools }, request) => isRead(request) && tools.hasConsole,
    answer: ({ tools }, request, response) => tools.page(request, response),
  },
  {
    mount: "/assets/*",
    access: "anyone",
    isOpen: ({ tools }, request) => isRead(request) && tools.hasConsole,
    answer: ({ tools }, request, response) => tools.assets(request, response),
  },
  {
    mount: `${METADATA_PATH}/*`,
    access: "anyone",
    // A client reads where to get tokens before it has one.
    isOpen: ({ metadata }, request, path) =>
      isRead(request) && metadata(request, path) !== undefined,
    answer: ({ metadata }, request, _response, path) => {
      const found = isRead(request) ? metadata(request, path) : undefined;
      return found === undefined ? undefined : plainResponse(200, found);
    },
  },
  {
    mount: "/tools/*",
    access: "caller",
    answer: ({ tools }, request, response, path) => tools.listed(request, response, path),
  },
  {
    mount: "/servers/*",
    access: "caller",
    answer: ({ tools }, request, response, path) => tools.ofServer(request, response, path),
  },
];

/** The gateway's own API as an OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1). */
export function gatewayOpenapi(): Readonly<Record<string, unknown>> {
  return documentOf(ROUTES);
}
