import { isObject, type JsonObject } from "@touchstone/core/advanced";
import { type Shape, shapeOfTypes, typesOf, type ValueType } from "@touchstone/records/plain";
import { acceptsType, declarationOf, resolveLocalReference } from "./declared.ts";

/** Where a schema states its requirements. */
export type SchemaForm =
  /** In another schema, by a reference or as the only one in `allOf`. */
  | { readonly kind: "reference"; readonly target: JsonObject }
  | SchemaBranches
  /** In its own keywords. */
  | { readonly kind: "own" }
  /** In several of these ways, in conditions, or by listing values. */
  | { readonly kind: "mixed" };

/** In branches, accompanied by at most `type`. */
export interface SchemaBranches {
  readonly kind: "branches";
  readonly keyword: "anyOf" | "oneOf";
  readonly all: readonly unknown[];
}

/** Keywords that do not limit values, and may accompany a reference or branches. */
export const NON_CONSTRAINING_KEYWORDS: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$comment",
  "$defs",
  "definitions",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
]);
const ELSEWHERE = ["$ref", "allOf", "anyOf", "oneOf", "if", "$dynamicRef", "const", "enum"];
const MAX_BRANCHES = 64;

function* ways(root: unknown, schema: JsonObject): Generator<SchemaForm> {
  const { $ref, allOf, anyOf, oneOf } = schema;
  const target = $ref === undefined ? undefined : resolveLocalReference(root, $ref);
  const only = Array.isArray(allOf) && allOf.length === 1 ? allOf[0] : undefined;
  if (isObject(target)) yield { kind: "reference", target };
  if (isObject(only)) yield { kind: "reference", target: only };
  for (const [keyword, all] of Object.entries({ anyOf, oneOf })) {
    if (!Array.isArray(all) || all.length === 0 || all.length > MAX_BRANCHES) continue;
    yield { kind: "branches", keyword: keyword as SchemaBranches["keyword"], all };
  }
}

/** @param root the schema for its references */
export function schemaForm(root: unknown, schema: JsonObject): SchemaForm {
  const saying = Object.keys(schema).filter((keyword) => !NON_CONSTRAINING_KEYWORDS.has(keyword));
  const others = saying.filter((keyword) => keyword !== "type");
  if (!others.some((keyword) => ELSEWHERE.includes(keyword))) return { kind: "own" };
  // References in a part with its own `$id` are relative to that part.
  const isPlaced = schema === root || schema["$id"] === undefined;
  const [way] = others.length === 1 && isPlaced ? ways(root, schema) : [];
  return way ?? { kind: "mixed" };
}

/** The values of a shape, by the branches that may accept them, judged by type. */
export interface ShapesByBranch {
  /** Types that no branch accepts. */
  readonly none: ReadonlySet<ValueType>;
  /** By position: the types that only this branch accepts. */
  readonly single: ReadonlyMap<number, Shape>;
  /** Types that several branches accept. */
  readonly several: ReadonlyMap<ValueType, readonly unknown[]>;
  /** All declared types; not used if a branch accepts any type. */
  readonly declared: ReadonlySet<string>;
}

/** Assigns the values of a shape to branches. */
export function splitByBranch(
  root: unknown,
  { all }: SchemaBranches,
  shape: Shape,
): ShapesByBranch {
  const declared = all.map((branch) => declarationOf(root, branch).types);
  const none = new Set<ValueType>();
  const several = new Map<ValueType, readonly unknown[]>();
  const single = new Map<number, Set<ValueType>>();
  for (const type of typesOf(shape)) {
    const at = declared.flatMap((types, index) => (acceptsType(types, type) ? [index] : []));
    const [only] = at;
    if (only === undefined) none.add(type);
    else if (at.length > 1)
      several.set(
        type,
        at.map((index) => all[index]),
      );
    else single.set(only, (single.get(only) ?? new Set()).add(type));
  }
  return {
    none,
    several,
    single: new Map([...single].map(([index, types]) => [index, shapeOfTypes(shape, types)])),
    declared: new Set(declared.flatMap((types) => [...(types ?? [])])),
  };
}
