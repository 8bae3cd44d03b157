import {
  fragmentTokens,
  isObject,
  type JsonObject,
  joinPointer,
  valueAt,
} from "@touchstone/core/advanced";
import type { UnassignedFinding } from "./finding.ts";
import type { Subschema } from "./walk.ts";

/** A keyword that seems to do something in JSON Schema but does not. */
interface Believed {
  /** Returns what to write instead, if the author probably meant something by it there. */
  readonly fix: (schema: JsonObject, top: JsonObject) => string | undefined;
  /** The effect that it does not have. */
  readonly effect: string;
  readonly severity: "warning" | "info";
}

const isNumber = (value: unknown): boolean => typeof value === "number";

function numeric(keyword: string, meant: string): readonly [string, Believed] {
  return [
    keyword,
    {
      fix: (schema) =>
        isNumber(schema[keyword]) && !Object.hasOwn(schema, meant) ? `Write ${meant}.` : undefined,
      effect: "nothing is checked",
      severity: "warning",
    },
  ];
}

function choices(keyword: string): readonly [string, Believed] {
  return [
    keyword,
    {
      fix: (schema) =>
        Array.isArray(schema[keyword]) &&
        schema[keyword].every((value: unknown) => typeof value !== "object") &&
        !["enum", "anyOf", "oneOf", "const"].some((other) => Object.hasOwn(schema, other))
          ? "Write enum, if these are the only values."
          : undefined,
      effect: "every value is accepted",
      severity: "warning",
    },
  ];
}

/** How many levels of references and branches are followed. */
const MAX_LEVELS = 8;

/** Returns whether a schema certainly rejects null, as far as its own keywords show. */
function refusesNull(schema: unknown, top: JsonObject, level: number = MAX_LEVELS): boolean {
  if (schema === false) return true;
  if (!isObject(schema) || level === 0) return false;
  const { type, enum: values, anyOf, oneOf, allOf, $ref } = schema;
  if (type !== undefined && ![type].flat().includes("null")) return true;
  if (Array.isArray(values) && !values.includes(null)) return true;
  if (Object.hasOwn(schema, "const") && schema["const"] !== null) return true;
  const refuses = (held: unknown): boolean => refusesNull(held, top, level - 1);
  if (Array.isArray(allOf) && allOf.some(refuses)) return true;
  for (const branches of [anyOf, oneOf]) {
    if (Array.isArray(branches) && branches.length > 0 && branches.every(refuses)) return true;
  }
  const tokens =
    typeof $ref === "string" && $ref.startsWith("#") ? fragmentTokens($ref) : undefined;
  return tokens !== undefined && refuses(valueAt(top, tokens)?.value);
}

/** A keyword of another notation by which a value may be null. */
function nullable(keyword: string): readonly [string, Believed] {
  return [
    keyword,
    {
      fix: (schema, top) =>
        [true, "true"].includes(schema[keyword] as boolean) && refusesNull(schema, top)
          ? 'Add "null" to the types (and null to an enum), or write anyOf with {"type": "null"}.'
          : undefined,
      effect: "null is still refused",
      severity: "warning",
    },
  ];
}

/** Keywords of other formats, or of no format, by name. JSON Schema ignores keywords that it does not know. */
const BELIEVED: ReadonlyMap<string, Believed> = new Map([
  // OpenAPI 3.0, Schema Object. 3.1 replaced it with the type "null".
  nullable("nullable"),
  // Swagger 2.0 has it as an extension.
  nullable("x-nullable"),
  [
    // OpenAPI 3.0, Schema Object.
    "example",
    {
      fix: ({ examples }) =>
        examples === undefined ? "Write examples, a list of values." : undefined,
      effect: "clients that know only JSON Schema do not show it",
      severity: "info",
    },
  ],
  [
    "optional",
    {
      fix: ({ optional }) =>
        optional === true ? "Leave it out: what required does not name is optional." : undefined,
      effect: "required alone says what may be left out",
      severity: "info",
    },
  ],
  numeric("min", "minimum"),
  numeric("max", "maximum"),
  numeric("minValue", "minimum"),
  numeric("maxValue", "maximum"),
  [
    "regex",
    {
      fix: (schema) =>
        typeof schema["regex"] === "string" && !Object.hasOwn(schema, "pattern")
          ? "Write pattern."
          : undefined,
      effect: "nothing is checked",
      severity: "warning",
    },
  ],
  choices("choices"),
  choices("options"),
  choices("values"),
  choices("allowedValues"),
]);

/** Finds properties that `required` lists but that mark themselves as optional. */
function contradictions({ schema, path }: Subschema): readonly UnassignedFinding[] {
  const { properties, required } = schema;
  if (!isObject(properties) || !Array.isArray(required)) return [];
  return Object.entries(properties).flatMap(([name, held]): UnassignedFinding[] => {
    if (!isObject(held) || held["optional"] !== true || !required.includes(name)) return [];
    return [
      {
        path: joinPointer(joinPointer(`${path}/properties`, name), "optional"),
        rule: "no-effect",
        severity: "warning",
        message: '"optional" is not a keyword of JSON Schema; the property is still required',
        fix: "Take the property out of required.",
      },
    ];
  });
}

/**
 * Finds keywords that have no effect but that the author probably meant something by: from OpenAPI, older drafts, or
 * a library.
 * @param top the schema that references lead into
 */
export function noEffectFindings(place: Subschema, top: JsonObject): readonly UnassignedFinding[] {
  const { schema, path } = place;
  const found = Object.keys(schema).flatMap((keyword): UnassignedFinding[] => {
    const believed = BELIEVED.get(keyword);
    const fix = believed?.fix(schema, top);
    if (believed === undefined || fix === undefined) return [];
    return [
      {
        path: joinPointer(path, keyword),
        rule: "no-effect",
        severity: believed.severity,
        message: `${JSON.stringify(keyword)} is not a keyword of JSON Schema; ${believed.effect}`,
        fix,
      },
    ];
  });
  return [...contradictions(place), ...found];
}
