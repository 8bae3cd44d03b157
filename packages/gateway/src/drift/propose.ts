import { isObject, type JsonObject } from "@touchstone/core";
import { declaredBy, resolve, takes } from "./declared.ts";
import { fits, objectsIn, surelyFits, typesOf } from "./drift.ts";
import { MAX_LEVELS, type Shape, type ValueType } from "./shape.ts";

type Json = Record<string, unknown>;

/** Integers among numbers are numbers. */
function typeKeyword(types: readonly ValueType[]): string | readonly string[] {
  const all = types.includes("number") ? types.filter((type) => type !== "integer") : types;
  const [only] = all;
  return all.length === 1 && only !== undefined ? only : [...all];
}

/** A schema that accepts what came, and requires what always came. */
export function schemaOf(shape: Shape): Json {
  if (shape.types.size === 0) return {};
  const schema: Json = { type: typeKeyword(typesOf(shape)) };
  const objects = objectsIn(shape);
  if (shape.members.size > 0) {
    const members = [...shape.members];
    schema["properties"] = Object.fromEntries(
      members.map(([name, inside]) => [name, schemaOf(inside)]),
    );
    const always = members.filter(([, { count }]) => count === objects).map(([name]) => name);
    if (always.length > 0) schema["required"] = always;
  }
  if (shape.items !== undefined && shape.items.count > 0) schema["items"] = schemaOf(shape.items);
  return schema;
}

/** A schema that only says so itself can be corrected where it stands. */
const ELSEWHERE = ["$ref", "allOf", "anyOf", "oneOf", "if", "$dynamicRef", "const", "enum"];
/** What may stand beside a reference and says nothing of values. */
const DESCRIBING: ReadonlySet<string> = new Set(["$ref", "title", "description", "default"]);

/** A schema that says what it says elsewhere, in branches or by values, so that it takes what came as well. */
function widened(root: unknown, schema: JsonObject, shape: Shape, level: number): unknown {
  if (fits(root, schema, shape, level)) return schema;
  const { $ref, ...beside } = schema;
  const target = Object.keys(schema).every((keyword) => DESCRIBING.has(keyword))
    ? resolve(root, $ref)
    : undefined;
  if (isObject(target) && target["$id"] === undefined) {
    const made = corrected(root, target, shape, level);
    if (isObject(made)) return { ...made, ...beside };
  }
  return { anyOf: [schema, schemaOf(shape)] };
}

function corrected(root: unknown, schema: unknown, shape: Shape, level: number = 1): unknown {
  if (schema === false) return schemaOf(shape);
  if (!isObject(schema)) return schema;
  if (ELSEWHERE.some((keyword) => schema[keyword] !== undefined)) {
    // The references in it begin at the outermost schema, which therefore stays where it is.
    return schema === root ? schema : widened(root, schema, shape, level);
  }
  const declared = declaredBy(root, schema);
  const next: Json = { ...schema };
  const other = typesOf(shape).filter((type) => !takes(declared.types, type));
  if (other.length > 0 && declared.types !== undefined) {
    const types = [...declared.types, ...other];
    next["type"] = typeKeyword([...new Set(types)] as ValueType[]);
  }
  const objects = level < MAX_LEVELS ? objectsIn(shape) : 0;
  if (objects > 0) {
    const properties = new Map<string, unknown>(declared.members);
    for (const [name, came] of shape.members) {
      const known = properties.get(name);
      properties.set(
        name,
        known === undefined ? schemaOf(came) : corrected(root, known, came, level + 1),
      );
    }
    if (properties.size > 0) next["properties"] = Object.fromEntries(properties);
    const kept = [...declared.required].filter(
      (name) => shape.members.get(name)?.count === objects,
    );
    if (kept.length > 0) next["required"] = kept;
    else delete next["required"];
    if (shape.unnamed > 0 && !declared.isMap) {
      delete next["unevaluatedProperties"];
      next["additionalProperties"] = true;
    }
  }
  if (declared.items !== undefined && (shape.items?.count ?? 0) > 0) {
    next["items"] = corrected(root, declared.items, shape.items as Shape, level + 1);
  }
  return next;
}

/** A schema that is proposed, and whether it takes all that came, as far as types and members tell. */
export interface Proposal {
  readonly schema: unknown;
  readonly fits: boolean;
}

/**
 * The declared schema with what came put in: undeclared members added, further types allowed, members
 * of other names allowed where some came, and only required what every result had. References whose
 * target does not fit are replaced by it; a part that branches or lists its values, and does not fit, becomes
 * one of two branches. Where the outermost schema is such a part, it stays as it is. Pure.
 */
export function proposeSchema(schema: unknown, shape: Shape): Proposal {
  const proposed = corrected(schema, schema, shape);
  return { schema: proposed, fits: surelyFits(proposed, shape) };
}
