import type { SchemaNode } from "../schema/graph/node.ts";
import { Effort } from "./effort.ts";
import { ObjectNames } from "./names.ts";
import { Candidates } from "./nearest.ts";

/** Looks up what may have been meant, for the errors of one check: what is compared is gathered once. */
export class Lookup extends Effort {
  readonly #names: Map<object, Map<SchemaNode, ObjectNames>> = new Map();
  readonly #values: Map<readonly unknown[], Candidates> = new Map();

  /** The names that a value has and those that a schema declares for it. */
  namesOf(node: SchemaNode, data: unknown): ObjectNames {
    const key = typeof data === "object" && data !== null ? data : node;
    const known = this.#names.get(key) ?? new Map<SchemaNode, ObjectNames>();
    this.#names.set(key, known);
    const names = known.get(node) ?? new ObjectNames(node, data, this);
    known.set(node, names);
    return names;
  }

  /** The texts among the values that a schema allows. */
  textsOf(values: readonly unknown[]): Candidates {
    const known = this.#values.get(values);
    if (known !== undefined) return known;
    const texts = new Candidates(values.filter((value) => typeof value === "string"));
    this.#values.set(values, texts);
    return texts;
  }
}
