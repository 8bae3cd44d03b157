import { type RouterRoute, writeTemplate } from "./router.ts";

/** A part of an OpenAPI document, or a JSON Schema in one. */
type Json = Readonly<Record<string, unknown>>;

/** An operation, as an OpenAPI document describes it. */
export interface DescribedOperation extends RouterRoute {
  /** The parameters of every operation at its path. */
  readonly common?: readonly Json[] | undefined;
  readonly parameters?: readonly Json[] | undefined;
  readonly security?: readonly Json[] | undefined;
  readonly requestBody?: Json | undefined;
  /** By status. */
  readonly responses: Readonly<Record<string, Json>>;
}

/** What a document says about the whole API. */
export interface ApiInfo {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  /** The URL of the API, relative to that of the document. */
  readonly root: string;
  readonly security?: readonly Json[] | undefined;
  readonly components: Json;
}

/** Returns the description of a request body that is JSON. */
export function jsonBody(
  schema: Json,
  { description, required = true }: { description?: string | undefined; required?: boolean } = {},
): Json {
  return {
    ...(description === undefined ? {} : { description }),
    required,
    content: { "application/json": { schema } },
  };
}

/**
 * Returns operations as an OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1). Members that are undefined are
 * absent in its JSON.
 * @param operations by `operationId`
 */
export function documentOf(
  { info, root, security, components }: ApiInfo,
  operations: Readonly<Record<string, DescribedOperation>>,
): Json {
  const paths: Record<string, Json> = {};
  for (const [operationId, { path, method, common, ...described }] of Object.entries(operations)) {
    const { parameters, security: own, requestBody, responses } = described;
    const at = writeTemplate(path, (name) => `{${name}}`);
    const operation = { operationId, parameters, security: own, requestBody, responses };
    paths[at] = { ...paths[at], ...(common && { parameters: common }), [method]: operation };
  }
  return { openapi: "3.1.0", info, servers: [{ url: root }], security, paths, components };
}
