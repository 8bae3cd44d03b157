import { joinPointer } from "@touchstone/core/advanced";
import { isObject, type JsonObject } from "../json/object.ts";
import type { JsonTree } from "../json/tree.ts";
import { type SchemaSource, type Subschema, treeText } from "./source.ts";
import { alternativeWords, branchNames, listedTexts, plainText } from "./words.ts";

/** Alternative schemas of a value. */
export interface Union {
  /** Location of the branches: of `oneOf`, `anyOf` or `type`. */
  readonly at: string;
  readonly branches: readonly Subschema[];
  readonly names: readonly string[];
  /** The branch that the form shows. */
  readonly index: number;
}

/** One of the values that a schema lists. */
export interface EnumChoice {
  /** JSON, as the schema writes it. */
  readonly text: string;
  readonly label: string;
}

/** The branch shown for each union, by the union's location. The view adds those decided by a value. */
export type ChosenBranches = Map<string, number>;

/** Further schemas of one value, and further items of a tuple, are not shown. */
export const MAX_PARTS = 200;
/** A union with more branches is not shown as a choice. */
const MAX_BRANCHES = 200;
/** Maximum number of branches to compare: each one is compiled and checked. */
const MAX_COMPARED = 40;

/** Keywords that give a branch fields. */
const SHAPES: readonly string[] = [
  ...["type", "properties", "items", "prefixItems", "enum", "const", "$ref", "format", "pattern"],
  ...["oneOf", "anyOf", "allOf", "additionalProperties", "patternProperties", "minimum", "maximum"],
  ...["$dynamicRef", "minLength", "maxLength"],
];

function isNullOnly({ schema }: Subschema): boolean {
  if (!isObject(schema)) return false;
  const { type, const: only, enum: list } = schema;
  if (type === "null" || only === null) return type !== undefined || "const" in schema;
  return Array.isArray(list) && list.length === 1 && list[0] === null;
}

function hasShape({ schema }: Subschema): boolean {
  return isObject(schema) && SHAPES.some((key) => key in schema);
}

/** Returns whether a value has a member of this name. */
export function hasMember(value: JsonTree | undefined, name: string): boolean {
  return value?.kind === "object" && value.members.some((member) => member.name === name);
}

/** Returns the JSON type of a value from its text. */
export function typeOfTree(tree: JsonTree): string {
  if (tree.kind !== "scalar") return tree.kind;
  const [first = ""] = tree.text;
  if (first === '"') return "string";
  if (first === "n") return "null";
  return first === "t" || first === "f" ? "boolean" : "number";
}

/** What was collected about a value. */
export interface Found {
  readonly parts: Subschema[];
  readonly unions: Union[];
  readonly words: string[];
  readonly listings: (readonly EnumChoice[])[];
  isNullable: boolean;
  lost: string | undefined;
}

/**
 * Collects every schema that applies to one value in place: follows references, merges `allOf`, and enters the branches
 * that are shown. A circular schema ends where it began.
 */
export class Expansion {
  readonly found: Found = {
    parts: [],
    unions: [],
    words: [],
    listings: [],
    isNullable: false,
    lost: undefined,
  };
  readonly #source: SchemaSource;
  readonly #value: JsonTree | undefined;
  readonly #text: string | undefined;
  readonly #picked: ChosenBranches;
  readonly #seen = new Set<Subschema>();
  readonly #queue: Subschema[];

  constructor(
    source: SchemaSource,
    start: readonly Subschema[],
    value: JsonTree | undefined,
    picked: ChosenBranches,
  ) {
    this.#source = source;
    this.#value = value;
    this.#text = value && treeText(value);
    this.#picked = picked;
    this.#queue = [...start];
  }

  run(): Found {
    const { parts } = this.found;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (this.#seen.has(next) || parts.length >= MAX_PARTS) continue;
      this.#seen.add(next);
      parts.push(next);
      if (isObject(next.schema)) this.#apply(next, next.schema);
    }
    return this.found;
  }

