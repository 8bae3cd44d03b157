import { OFF, RUN_KEYS, URL_KEYS } from "../config-file.ts";
import { FILE, SERVER } from "./keys.ts";
import type { Shape } from "./kinds.ts";
import { misplacedForEditors } from "./misplaced.ts";

type Schema = Shape["schema"];

/** A text whose value only the environment tells. */
const VARIABLE = "\\$\\{";

/**
 * The JSON Schema (2020-12) of `touchstone.json`, for editors: it takes whatever is taken. It knows keys, types,
 * allowed values and defaults, and what an entry has to have. It does not know addresses, URLs, names, what
 * `${NAME}` stands for and what else only holds between keys.
 */
export function configJsonSchema(): Record<string, unknown> {
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  const { $defs } = misplacedForEditors();
  return { $schema, title: "touchstone.json", ...forEditors(FILE.schema), $defs };
}

/** The same schema for a text before variables are put in, and for entries that are disabled as well. */
function forEditors(schema: Schema): Schema {
  const { enum: values, pattern, ...rest } = schema;
  const inside = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, memberForEditors(key, value)]),
  );
  if (schema === SERVER.schema) return entrySchema(inside);
  if (values !== undefined) return { ...inside, anyOf: [{ enum: values }, { pattern: VARIABLE }] };
  return pattern === undefined ? inside : { ...inside, pattern: `${pattern}|${VARIABLE}` };
}

function memberForEditors(key: string, value: unknown): unknown {
  if (!isSchema(value)) return value;
  if (key === "items" || key === "additionalProperties") return forEditors(value);
  if (key !== "properties") return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    isSchema(member) ? forEditors(member) : member,
  ]);
  return Object.fromEntries(members);
}

/** What only running a server reads may be anything in an entry that is disabled. */
function entrySchema({ properties, ...rest }: Schema): Schema {
  const members = Object.entries(isSchema(properties) ? properties : {});
  const { properties: misplaced, additionalProperties } = misplacedForEditors();
  const isRun = ([name]: readonly [string, unknown]): boolean => RUN_KEYS.includes(name);
  return {
    ...rest,
    properties: {
      ...misplaced,
      // What only the entry of a running server has to have right must be known to additionalProperties as well.
      ...Object.fromEntries(members.map((entry) => (isRun(entry) ? [entry[0], true] : entry))),
    },
    additionalProperties,
    if: {
      anyOf: Object.entries(OFF).map(([key, off]) => ({
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

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The keys that the object at a path of `touchstone.json` may have; none where any may stand. */
export function knownKeys(path: readonly (string | number)[]): readonly string[] {
  let schema: unknown = FILE.schema;
  for (const step of path) {
    schema =
      typeof step === "number"
        ? member(schema, "items")
        : (member(member(schema, "properties"), step) ?? member(schema, "additionalProperties"));
  }
  const properties = member(schema, "properties");
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}

function member(value: unknown, key: string | number): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string | number, unknown>>)[key];
}
