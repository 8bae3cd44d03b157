import { isObject, type JsonObject, joinPointer } from "@touchstone/core/advanced";
import { quotedAuthorText } from "../finding.ts";
import type { Objection, PlaceRule } from "./provider.ts";

/** Returns the types that a schema names; empty if it names none. */
export function typesOf({ type }: JsonObject): readonly string[] {
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.filter((each): each is string => typeof each === "string") : [];
}

function has(schema: JsonObject, keyword: string): boolean {
  return Object.hasOwn(schema, keyword);
}

/** Arrays must define their items, in `items` itself. */
export const arrayItems: PlaceRule = ({ schema }) => {
  if (!typesOf(schema).includes("array") || isObject(schema["items"])) return [];
  const said = has(schema, "prefixItems") || Array.isArray(schema["items"]);
  return [
    {
      message: said
        ? "an array declares its items by position, and not in items"
        : "an array does not declare its items",
      fix: 'Add "items", if only as {}.',
    },
  ];
};

/** The parameters must have `properties`, even if empty. */
export const topProperties: PlaceRule = ({ schema }, isTop) =>
  isTop && schema["type"] === "object" && !isObject(schema["properties"])
    ? [{ message: "the parameters have no properties", fix: 'Add "properties": {}.' }]
    : [];

/** Objects must have at least one property. */
export const objectProperties: PlaceRule = ({ schema }) => {
  const { properties } = schema;
  if (schema["type"] !== "object") return [];
  if (isObject(properties) && Object.keys(properties).length > 0) return [];
  return [
    {
      message: "an object has no properties; some models refuse it",
      fix: "Name the properties, or take the object as a string of JSON and say so in its description.",
      severity: "warning",
    },
  ];
};

/** Values to choose from must not be empty texts. */
export const enumNotEmpty: PlaceRule = ({ schema }) => {
  const { enum: values } = schema;
  if (!Array.isArray(values)) return [];
  return values.flatMap((value: unknown, i): Objection[] =>
    value === ""
      ? [
          {
            at: `/enum/${i}`,
            message: "an empty string is among the values to choose from",
            fix: "Remove it, and make the property optional instead.",
          },
        ]
      : [],
  );
};

/** Objects must allow only the properties that they name. */
export const closedObjects: PlaceRule = ({ schema }) => {
  if (!typesOf(schema).includes("object") && !isObject(schema["properties"])) return [];
  if (schema["additionalProperties"] === false) return [];
  const fix = 'Add "additionalProperties": false; calls with other properties are refused then.';
  return [{ message: "an object is open to properties that it does not name", fix }];
};

/** Objects must require all of their properties. */
export const requiredAll: PlaceRule = ({ schema }) => {
  const { properties, required } = schema;
  if (!isObject(properties)) return [];
  const listed = new Set(Array.isArray(required) ? required : []);
  return Object.keys(properties).flatMap((name): Objection[] => {
    if (listed.has(name)) return [];
    const fix = "Require it, and allow null as its type if it may be left out.";
    const at = joinPointer("/properties", name);
    return [{ at, message: `the property ${quotedAuthorText(name)} is optional`, fix }];
  });
};

/** A type must be a single name, not a list. */
export const typeNotListed: PlaceRule = ({ schema }) =>
  Array.isArray(schema["type"])
    ? [
        {
          at: "/type",
          message: "the type is a list",
          fix: "Write anyOf with a schema for each type.",
        },
      ]
    : [];

const TYPED = ["type", "anyOf", "$ref"];

/** A schema must give its type, or be composed of schemas that do. */
export const typeRequired: PlaceRule = ({ schema }) =>
  TYPED.some((keyword) => has(schema, keyword))
    ? []
    : [
        {
          message: "the schema names no type; some models refuse it, others guess",
          fix: "Add the type, if there is only one.",
          severity: "warning",
        },
      ];

/**
 * A schema must give its type, be composed of schemas that do, or list its values; `const` does not count as a list.
 */
export const typeOrValues: PlaceRule = ({ schema }) =>
  [...TYPED, "enum"].some((keyword) => has(schema, keyword))
    ? []
    : [
        {
          message: "the schema names no type",
          fix: "Add the type; write anyOf with a schema for each if there are several.",
        },
      ];

/** A schema with `anyOf` must not give a type beside it, but in each branch. */
export const anyOfTyped: PlaceRule = ({ schema }) =>
  has(schema, "anyOf") && has(schema, "type")
    ? [
        {
          at: "/type",
          message: "a type is beside anyOf",
          fix: "Write the type into each branch of anyOf instead.",
        },
      ]
    : [];

/** The schemas of properties must be objects, although JSON Schema also allows `true` and `false`. */
export const objectSchemas: PlaceRule = ({ schema }) => {
  const { properties } = schema;
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, held]): Objection[] => {
    if (typeof held !== "boolean") return [];
    const at = joinPointer("/properties", name);
    const fix = held ? "Write {} instead." : "Take the property out.";
    return [{ at, message: `the property ${quotedAuthorText(name)} has the schema ${held}`, fix }];
  });
};

