import {
  type Json,
  limited,
  members,
  object,
  oneOf,
  ref,
  text,
  typed,
} from "@touchstone/util/schema";
import {
  ADMIN_OPERATIONS,
  CONFIG_OPERATIONS,
  ERASURE_OPERATIONS,
  IGNORE_OPERATIONS,
  PIN_OPERATIONS,
} from "./admin-operations.ts";
import {
  BAD_BODY,
  type Body,
  content,
  errorResponse,
  jsonResponse,
  type Method,
  NOT_FOUND,
  type OperationResponse,
  operation,
  type PathParameterNames,
  SERVER_ERROR_RESPONSES,
} from "./operation.ts";
import { OPERATING } from "./operator-operations.ts";
import { ACTIVITY_OPERATIONS, CALL_OPERATIONS, PROBLEM_OPERATIONS } from "./record-operations.ts";
import { CHECKED_CALL, HEALTH, READINESS } from "./schemas.ts";
import { SESSION_OPERATIONS } from "./sign-in-operations.ts";
import { VIEW_OPERATIONS } from "./view-operations.ts";

/** The gateway itself, for operators. */
const OWN = {
  getHealth: operation({
    method: "get",
    path: "/healthz",
    access: "anyone",
    responses: { 200: jsonResponse("The gateway runs.", ref(HEALTH)) },
  }),
  getReadiness: operation({
    method: "get",
    path: "/readyz",
    access: "anyone",
    responses: {
      200: jsonResponse("The gateway accepts requests.", ref(READINESS)),
      503: jsonResponse(
        "The gateway is stopping, or records cannot be written or read.",
        ref(READINESS),
      ),
    },
  }),
  getMetrics: operation({
    method: "get",
    path: "/metrics",
    access: "viewer",
    responses: {
      200: content("Metrics for Prometheus.", "text/plain", text()),
      404: errorResponse("telemetry.metrics is off."),
    },
  }),
  getOpenapi: operation({
    method: "get",
    path: "/api/v1/openapi.json",
    access: "viewer",
    responses: {
      200: jsonResponse(
        "This document.",
        typed<Json>({ type: "object", required: ["openapi", "paths"] }),
      ),
    },
  }),
};

/** The released revisions of MCP. The console includes this table, but no code of the protocol. */
export const CHECKED_REVISIONS = [
  ...(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const),
] as const;

/** Checks of calls that other programs make. */
const CHECKS = {
  checkCall: operation({
    method: "post",
    path: "/api/v1/check",
    access: "caller",
    body: {
      schema: members(
        {
          server: text("The server's name in the configuration."),
          tool: limited(text("The tool's name, as its server lists it."), { maxLength: 1024 }),
          arguments: object("The arguments of the call."),
          result: object("What the tool returned: an MCP CallToolResult."),
          revision: limited(oneOf(CHECKED_REVISIONS), {
            description:
              "The MCP revision that client and server speak. Default: that of the list of tools that the server sent last.",
          }),
        },
        ...(["arguments", "result", "revision"] as const),
      ),
      maxBytes: 16 * 1024 * 1024,
    },
    responses: {
      200: jsonResponse(
        "The decision. Continue only with `allowed`, `warning` or `repaired`.",
        ref(CHECKED_CALL),
      ),
      400: errorResponse("The body is invalid."),
      ...NOT_FOUND,
      413: errorResponse("The body is over 16 MiB."),
      415: BAD_BODY[415],
      ...SERVER_ERROR_RESPONSES,
    },
  }),
};

const secretIn = <Name extends string>(name: Name) =>
  typed<Readonly<Record<Name, string>>>({
    type: "object",
    required: [name],
    properties: { [name]: { type: "string" } },
  });

/** How a browser signs in. */
const SIGN_IN = {
  signIn: operation({
    method: "post",
    path: "/api/v1/sign-in",
    access: "own secret",
    body: { schema: secretIn("code"), description: "The code of a link." },
    responses: {
      200: jsonResponse("A token to send instead of the API key.", secretIn("token")),
      403: errorResponse(
        "The Host or Origin is not allowed, or the code is used or older than 60 s.",
      ),
      ...BAD_BODY,
    },
  }),
  createSignInCode: operation({
    method: "post",
    path: "/api/v1/sign-in/codes",
    access: "own secret",
    headers: {
      "X-Touchstone-Local": {
        schema: text("From the file that the gateway keeps in its data directory."),
        required: true,
      },
    },
    responses: {
      200: jsonResponse("A code, for 60 s and one use.", secretIn("code")),
      403: errorResponse("The Host or Origin is not allowed, or the header is wrong."),
    },
  }),
};

/** The operations of the gateway's own API by `operationId`, in the order in which paths are tried. */
export const OPERATIONS = {
  ...OWN,
  // Before the record with an id.
  ...ERASURE_OPERATIONS,
  ...ACTIVITY_OPERATIONS,
  ...CALL_OPERATIONS,
  ...PROBLEM_OPERATIONS,
  ...IGNORE_OPERATIONS,
  ...CHECKS,
  ...SIGN_IN,
  ...SESSION_OPERATIONS,
  ...ADMIN_OPERATIONS,
  ...CONFIG_OPERATIONS,
  ...PIN_OPERATIONS,
  ...OPERATING,
  ...VIEW_OPERATIONS,
};

export type Operations = typeof OPERATIONS;
export type OperationId = keyof Operations;

/** The JSON of an operation's 200 response. */
export type ResponseOf<Id extends OperationId> =
  Operations[Id]["responses"][200] extends OperationResponse<infer Result> ? Result : never;

/** The JSON of an operation's request. */
export type BodyOf<Id extends OperationId> =
  Exclude<Operations[Id]["body"], undefined> extends Body<infer Value> ? Value : never;

type PathOf<Id extends OperationId> = {
  readonly [Name in PathParameterNames<Operations[Id]["path"]>]: string;
};
type QueryOf<Id extends OperationId> = Exclude<Operations[Id]["query"], undefined>;
type Required<Filters> = {
  [Name in keyof Filters]: Filters[Name] extends { readonly required: true } ? Name : never;
}[keyof Filters];
type FiltersOf<Filters> = { readonly [Name in Required<Filters>]: string } & {
  readonly [Name in Exclude<keyof Filters, Required<Filters>>]?: string | undefined;
};

/** The parameters of an operation in its path and its query; an absent one is not sent. */
export type ParametersOf<Id extends OperationId> = PathOf<Id> & FiltersOf<QueryOf<Id>>;

/** The operations of one method. */
export type OperationIdBy<Verb extends Method> = {
  [Id in OperationId]: Operations[Id]["method"] extends Verb ? Id : never;
}[OperationId];
