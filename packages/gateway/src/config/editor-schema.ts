import {
  acceptsSingleObject,
  acceptsSingleString,
  FILE_SCHEMA,
  type SchemaPart,
  SERVER_SCHEMA,
} from "../settings/sections.ts";
import { DISABLING_KEYS, RUN_KEYS, URL_KEYS } from "./entry-keys.ts";
import { misplacedKeysForEditors } from "./misplaced-keys.ts";

/** A text whose value depends on the environment. */
const VARIABLE = "\\$\\{";

/**
 * Returns the JSON Schema (2020-12) of `touchstone.json`, for editors. It accepts everything that the gateway
 * accepts. It knows keys, types, allowed values, defaults and required keys of an entry. It does not check addresses,
 * URLs, names, values of `${NAME}` and other conditions between keys.
 */
export function configJsonSchema(): Record<string, unknown> {
  const { $defs } = misplacedKeysForEditors();
  return { ...forEditors(FILE_SCHEMA), $defs };
}

/** Returns the same schema for a text before variables are substituted, and for disabled entries. */
function forEditors(part: SchemaPart): object {
  const {
    enum: values,
    words: _,
    single: __,
    pattern,
    properties,
    patternProperties,
    ...others
  } = part;
  const { additionalProperties, items, ...rest } = others;
  const inside = {
    ...rest,
    ...(properties && { properties: eachForEditors(properties) }),
    ...(patternProperties && { patternProperties: eachForEditors(patternProperties) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === "object"
          ? forEditors(additionalProperties)
          : additionalProperties,
    }),
    ...(items && { items: forEditors(items) }),
  };
  if (items !== undefined && (acceptsSingleString(part) || acceptsSingleObject(part))) {
    const { type, items: each, ...about } = inside;
    return { ...about, anyOf: [{ type, items: each }, forEditors(items)] };
  }
  if (part === SERVER_SCHEMA) return entrySchema(rest, eachForEditors(properties ?? {}));
  if (values !== undefined) {
    return { ...inside, anyOf: [{ enum: values }, { type: "string", pattern: VARIABLE }] };
  }
  return pattern === undefined ? inside : { ...inside, pattern: `${pattern}|${VARIABLE}` };
}

function eachForEditors(parts: NonNullable<SchemaPart["properties"]>): Record<string, object> {
  return Object.fromEntries(Object.entries(parts).map(([key, part]) => [key, forEditors(part)]));
}

/** Returns the schema of an entry. In a disabled entry, keys that only matter while it runs may have any value. */
function entrySchema(rest: object, properties: Readonly<Record<string, object>>): object {
  const members = Object.entries(properties);
  const { properties: misplaced, additionalProperties } = misplacedKeysForEditors();
  const isRun = ([name]: readonly [string, unknown]): boolean => RUN_KEYS.includes(name);
  return {
    ...rest,
    properties: {
      ...misplaced,
      // `additionalProperties` must also know the keys that only a running server's entry checks.
      ...Object.fromEntries(members.map((entry) => (isRun(entry) ? [entry[0], true] : entry))),
    },
    additionalProperties,
    if: {
      anyOf: Object.entries(DISABLING_KEYS).map(([key, off]) => ({
        required: [key],
        properties: { [key]: { const: off } },
      })),
    },
    else: {
      oneOf: [
        ...["command", ...URL_KEYS].map((key) => ({ required: [key] })),
        // The settings of a wrapped server.
        { required: ["touchstone"], maxProperties: 1 },
      ],
      properties: Object.fromEntries(members.filter(isRun)),
    },
  };
}
