import type { CallDetail, Problem } from "@touchstone/records/schemas";
import type { ActivityOperation } from "@touchstone/records/serve";
import { METADATA_PATH } from "./access/protected-resource.ts";
import { hasRole } from "./access/roles.ts";
import { linkRefusedError } from "./admin/admin-api.ts";
import { AdminError } from "./admin/errors.ts";
import { MODE_CHANGE_FORM } from "./admin/modes.ts";
import { OPERATIONS, type OperationId } from "./api/operations.ts";
import { authorOf } from "./author.ts";
import { readCall } from "./check-call.ts";
import { isReadMethod } from "./mcp-routes.ts";
import { gatewayDocument } from "./openapi.ts";
import { PLAYGROUND, playgroundPage, readsPlayground } from "./playground.ts";
import { readinessResponse } from "./readiness.ts";
import { apiResponse, apiText, plainResponse } from "./responses.ts";
import type {
  Api,
  BodyReader,
  Mount,
  OperationHandler,
  OperationHandlers,
  OperationInput,
  Readers,
  Route,
} from "./route.ts";
import { OIDC_PATH, oidcPage } from "./sign-in/oidc/pages.ts";
import type { ResponseWithCookies } from "./sign-in/sign-in.ts";
import { CONSOLE_MOUNT } from "./tools-api/tools-api.ts";

/** Returns a handler that asks the thread that reads records. */
const reading =
  (operation: ActivityOperation) =>
  (
    { activity }: Api,
    { path, query, headers, signal }: Omit<OperationInput, "body">,
  ): Promise<Response> => {
    const input = { ...path, ...query };
    const lastEventId = [headers["last-event-id"]].flat()[0];
    return activity({ operation, input, lastEventId }, signal);
  };

/** Returns a function that finds the call of a record. */
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

/**
 * Returns a problem, as the response of an operation.
 * @throws {AdminError} `NOT_FOUND`
 */
async function problemOf(
  { activity }: Api,
  { path, signal }: { readonly path: { readonly id: string }; readonly signal: AbortSignal },
): Promise<Problem> {
  const { id } = path;
  const response = await activity({ operation: "problem", input: { id } }, signal);
  if (response.status === 200) return (await response.json()) as Problem;
  if (response.status === 404)
    throw new AdminError("NOT_FOUND", `There is no problem ${JSON.stringify(id.slice(0, 64))}.`);
  throw new AdminError(
    "STORE_UNREACHABLE",
    "The records cannot be read, so the problem is unknown.",
  );
}

const HANDLERS: OperationHandlers = {
  getHealth: () => plainResponse(200, { status: "ok" }),
  getReadiness: async ({ readiness }, { refused, identity }) =>
    readinessResponse(await readiness(), refused || !hasRole(identity, "viewer")),
  getMetrics: ({ metrics }, { signal }) =>
    metrics(new Request("http://gateway/metrics", { signal })),
  getOpenapi: () => gatewayOpenapi(),

  listActivity: reading("list"),
  summariseActivity: reading("summary"),
  getRollout: reading("rollout"),
  getRepairs: reading("repairs"),
  getDrift: reading("drift"),
  exportActivity: reading("export"),
  followActivity: reading("events"),
  getDefinitionChange: reading("diff"),
  getCheckedSchemas: reading("schema"),
  getActivityRecord: reading("get"),
  eraseActivity: async ({ admin }, given) => {
    const body = await given.body();
    return admin.erase(authorOf(given, body.reason), body);
  },

  listProblems: reading("problems"),
  getProblem: reading("problem"),
  ignoreProblem: async (api, given) => {
    const body = await given.body();
    const problem = await problemOf(api, given);
    await api.admin.ignoreProblem(authorOf(given, body.reason), problem, body);
    return problemOf(api, given);
  },
  unignoreProblem: async (api, given) => {
    await api.admin.unignoreProblem(authorOf(given), await problemOf(api, given));
    return problemOf(api, given);
  },

  listCalls: reading("calls"),
  countCalls: reading("histogram"),
  listCallValues: reading("values"),
  getCall: reading("call"),
  getOverview: reading("overview"),
  listDrift: reading("drifts"),
  listSessions: reading("sessions"),
  listCallers: reading("callers"),

  checkCall: async ({ check }, { body, identity }) =>
    apiText(200, await check(await body(), identity)),

  signIn: async ({ admin }, { body }) => admin.exchange((await body()).code),
  createSignInCode: ({ signIn }, { headers }) => signIn.issueCode(headers["x-touchstone-local"]),
  getSession: ({ signIn }, given) => signIn.show(given),
  createSession: async ({ signIn }, given) =>
    withCookies(await signIn.signIn(given, await given.body())),
  endSession: async ({ signIn }, given) => withCookies(await signIn.signOut(given)),
  getSignInRefusal: ({ oidc }, { path, ...sender }) =>
    oidc.refusal({ provider: path.provider, sender }),
  listConsoleSessions: ({ signIn }, given) => signIn.list(given),
  endConsoleSession: async ({ signIn }, given) => {
    await signIn.end(given, given.path.id);
    return signIn.list(given);
  },

  listServers: ({ admin }) => admin.servers(),
  getServer: ({ admin }, { path }) => admin.server(path.server),
  getServerLog: ({ admin }, { path, query }) => admin.serverLog(path.server, query.after),
  getClientView: ({ admin }, { path, query }) => admin.clientView(path.server, query),
  getSettings: ({ admin }) => admin.settings(),
  listGateways: ({ admin }) => admin.gateways(),
  changeModes: ({ admin }, given) =>
    admin.changeModes((reason) => authorOf(given, reason), {}, given.body),
  changeServerModes: ({ admin }, given) =>
    admin.changeModes((reason) => authorOf(given, reason), given.path, given.body),
  changeToolModes: ({ admin }, given) =>
    admin.changeModes((reason) => authorOf(given, reason), given.path, given.body),

  proposeEdit: async (api, given) =>
    api.admin.propose((await given.body()).action, finder(api, given)),
  editConfig: async (api, given) => {
    const edit = await given.body();
    return api.admin.edit(authorOf(given, edit.reason), edit, finder(api, given));
  },
  undoEdit: async ({ admin }, given) => {
    const { reason } = await given.body();
    return admin.undo(authorOf(given, reason), given.path.id);
  },

  getAttention: ({ attention }, { query, signal }) => attention.show(query.since, signal),
  listViews: ({ views }) => views.list(),
  saveView: async ({ views }, { body }) => views.save(await body()),
  deleteView: ({ views }, { path }) => views.remove(path.id),

  listAlerts: ({ alerts }) => alerts.list(),
  testAlert: async ({ alerts }, given) => {
    const { reason } = await given.body();
    return alerts.test(given.path.id, authorOf(given, reason));
  },

  listPins: ({ admin }, { query }) => admin.pins(query),
  diffPin: ({ admin }, { query }) => admin.pin(query),
  approvePin: async ({ admin }, given) => {
    const pin = await given.body();
    return admin.decidePin(authorOf(given, pin.reason), "approved", pin);
  },
  revokePin: async ({ admin }, given) => {
    const pin = await given.body();
    return admin.decidePin(authorOf(given, pin.reason), "revoked", pin);
  },
};

