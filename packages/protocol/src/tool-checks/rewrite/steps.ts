import { isObject, type JsonObject } from "@touchstone/core/advanced";
import { isKeyword } from "../../keywords.ts";
import { acceptsKeyword, takesReferences } from "../lint/providers/accepted-keywords.ts";
import type { Provider } from "../lint/providers/provider.ts";
import { spreadIntoAnyOf } from "./any-of-beside.ts";
import { describeBranches } from "./describe-branches.ts";
import { isDialectRedundant } from "./dialect.ts";
import { inlineReferences, inlineRefsWithSiblings } from "./inline-references.ts";
import { enumToConstraints, nameListedTypes } from "./listed-values.ts";
import { ANNOTATIONS, mapSchemas, withoutKeywords } from "./map-schemas.ts";
import { inlineAllOfReferences, mergeAllOf } from "./merge-all-of.ts";
import { modernDialect } from "./modern-dialect.ts";
import { dependsOnEvaluated, removableKeywordTest } from "./removable-keywords.ts";
import { requireNullable } from "./require-nullable.ts";
import { areDisjoint, splitTypes } from "./types.ts";
import { integerBound } from "./whole-bound.ts";

/** What a step does to the set of values that a schema accepts. */
export type StepKind =
  /** It stays the same. */
  | "same"
  /** It gets smaller: the old schema accepts every value that the new one accepts. */
  | "narrower"
  /** It gets larger: the new schema accepts values that the old one refuses. */
  | "wider";

/** One way to rewrite a schema. */
export interface RewriteStep {
  readonly name: string;
  readonly kind: StepKind;
  /** What it did, in words for people. */
  readonly did: string;
  /** Whether it keeps what is accepted only in schemas of arguments, which are always objects. */
  readonly needsArguments?: true;
  /** Whether it keeps what is accepted only if nulls that the original schema refuses are removed first. */
  readonly needsNullsDropped?: true;
  /** Returns the given schema if there is nothing to do. */
  readonly apply: (schema: JsonObject, provider: Provider) => JsonObject;
}

/** Returns a schema of arguments with `type: "object"`, since arguments are always an object. */
export function nameObject(schema: JsonObject): JsonObject {
  const { type } = schema;
  const admits = type === undefined || (Array.isArray(type) && type.includes("object"));
  return admits ? { ...schema, type: "object" } : schema;
}

/** Returns a step that handles one schema at a time. */
export function stepForEachSchema(
  change: (schema: JsonObject, provider: Provider, isTop: boolean) => JsonObject,
): RewriteStep["apply"] {
  return (schema, provider) => mapSchemas(schema, (each, isTop) => change(each, provider, isTop));
}

/**
 * The steps that keep what a schema accepts, in the order in which they are taken. Later steps see the results of
 * earlier ones.
 */
