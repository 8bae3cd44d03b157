import { isIntegral } from "../json/decimal.ts";
import { type Keyword, keyword } from "./keyword.ts";
import type { SchemaNode } from "./node.ts";
import { type EvaluationRun, reportFailure, type ValuePlace } from "./run.ts";
import type { KeywordShape } from "./shape.ts";

declare module "./node.ts" {
  interface SchemaNode {
    readonly type?: readonly TypeName[];
  }
}

/**
 * The kinds of JSON values. Those with their own keywords come first, in the order in which Ajv applies them. JSON
 * text cannot contain `OTHER`.
 */
export const VALUE_KIND = {
  NUMBER: 0,
  STRING: 1,
  ARRAY: 2,
  OBJECT: 3,
  BOOLEAN: 4,
  NULL: 5,
  OTHER: 6,
} as const;
export type Kind = (typeof VALUE_KIND)[keyof typeof VALUE_KIND];

const KIND_OF_TYPE: Readonly<Record<Exclude<TypeName, "integer">, Kind>> = {
  number: VALUE_KIND.NUMBER,
  string: VALUE_KIND.STRING,
  array: VALUE_KIND.ARRAY,
  object: VALUE_KIND.OBJECT,
  boolean: VALUE_KIND.BOOLEAN,
  null: VALUE_KIND.NULL,
};

/** The bit for `integer` in a set of types; the other types have `1 << kind`. */
export const INTEGER: number = 1 << 7;

export function kindOf(value: unknown, place: ValuePlace | undefined): Kind {
  switch (typeof value) {
    case "number":
      // An infinity is a number if its text is a number that no double holds.
      return Number.isFinite(value) || place?.tree?.exact !== undefined
        ? VALUE_KIND.NUMBER
        : VALUE_KIND.OTHER;
    case "string":
      return VALUE_KIND.STRING;
    case "boolean":
      return VALUE_KIND.BOOLEAN;
    case "object":
      if (value === null) return VALUE_KIND.NULL;
      return Array.isArray(value) ? VALUE_KIND.ARRAY : VALUE_KIND.OBJECT;
    default:
      return VALUE_KIND.OTHER;
  }
}

/** Returns the set of types that `type` allows; 0 if it is absent. */
export function typeSet({ type = [] }: Pick<SchemaNode, "type">): number {
  let types = 0;
  for (const name of type) types |= name === "integer" ? INTEGER : 1 << KIND_OF_TYPE[name];
  return types;
}

/** Returns the kind of the single type that a schema allows. */
export function kindOfType(name: TypeName): Kind {
  return name === "integer" ? VALUE_KIND.NUMBER : KIND_OF_TYPE[name];
}

export function isInteger(value: unknown, place: ValuePlace | undefined): boolean {
  const exact = place?.tree?.exact;
  return exact === undefined ? Number.isInteger(value) : isIntegral(exact);
}

/** Returns whether a set of types contains that of the value (2020-12 Validation, section 6.1.1). */
export function hasType(
  types: number,
  kind: Kind,
  value: unknown,
  place: ValuePlace | undefined,
): boolean {
  if ((types & (1 << kind)) !== 0) return true;
  return (types & INTEGER) !== 0 && kind === VALUE_KIND.NUMBER && isInteger(value, place);
}

/** Reports a value of the wrong type. */
export function reportType(
  run: EvaluationRun,
  node: SchemaNode,
  value: unknown,
  place: ValuePlace | undefined,
): false {
  const { type = [] } = node;
  return reportFailure(run, node, "type", value, place, () => ({
    message: `must be ${type.join(",")}`,
    params: { type: type.length === 1 ? type[0] : type },
  }));
}

const TYPES: KeywordShape<readonly TypeName[]> = {
  read(from, name) {
    const value = from.value(name);
    if (value === undefined) return undefined;
    const types = Array.isArray(value) ? value : [value];
    if (types.every(isTypeName)) return types;
    throw from.wrong("must be the name of a type or a list of names", name);
  },
  write: (types) => (types.length === 1 ? types[0] : [...types]),
};

/** `type`, which the engine checks before and between the keywords for a single type, as Ajv does. */
export const type: Keyword = keyword({
  name: "type",
  vocabulary: "validation",
  since: "draft-04",
  shape: TYPES,
  appliesTo: "any",
  issueClass: "type",
  explain: {
    isRewritable: true,
    wants: ({ type: wanted }) => {
      const types = (Array.isArray(wanted) ? wanted : [wanted]).filter(
        (name) => typeof name === "string",
      );
      return types.length > 0 ? { types, values: [] } : undefined;
    },
  },
});

/** The type names that `type` accepts (JSON Schema 2020-12 Validation, section 6.1.1). */
export type TypeName = "array" | "boolean" | "integer" | "null" | "number" | "object" | "string";

const NAMES: ReadonlySet<unknown> = new Set<TypeName>([
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
]);

/** Returns whether a value is one of these names. */
export function isTypeName(value: unknown): value is TypeName {
  return NAMES.has(value);
}
