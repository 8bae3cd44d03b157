import {
  type CompiledSchema,
  compileDeclared,
  explainCheck,
  type Fact,
  fragmentTokens,
  joinPointer,
  pointerTokens,
  valueAt,
} from "@touchstone/core/advanced";
import { treeAt } from "../json/edit.ts";
import { isObject } from "../json/object.ts";
import { type JsonTree, printTree, readTree } from "../json/tree.ts";

/** A subschema and its location in the tool's schema (RFC 6901). There is one object per location. */
export interface Subschema {
  readonly at: string;
  readonly schema: unknown;
}

/** Id under which a branch finds the whole schema that contains it. */
const ROOT = "form:whole";
/** Maximum number of subschemas searched for anchors and ids. */
const MAX_SEARCHED = 20_000;
const MAX_DEPTH = 64;
/** Matches how a schema marks values that are not to be shown (JSON Schema 2020-12, Validation, section 9.4). */
const HIDDEN = /"(?:format|writeOnly)"\s*:\s*(?:"password"|true)/;

/** Returns a value on one line, as written. JSON strings never contain raw line breaks. */
export function treeText(tree: JsonTree): string {
  return printTree(tree).replaceAll(/\n */g, "");
}

/** Returns whether a fact is a wrong type of the value itself, or a wrong value that may distinguish branches. */
function isOther({ kind, path, wanted }: Fact): readonly [type: boolean, name: boolean] {
  const depth = path.split("/").length - 1;
  const isWanted = kind === "wanted";
  return [isWanted && depth === 0, isWanted && depth === 1 && (wanted?.values.length ?? 0) > 0];
}

const VALID: readonly number[] = [0, 0, 0, 0, 0];

/**
 * Returns how far a text is from valid, in order of importance: its own type, names that distinguish branches, how
 * much is wrong, how deep, how much is missing. Undefined if the schema cannot be used.
 */
function distance(schema: CompiledSchema, text: string): readonly number[] | undefined {
  if (schema.error !== undefined) return undefined;
  const check = schema.validateText(text);
  if (check.valid) return VALID;
  const facts = explainCheck(check);
  const others = facts.map(isOther);
  const types = others.filter(([type]) => type).length;
  const names = others.filter(([, name]) => name).length;
  const depth = Math.max(0, ...facts.map(({ path }) => path.split("/").length));
  const missing = facts.filter(({ kind }) => kind === "missing" || kind === "missing_any").length;
  return [types, names, Math.max(1, facts.length), -depth, missing];
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((each, index) => each !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** The schema behind a form: its parts, the targets of its references, and its exact numbers. */
export class SchemaSource {
  readonly #text: string;
  readonly #value: unknown;
  readonly #tree: JsonTree | undefined;
  readonly #dialect: unknown;
  readonly #parts = new Map<string, Subschema>();
  readonly #compiled = new Map<string, CompiledSchema>();
  #names: ReadonlyMap<string, string> | undefined;

  /** @param text JSON text of the whole schema */
  constructor(text: string) {
    this.#text = text;
    this.#value = JSON.parse(text);
    const read = readTree(text);
    this.#tree = read.ok ? read.tree : undefined;
    this.#dialect = isObject(this.#value) ? this.#value["$schema"] : undefined;
  }

  /** Whether the schema marks any value as not to be shown. */
  get hasSecrets(): boolean {
    return HIDDEN.test(this.#text);
  }

  /** The whole schema. */
  get root(): Subschema {
    return this.#part("", this.#value);
  }

  #part(at: string, schema: unknown): Subschema {
    const known = this.#parts.get(at);
    if (known !== undefined) return known;
    const made: Subschema = { at, schema };
    this.#parts.set(at, made);
    return made;
  }

  /** Returns the subschema at a place below a part; undefined if there is none. */
  child(part: Subschema, ...tokens: readonly (string | number)[]): Subschema | undefined {
    let schema: unknown = part.schema;
    for (const token of tokens) {
      if (typeof schema !== "object" || schema === null || !Object.hasOwn(schema, token)) {
        return undefined;
      }
      schema = Reflect.get(schema, token);
    }
    if (typeof schema !== "boolean" && !isObject(schema)) return undefined;
    return this.#part(tokens.reduce(joinPointer, part.at), schema);
  }

  /** Returns the exact text of a value in the schema, on one line; undefined if there is none. */
  text(at: string): string | undefined {
    if (this.#tree !== undefined) {
      const tree = treeAt(this.#tree, pointerTokens(at));
      return tree && treeText(tree);
    }
    const found = valueAt(this.#value, pointerTokens(at));
    return found === undefined ? undefined : JSON.stringify(found.value);
  }

  /** Finds anchors and ids once, in a bounded walk. */
  #namesOf(): ReadonlyMap<string, string> {
    if (this.#names !== undefined) return this.#names;
    const names = new Map<string, string>();
    const open: (readonly [at: string, value: unknown, depth: number])[] = [["", this.#value, 0]];
    for (let count = 0; count < MAX_SEARCHED; count++) {
      const next = open.pop();
      if (next === undefined) break;
      const [at, value, depth] = next;
      if (typeof value !== "object" || value === null || depth > MAX_DEPTH) continue;
      if (isObject(value)) {
        for (const key of ["$anchor", "$dynamicAnchor"]) {
          if (typeof value[key] === "string") names.set(`#${value[key]}`, at);
        }
        const id = value["$id"] ?? value["id"];
        if (typeof id === "string") names.set(id, at);
      }
      for (const [key, each] of Object.entries(value).slice(0, MAX_SEARCHED)) {
        open.push([joinPointer(at, key), each, depth + 1]);
      }
    }
    this.#names = names;
    return names;
  }

  /** Returns the target of a reference to a pointer, an anchor or an id in this schema. Undefined for others. */
  follow(ref: string): Subschema | undefined {
    const tokens = fragmentTokens(ref);
    const at = tokens?.reduce(joinPointer, "") ?? this.#namesOf().get(ref);
    if (at === undefined) return undefined;
    const found = valueAt(this.#value, pointerTokens(at));
    const schema = found?.value;
    return typeof schema === "boolean" || isObject(schema) ? this.#part(at, schema) : undefined;
  }

  #compile(at: string): CompiledSchema {
    const known = this.#compiled.get(at);
    if (known !== undefined) return known;
    const fragment = at.toWellFormed().split("/").map(encodeURIComponent).join("/");
    const $schema = this.#dialect;
    const value = { ...($schema === undefined ? {} : { $schema }), $ref: `${ROOT}#${fragment}` };
    const made = compileDeclared({ value }, { documents: { [ROOT]: this.#text } });
    this.#compiled.set(at, made);
    return made;
  }

  /** Returns whether a JSON text is valid against a part of the schema; false if the part cannot be used. */
  isValid(part: Subschema, text: string): boolean {
    return this.#compile(part.at).validateText(text).valid;
  }

  /**
   * Returns the index of the branch that a JSON text matches, checked like the whole arguments; if it matches none,
   * of the closest branch. Undefined if one of the branches cannot be used.
   */
  closest(branches: readonly Subschema[], text: string): number | undefined {
    const distances: (readonly number[])[] = [];
    for (const { at } of branches) {
      const far = distance(this.#compile(at), text);
      if (far === undefined) return undefined;
      distances.push(far);
    }
    const [least = []] = distances.toSorted(compare);
    const index = distances.findIndex((each) => compare(each, least) === 0);
    return index < 0 ? undefined : index;
  }
}
