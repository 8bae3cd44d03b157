import {
  ERASURE,
  PIN,
  PIN_KIND,
  PIN_STATE,
  PIN_WITH_DIFF,
  PROBLEM,
} from "@touchstone/records/schemas";
import { flag, limited, list, members, ref, type Static, text } from "@touchstone/util/schema";
import {
  BAD_BODY,
  BAD_FILTER,
  errorResponse,
  jsonResponse,
  NOT_FOUND,
  operation,
  SERVER_ERROR_RESPONSES,
  STORE_ERROR_RESPONSES,
} from "./operation.ts";
import {
  CLIENT_VIEW,
  CONFIG_ACTION,
  CONFIG_EDIT,
  CONFIG_PROPOSAL,
  GATEWAYS,
  MODE_CHANGE,
  MODES_CHANGED,
  REASON_SCHEMA,
  SERVER_DETAIL,
  SERVER_SUMMARY,
  SETTINGS,
} from "./schemas.ts";

const CHANGE_MODES = {
  method: "patch",
  access: "admin",
  body: { schema: ref(MODE_CHANGE), noun: "a mode" },
} as const;
const REFUSED = {
  400: errorResponse("The body is invalid."),
  401: errorResponse("The key or token is missing or wrong."),
  409: errorResponse(
    "The gateway has no file to edit, or refuses the new one; `code` names the reason.",
  ),
  ...BAD_BODY,
  500: errorResponse("The file cannot be written, or a bug."),
  503: errorResponse("The gateway is stopping."),
};
const CHANGED = {
  200: jsonResponse("The modes that are in force.", ref(MODES_CHANGED)),
  ...REFUSED,
};
const LOCKED = {
  403: errorResponse(
    "The Host or Origin is not allowed, the key does not have the role admin, or servers cannot be changed over HTTP.",
  ),
};

/** Servers, settings and modes. */
export const ADMIN_OPERATIONS = {
  listServers: operation({
    method: "get",
    path: "/api/v1/servers",
    access: "viewer",
    responses: {
      200: jsonResponse("The configured servers.", list(ref(SERVER_SUMMARY))),
      ...SERVER_ERROR_RESPONSES,
    },
  }),
  getServer: operation({
    method: "get",
    path: "/api/v1/servers/{server}",
    access: "viewer",
    responses: {
      200: jsonResponse("The server and its tools.", ref(SERVER_DETAIL)),
      ...NOT_FOUND,
      ...SERVER_ERROR_RESPONSES,
    },
  }),
  getClientView: operation({
    method: "get",
    path: "/api/v1/servers/{server}/view",
    access: "viewer",
    query: {
      client: { schema: text("name/version, as a client introduces itself.") },
      caller: { schema: text("The name of a key of auth.keys.") },
      tool: { schema: text("The server's name of a tool whose difference to show.") },
    },
    responses: {
      200: jsonResponse("The server's list of tools as a client gets it.", ref(CLIENT_VIEW)),
      ...BAD_FILTER,
      ...NOT_FOUND,
      ...SERVER_ERROR_RESPONSES,
    },
  }),
  getSettings: operation({
    method: "get",
    path: "/api/v1/settings",
    access: "viewer",
    responses: {
      200: jsonResponse("The settings in force, without secrets.", ref(SETTINGS)),
      ...SERVER_ERROR_RESPONSES,
    },
  }),
  listGateways: operation({
    method: "get",
    path: "/api/v1/gateways",
    access: "viewer",
    responses: {
      200: jsonResponse("The gateways that share the store.", ref(GATEWAYS)),
      ...SERVER_ERROR_RESPONSES,
      503: errorResponse("The store that they share does not respond."),
    },
  }),
  changeModes: operation({ ...CHANGE_MODES, path: "/api/v1/modes", responses: CHANGED }),
  changeServerModes: operation({
    ...CHANGE_MODES,
    path: "/api/v1/servers/{server}/modes",
    responses: { ...CHANGED, ...NOT_FOUND },
  }),
  changeToolModes: operation({
    ...CHANGE_MODES,
    path: "/api/v1/servers/{server}/tools/{tool}/modes",
    responses: { ...CHANGED, ...NOT_FOUND },
  }),
};

/** Edits of the file: proposing, making and undoing them. */
export const CONFIG_OPERATIONS = {
  proposeEdit: operation({
    method: "post",
    path: "/api/v1/config/proposals",
    access: "admin",
    body: { schema: members({ action: ref(CONFIG_ACTION) }) },
    responses: {
      ...REFUSED,
      200: jsonResponse("What would change, or what to write by hand.", ref(CONFIG_PROPOSAL)),
      ...NOT_FOUND,
      ...LOCKED,
    },
  }),
  editConfig: operation({
    method: "post",
    path: "/api/v1/config/edits",
    access: "admin",
    body: {
      schema: members(
        {
          action: ref(CONFIG_ACTION),
          hash: text("The id of the proposal."),
          reason: REASON_SCHEMA,
        },
        "reason",
      ),
    },
    responses: {
      ...REFUSED,
      200: jsonResponse("The edit that was made.", ref(CONFIG_EDIT)),
      ...NOT_FOUND,
      ...LOCKED,
    },
  }),
  undoEdit: operation({
    method: "post",
    path: "/api/v1/config/edits/{id}/undo",
    access: "admin",
    // An undo may have a reason.
    body: { schema: members({ reason: REASON_SCHEMA }, "reason"), optional: true },
    responses: {
      ...REFUSED,
      200: jsonResponse("The change that was undone.", ref(CONFIG_EDIT)),
      ...NOT_FOUND,
      ...LOCKED,
    },
  }),
};

