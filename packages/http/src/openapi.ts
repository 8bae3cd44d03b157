import { REPAIR_NAMES } from "@touchstone/core/advanced";
import {
  ANY_REQUEST_RESPONSES,
  GATEWAY_KEYS,
  POST_RESPONSES,
  type Responses,
  withGateway,
} from "./openapi-gateway.ts";
import { type Json, jsonResponseOf, SCHEMAS, schemaRef } from "./openapi-schemas.ts";
import type { Settings } from "./options.ts";
import { ROUTES } from "./request/route.ts";
import { documentOf, jsonBody } from "./router/openapi.ts";

const fails = (description: string): Json => jsonResponseOf(description, schemaRef("Error"));

const NAME: Json = {
  name: "name",
  in: "path",
  required: true,
  description: "The tool's name; slashes in it may be percent-encoded or not.",
  schema: { type: "string" },
};
const DETAIL: Json = {
  name: "detail",
  in: "query",
  description: "full: with all members of each failure, warnings and suggestions.",
  schema: { enum: ["full"] },
};
const REPAIR: Json = {
  name: "repair",
  in: "query",
  description: `Names of repairs, as a comma list of ${REPAIR_NAMES.join(", ")}: proposes one for arguments that are not valid. Nothing is applied.`,
  schema: { type: "string" },
};

const APPLIED: Json = {
  ...REPAIR,
  description: `Names of repairs, as a comma list of ${REPAIR_NAMES.join(", ")}: applied to arguments that are not valid, in addition to what the host repairs. Guesses (fill-defaults, rename-properties, match-enum-case) at the arguments of a destructive tool are left out.`,
};

const NOT_FOUND = { 404: fails("No tool has this name.") };
const TOO_LARGE = { 413: fails("The body is larger than the host allows.") };
const NO_TOOLS = { 500: fails("The host could not list its tools.") };
const UNJUDGED = jsonResponseOf(
  "The body is not JSON text, or no batch, or repair names what is not a repair.",
  schemaRef("ValidateResult"),
);

const RETRY_AFTER = {
  "Retry-After": {
    description: "Seconds after which the call can be sent again.",
    schema: { type: "integer" },
  },
};

function callAnswers(toolErrorStatus: number): Responses {
  const failed = "The tool failed.";
  const answers: Record<string, Json> = {
    200: {
      description:
        "The tool's result; also, as an error, if the arguments do not satisfy the schema and are not repaired. With `Accept: text/event-stream`, a tool that reports progress is answered with `progress` events and one `result` event.",
      content: {
        "application/json": { schema: schemaRef("CallResult") },
        "text/event-stream": { schema: { type: "string" } },
      },
    },
    400: fails("The body is not JSON text, or repair names what is not a repair."),
    401: fails("The host's hook rejected the request."),
    403: jsonResponseOf("Tool execution is disabled, or the host does not allow this call.", {
      anyOf: [schemaRef("Error"), schemaRef("CallResult")],
    }),
    ...NOT_FOUND,
    ...TOO_LARGE,
    415: fails("The arguments are not sent as application/json."),
    429: {
      ...jsonResponseOf("The call is over a limit.", schemaRef("CallResult")),
      headers: RETRY_AFTER,
    },
    ...NO_TOOLS,
  };
  const status = String(toolErrorStatus);
  if (status === "200") return answers;
  const also = answers[status] === undefined ? [] : [schemaRef("Error")];
  return {
    ...answers,
    [status]: jsonResponseOf(failed, { anyOf: [schemaRef("CallResult"), ...also] }),
  };
}

/** Returns the API as an OpenAPI 3.1 document, relative to the document's own address. */
export function openapi({ title, toolErrorStatus, gateway }: Settings): string {
  const isBehind = gateway !== undefined;
  const got = (own: Responses): Responses =>
    isBehind ? withGateway(own, ANY_REQUEST_RESPONSES) : own;
  const posted = (own: Responses): Responses => (isBehind ? withGateway(own, POST_RESPONSES) : own);
  const keys = isBehind ? { securitySchemes: GATEWAY_KEYS } : {};
  const tools = { type: "array", items: schemaRef("ToolSummary") };
  const description = "Lists, describes, validates and calls tools.";
  const document = documentOf(
    {
      info: { title, version: "1.0.0", description },
      root: "./",
      // The empty entry is for gateways without a key in their settings, which require none.
      security: isBehind ? [{}, { header: [] }, { bearer: [] }] : undefined,
      components: { schemas: SCHEMAS, ...keys },
    },
    {
      listTools: {
        ...ROUTES.tools,
        responses: got({ 200: jsonResponseOf("The tools.", tools), ...NO_TOOLS }),
      },
      describeTool: {
        ...ROUTES.tool,
        common: [NAME],
        responses: got({
          200: jsonResponseOf("The tool.", schemaRef("Tool")),
          ...NOT_FOUND,
          ...NO_TOOLS,
        }),
      },
      validateArguments: {
        ...ROUTES.validate,
        common: [NAME, DETAIL, REPAIR],
        requestBody: jsonBody({ description: "The arguments, checked as they are." }),
        responses: posted({
          200: jsonResponseOf("The result of the check.", schemaRef("ValidateResult")),
          400: UNJUDGED,
          ...NOT_FOUND,
          ...TOO_LARGE,
        }),
      },
      callTool: {
        ...ROUTES.call,
        common: [NAME, APPLIED],
        requestBody: jsonBody({ type: "object", description: "The arguments." }),
        responses: posted(callAnswers(toolErrorStatus)),
      },
      validateBatch: {
        ...ROUTES.batch,
        common: [DETAIL, REPAIR],
        requestBody: jsonBody(schemaRef("Batch")),
        responses: posted({
          200: jsonResponseOf("The results, in the order of the calls.", schemaRef("BatchResult")),
          400: UNJUDGED,
          ...TOO_LARGE,
        }),
      },
    },
  );
  return JSON.stringify(document);
}
