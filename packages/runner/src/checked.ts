import { quote } from "@touchstone/core/advanced";
import { Contract } from "./contract/contract.ts";
import type { ContractOptions, ToolContract } from "./contract/options.ts";

/** The JSON Schemas of a plain function's argument and result, and how to check them. */
export interface CheckedOptions extends ContractOptions {
  /** The tool's name in messages. Default: the function's own name, otherwise `tool`. */
  readonly name?: string;
  /** JSON Schema of the first argument. Without one, the argument is not checked. */
  readonly input?: unknown;
  /** JSON Schema of the result, or of the value that its promise resolves to. */
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
 * Rejects a schema that has another name, or that is passed in place of the options: it would leave the argument
 * unchecked.
 * @throws TypeError if there is no `input` and there is something that is not an option
 */
function requireInput(options: CheckedOptions): void {
  if ("input" in options || options.raw === true) return;
  const other = Object.keys(options).find((name) => !Object.hasOwn(OPTIONS, name));
  if (other === undefined) return;
  throw new TypeError(
    `${quote(other)} is not an option of checked; pass the schema of the first argument as "input"`,
  );
}

/** A function that runs only if its argument satisfies the schema. */
export type Checked<F> = F & { readonly contract: ToolContract };

/** Properties that every function has. They say nothing about this function, so they are not copied. */
const OF_EVERY_FUNCTION: ReadonlySet<PropertyKey> = new Set([
  "length",
  "name",
  "prototype",
  "arguments",
  "caller",
]);

/**
 * Wraps a function whose first argument comes from a model. Other arguments, `this` and the result are passed on as
 * they are. If the function returns a promise, its result is checked when it settles. Other properties of the
 * function, such as a `description`, are copied to the wrapper. The function itself is not changed.
 *
 * If the argument breaks `input`, a call immediately throws a `ToolInputError`, and the function does not run. If the
 * result breaks `output`, the call throws a `ToolOutputError`, or rejects with it.
 * @throws InvalidSchemaError for a schema that cannot be used, unless `lenient`
 * @throws TypeError if `fn` is not a function, or if there is no `input` and there is something that is not an
 *   option, such as `inputSchema`
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
