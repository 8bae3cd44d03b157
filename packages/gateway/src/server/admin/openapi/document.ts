import { VERSION } from "../../../util/own-package.ts";
import { DRIFT_SCHEMAS } from "./drift-schemas.ts";
import { GATEWAY_SCHEMAS } from "./gateway-schemas.ts";
import { PATHS } from "./paths.ts";
import { RECORD_SCHEMAS } from "./record-schemas.ts";

/**
 * The gateway's own API as an OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1). The tools of
 * each server have a document of their own, at `/servers/{server}/openapi.json`.
 */
export function gatewayOpenapi(): Readonly<Record<string, unknown>> {
  return {
    openapi: "3.1.0",
    info: {
      title: "Touchstone gateway",
      version: VERSION,
      description:
        "Servers, settings and records of a gateway. The tools of a server are described at /servers/{server}/openapi.json.",
    },
    // From where this document is served, the gateway's root (RFC 3986, section 5.2).
    servers: [{ url: "../../../" }],
    security: [{}, { apiKey: [] }, { bearer: [] }],
    paths: PATHS,
    components: {
      schemas: { ...RECORD_SCHEMAS, ...DRIFT_SCHEMAS, ...GATEWAY_SCHEMAS },
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "X-API-Key",
          description:
            "auth.api_key; of changes, where none is configured, the token that serve prints.",
        },
        bearer: { type: "http", scheme: "bearer", description: "The same." },
      },
    },
  };
}
