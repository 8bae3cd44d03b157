import { type CompiledSchema, compileSchema, explainCheck, type Fact } from "@touchstone/core";
import { isObject } from "../json/object.ts";

/** Where a branch finds the whole schema that it is a part of. */
const ROOT = "form:whole";

/** A wrong type of the value itself, and a wrong value of what may tell branches apart. */
function isOther({ kind, path, wanted }: Fact): readonly [type: boolean, name: boolean] {
  const depth = path.split("/").length - 1;
  const isWanted = kind === "wanted";
  return [isWanted && depth === 0, isWanted && depth === 1 && (wanted?.values.length ?? 0) > 0];
}

const VALID: readonly number[] = [0, 0, 0, 0, 0];

/**
 * How far a text is off: first by its own type, then by the names that tell branches apart, then by
 * how much is wrong; of what is alike in all that, a wrong value further down is less off than one above, and
 * than what is missing: nobody gives another branch's properties. Undefined where nobody can say, since the schema cannot be used.
 */
function distance(schema: CompiledSchema, text: string): readonly number[] | undefined {
  if (schema.fault !== undefined) return undefined;
  const check = schema.check(text);
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

/** The branches of the unions in a schema, as its author wrote them. */
export class Branches {
  readonly #root: string;
  readonly #compiled = new Map<string, CompiledSchema>();

  readonly #dialect: unknown;

  /** @param root the text of the whole schema, in which numbers are exact */
  constructor(root: string) {
    this.#root = root;
    const value: unknown = JSON.parse(root);
    this.#dialect = isObject(value) ? value["$schema"] : undefined;
  }

  #at(pointer: string): CompiledSchema {
    const known = this.#compiled.get(pointer);
    if (known !== undefined) return known;
    const fragment = pointer.toWellFormed().split("/").map(encodeURIComponent).join("/");
    const $schema = this.#dialect;
    const value = { ...($schema === undefined ? {} : { $schema }), $ref: `${ROOT}#${fragment}` };
    const made = compileSchema({ value }, { documents: { [ROOT]: this.#root } });
    this.#compiled.set(pointer, made);
    return made;
  }

  /**
   * The indexes of the branches that a JSON text follows, judged as the whole of the arguments is;
   * where it follows none, of those that come closest. Undefined where one of them cannot be used.
   * @param pointers to the branches, in the schema
   */
  meant(pointers: readonly string[], text: string): readonly number[] | undefined {
    const distances: (readonly number[])[] = [];
    for (const pointer of pointers) {
      const far = distance(this.#at(pointer), text);
      if (far === undefined) return undefined;
      distances.push(far);
    }
    const [least = []] = distances.toSorted(compare);
    return [...distances.keys()].filter((index) => compare(distances[index] ?? [], least) === 0);
  }
}