  #add(part: Subschema | undefined): void {
    if (part !== undefined) this.#queue.push(part);
  }

  #apply(part: Subschema, schema: JsonObject): void {
    for (const key of ["$ref", "$dynamicRef", "$recursiveRef"]) {
      const { [key]: ref } = schema;
      if (typeof ref !== "string") continue;
      const target = this.#source.follow(ref);
      if (target === undefined) this.found.lost = ref;
      else this.#add(target);
    }
    const { allOf } = schema;
    if (Array.isArray(allOf)) {
      for (const index of allOf.slice(0, MAX_PARTS).keys()) {
        this.#add(this.#source.child(part, "allOf", index));
      }
    }
    this.#condition(part);
    for (const key of ["dependentSchemas", "dependencies"]) {
      const { [key]: map } = schema;
      for (const name of isObject(map) ? Object.keys(map) : []) {
        if (hasMember(this.#value, name)) this.#add(this.#source.child(part, key, name));
      }
    }
    for (const key of ["oneOf", "anyOf"]) this.#union(part, key);
  }

  #condition(part: Subschema): void {
    const condition = this.#source.child(part, "if");
    if (condition === undefined || this.#text === undefined) return;
    const isMet = this.#source.isValid(condition, this.#text);
    this.#add(this.#source.child(part, isMet ? "then" : "else"));
  }

  #union(part: Subschema, key: string): void {
    const list: unknown = (part.schema as JsonObject)[key];
    if (!Array.isArray(list) || list.length === 0) return;
    const all = list
      .slice(0, MAX_BRANCHES)
      .map((_, index) => this.#source.child(part, key, index))
      .filter((branch) => branch !== undefined);
    const branches = all.filter((branch) => !isNullOnly(branch));
    if (branches.length < all.length) this.found.isNullable = true;
    const [only] = branches;
    if (branches.length < 2) {
      this.#add(only ?? all[0]);
      return;
    }
    const listed = branches.map((branch) => listedTexts(this.#source, branch));
    if (listed.every(({ length }) => length === 1)) {
      this.found.listings.push(branches.map((branch, i) => titled(branch, listed[i]?.[0] ?? "")));
      return;
    }
    if (!branches.some(hasShape)) {
      const words = alternativeWords(branches);
      if (words !== undefined) this.found.words.push(words);
      return;
    }
    this.offer(joinPointer(part.at, key), branches, branchNames(this.#source, branches), () =>
      this.#closest(branches),
    );
  }

  #closest(branches: readonly Subschema[]): number | undefined {
    const text = this.#text;
    if (text === undefined) return undefined;
    return this.#source.closest(branches.slice(0, MAX_COMPARED), text);
  }

  /** Offers branches to choose from, and enters the one that was picked or that the value matches. */
  offer(
    at: string,
    branches: readonly Subschema[],
    names: readonly string[],
    decide: () => number | undefined,
  ): void {
    const known = this.#picked.get(at);
    const decided = known ?? decide();
    // Keep the branch that a value decided: while it is being typed, it may look like a value of another branch.
    if (known === undefined && decided !== undefined) this.#picked.set(at, decided);
    const index = decided !== undefined && decided < branches.length ? decided : 0;
    this.found.unions.push({ at, branches, names, index });
    this.#add(branches[index]);
  }
}

function titled({ schema }: Subschema, text: string): EnumChoice {
  const title: unknown = isObject(schema) ? schema["title"] : undefined;
  const plain = plainText(text);
  return {
    text,
    label: typeof title === "string" && title !== plain ? `${title} (${plain})` : plain,
  };
}

/** Offers the types of a value that may have several, as branches of a union. */
export function offerTypes(
  expansion: Expansion,
  types: readonly string[],
  value: JsonTree | undefined,
): void {
  const [first] = expansion.found.parts;
  const at = `${first?.at ?? ""}/type`;
  const branches = types.map((type): Subschema => ({ at: `${at}:${type}`, schema: { type } }));
  expansion.offer(at, branches, types, () => {
    const type = value && typeOfTree(value);
    const index = types.findIndex(
      (each) => each === type || (each === "integer" && type === "number"),
    );
    return index < 0 ? undefined : index;
  });
}