export const EQUIVALENT_STEPS: readonly RewriteStep[] = [
  {
    name: "modern-dialect",
    kind: "same",
    did: "an older dialect is written as draft 2020-12",
    apply: (schema, provider) => {
      const asks = provider.only2020 === true || !acceptsKeyword(provider, "$schema", true);
      return asks ? modernDialect(schema) : schema;
    },
  },
  {
    name: "name-object",
    kind: "same",
    did: "parameters get the type object",
    needsArguments: true,
    apply: nameObject,
  },
  {
    name: "inline-references",
    kind: "same",
    did: "references are replaced by what they lead to",
    apply: (schema, provider) =>
      takesReferences(provider, schema) ? schema : (inlineReferences(schema) ?? schema),
  },
  {
    name: "inline-described",
    kind: "same",
    did: "references with other keywords beside them are replaced by what they lead to",
    apply: (schema, provider) =>
      provider.places["ref-alone"] === undefined ? schema : inlineRefsWithSiblings(schema),
  },
  {
    name: "drop-annotations",
    kind: "same",
    did: "annotation keywords are removed",
    apply: (schema, provider) => {
      const top =
        !acceptsKeyword(provider, "$schema", true) && isDialectRedundant(schema)
          ? ["$schema", "$id"]
          : [];
      return mapSchemas(schema, (each, isTop) => {
        const gone = [...ANNOTATIONS].filter(
          (keyword) => !acceptsKeyword(provider, keyword, isTop),
        );
        const vendors = Object.keys(each).filter(
          (keyword) =>
            !acceptsKeyword(provider, keyword, isTop) &&
            (/^x-/.test(keyword) || !isMeaningful(keyword)),
        );
        return withoutKeywords(each, [...gone, ...vendors, ...(isTop ? top : [])]);
      });
    },
  },
  {
    name: "drop-idle-keywords",
    kind: "same",
    did: "keywords that check nothing are removed",
    apply: (whole, provider) => {
      const isIdle = removableKeywordTest(whole);
      return mapSchemas(whole, (schema, isTop) => {
        const idle = Object.keys(schema).filter((keyword) => {
          return !acceptsKeyword(provider, keyword, isTop) && isIdle(keyword, schema[keyword]);
        });
        return withoutKeywords(schema, idle);
      });
    },
  },
  {
    name: "merge-all-of",
    kind: "same",
    did: "the parts of allOf are written into one schema",
    apply: (whole, provider) =>
      mapSchemas(whole, (schema, isTop) => {
        if (acceptsKeyword(provider, "allOf", isTop)) return schema;
        const parts = inlineAllOfReferences(schema, whole);
        const merged = mergeAllOf(parts);
        return merged === parts ? schema : merged;
      }),
  },
  {
    name: "const-to-enum",
    kind: "same",
    did: "const is written as enum",
    apply: stepForEachSchema((schema, provider) => {
      const { const: only, enum: values } = schema;
      if (acceptsKeyword(provider, "const") || typeof only !== "string" || values !== undefined)
        return schema;
      return { ...withoutKeywords(schema, ["const"]), enum: [only] };
    }),
  },
  {
    name: "require-nullable",
    kind: "same",
    did: "optional properties are required, and may be null",
    needsNullsDropped: true,
    apply: (schema, provider) =>
      provider.places["required-all"] === undefined ? schema : requireNullable(schema),
  },
  {
    name: "split-types",
    kind: "same",
    did: "a list of types is written as anyOf",
    apply: stepForEachSchema((schema, provider) =>
      provider.places["type-list"] === undefined ? schema : (splitTypes(schema) ?? schema),
    ),
  },
  {
    name: "name-type",
    kind: "same",
    did: "the type of values to choose from is named",
    apply: stepForEachSchema((schema, provider) => {
      const { type, const: only } = schema;
      const values = only === undefined ? schema["enum"] : [only];
      if (provider.places["type-missing"] === undefined || type !== undefined) return schema;
      if (!Array.isArray(values) || values.length === 0) return schema;
      return values.every((value) => typeof value === "string")
        ? { ...schema, type: "string" }
        : schema;
    }),
  },
  {
    name: "name-listed-types",
    kind: "same",
    did: "the types of values to choose from are named",
    apply: stepForEachSchema((schema, provider) => nameListedTypes(schema, provider)),
  },
  {
    name: "unlist-values",
    kind: "same",
    did: "values to choose from that are not strings are written as a type or as bounds",
    apply: stepForEachSchema((schema, provider) => enumToConstraints(schema, provider)),
  },
  {
    name: "whole-bounds",
    kind: "same",
    did: "exclusive bounds of whole numbers are written as inclusive ones",
    apply: stepForEachSchema((schema, provider) => {
      const low = acceptsKeyword(provider, "exclusiveMinimum")
        ? schema
        : integerBound(schema, "exclusiveMinimum", "minimum", 1);
      return acceptsKeyword(provider, "exclusiveMaximum")
        ? low
        : integerBound(low, "exclusiveMaximum", "maximum", -1);
    }),
  },
  {
    name: "one-of-to-any-of",
    kind: "same",
    did: "oneOf, of which no value fits two branches, is written as anyOf",
    apply: stepForEachSchema((schema, provider, isTop) => {
      const { oneOf, anyOf } = schema;
      if (
        acceptsKeyword(provider, "oneOf") ||
        isTop ||
        !Array.isArray(oneOf) ||
        anyOf !== undefined
      )
        return schema;
      return areDisjoint(oneOf) ? { ...withoutKeywords(schema, ["oneOf"]), anyOf: oneOf } : schema;
    }),
  },
  {
    name: "drop-foreign-keywords",
    kind: "same",
    did: "keywords of objects and arrays are removed from schemas of other types",
    apply: stepForEachSchema((schema, provider) => {
      const rule = provider.places["keyword-of-another-type"];
      if (rule === undefined || Array.isArray(schema["anyOf"])) return schema;
      const found = rule({ schema }, false);
      return withoutKeywords(
        schema,
        found.map(({ at = "" }) => at.slice(1)),
      );
    }),
  },
  {
    name: "spread-into-any-of",
    kind: "same",
    did: "keywords beside an anyOf are written into its branches",
    apply: stepForEachSchema((schema, provider, isTop) =>
      provider.places["any-of-alone"] === undefined || isTop ? schema : spreadIntoAnyOf(schema),
    ),
  },
  {
    name: "describe-branches",
    kind: "same",
    did: "descriptions of an anyOf are written into its branches",
    apply: stepForEachSchema((schema, provider, isTop) =>
      provider.places["any-of-alone"] === undefined || isTop ? schema : describeBranches(schema),
    ),
  },
  {
    name: "write-out-booleans",
    kind: "same",
    did: "properties that may be anything have the schema {}",
    apply: stepForEachSchema((schema, provider) => {
      const { properties } = schema;
      if (provider.places["boolean-schema"] === undefined || !isObject(properties)) return schema;
      if (!Object.values(properties).includes(true)) return schema;
      const written = Object.entries(properties).map(([name, held]) => [
        name,
        held === true ? {} : held,
      ]);
      return { ...schema, properties: Object.fromEntries(written) };
    }),
  },
  {
    name: "add-items",
    kind: "same",
    did: "arrays of anything get items",
    apply: (whole, provider) => {
      const rule = provider.places["array-items"];
      // `items` marks every item as evaluated.
      if (rule === undefined || dependsOnEvaluated(whole)) return whole;
      return mapSchemas(whole, (schema) => {
        const { items } = schema;
        if (items !== undefined && items !== true) return schema;
        return rule({ schema }, false).length === 0 ? schema : { ...schema, items: {} };
      });
    },
  },
  {
    name: "add-properties",
    kind: "same",
    did: "parameters without properties get properties",
    apply: stepForEachSchema((schema, provider, isTop) => {
      const rule = provider.places["object-properties"];
      if (rule === undefined || schema["properties"] !== undefined) return schema;
      return rule({ schema }, isTop).length === 0 ? schema : { ...schema, properties: {} };
    }),
  },
];

/** Keywords that other parts of a schema may refer to, or that clients read. */
const READ: ReadonlySet<string> = new Set(["nullable", "discriminator", "propertyOrdering"]);

/** Returns whether a keyword may have a meaning. Unknown ones check nothing. */
function isMeaningful(keyword: string): boolean {
  return isKeyword(keyword) || keyword.startsWith("$") || READ.has(keyword);
}
