import type { Contract } from "./contract.ts";

/**
 * Checks the arguments of a tool whose SDK checks them in one place and runs the tool in another. They are checked
 * again before the tool runs, since a program may have changed them or run the tool directly. The exception is what a
 * tool's own validation made from them: it is recognized and not checked, because it need not satisfy the schema.
 */
export class CheckedArguments {
  readonly #contract: Contract;
  readonly #known: WeakSet<object> = new WeakSet();
  #hasOthers = false;

  constructor(contract: Contract) {
    this.#contract = contract;
  }

  /**
   * Records what was made from arguments, and returns it.
   * @param accepted the arguments, which satisfy the schema
   */
  note<T>(args: T, accepted: unknown): T {
    // A validation that changes the arguments in place also returns the same object.
    if (args === accepted && this.#contract.satisfies(args)) return args;
    if (typeof args === "object" && args !== null) this.#known.add(args);
    // A validation may turn the arguments into something else, such as a string. From then on, everything that is not
    // an object counts as checked.
    else this.#hasOthers = true;
    return args;
  }

  /**
   * Returns what the tool may run on: the arguments, if they were recorded before, or are valid or repaired now.
   * Absent arguments are checked as an empty object.
   * @throws ToolInputError if they break the schema
   */
  take(args: unknown): unknown {
    const isObject = typeof args === "object" && args !== null;
    if (isObject ? this.#known.has(args) : this.#hasOthers) return args;
    if (args !== undefined) return this.#contract.accept(args);
    this.#contract.accept({});
    return args;
  }
}
