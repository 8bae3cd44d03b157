// The engines of a benchmark: `compile` returns a function that takes a value and returns true or false.
import { Validator } from "@cfworker/json-schema";
import { registerSchema, unregisterSchema, validate } from "@hyperjump/json-schema/draft-2020-12";
import "@hyperjump/json-schema/draft-07";
import { AjvJsonSchemaValidator as AjvProviderV2 } from "@modelcontextprotocol/client/validators/ajv";
import { AjvJsonSchemaValidator as AjvProviderV1 } from "@modelcontextprotocol/sdk/validation/ajv";
import { compileDeclared } from "@touchstone/core/advanced";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { createValidator } from "tjs";

const JSON_SCHEMA_2020 = "https://json-schema.org/draft/2020-12/schema";

const isDraft07 = (schema) => String(schema.$schema ?? "").includes("draft-07");

/** Compiles with Ajv as its documentation recommends, with formats, made safe for prototype names. */
export function plainAjv(schema, options = {}) {
  const Engine = isDraft07(schema) ? Ajv : Ajv2020;
  const ajv = new Engine({ strict: false, logger: false, ownProperties: true, ...options });
  addFormats.default(ajv);
  // The instance already has the metaschema of its own dialect.
  return ajv.getSchema(schema.$id ?? "") ?? ajv.compile(schema);
}

/** Does the same, but reports every error of a value. */
export function allErrorsOfAjv(schema) {
  return plainAjv(schema, { allErrors: true });
}

/** Compiles a schema, and runs it until it is fully optimized. */
export function touchstone(schema, value) {
  const compiled = compileDeclared({ value: schema });
  for (let i = 0; i < 10; i += 1) compiled.validate(value);
  return compiled;
}

let schemas = 0;

async function hyperjump(schema) {
  schemas += 1;
  const uri = `https://bench.example/${schemas}`;
  const { $id, ...rest } = structuredClone(schema);
  registerSchema(rest, uri, rest.$schema === undefined ? JSON_SCHEMA_2020 : undefined);
  try {
    const judge = await validate(uri);
    return (value) => judge(value).valid;
  } finally {
    unregisterSchema(uri);
  }
}

function provider(Provider) {
  return (schema) => {
    const check = new Provider().getValidator(structuredClone(schema));
    return (value) => check(value).valid;
  };
}

export const AJV = "Ajv, formats, own properties";

/** Other engines, in the order of the tables. */
export const PEERS = [
  [AJV, (schema) => plainAjv(schema)],
  ["MCP SDK v2's provider", provider(AjvProviderV2)],
  ["tjs", (schema) => createValidator(structuredClone(schema))],
  ["hyperjump", hyperjump],
  [
    "cfworker",
    (schema) => {
      const validator = new Validator(schema, isDraft07(schema) ? "7" : "2020-12", true);
      return (value) => validator.validate(value).valid;
    },
  ],
];

/** Ways to compile one tool's schema; an external schema needs a separate instance. */
export const COMPILERS = [
  ["Ajv for each tool, schema checked (the SDK's way)", (schema) => plainAjv(schema)],
  ["MCP SDK v1's provider for each tool", (schema) => new AjvProviderV1().getValidator(schema)],
  ["MCP SDK v2's provider for each tool", (schema) => new AjvProviderV2().getValidator(schema)],
  [
    "Ajv for each tool, schema not checked",
    (schema) => plainAjv(schema, { validateSchema: false }),
  ],
  ["touchstone compile", (schema) => compileDeclared({ value: schema })],
  [
    "touchstone compile and its first check",
    (schema, value) => compileDeclared({ value: schema }).validate(value),
  ],
  [
    "touchstone compile and its first four checks",
    (schema, value) => {
      const compiled = compileDeclared({ value: schema });
      for (let i = 0; i < 4; i += 1) compiled.validate(value);
    },
  ],
];
