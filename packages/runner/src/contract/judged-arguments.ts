import type { Contract } from "./contract.ts";

/**
 * The arguments of one tool whose SDK checks them in one place and runs the tool in another. They are
 * checked there once more, since a program may have changed them, or run the tool by itself; only what a
 * tool's own validation made of them is known again, which need not satisfy the schema.
 */
export class JudgedArguments {
  readonly #contract: Contract;
  readonly #known: WeakSet<object> = new WeakSet();
  #hasOthers = false;

  constructor(contract: Contract) {
    this.#contract = contract;
  }

  /**
   * Notes what was made of arguments, and returns it.
   * @param accepted the arguments, which satisfy the schema
   */
  note<T>(args: T, accepted: unknown): T {
    // A validation that changes the arguments themselves gives them back, too.
    if (args === accepted && this.#contract.satisfies(args)) return args;
    if (typeof args === "object" && args !== null) this.#known.add(args);
    // A transformation gives a string, say: from then on all that is not an object counts as checked.
    else this.#hasOthers = true;
    return args;
  }

  /**
   * What the tool may run on: the arguments, where they were made before, or are valid or repaired now.
   * None at all are checked as an empty object.
   * @throws ToolInputError where they break the schema
   */
  take(args: unknown): unknown {
    const isObject = typeof args === "object" && args !== null;
    if (isObject ? this.#known.has(args) : this.#hasOthers) return args;
    if (args !== undefined) return this.#contract.accept(args);
    this.#contract.accept({});
    return args;
  }
}
