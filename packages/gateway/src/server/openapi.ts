import type { Json } from "../util/json-schema.ts";
import { VERSION } from "../util/own-package.ts";
import { type Access, type Body, fails, type Operation, type Parameter } from "./api/operation.ts";
import { COMPONENTS } from "./api/schemas.ts";

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

/** Returns operations as an OpenAPI 3.1 document. */
export function documentOf(operations: Readonly<Record<string, Operation>>): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [id, operation] of Object.entries(operations)) {
    const { path, method } = operation;
    paths[path] = { ...paths[path], [method]: operationOf(id, operation) };
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

function operationOf(
  id: string,
  { path, query, headers, body, access, responses }: Operation,
): Json {
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

function requestOf({ schema, description, optional }: Body): Json {
  return {
    ...(description === undefined ? {} : { description }),
    required: optional !== true,
    content: { "application/json": { schema } },
  };
}
