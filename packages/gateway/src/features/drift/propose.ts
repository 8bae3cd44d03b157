import { isObject, type JsonObject } from "@touchstone/core/advanced";
import {
  objectsIn,
  type Shape,
  shapeOfTypes,
  typesOf,
  type ValueType,
  withoutBrokenLimits,
} from "@touchstone/records/plain";
import { acceptsType, declarationOf, resolveLocalReference } from "./declared.ts";
import { type ShapeFit, shapeFit } from "./fit.ts";
import { schemaForm } from "./form.ts";
import { type Json, schemaOf, typeKeyword } from "./schema-of.ts";
import { type SchemaValues, valuesBySchema } from "./values-by-schema.ts";

/** How deep in a schema parts are corrected. */
const MAX_DEPTH = 200;
/** Keywords that stay outermost if the outermost schema becomes a branch. */
const OUTERMOST = ["$schema", "$id", "$comment", "$defs", "definitions", "title", "description"];

/** Adds the received values to a schema and its parts, each in its place. */
class Correction {
  readonly #root: unknown;
  readonly #gathered: ReadonlyMap<JsonObject, SchemaValues>;

  constructor(root: unknown, shape: Shape) {
    this.#root = root;
    this.#gathered = valuesBySchema(root, shape);
  }

  corrected(part: unknown, depth: number): unknown {
    if (depth > MAX_DEPTH) return part;
    if (Array.isArray(part)) return part.map((each) => this.corrected(each, depth + 1));
    if (!isObject(part)) return part;
    const inside = Object.entries(part).map(([name, value]) => [
      name,
      this.corrected(value, depth + 1),
    ]);
    const next: Json = Object.fromEntries(inside);
    const gathered = this.#gathered.get(part);
    if (gathered === undefined) return next;
    const form = schemaForm(this.#root, part);
    if (form.kind === "own") {
      return this.#own(part, withoutBrokenLimits(next, gathered.shape), gathered.shape);
    }
    if (form.kind === "branches" && gathered.added.size > 0) {
      const branch = schemaOf(shapeOfTypes(gathered.shape, gathered.added));
      next[form.keyword] = [...(next[form.keyword] as readonly unknown[]), branch];
    }
    if (gathered.beside.size === 0) return next;
    const beside = schemaOf(shapeOfTypes(gathered.shape, gathered.beside));
    return part === this.#root ? besideOutermost(next, beside) : { anyOf: [next, beside] };
  }

  #own(part: JsonObject, next: Json, shape: Shape): Json {
    const declared = declarationOf(this.#root, part);
    const other = typesOf(shape).filter((type) => !acceptsType(declared.types, type));
    if (other.length > 0 && declared.types !== undefined) {
      next["type"] = typeKeyword([...new Set([...declared.types, ...other])] as ValueType[]);
    }
    if (objectsIn(shape) > 0) this.#members(declared, next, shape);
    if (part["items"] === false && (shape.items?.count ?? 0) > 0) {
      next["items"] = schemaOf(shape.items as Shape);
    }
    return next;
  }

  #members({ required, isMap }: ReturnType<typeof declarationOf>, next: Json, shape: Shape): void {
    const properties = new Map(
      isObject(next["properties"]) ? Object.entries(next["properties"]) : [],
    );
    for (const [name, came] of shape.members) {
      const known = properties.get(name) ?? false;
      if (known === false) properties.set(name, schemaOf(came));
    }
    if (properties.size > 0) next["properties"] = Object.fromEntries(properties);
    const kept = [...required].filter(
      (name) => shape.members.get(name)?.count === objectsIn(shape),
    );
    if (kept.length > 0) next["required"] = kept;
    else delete next["required"];
    if (shape.unnamed > 0 && !isMap) {
      delete next["unevaluatedProperties"];
      next["additionalProperties"] = true;
    }
  }
}

/**
 * Returns the outermost schema as one of two branches, without targets of references and keywords that readers expect
 * at the top.
 */
function besideOutermost(schema: Json, beside: Json): Json {
  const outer = Object.entries(schema).filter(([name]) => OUTERMOST.includes(name));
  const rest = Object.entries(schema).filter(([name]) => !OUTERMOST.includes(name));
  const { type } = schema;
  const common = type !== undefined && type === beside["type"] ? { type } : {};
  return { ...Object.fromEntries(outer), ...common, anyOf: [Object.fromEntries(rest), beside] };
}

/** Returns whether a reference had a target in `before` and has none in `after`. */
function hasLost(before: unknown, after: unknown): boolean {
  const waiting: unknown[] = [after];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    for (const inside of Object.values(next)) waiting.push(inside);
    const { $ref } = next as JsonObject;
    if ($ref === undefined || resolveLocalReference(after, $ref) !== undefined) continue;
    if (resolveLocalReference(before, $ref) !== undefined) return true;
  }
  return false;
}

/** A proposed schema, and whether it accepts all received values. */
export interface SchemaProposal extends ShapeFit {
  readonly schema: unknown;
}

/**
 * Returns the declared schema, corrected by the received values: adds undeclared members and further types, allows
 * other members where some occurred, requires only what every result had, and drops limits that a value broke. A
 * definition is corrected in its place, by the values at all places that refer to it. Branches get one more if none
 * accepts a value; a part with conditions or listed values that does not fit becomes one of two branches. If that would
 * leave a reference without its target, the schema stays as it is. Pure.
 */
export function proposeSchema(schema: unknown, shape: Shape): SchemaProposal {
  const made =
    schema === false ? schemaOf(shape) : new Correction(schema, shape).corrected(schema, 0);
  const proposed = hasLost(schema, made) ? schema : made;
  return { schema: proposed, ...shapeFit(proposed, shape, schema) };
}
