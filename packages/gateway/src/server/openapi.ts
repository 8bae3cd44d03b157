import { type DescribedOperation, documentOf, jsonBody } from "@touchstone/http/router";
import { VERSION } from "@touchstone/util";
import type { Json } from "@touchstone/util/schema";
import {
  type Access,
  errorResponse,
  needsRole,
  type Operation,
  type Parameter,
} from "./api/operation.ts";
import { COMPONENTS } from "./api/schemas.ts";

/** The refusals of the listener, which any operation may return. */
const REFUSALS = {
  401: errorResponse("The key is missing or wrong."),
  403: errorResponse(
    "The Host or Origin is not allowed, or the key does not have the role that this needs.",
  ),
};

/**
 * Returns an operation's security: none, or a key with a role (OpenAPI 3.1, Security Requirement Object). Without
 * configured keys, only changes need one.
 */
function securityOf(access: Access): readonly Json[] {
  if (!needsRole(access)) return [];
  const keys = [{ apiKey: [access] }, { bearer: [access] }];
  return access === "admin" ? keys : [{}, ...keys];
}

/** Returns the gateway's own API as an OpenAPI 3.1 document. */
export function gatewayDocument(operations: Readonly<Record<string, Operation>>): Json {
  const about = {
    info: {
      title: "Touchstone gateway",
      version: VERSION,
      description:
        "Servers, settings and records of a gateway. The tools of a server are described at /servers/{server}/openapi.json.",
    },
    // The gateway's root (RFC 3986, section 5.2).
    root: "../../../",
    security: securityOf("viewer"),
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
  const described = Object.entries(operations).map(([id, one]) => [id, describedOf(one)] as const);
  return documentOf(about, Object.fromEntries(described));
}

function describedOf(operation: Operation): DescribedOperation {
  const { method, path, query, headers, body, access, responses } = operation;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const parameters = [
    ...names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ...Object.entries(query ?? {}).map(inPlace("query")),
    ...Object.entries(headers ?? {}).map(inPlace("header")),
  ];
  const needsKey = needsRole(access);
  return {
    method,
    path,
    parameters: parameters.length === 0 ? undefined : parameters,
    security: securityOf(access),
    requestBody:
      body &&
      jsonBody(body.schema, { description: body.description, required: body.optional !== true }),
    responses: needsKey ? { ...REFUSALS, ...responses } : responses,
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
