import { VERSION } from "../util/own-package.ts";
import type { Access, Parameter, Route } from "./route.ts";
import { COMPONENTS } from "./schemas/gateway.ts";
import { type Json, ref } from "./schemas/json-schema.ts";

/** Returns a response or a request body of one media type. */
export const content = (description: string, type: string, schema: Json): Json => ({
  description,
  content: { [type]: { schema } },
});
/** Returns a response with JSON. */
export const answer = (description: string, schema: Json): Json =>
  content(description, "application/json", schema);
/** Returns a response `{error, code}`. */
export const fails = (description: string): Json => answer(description, ref("Error"));

/** The listener's refusals, for every operation. */
const REFUSALS = {
  401: fails("The key is missing or wrong."),
  403: fails(
    "The Host or Origin is not allowed, or the key does not have the role that this needs.",
  ),
};

/**
 * Returns an operation's security: no key, or a key with a role (OpenAPI 3.1, Security Requirement Object). Without
 * configured keys, only changes need one.
 */
function securityOf(access: Access): readonly Json[] {
  if (access === "anyone" || access === "own secret") return [];
  const keys = [{ apiKey: [access] }, { bearer: [access] }];
  return access === "admin" ? keys : [{}, ...keys];
}

/** Returns routes as an OpenAPI 3.1 document. */
export function documentOf(routes: readonly Route[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Touchstone gateway",
      version: VERSION,
      description:
        "Servers, settings and records of a gateway. The tools of a server are described at /servers/{server}/openapi.json.",
    },
    // Relative to the document's own URL: the gateway's root (RFC 3986, section 5.2).
    servers: [{ url: "../../../" }],
    security: securityOf("viewer"),
    paths,
    components: {
      ...COMPONENTS,
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "X-API-Key",
          description:
            "A key of auth.keys, auth.admin_key, or the token of a link. auth.api_key has the role caller.",
        },
        bearer: { type: "http", scheme: "bearer", description: "The same." },
      },
    },
  };
}

function operationOf({ id, path, query, headers, body, access, responses }: Route): Json {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const parameters = [
    ...names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ...Object.entries(query ?? {}).map(inPlace("query")),
    ...Object.entries(headers ?? {}).map(inPlace("header")),
  ];
  return {
    operationId: id,
    ...(parameters.length === 0 ? {} : { parameters }),
    security: securityOf(access),
    ...(body === undefined ? {} : { requestBody: requestOf(body) }),
    responses:
      access === "anyone" || access === "own secret" ? responses : { ...REFUSALS, ...responses },
  };
}

const inPlace =
  (where: string) =>
  ([name, { schema, required = false }]: [string, Parameter]): Json => ({
    name,
    in: where,
    ...(required ? { required } : {}),
    schema,
  });

function requestOf({ schema, description, optional }: NonNullable<Route["body"]>): Json {
  return {
    ...(description === undefined ? {} : { description }),
    required: optional !== true,
    content: { "application/json": { schema } },
  };
}
