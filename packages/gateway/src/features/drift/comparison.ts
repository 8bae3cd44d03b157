import { isObject, type JsonObject } from "@touchstone/core/advanced";
import {
  MAX_ITEMS,
  MAX_LEVELS,
  type Shape,
  type ShapeBudget,
  shapeBudgetFor,
  shapeOfTypes,
  typesOf,
} from "@touchstone/records/plain";
import { memberFindings } from "./compare-members.ts";
import {
  acceptsType,
  constrainsContent,
  declarationOf,
  namedTypes,
  type PlaceDeclaration,
} from "./declared.ts";
import { SchemaDifferences, type ValuePlace } from "./differences.ts";
import { type SchemaBranches, schemaForm, splitByBranch } from "./form.ts";

/** How often a schema may refer to another schema for one place. */
const MAX_STEPS = 16;
/** How many schemas to read in one comparison: nested branches may be too many. */
export const MAX_SCHEMAS = 20_000;

/** Where a comparison is. */
interface At extends ValuePlace {
  /** The depth in results, from 1. */
  readonly level: number;
  readonly steps: number;
}

const OUTERMOST: At = { path: "", level: 1, steps: 0, isTrial: false };
const inside = (at: At, path: string): At => ({ ...at, path, level: at.level + 1, steps: 0 });

/** Returns whether a schema accepts everything. */
const isAnything = (schema: unknown): boolean =>
  schema === true || (isObject(schema) && Object.keys(schema).length === 0);

/** Receives a schema for the items of arrays at a path. */
export type OnItemSchema = (path: string, items: unknown) => boolean;

/** Compares parts of a schema with the values at their places, and notes the differences. */
export class Comparison {
  readonly found: SchemaDifferences;
  readonly #root: unknown;
  readonly #whole: Shape;
  readonly #room: ShapeBudget;
  readonly #schemas: { left: number };
  readonly #takesItems: OnItemSchema;

  /**
   * @param whole all received values, parts of which are compared
   * @param takesItems returns whether a schema is known to accept all items of arrays, read or not
   */
  constructor(
    root: unknown,
    whole: Shape,
    schemas: { left: number } = { left: MAX_SCHEMAS },
    takesItems: OnItemSchema = () => false,
  ) {
    this.#takesItems = takesItems;
    this.#root = root;
    this.#whole = whole;
    this.found = new SchemaDifferences(whole);
    this.#room = shapeBudgetFor(whole);
    this.#schemas = schemas;
  }

  compare(schema: unknown, shape: Shape, at: At = OUTERMOST): void {
    if (shape.count === 0) return;
    this.#schemas.left -= 1;
    if (this.found.isFull || at.steps > MAX_STEPS || this.#schemas.left < 0) {
      this.found.unsure.add("parts");
      return;
    }
    const form = isObject(schema) ? schemaForm(this.#root, schema) : undefined;
    if (form?.kind === "reference") {
      const taken = this.#ownTypes(schema as JsonObject, shape, at);
      this.compare(form.target, taken, { ...at, steps: at.steps + 1 });
    } else if (form?.kind === "branches") {
      this.#branches(form, this.#ownTypes(schema as JsonObject, shape, at), at);
    } else {
      this.#own(declarationOf(this.#root, schema), shape, at);
    }
  }

  #own(declared: PlaceDeclaration, shape: Shape, at: At): void {
    if (declared.isPartial) this.found.unsure.add("parts");
    this.found.types(declared.types, shape, at);
    this.found.noted(declared, shape, at);
    if (at.level >= MAX_LEVELS) {
      if (constrainsContent(declared, shape)) this.found.unsure.add("depth");
      return;
    }
    this.#members(declared, shape, at);
    if (declared.items === undefined || !shape.types.has("array")) return;
    this.#skipped(declared.items, shape, at);
    // If the items have no shape, there was no room to keep it.
    if (shape.items === undefined) this.found.unsure.add("depth");
    else this.compare(declared.items, shape.items, inside(at, `${at.path}/*`));
  }

  /** Reports what `type` refuses besides a reference or branches, and returns the rest. */
  #ownTypes(schema: JsonObject, shape: Shape, at: At): Shape {
    const types = namedTypes(schema);
    if (types.size === 0) return shape;
    this.found.types(types, shape, at);
    return shapeOfTypes(shape, new Set(typesOf(shape).filter((type) => acceptsType(types, type))));
  }

  /** Compares values that only one branch may accept with that branch. */
  #branches(branches: SchemaBranches, shape: Shape, at: At): void {
    this.#schemas.left -= branches.all.length;
    const { none, single, several, declared } = splitByBranch(this.#root, branches, shape);
    if (none.size > 0) this.found.types(declared, shape, at);
    const next = { ...at, steps: at.steps + 1 };
    for (const [index, part] of single) this.compare(branches.all[index], part, next);
    let isOpen = false;
    for (const [type, takers] of several) {
      const part = shapeOfTypes(shape, new Set([type]));
      const isTaken = (branch: unknown): boolean => {
        const compared = new Comparison(this.#root, this.#whole, this.#schemas);
        compared.compare(branch, part, { ...next, isTrial: true });
        return compared.found.surelyTakesAll;
      };
      // In `oneOf` exactly one branch may accept it; whether the other branches refuse it is unknown.
      isOpen ||= branches.keyword === "oneOf" || !takers.some(isTaken);
    }
    if (!isOpen) return;
    this.found.unsure.add("parts");
    this.found.broken(branches.keyword, branches.all, shape, at);
  }

  /** Checks whether unread items are accepted; without verdicts it is unknown whether there were any unread items. */
  #skipped(items: unknown, shape: Shape, { path, isTrial }: At): void {
    const { count, told } = this.#whole;
    const mayBe = told < count && (shape.items?.count ?? 0) >= MAX_ITEMS;
    if ((shape.skipped === 0 && !mayBe) || isAnything(items)) return;
    if (!isTrial) this.found.items.set(path, items);
    if (isTrial || !this.#takesItems(path, items)) this.found.unsure.add("items");
  }

  #members(declared: PlaceDeclaration, shape: Shape, at: At): void {
    for (const said of memberFindings(declared, shape, at.path, this.#room)) {
      if ("finding" in said) this.found.add(said.finding);
      else if ("unsure" in said) this.found.unsure.add(said.unsure);
      else this.compare(said.schema, said.came, inside(at, said.path));
    }
  }
}

/**
 * Compares a schema with the values of a shape alone.
 * @param root the schema for its references
 * @param level the depth in results, from 1
 * @param schemas how many schemas may still be read; if 0, nothing is known
 */
export function compareSchemaAlone(
  root: unknown,
  schema: unknown,
  shape: Shape,
  level: number,
  schemas: { left: number },
): Pick<SchemaDifferences, "takesAll" | "surelyTakesAll"> {
  const comparison = new Comparison(root, shape, schemas);
  comparison.compare(schema, shape, { ...OUTERMOST, level, isTrial: true });
  return comparison.found;
}
