import { type Json, jsonResponseOf, schemaRef } from "./openapi-schemas.ts";

/** The responses of an operation, by status. */
export type Responses = Readonly<Record<string, Json>>;

const refused = (description: string): Json =>
  jsonResponseOf(description, schemaRef("GatewayError"));
/** A gateway's own responses to any request, which it sends before the API gets the request. */
export const ANY_REQUEST_RESPONSES: Responses = {
  401: refused("An API key is required, as X-API-Key or as a Bearer token."),
  403: refused("The host or the origin is not allowed."),
};
/** The same, for a POST, which a gateway that is stopping no longer accepts. */
export const POST_RESPONSES: Responses = {
  ...ANY_REQUEST_RESPONSES,
  503: refused("The gateway is stopping."),
};
/** How a request names the gateway's key. */
export const GATEWAY_KEYS: Json = {
  header: { type: "apiKey", in: "header", name: "X-API-Key" },
  bearer: { type: "http", scheme: "bearer" },
};

/** Returns the responses of an operation, each combined with the gateway's for the same status. */
export function withGateway(own: Responses, gateway: Responses): Responses {
  const both = Object.entries(gateway).map(([status, theirs]) => {
    const ours = own[status];
    if (ours === undefined) return [status, theirs];
    const text = `${ours["description"]} Or: ${theirs["description"]}`;
    return [status, jsonResponseOf(text, { anyOf: [schemaOf(ours), schemaOf(theirs)] })];
  });
  return { ...own, ...Object.fromEntries(both) };
}

function schemaOf({ content }: Json): unknown {
  return (content as { "application/json": { schema: unknown } })["application/json"].schema;
}
