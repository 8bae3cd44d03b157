import { isObject } from "@touchstone/core";
import { declaredBy, takes } from "./declared.ts";
import { objectsIn, typesOf } from "./drift.ts";
import type { Shape, ValueType } from "./shape.ts";

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

function corrected(root: unknown, schema: unknown, shape: Shape): unknown {
  if (!isObject(schema) || ELSEWHERE.some((keyword) => schema[keyword] !== undefined))
    return schema;
  const declared = declaredBy(root, schema);
  const next: Json = { ...schema };
  const other = typesOf(shape).filter((type) => !takes(declared.types, type));
  if (other.length > 0 && declared.types !== undefined) {
    const types = [...declared.types, ...other];
    next["type"] = typeKeyword([...new Set(types)] as ValueType[]);
  }
  const objects = objectsIn(shape);
  if (objects > 0) {
    const properties = new Map<string, unknown>(declared.members);
    for (const [name, came] of shape.members) {
      const known = properties.get(name);
      properties.set(name, known === undefined ? schemaOf(came) : corrected(root, known, came));
    }
    if (properties.size > 0) next["properties"] = Object.fromEntries(properties);
    const kept = [...declared.required].filter(
      (name) => shape.members.get(name)?.count === objects,
    );
    if (kept.length > 0) next["required"] = kept;
    else delete next["required"];
  }
  if (shape.items !== undefined && declared.items !== undefined) {
    next["items"] = corrected(root, declared.items, shape.items);
  }
  return next;
}

/**
 * The declared schema with what came put in: undeclared members added, further types allowed, and only
 * required what every result had. Parts that refer elsewhere, branch, or list their values stay as they
 * are. Pure.
 */
export function proposeSchema(schema: unknown, shape: Shape): unknown {
  return corrected(schema, schema, shape);
}
