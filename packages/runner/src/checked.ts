import { quote } from "@touchstone/core";
import { Contract } from "./contract/contract.ts";
import type { ContractOptions, ToolContract } from "./contract/options.ts";

/** What a plain function takes and gives, as JSON Schemas, and how that is checked. */
export interface CheckedOptions extends ContractOptions {
  /** The name in messages. Default: the function's own, else `tool`. */
  readonly name?: string;
  /** JSON Schema of the first argument; without one it is not checked. */
  readonly input?: unknown;
  /** JSON Schema of the result, or of what its promise resolves to. */
  readonly output?: unknown;
}

const OPTIONS: Readonly<Record<keyof CheckedOptions, true>> = {
  name: true,
  input: true,
  output: true,
  lenient: true,
  raw: true,
  repair: true,
  onRepair: true,
  compile: true,
  limits: true,
};

/**
 * A schema by another name, or instead of the options, would leave the argument unchecked.
 * @throws TypeError where `fn` is not a function, and if there is no `input`, and something that is not an option
 */
function requireInput(options: CheckedOptions): void {
  if ("input" in options || options.raw === true) return;
  const other = Object.keys(options).find((name) => !Object.hasOwn(OPTIONS, name));
  if (other === undefined) return;
  throw new TypeError(
    `${quote(other)} is not an option of checked; give the schema of the first argument as "input"`,
  );
}

/** A function that runs only on arguments that satisfy its schema. */
export type Checked<F> = F & { readonly contract: ToolContract };

/** What a function has by itself, and what says nothing of it to who calls it. */
const OF_EVERY_FUNCTION: ReadonlySet<PropertyKey> = new Set([
  "length",
  "name",
  "prototype",
  "arguments",
  "caller",
]);

/**
 * Wraps a function whose first argument is what a model sent. Other arguments, `this` and the result
 * are passed on as they are; where the function gives a promise, its result is checked when it
 * settles. What else the function has, as a `description`, its wrapped form has, too. The function itself is not
 * changed.
 *
 * A call throws, at once, a `ToolInputError` where the argument breaks `input`, and the function does
 * not run; and a `ToolOutputError`, or rejects with it, where the result breaks `output`.
 * @throws InvalidSchemaError for a schema that cannot be used, unless `lenient`
 * @throws TypeError if there is no `input`, and something that is not an option, such as `inputSchema`
 */
export function checked<A, R extends readonly unknown[], O>(
  fn: (args: A, ...rest: R) => O,
  options: CheckedOptions = {},
): Checked<(args: A, ...rest: R) => O> {
  if (typeof fn !== "function") {
    throw new TypeError(
      `checked takes the function to run first; it is ${fn === null ? "null" : typeof fn}`,
    );
  }
  requireInput(options);
  const { name, input, output } = options;
  const contract = new Contract({ tool: name ?? (fn.name || "tool"), input, output }, options);
  const isChecked = contract.info.output.checked;
  function call(this: unknown, args: A, ...rest: R): O {
    const result = fn.call(this, contract.accept(args) as A, ...rest);
    return isChecked ? (contract.acceptResultOf(result) as O) : result;
  }
  for (const key of Reflect.ownKeys(fn)) {
    const descriptor = Object.getOwnPropertyDescriptor(fn, key);
    if (descriptor === undefined || OF_EVERY_FUNCTION.has(key)) continue;
    Object.defineProperty(call, key, { ...descriptor, configurable: true });
  }
  Object.defineProperty(call, "name", { value: fn.name, configurable: true });
  const described = { value: contract.info, enumerable: true, configurable: true };
  return Object.defineProperty(call, "contract", described) as typeof call & {
    readonly contract: ToolContract;
  };
}
