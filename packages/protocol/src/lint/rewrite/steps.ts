import { isObject, type JsonObject } from "@touchstone/core";
import type { Provider } from "../providers/provider.ts";
import { describeBranches } from "./describe-branches.ts";
import { isPlain } from "./dialect.ts";
import { asksForEvaluated, idleIn } from "./idle.ts";
import { inlineReferences } from "./inline-references.ts";
import { ANNOTATIONS, mapSchemas, without } from "./map-schemas.ts";
import { mergeAllOf } from "./merge-all-of.ts";
import { modernDialect } from "./modern-dialect.ts";
import { requireNullable } from "./require-nullable.ts";
import { areDisjoint, splitTypes } from "./types.ts";
import { wholeBound } from "./whole-bound.ts";

/** One way to rewrite a schema without changing what it accepts. */
export interface RewriteStep {
  readonly name: string;
  /** What it did, in words for people. */
  readonly did: string;
  /** Whether it preserves what is accepted only for arguments, which are always objects. */
  readonly needsArguments?: true;
  /** Whether it keeps what is accepted only if nulls are taken out that the schema before it refuses. */
  readonly needsNullsDropped?: true;
  /** Returns the given schema if there is nothing to do. */
  readonly apply: (schema: JsonObject, provider: Provider) => JsonObject;
}

function takes({ allowed, refused }: Provider, keyword: string): boolean {
  return allowed === undefined ? !refused?.has(keyword) : allowed.has(keyword);
}

/** Returns a schema of arguments that says that they are an object, which they always are. */
export function nameObject(schema: JsonObject): JsonObject {
  const { type } = schema;
  const admits = type === undefined || (Array.isArray(type) && type.includes("object"));
  return admits ? { ...schema, type: "object" } : schema;
}

/** Returns a step that handles one schema at a time. */
function everywhere(
  change: (schema: JsonObject, provider: Provider, isTop: boolean) => JsonObject,
): RewriteStep["apply"] {
  return (schema, provider) => mapSchemas(schema, (each, isTop) => change(each, provider, isTop));
}

/** The steps in the order in which they are taken. Later steps see the results of earlier ones. */
export const REWRITE_STEPS: readonly RewriteStep[] = [
  {
    name: "modern-dialect",
    did: "an older dialect is written as draft 2020-12",
    apply: (schema, provider) => {
      const asks = provider.only2020 === true || !takes(provider, "$schema");
      return asks ? modernDialect(schema) : schema;
    },
  },
  {
    name: "name-object",
    did: "parameters say that they are an object",
    needsArguments: true,
    apply: nameObject,
  },
  {
    name: "inline-references",
    did: "references are replaced by what they lead to",
    apply: (schema, provider) =>
      takes(provider, "$ref") ? schema : (inlineReferences(schema) ?? schema),
  },
  {
    name: "drop-annotations",
    did: "annotation keywords are removed",
    apply: (schema, provider) => {
      const gone = [...ANNOTATIONS].filter((keyword) => !takes(provider, keyword));
      const top = !takes(provider, "$schema") && isPlain(schema) ? ["$schema", "$id"] : [];
      return mapSchemas(schema, (each, isTop) => {
        const vendors = Object.keys(each).filter(
          (keyword) => /^x-/.test(keyword) && !takes(provider, keyword),
        );
        return without(each, [...gone, ...vendors, ...(isTop ? top : [])]);
      });
    },
  },
  {
    name: "drop-idle-keywords",
    did: "keywords that check nothing are removed",
    apply: (whole, provider) => {
      const isIdle = idleIn(whole);
      return mapSchemas(whole, (schema, isTop) => {
        const idle = Object.keys(schema).filter((keyword) => {
          const refused =
            !takes(provider, keyword) || (isTop && provider.notAtTop?.includes(keyword));
          return refused === true && isIdle(keyword, schema[keyword]);
        });
        return without(schema, idle);
      });
    },
  },
  {
    name: "merge-all-of",
    did: "the parts of allOf are written into one schema",
    apply: everywhere((schema, provider, isTop) =>
      takes(provider, "allOf") && !(isTop && provider.notAtTop?.includes("allOf"))
        ? schema
        : mergeAllOf(schema),
    ),
  },
  {
    name: "const-to-enum",
    did: "const is written as enum",
    apply: everywhere((schema, provider) => {
      const { const: only, enum: values } = schema;
      if (takes(provider, "const") || typeof only !== "string" || values !== undefined)
        return schema;
      return { ...without(schema, ["const"]), enum: [only] };
    }),
  },
  {
    name: "require-nullable",
    did: "optional properties are required, and may be null",
    needsNullsDropped: true,
    apply: (schema, provider) =>
      provider.places["required-all"] === undefined ? schema : requireNullable(schema),
  },
  {
    name: "split-types",
    did: "a list of types is written as anyOf",
    apply: everywhere((schema, provider) =>
      provider.places["type-list"] === undefined ? schema : (splitTypes(schema) ?? schema),
    ),
  },
  {
    name: "name-type",
    did: "the type of values to choose from is named",
    apply: everywhere((schema, provider) => {
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
    name: "whole-bounds",
    did: "exclusive bounds of whole numbers are written as inclusive ones",
    apply: everywhere((schema, provider) => {
      const low = takes(provider, "exclusiveMinimum")
        ? schema
        : wholeBound(schema, "exclusiveMinimum", "minimum", 1);
      return takes(provider, "exclusiveMaximum")
        ? low
        : wholeBound(low, "exclusiveMaximum", "maximum", -1);
    }),
  },
  {
    name: "one-of-to-any-of",
    did: "oneOf, of which no value fits two branches, is written as anyOf",
    apply: everywhere((schema, provider, isTop) => {
      const { oneOf, anyOf } = schema;
      if (takes(provider, "oneOf") || isTop || !Array.isArray(oneOf) || anyOf !== undefined)
        return schema;
      return areDisjoint(oneOf) ? { ...without(schema, ["oneOf"]), anyOf: oneOf } : schema;
    }),
  },
  {
    name: "drop-foreign-keywords",
    did: "keywords of objects are removed from schemas of other types",
    apply: everywhere((schema, provider) => {
      const rule = provider.places["keyword-of-another-type"];
      if (rule === undefined) return schema;
      const found = rule({ schema }, false);
      return without(
        schema,
        found.map(({ at = "" }) => at.slice(1)),
      );
    }),
  },
  {
    name: "describe-branches",
    did: "what describes an anyOf is written into its branches",
    apply: everywhere((schema, provider, isTop) =>
      provider.places["any-of-alone"] === undefined || isTop ? schema : describeBranches(schema),
    ),
  },
  {
    name: "write-out-booleans",
    did: "properties that may be anything have the schema {}",
    apply: everywhere((schema, provider) => {
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
    did: "arrays of anything say so in items",
    apply: (whole, provider) => {
      const rule = provider.places["array-items"];
      // `items` marks every item as evaluated.
      if (rule === undefined || asksForEvaluated(whole)) return whole;
      return mapSchemas(whole, (schema) => {
        const { items } = schema;
        if (items !== undefined && items !== true) return schema;
        return rule({ schema }, false).length === 0 ? schema : { ...schema, items: {} };
      });
    },
  },
  {
    name: "add-properties",
    did: "parameters without properties say so",
    apply: everywhere((schema, provider, isTop) => {
      const rule = provider.places["object-properties"];
      if (rule === undefined || schema["properties"] !== undefined) return schema;
      return rule({ schema }, isTop).length === 0 ? schema : { ...schema, properties: {} };
    }),
  },
];