/** The same rule for a client that has trouble with such schemas, although the model's API accepts them. */
export const objectSchemasForClients: PlaceRule = (place, isTop) =>
  objectSchemas(place, isTop).map((objection) => ({
    ...objection,
    message: `${objection.message}, for which clients drop all tools of a server`,
    severity: "warning",
  }));

/** Values to choose from must be strings. */
export const enumOfStrings: PlaceRule = ({ schema }) => {
  const { enum: values } = schema;
  if (!Array.isArray(values)) return [];
  const [type] = typesOf(schema);
  if (values.every((value) => typeof value === "string") && (type ?? "string") === "string")
    return [];
  const fix = "Use strings, or list the values in the description.";
  return [{ at: "/enum", message: "the values to choose from are not all strings", fix }];
};

const OF_TYPES: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ["object", ["properties", "required", "minProperties", "maxProperties"]],
  ["array", ["items", "minItems", "maxItems"]],
];

/** Keywords for objects must be in schemas of objects, and those for arrays in schemas of arrays. */
export const keywordOfAnotherType: PlaceRule = ({ schema }) => {
  const types = typesOf(schema);
  if (types.length === 0) return [];
  return OF_TYPES.flatMap(([type, keywords]) =>
    types.includes(type)
      ? []
      : keywords
          .filter((keyword) => has(schema, keyword))
          .map((keyword) => ({
            at: `/${keyword}`,
            message: `${keyword} is in a schema of type ${types.join(" or ")}`,
            fix: "Take it out; it checks nothing there.",
          })),
  );
};

/** Keywords that name or locate schemas. They may be beside a reference. */
const PLACES: ReadonlySet<string> = new Set(["$ref", "$defs", "definitions", "$schema"]);

/** A reference must be the only keyword of its schema, but for definitions at the top. */
export const refAlone: PlaceRule = ({ schema }, isTop) => {
  if (!has(schema, "$ref")) return [];
  return Object.keys(schema)
    .filter((keyword) => keyword !== "$ref" && !(isTop && PLACES.has(keyword)))
    .map((keyword) => ({
      at: joinPointer("", keyword),
      message: `${quotedAuthorText(keyword)} is next to a reference ("$ref cannot have keywords {'${keyword}'}")`,
      fix: "Replace the reference with the schema that it refers to, or leave out what is beside it.",
    }));
};

/**
 * Warns of keywords beside a reference, of which `type` is an error: it is refused whatever the reference leads to.
 * Definitions at the top do not count.
 */
export const refWithoutType: PlaceRule = (place, isTop) =>
  refAlone(place, isTop).map(({ at = "" }): Objection => {
    const keyword = at.slice(1);
    const fix = "Write it into the schema that the reference leads to, or leave it out.";
    if (keyword === "type") {
      const message =
        'a type is next to a reference ("when using $ref, type should be defined in the referenced schema")';
      return { at, message, fix };
    }
    const message = `${quotedAuthorText(keyword)} is next to a reference ("conflicting keywords found after $ref expansion"), which some releases refuse`;
    return { at, message, fix, severity: "warning" };
  });

/** References must lead to the whole schema, or to a definition under `$defs` at its top. */
export const refToDefs: PlaceRule = ({ schema: { $ref } }) =>
  typeof $ref !== "string" || $ref === "#" || $ref.startsWith("#/$defs/")
    ? []
    : [
        {
          at: "/$ref",
          message: `the reference ${quotedAuthorText($ref)} does not lead to $defs`,
          fix: "Put what it leads to under $defs at the top, or write it in place of the reference.",
        },
      ];

const CONDITIONS = ["not", "if", "then", "else"];

/** Conditions at the top make a client silently drop the tool, although the model's API accepts them. */
export const noConditionsAtTop: PlaceRule = ({ schema }, isTop) =>
  isTop
    ? CONDITIONS.filter((keyword) => has(schema, keyword)).map((keyword) => ({
        at: `/${keyword}`,
        message: `${quotedAuthorText(keyword)} is at the top of the parameters, for which Claude Code drops the tool`,
        fix: "Move it below a property, or let the tool check it and say so in the description.",
        severity: "warning",
      }))
    : [];

/** Required properties must be declared in the same place. */
export const requiredDeclared: PlaceRule = ({ schema }) => {
  const { required, properties } = schema;
  if (!Array.isArray(required)) return [];
  return required.flatMap((name: unknown, i): Objection[] => {
    if (typeof name !== "string" || (isObject(properties) && Object.hasOwn(properties, name)))
      return [];
    const fix = "Declare it under properties of the same schema.";
    return [
      {
        at: `/required/${i}`,
        message: `the property ${quotedAuthorText(name)} is not declared`,
        fix,
      },
    ];
  });
};
