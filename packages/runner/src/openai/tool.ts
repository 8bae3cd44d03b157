import { Contract } from "../contract/contract.ts";
import type { Contracted, ContractOptions } from "../contract/options.ts";
import { errorForModel, errorText } from "./error-text.ts";
import type { Invoke, OpenAiFunctionTool } from "./wrap.ts";

/** What `tool()` takes: only the members that are used here. */
export interface OpenAiToolOptions {
  readonly name: string;
  /** JSON Schema of the arguments. */
  readonly parameters: unknown;
  readonly outputSchema?: unknown;
  readonly strict?: boolean;
  readonly execute: unknown;
  readonly errorFunction?: unknown;
}

type ErrorFunction = (context: unknown, error: unknown, details?: unknown) => unknown;
type Execute = (input: unknown, context?: unknown, details?: unknown) => unknown;

/**
 * Makes a function tool with the SDK's own `tool`. Its `execute` is never called with arguments that break the
 * author's `parameters`. Checks what the SDK made of the arguments (in strict mode it drops the nulls that stand for
 * absent properties), and their JSON text if it holds numbers that a double cannot hold. The model gets our text.
 * Other errors of the handler are reported as the SDK does it, or by the definition's `errorFunction`, which gets our
 * errors, too; if that is null, all errors are thrown. Results are checked against `outputSchema`.
 * @param tool the SDK's `tool`
 * @param definition what it takes; `parameters` and `outputSchema` are JSON Schemas
 * @throws InvalidSchemaError for a schema that cannot be used, unless `lenient`
 * @throws TypeError if `tool` is not a function
 */
export function checkedTool<T extends OpenAiFunctionTool, D extends OpenAiToolOptions>(
  tool: (definition: never) => T,
  definition: D,
  options: ContractOptions = {},
): T & Contracted {
  if (typeof tool !== "function") {
    throw new TypeError("checkedTool takes the SDK's tool first, and then the definition");
  }
  const { name, parameters, outputSchema, execute, errorFunction } = definition;
  const author = new Contract({ tool: name, input: parameters, output: outputSchema }, options);
  const run: Execute = (input, context, details) => {
    const result: unknown = (execute as Execute)(author.accept(input), context, details);
    return author.acceptResultOf(result);
  };
  const isTyped = outputSchema !== undefined;
  const tells = errorFunction ?? (isTyped || errorFunction === null ? undefined : errorText);
  const made = tool({
    ...definition,
    execute: run,
    ...(tells === undefined ? {} : { errorFunction: tells }),
  } as never);
  const lenient = { ...options, lenient: true };
  const shown = new Contract({ tool: name, input: made.parameters }, lenient);
  const invoke: Invoke = async (context, input, details) => {
    try {
      confirm(author, shown, input);
    } catch (error) {
      // This error is handled as the SDK handles what `execute` throws.
      if (errorFunction === null) throw error;
      if (typeof errorFunction !== "function") return errorForModel(error, isTyped);
      return (errorFunction as ErrorFunction)(context, error, details);
    }
    return (made.invoke as Invoke).call(made, context, input, details);
  };
  return { ...made, invoke, contract: author.info };
}

/**
 * Checks numbers against the author's schema, or against the one shown to the model: in strict mode, the model sends
 * null for an absent property, which the author's schema may refuse.
 */
function confirm(author: Contract, shown: Contract, text: string): void {
  try {
    author.confirmNumbers(text);
  } catch (error) {
    if (!shown.info.input.checked) throw error;
    try {
      shown.confirmNumbers(text);
    } catch {
      throw error;
    }
  }
}
