import { pythonPatterns } from "./patterns.ts";
import { arrayItems, topProperties } from "./place-rules.ts";
import type { Provider } from "./provider.ts";

/**
 * OpenAI's functions without `strict`, in Chat Completions and Responses
 * (https://developers.openai.com/api/docs/guides/function-calling). Its own words: "schema must have type 'object'
 * and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level", "array schema missing items", "object schema
 * missing properties".
 */
export const OPENAI: Provider = {
  name: "openai",
  title: "OpenAI",
  toolName: /^[A-Za-z0-9_-]{1,64}$/,
  notAtTop: ["oneOf", "anyOf", "allOf", "enum", "not"],
  places: {
    "array-items": arrayItems,
    "object-properties": topProperties,
    pattern: pythonPatterns("warning"),
  },
  limits: { tools: 128, description: 1024, prefixedName: 64 },
};
