import type { KeywordError } from "../../engine/context.ts";
import type { SchemaNode } from "../../keywords/node.ts";
import { declaredNames, ObjectNames } from "./declared-names.ts";
import { Candidates, SuggestionBudget } from "./nearest.ts";

/** Looks up what may have been meant, for the errors of one check. Gathers what it compares only once. */
export class SuggestionLookup extends SuggestionBudget {
  readonly #names: Map<object, Map<string, ObjectNames>> = new Map();
  readonly #declared: Map<object, Map<string, ReadonlySet<string>>> = new Map();
  readonly #nodes: Map<SchemaNode, Map<string, readonly SchemaNode[]>> = new Map();
  readonly #values: Map<readonly unknown[], Candidates> = new Map();

  /** Returns the names in the value of an error, and the declared names that the error is about. */
  namesOf(error: KeywordError): ObjectNames {
    const { node, data, params } = error;
    const { additionalProperty, unevaluatedProperty } = params;
    const about = additionalProperty ?? unevaluatedProperty;
    const kind = about === undefined ? "" : additionalProperty === undefined ? "u" : "a";
    const key = typeof data === "object" && data !== null ? data : node;
    const known = this.#names.get(key) ?? new Map<string, ObjectNames>();
    this.#names.set(key, known);
    const id = `${node.id}${kind}`;
    const names = known.get(id) ?? new ObjectNames(error, this.#declaredBy(error, kind), this);
    known.set(id, names);
    return names;
  }

  /** Returns what the schemas declare, which is the same for many objects. */
  #declaredBy(error: KeywordError, kind: string): ReadonlySet<string> {
    const known = this.#declared.get(error.node) ?? new Map<string, ReadonlySet<string>>();
    this.#declared.set(error.node, known);
    const names = known.get(kind) ?? declaredNames(error);
    known.set(kind, names);
    return names;
  }

  /** Returns what is known about the schemas of places below a schema, by pointer. */
  nodesOf(root: SchemaNode): Map<string, readonly SchemaNode[]> {
    const known = this.#nodes.get(root) ?? new Map<string, readonly SchemaNode[]>();
    this.#nodes.set(root, known);
    return known;
  }

  /** Returns the strings among the values that a schema allows. */
  textsOf(values: readonly unknown[]): Candidates {
    const known = this.#values.get(values);
    if (known !== undefined) return known;
    const texts = new Candidates(values.filter((value) => typeof value === "string"));
    this.#values.set(values, texts);
    return texts;
  }
}