/** The declaration to approve or revoke. */
const PIN_CHOICE = members(
  {
    server: text(),
    kind: PIN_KIND,
    name: text("Empty for instructions."),
    hash: text("The hash of the declaration that was shown."),
    reason: REASON_SCHEMA,
  },
  "reason",
);
export type PinChoice = Static<typeof PIN_CHOICE>;
const DECIDE_PIN = {
  method: "post",
  access: "admin",
  body: { schema: PIN_CHOICE },
  responses: {
    200: jsonResponse("The change that was made.", list(ref(PIN))),
    400: REFUSED[400],
    401: REFUSED[401],
    ...BAD_BODY,
    ...NOT_FOUND,
    ...STORE_ERROR_RESPONSES,
  },
} as const;

/** Approvals of servers' declarations. */
export const PIN_OPERATIONS = {
  listPins: operation({
    method: "get",
    path: "/api/v1/pins",
    access: "viewer",
    query: {
      server: { schema: limited(text(), { minLength: 1 }) },
      state: { schema: PIN_STATE },
    },
    responses: {
      200: jsonResponse(
        "Declarations that are approved, held, recorded or revoked.",
        list(ref(PIN)),
      ),
      ...BAD_FILTER,
      ...STORE_ERROR_RESPONSES,
    },
  }),
  diffPin: operation({
    method: "get",
    path: "/api/v1/pins/diff",
    access: "viewer",
    query: {
      server: { schema: limited(text(), { minLength: 1 }), required: true },
      kind: { schema: limited(PIN_KIND, { default: "tool" }) },
      name: { schema: text("Empty for instructions.") },
      hash: { schema: limited(text(), { minLength: 1 }), required: true },
    },
    responses: {
      200: jsonResponse("A declaration, and what has changed in it.", ref(PIN_WITH_DIFF)),
      ...BAD_FILTER,
      ...NOT_FOUND,
      ...STORE_ERROR_RESPONSES,
    },
  }),
  approvePin: operation({ ...DECIDE_PIN, path: "/api/v1/pins/approve" }),
  revokePin: operation({ ...DECIDE_PIN, path: "/api/v1/pins/revoke" }),
};

/** For how long, and why. */
const IGNORE = members(
  {
    until: text("RFC 3339, at most 366 days from now."),
    reason: REASON_SCHEMA,
  },
  "reason",
);
export type IgnoreBody = Static<typeof IGNORE>;
const IGNORED = {
  200: jsonResponse("The problem, as it is now.", ref(PROBLEM)),
  401: REFUSED[401],
  ...NOT_FOUND,
  ...STORE_ERROR_RESPONSES,
};

/** Decisions to ignore problems. */
export const IGNORE_OPERATIONS = {
  ignoreProblem: operation({
    method: "post",
    path: "/api/v1/problems/{id}/ignore",
    access: "admin",
    body: { schema: IGNORE },
    responses: { ...IGNORED, 400: REFUSED[400], ...BAD_BODY },
  }),
  unignoreProblem: operation({
    method: "delete",
    path: "/api/v1/problems/{id}/ignore",
    access: "admin",
    responses: IGNORED,
  }),
};

/** Whose data to erase: a caller's, or that of a session. */
const ERASE = members(
  {
    caller: text("Caller whose data is erased: the name of a key or token."),
    session: text("Or one session, by its id or stored hash."),
    reason: text("Why. It is recorded, and must not name the caller or session."),
    dry_run: limited(flag, { description: "Counts, and changes nothing." }),
    confirm: limited(flag, { description: "Erases. Send either this or dry_run as true." }),
  },
  ...(["caller", "session", "reason", "dry_run", "confirm"] as const),
);
export type ErasureBody = Static<typeof ERASE>;

/** Erasure of one person's data. */
export const ERASURE_OPERATIONS = {
  eraseActivity: operation({
    method: "post",
    path: "/api/v1/activity/erase",
    access: "admin",
    body: { schema: ERASE },
    responses: {
      200: jsonResponse("What was erased, or would be.", ref(ERASURE)),
      400: REFUSED[400],
      401: REFUSED[401],
      ...BAD_BODY,
      ...STORE_ERROR_RESPONSES,
    },
  }),
};