/** Returns a response of the API with `Set-Cookie` headers. */
function withCookies({ body, cookies }: ResponseWithCookies<unknown>): Response {
  const response = apiResponse(200, body);
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}

const READERS: Readers = { checkCall: readCall };

const notModes = (problem: string): AdminError =>
  new AdminError("BAD_REQUEST", `The body cannot be used: ${problem} Send ${MODE_CHANGE_FORM}.`);
/** The errors for invalid bodies, if they contain more than the problem. */
const INVALID: Readonly<Partial<Record<OperationId, BodyReader["invalid"]>>> = {
  signIn: linkRefusedError,
  changeModes: notModes,
  changeServerModes: notModes,
  changeToolModes: notModes,
};

function routeOf(id: OperationId): Route {
  const read = id in READERS ? READERS[id as keyof Readers] : undefined;
  return {
    id,
    ...OPERATIONS[id],
    read,
    invalid: INVALID[id],
    answer: HANDLERS[id] as OperationHandler,
  };
}

/** The operations of the gateway's own API, in the order in which paths are tried. */
export const ROUTES: readonly Route[] = (Object.keys(OPERATIONS) as OperationId[]).map(routeOf);

/** The console, and the tool API of each server and of all. Their handlers read the request target themselves. */
export const MOUNTS: readonly Mount[] = [
  {
    mount: "/",
    access: "anyone",
    isOpen: ({ tools }, request) => isReadMethod(request) && tools.hasConsole,
    answer: ({ tools }, request, response) => tools.page(request, response),
  },
  {
    mount: "/assets/*",
    access: "anyone",
    isOpen: ({ tools }, request) => isReadMethod(request) && tools.hasConsole,
    answer: ({ tools }, request, response) => tools.assets(request, response),
  },
  {
    mount: `${PLAYGROUND}/*`,
    access: "anyone",
    isOpen: (_api, request) => readsPlayground(request),
    answer: (_api, request, _response, path) => playgroundPage(request, path),
  },
  {
    mount: `${METADATA_PATH}/*`,
    access: "anyone",
    // A client must be able to read where to get tokens before it has one.
    isOpen: ({ metadata }, request, path) =>
      isReadMethod(request) && metadata(request, path) !== undefined,
    answer: ({ metadata }, request, _response, path) => {
      const found = isReadMethod(request) ? metadata(request, path) : undefined;
      return found === undefined ? undefined : plainResponse(200, found);
    },
  },
  {
    mount: `${OIDC_PATH}/*`,
    access: "anyone",
    // A browser arrives from the sign-in page, or from the provider.
    isOpen: (_api, { method }) => method === "GET",
    answer: ({ oidc }, request, _response, path) => oidcPage(oidc, request, path),
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
  {
    mount: `${CONSOLE_MOUNT}/*`,
    access: "caller",
    answer: ({ tools }, request, response, path) => tools.forConsole(request, response, path),
  },
];

/** The gateway's own API as an OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1). */
export function gatewayOpenapi(): Readonly<Record<string, unknown>> {
  return gatewayDocument(OPERATIONS);
}
