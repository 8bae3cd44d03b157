import { OPENAI } from "./openai.ts";
import { closedObjects, requiredAll } from "./place-rules.ts";
import { type Provider, words } from "./provider.ts";

const FORMATS = words("date-time time date duration email hostname ipv4 ipv6 uuid");

/**
 * OpenAI's functions with `strict: true`, and its structured outputs (Structured model outputs,
 * Supported schemas): every object is closed, every property required, few keywords are known.
 */
export const OPENAI_STRICT: Provider = {
  ...OPENAI,
  name: "openai-strict",
  title: "OpenAI in strict mode",
  refused: words(
    "oneOf allOf not if then else dependentRequired dependentSchemas dependencies patternProperties " +
      "unevaluatedProperties unevaluatedItems propertyNames minProperties maxProperties contains " +
      "minContains maxContains uniqueItems prefixItems additionalItems minLength maxLength default",
  ),
  formats: { string: FORMATS },
  places: { ...OPENAI.places, "closed-objects": closedObjects, "required-all": requiredAll },
  limits: { ...OPENAI.limits, nesting: 10, properties: 5000, enumValues: 1000 },
};
