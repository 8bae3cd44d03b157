import { anyOfAlone } from "./any-of-alone.ts";
import {
  arrayItems,
  enumNotEmpty,
  enumOfStrings,
  keywordOfAnotherType,
  objectProperties,
  objectSchemas,
  requiredDeclared,
  typeGiven,
  typeNotListed,
} from "./place-rules.ts";
import { type Provider, words } from "./provider.ts";

/**
 * `parameters` of a function declaration in the Gemini API (https://ai.google.dev/api/caching#Schema) and Vertex AI:
 * the `Schema` message. In both, it has fields for these keywords, and a request with any other is refused ("Unknown
 * name … Cannot find field"). The formats of strings are those that the API names when it refuses one ("only 'enum'
 * and 'date-time' are supported for STRING type"). Vertex AI says "When using any_of, it must be the only field set",
 * even if only a description is beside it. Clients that send `parametersJsonSchema` instead are not bound by this. A
 * function's name has 128 characters at most (https://ai.google.dev/api/caching#FunctionDeclaration); Vertex AI's
 * reference says that it begins with a letter or an underscore. If two functions have the same name, all are refused
 * ("Duplicate function declaration found"). An empty text among the values is refused ("enum[0]: cannot be empty",
 * https://github.com/anomalyco/opencode/pull/46676), and some models refuse an object without properties ("should be
 * non-empty for OBJECT type", https://github.com/CherryHQ/cherry-studio/issues/3270). So are keywords of arrays in a
 * schema of another type ("items: field predicate failed: $type == Type.ARRAY",
 * https://github.com/sbroenne/mcp-server-excel/issues/672).
 */
export const GEMINI: Provider = {
  name: "gemini",
  title: "Gemini",
  toolName: /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/,
  uniqueNames: true,
  allowed: words(
    "type format title description nullable enum items minItems maxItems properties required " +
      "minProperties maxProperties minimum maximum minLength maxLength pattern example anyOf " +
      "propertyOrdering default",
  ),
  formats: { string: words("enum date-time"), number: words("float double int32 int64") },
  places: {
    "array-items": arrayItems,
    "boolean-schema": objectSchemas,
    "any-of-alone": anyOfAlone,
    "type-list": typeNotListed,
    "type-missing": typeGiven,
    "enum-type": enumOfStrings,
    "enum-empty": enumNotEmpty,
    "object-empty": objectProperties,
    "keyword-of-another-type": keywordOfAnotherType,
    "required-undeclared": requiredDeclared,
  },
};
