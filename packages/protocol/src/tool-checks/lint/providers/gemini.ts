import { anyOfAlone } from "./any-of-alone.ts";
import {
  arrayItems,
  enumNotEmpty,
  enumOfStrings,
  keywordOfAnotherType,
  objectProperties,
  objectSchemas,
  requiredDeclared,
  typeNotListed,
  typeRequired,
} from "./place-rules.ts";
import { type Provider, wordSet } from "./provider.ts";

/**
 * What both forms of a function declaration have in common. The references of both APIs say that a name has 128
 * characters at most. Names of more than 64 were refused ("with a maximum length of 64",
 * https://github.com/kaitranntt/ccs/issues/25 of 2025-11-30, https://github.com/google-gemini/gemini-cli/pull/20987 of
 * 2026-03-03, https://github.com/voipbin/monorepo/pull/644 of 2026-03-03). No later report was found, so that is a warning.
 */
const BOTH = {
  toolName: /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/,
  uniqueNames: true,
  limits: { tools: 512, refusesMoreTools: true, nameBefore: 64 },
} as const;

/**
 * `parametersJsonSchema` of a function declaration in the Gemini API and Vertex AI: plain JSON Schema
 * (https://ai.google.dev/api/caching#FunctionDeclaration). The Gen AI SDK sends MCP tools in it since 1.9.0, and Gemini
 * CLI since July 2025 (https://github.com/google-gemini/gemini-cli/pull/4176). A request with more than 512 functions is
 * refused ("At most 512 function declarations can be specified", https://github.com/google-gemini/gemini-cli/issues/19083
 * of 2026-02-14, https://github.com/google-gemini/gemini-cli/issues/25440 of 2026-04-15, Gemini CLI 0.38.0).
 *
 * There is no rule for depth. Deep parameters were refused in August and September 2025 ("exceeds the maximum allowed
 * nesting depth", https://github.com/google-gemini/gemini-cli/issues/5923, https://github.com/zereight/gitlab-mcp/issues/223,
 * https://github.com/directus/directus/issues/25896), but neither the API nor the reports name a number: the tool of
 * gitlab-mcp has no more levels than `create_entities` of the reference server "memory".
 */
export const GEMINI: Provider = { ...BOTH, name: "gemini", title: "Gemini", places: {} };

/**
 * `parameters` of a function declaration in the Gemini API (https://ai.google.dev/api/caching#Schema) and Vertex AI:
 * the `Schema` message. In both, it has fields for these keywords, and a request with any other is refused ("Unknown
 * name … Cannot find field"). The formats of strings are those that the API names when it refuses one ("only 'enum'
 * and 'date-time' are supported for STRING type"). Vertex AI says "When using any_of, it must be the only field set",
 * even if only a description is beside it. A function's name has 128 characters at most
 * (https://ai.google.dev/api/caching#FunctionDeclaration); Vertex AI's reference says that it begins with a letter or
 * an underscore. If two functions have the same name, all are refused ("Duplicate function declaration found"). An
 * empty text among the values is refused ("enum[0]: cannot be empty",
 * https://github.com/anomalyco/opencode/pull/46676). The references say that `type` is required. Models up to 2.0 refused
 * an object without properties ("should be non-empty for OBJECT type", https://github.com/vercel/ai/issues/3371 of
 * 2024-10-27, Gemini 1.5 Flash, https://github.com/AstrBotDevs/AstrBot/issues/288 of 2025-02-02, AstrBot 3.4.16,
 * https://github.com/CherryHQ/cherry-studio/issues/3270 of 2025-03-13, Gemini 2.0 Flash, Cherry Studio 1.1.2), and a
 * report of 2026 says that it is taken (https://github.com/bug-ops/zeph/issues/1641 of 2026-03-13), so that is a warning. Refused are keywords of arrays in a
 * schema of another type ("items: field predicate failed: $type == Type.ARRAY",
 * https://github.com/sbroenne/mcp-server-excel/issues/672).
 */
export const GEMINI_OPENAPI: Provider = {
  ...BOTH,
  name: "gemini-openapi",
  title: "Gemini (OpenAPI)",
  allowed: wordSet(
    "type format title description nullable enum items minItems maxItems properties required " +
      "minProperties maxProperties minimum maximum minLength maxLength pattern example anyOf " +
      "propertyOrdering default",
  ),
  formats: { string: wordSet("enum date-time"), number: wordSet("float double int32 int64") },
  places: {
    "array-items": arrayItems,
    "boolean-schema": objectSchemas,
    "any-of-alone": anyOfAlone,
    "type-list": typeNotListed,
    "type-missing": typeRequired,
    "enum-type": enumOfStrings,
    "enum-empty": enumNotEmpty,
    "object-empty": objectProperties,
    "keyword-of-another-type": keywordOfAnotherType,
    "required-undeclared": requiredDeclared,
  },
};
