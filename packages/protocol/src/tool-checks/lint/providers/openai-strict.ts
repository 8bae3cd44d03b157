import { OPENAI } from "./openai.ts";
import { pythonPatterns } from "./patterns.ts";
import {
  closedObjects,
  objectSchemas,
  refAlone,
  requiredAll,
  typeOrValues,
} from "./place-rules.ts";
import { type Provider, wordSet } from "./provider.ts";

const FORMATS = wordSet("date-time time date duration email hostname ipv4 ipv6 uuid");

/**
 * OpenAI's functions with `strict: true`, and its structured outputs
 * (https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas): every object must be closed,
 * and every property must be required. Of the keywords that constrain values, `pattern`, `format`, the bounds of
 * numbers, `minItems` and `maxItems` are known. The API refuses others ("'minLength' is not permitted"), as does
 * OpenAI's own SDK before it sends a request (openai-node, `lib/transform.ts`). It also refuses a schema without a type
 * ("schema must have a 'type' key"), and lookaround in patterns ("regex lookaround is not supported",
 * https://github.com/existential-birds/daydream/issues/304), and a reference with anything beside it ("$ref cannot have
 * keywords {'description'}", https://github.com/camel-ai/camel/issues/3001).
 */
export const OPENAI_STRICT: Provider = {
  ...OPENAI,
  name: "openai-strict",
  title: "OpenAI in strict mode",
  refused: wordSet(
    "oneOf allOf not if then else dependentRequired dependentSchemas dependencies patternProperties " +
      "unevaluatedProperties unevaluatedItems propertyNames minProperties maxProperties contains " +
      "minContains maxContains uniqueItems prefixItems additionalItems contentSchema minLength maxLength " +
      "default",
  ),
  formats: { string: FORMATS },
  places: {
    ...OPENAI.places,
    pattern: pythonPatterns("error"),
    "boolean-schema": objectSchemas,
    "type-missing": typeOrValues,
    "closed-objects": closedObjects,
    "required-all": requiredAll,
    "ref-alone": refAlone,
  },
  limits: {
    ...OPENAI.limits,
    nesting: 10,
    properties: 5000,
    enumValues: 1000,
    characters: 120_000,
    longEnum: { values: 250, characters: 15_000 },
  },
};
