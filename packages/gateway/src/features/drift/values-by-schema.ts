import { isObject, type JsonObject } from "@touchstone/core/advanced";
import {
  emptyShape,
  MAX_LEVELS,
  mergeShapes,
  type Shape,
  shapeOfTypes,
  TYPES,
  typesOf,
  type ValueType,
} from "@touchstone/records/plain";
import { compareSchemaAlone, MAX_SCHEMAS } from "./comparison.ts";
import { acceptsType, namedTypes } from "./declared.ts";
import { type SchemaBranches, schemaForm, splitByBranch } from "./form.ts";

/** The same as in a comparison. */
const MAX_STEPS = 16;
/** Types whose values are completely known on the last level. */
const WHOLE: ReadonlySet<ValueType> = new Set(
  TYPES.filter((type) => type !== "object" && type !== "array"),
);

/** The values at all places that one schema describes. */
export interface SchemaValues {
  readonly shape: Shape;
  /** Types of values for which another schema is needed, because this one refuses some. */
  readonly beside: Set<ValueType>;
  /** Types of values for which one more branch is needed. */
  readonly added: Set<ValueType>;
}

/** The position of a schema. */
interface At {
  readonly level: number;
  readonly steps: number;
}

class Gathering {
  readonly found: Map<JsonObject, SchemaValues> = new Map();
  readonly #root: unknown;
  readonly #schemas = { left: MAX_SCHEMAS };

  constructor(root: unknown) {
    this.#root = root;
  }

  visit(schema: unknown, came: Shape, at: At): void {
    this.#schemas.left -= 1;
    if (!isObject(schema) || at.steps > MAX_STEPS || this.#schemas.left < 0) return;
    const shape = at.level < MAX_LEVELS ? came : shapeOfTypes(came, WHOLE);
    if (shape.count === 0) return;
    const gathered = this.#gathered(schema);
    mergeShapes(gathered.shape, shape, { left: Number.POSITIVE_INFINITY });
    const form = schemaForm(this.#root, schema);
    const next = { ...at, steps: at.steps + 1 };
    if (form.kind === "own") {
      this.#inside(schema, shape, at.level + 1);
    } else if (form.kind === "mixed") {
      if (this.#tried(schema, shape, at).takesAll) return;
      for (const type of typesOf(shape)) gathered.beside.add(type);
    } else {
      const taken = this.#ownTypes(schema, shape, gathered);
      if (form.kind === "reference") this.visit(form.target, taken, next);
      else this.#branches(form, taken, gathered, next);
    }
  }

  #tried(schema: unknown, shape: Shape, { level }: At) {
    return compareSchemaAlone(this.#root, schema, shape, level, this.#schemas);
  }

  #gathered(schema: JsonObject): SchemaValues {
    const known = this.found.get(schema);
    if (known !== undefined) return known;
    const made: SchemaValues = { shape: emptyShape(), beside: new Set(), added: new Set() };
    this.found.set(schema, made);
    return made;
  }

  #inside({ properties, items }: JsonObject, shape: Shape, level: number): void {
    const at = { level, steps: 0 };
    for (const [name, came] of isObject(properties) ? shape.members : []) {
      if (isObject(properties) && Object.hasOwn(properties, name)) {
        this.visit(properties[name], came, at);
      }
    }
    if (shape.items !== undefined) this.visit(items, shape.items, at);
  }

  #ownTypes(schema: JsonObject, shape: Shape, { beside }: SchemaValues): Shape {
    const types = namedTypes(schema);
    const isTaken = (type: ValueType): boolean => types.size === 0 || acceptsType(types, type);
    for (const type of typesOf(shape)) if (!isTaken(type)) beside.add(type);
    return shapeOfTypes(shape, new Set(typesOf(shape).filter(isTaken)));
  }

  #branches(branches: SchemaBranches, shape: Shape, { beside, added }: SchemaValues, at: At): void {
    this.#schemas.left -= branches.all.length;
    const { none, single, several } = splitByBranch(this.#root, branches, shape);
    for (const type of none) added.add(type);
    for (const [index, part] of single) this.visit(branches.all[index], part, at);
    for (const [type, takers] of several) {
      const part = shapeOfTypes(shape, new Set([type]));
      const isBroken = shape.broken.has(branches.keyword);
      const isTaken = takers.some((branch) => {
        const { takesAll, surelyTakesAll } = this.#tried(branch, part, at);
        return isBroken ? surelyTakesAll : takesAll;
      });
      if (isTaken && !(isBroken && branches.keyword === "oneOf")) continue;
      // With one more branch in `oneOf`, two may accept a value.
      (branches.keyword === "oneOf" ? beside : added).add(type);
    }
  }
}

/**
 * Returns the values by the parts of a schema that describe them; for a definition, the values at all places that
 * refer to it. Leaves out values on the last level that may have further levels.
 */
export function valuesBySchema(
  schema: unknown,
  shape: Shape,
): ReadonlyMap<JsonObject, SchemaValues> {
  const gathering = new Gathering(schema);
  gathering.visit(schema, shape, { level: 1, steps: 0 });
  return gathering.found;
}
