import { isObject, type JsonObject } from "../json/value.ts";
import { UNDECLARED_KEYWORD } from "../keywords/index.ts";
import type { SchemaNode } from "../keywords/node.ts";
import {
  type DeclaredMembers,
  type EvaluationRun,
  placeBelow,
  reportFailure,
  spendSteps,
  type ValuePlace,
} from "../keywords/run.ts";

/** What is declared for one object. */
interface ObjectDeclared {
  readonly names: Set<string>;
  isSome: boolean;
  isAll: boolean;
}

/** Entries other than names. */
const SOME = 1;
const ALL = 2;
type Entry = string | typeof SOME | typeof ALL;
type Cut = readonly [objects: readonly object[], entries: readonly Entry[]];

/**
 * Collects what is declared for the whole value, or for each object in it. Objects are compared by identity: in a
 * parsed text, each one occurs once.
 */
export class Declarations implements DeclaredMembers {
  /** The whole value; undefined to collect for each object in it. */
  readonly #only: unknown;
  readonly #objects: object[] = [];
  readonly #entries: Entry[] = [];
  /** The outermost schema that was applied to each object. */
  readonly #nodes: Map<object, SchemaNode> = new Map();

  constructor(only: unknown) {
    this.#only = only;
  }

  get size(): number {
    return this.#objects.length;
  }

  applied(node: SchemaNode, value: JsonObject): void {
    if (this.#isAsked(value) && !this.#nodes.has(value)) this.#nodes.set(value, node);
  }

  some(value: JsonObject): void {
    this.#add(value, SOME);
  }

  one(value: JsonObject, name: string): void {
    this.#add(value, name);
  }

  all(value: JsonObject): void {
    this.#add(value, ALL);
  }

  cut(size: number): Cut {
    return [this.#objects.splice(size), this.#entries.splice(size)];
  }

  restore(cut: unknown): void {
    const [objects, entries] = cut as Cut;
    for (const [i, object] of objects.entries()) {
      this.#objects.push(object);
      this.#entries.push(entries[i] as Entry);
    }
  }

  #add(value: object, entry: Entry): void {
    if (!this.#isAsked(value)) return;
    this.#objects.push(value);
    this.#entries.push(entry);
  }

  #isAsked(value: object): boolean {
    return this.#only === undefined || value === this.#only;
  }

  /**
   * Reports every undeclared member. An object inside the whole value may have any members if the schema declares
   * none for it.
   * @throws BudgetError if steps are used up
   */
  report(run: EvaluationRun, root: unknown, place: ValuePlace): void {
    spendSteps(run, this.size);
    const declared = new Map<object, ObjectDeclared>();
    for (const [i, object] of this.#objects.entries()) {
      const known = declared.get(object) ?? { names: new Set(), isSome: false, isAll: false };
      declared.set(object, known);
      const entry = this.#entries[i];
      if (entry === SOME) known.isSome = true;
      else if (entry === ALL) known.isAll = true;
      else known.names.add(entry as string);
    }
    const look = (value: unknown, at: ValuePlace): void => {
      spendSteps(run, 1);
      if (Array.isArray(value)) {
        if (this.#only !== undefined) return;
        for (const [i, item] of value.entries()) look(item, placeBelow(run, at, i) as ValuePlace);
      } else if (isObject(value)) {
        const node = this.#nodes.get(value);
        if (node === undefined) return;
        const of = declared.get(value);
        const isOpen =
          of === undefined ? value === root : !of.isAll && (of.isSome || value === root);
        for (const name of run.sortedKeysOf(value)) {
          const member = value[name];
          if (isOpen && member !== undefined && of?.names.has(name) !== true) {
            const why = () => ({
              message: "must NOT have undeclared properties",
              params: { unevaluatedProperty: name },
            });
            reportFailure(run, node, UNDECLARED_KEYWORD, value, at, why, name);
          }
          if (this.#only === undefined) look(member, placeBelow(run, at, name) as ValuePlace);
        }
      }
    };
    look(root, place);
  }
}
