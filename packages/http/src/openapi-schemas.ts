import { REPAIR_KINDS } from "@touchstone/core/advanced";
import { BATCH_SCHEMA } from "./batch.ts";

/** A part of an OpenAPI document, or a JSON Schema in one. */
export type Json = Readonly<Record<string, unknown>>;

/** A response whose body is JSON. */
export const jsonResponseOf = (description: string, schema: Json): Json => ({
  description,
  content: { "application/json": { schema } },
});

/** A reference to one of {@link SCHEMAS}. */
export const schemaRef: (name: string) => Json = (name) => ({
  $ref: `#/components/schemas/${name}`,
});
const text = (description: string): Json => ({ type: "string", description });

const FAILURE: Json = {
  type: "object",
  required: ["path", "message"],
  properties: {
    path: text('RFC 6901 pointer to the offending or missing property; "" is the root.'),
    message: text("The validator's own text."),
    keyword: text("The JSON Schema keyword that failed."),
  },
};

const DETAILS: Json = {
  rule: text("The class of the failure. With ?detail=full."),
  instancePath: text("The engine's own location. With ?detail=full."),
  schemaPath: text("Where in the schema the keyword is. With ?detail=full."),
  params: { type: "object", description: "The engine's parameters. With ?detail=full." },
};

const RESULT: Json = {
  type: "object",
  required: ["valid"],
  properties: {
    valid: { type: "boolean" },
    decision: {
      enum: ["allowed", "warning", "repaired", "blocked"],
      description:
        "What would be done with the call, if the server has rules of its own: with ?detail=full always, else unless it is allowed or warning.",
    },
    checked: {
      const: false,
      description:
        "Present if the arguments could not be checked: the tool list is not available, or the check would cost too much. They may be valid.",
    },
    errors: { type: "array", minItems: 1, items: schemaRef("ValidationFailure") },
    truncated: { type: "integer", minimum: 1, description: "Failures that are not listed." },
    warnings: {
      type: "array",
      items: schemaRef("ValidationFailure"),
      description: "Notes that do not affect the result. With ?detail=full.",
    },
    suggestions: {
      type: "array",
      items: schemaRef("Suggestion"),
      description: "Changes that would help. With ?detail=full.",
    },
    repair: {
      ...schemaRef("ProposedRepair"),
      description:
        "A repair that leaves no issues. With ?repair=…, or if the decision is repaired; it was not applied.",
    },
  },
  if: { properties: { valid: { const: true } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, in data.
  then: { properties: { checked: false, errors: false, truncated: false } },
  else: { required: ["errors"] },
  additionalProperties: false,
};

const SUMMARY: Json = {
  name: { type: "string" },
  description: { type: "string" },
  title: { type: "string" },
  annotations: { type: "object" },
};

/** The schemas of everything that the API accepts and returns, by name. */
export const SCHEMAS: Json = {
  ToolSummary: {
    type: "object",
    required: ["name", "description"],
    properties: SUMMARY,
    additionalProperties: false,
  },
  Tool: {
    type: "object",
    required: ["name", "description", "inputSchema"],
    properties: {
      ...SUMMARY,
      inputSchema: { type: ["object", "boolean"], description: "A JSON Schema." },
      outputSchema: { type: ["object", "boolean"], description: "A JSON Schema." },
      icons: { type: "array" },
    },
    additionalProperties: false,
  },
  ValidationFailure: {
    ...FAILURE,
    properties: { ...(FAILURE["properties"] as Json), ...DETAILS },
    additionalProperties: false,
  },
  Suggestion: {
    type: "object",
    required: ["path", "message"],
    properties: { path: { type: "string" }, message: { type: "string" }, value: {} },
    additionalProperties: false,
  },
  ProposedRepair: {
    type: "object",
    required: ["arguments", "repairs", "patch"],
    properties: {
      arguments: { description: "The repaired arguments." },
      repairs: {
        type: "array",
        items: {
          type: "object",
          required: ["kind", "path"],
          properties: {
            kind: { enum: REPAIR_KINDS },
            path: text(
              "RFC 6901 pointer, after the repairs before it; of a renamed property the old name's.",
            ),
          },
          additionalProperties: false,
        },
      },
      patch: {
        type: "array",
        items: { type: "object", required: ["op", "path"] },
        description: "JSON Patch (RFC 6902) from the received arguments to these.",
      },
    },
    additionalProperties: false,
  },
  ValidateResult: RESULT,
  Batch: BATCH_SCHEMA,
  BatchResult: {
    type: "object",
    required: ["results"],
    properties: { results: { type: "array", items: schemaRef("ValidateResult") } },
    additionalProperties: false,
  },
  CallResult: {
    type: "object",
    required: ["content", "isError"],
    properties: {
      content: {
        type: "array",
        items: { type: "object", required: ["type"], properties: { type: { type: "string" } } },
      },
      isError: { type: "boolean" },
      structuredContent: {},
      _meta: { type: "object", properties: { _trace_id: { type: "string" } } },
    },
    additionalProperties: false,
  },
  Error: {
    type: "object",
    required: ["error"],
    properties: { error: { type: "string" } },
    additionalProperties: false,
  },
  GatewayError: {
    type: "object",
    required: ["error", "code"],
    properties: { error: { type: "string" }, code: { type: "string" } },
    additionalProperties: false,
  },
};
