import { CheckedArguments } from "../contract/checked-arguments.ts";
import { type Contract, isThenable } from "../contract/contract.ts";
import { ToolInputError, ToolOutputError } from "../contract/errors.ts";
import type { Contracted, ContractOptions, ToolContract } from "../contract/options.ts";

/** What the tool runner passes to `run` in addition to the arguments, with only the members used here. */
export interface AnthropicRunContext {
  readonly toolUse?: unknown;
}

/** Options for one Anthropic SDK tool. */
export interface AnthropicOptions extends ContractOptions {
  /**
   * The SDK's `ToolError` (`@anthropic-ai/sdk/lib/tools/ToolError`). With it, the model gets only the text. Without
   * it, the runner puts `Error: ` in front. The thrown error's `cause` is our error.
   */
  readonly ToolError?: new (
    content: string,
  ) => Error;
  /**
   * JSON Schema of what `run` returns: of the JSON text in a string or in its only text block, otherwise of the
   * value.
   */
  readonly outputSchema?: unknown;
}

/** Runs a tool. */
export type Run = (args: unknown, context?: unknown) => unknown;

/** Rethrows our errors as `ToolError`, if given. The runner turns them into error results. */
function inSdkWords<T>(ToolError: AnthropicOptions["ToolError"], task: () => T): T {
  try {
    return task();
  } catch (error) {
    const isOurs = error instanceof ToolInputError || error instanceof ToolOutputError;
    if (!isOurs || ToolError === undefined) throw error;
    throw Object.assign(new ToolError(error.message), { cause: error });
  }
}

/** Returns the JSON text that the SDK collected while the call was streamed. */
function streamedText(context: unknown): string | undefined {
  const toolUse = (context as AnthropicRunContext | undefined)?.toolUse;
  if (typeof toolUse !== "object" || toolUse === null) return undefined;
  const text: unknown = Reflect.get(toolUse, "__json_buf");
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** The parts of a guarded tool. */
export interface GuardedToolParts {
  readonly contract: Contract;
  readonly run: Run;
  readonly parse: (content: unknown) => unknown;
  readonly settle: (result: unknown) => unknown;
  readonly ToolError: AnthropicOptions["ToolError"];
}

/**
 * Returns a `parse` and a `run` that check arguments and results: the tool does not run on bad arguments, and a bad
 * result is not passed on.
 */
export function guardTool({ contract, run, parse, settle, ToolError }: GuardedToolParts): {
  readonly parse: (content: unknown) => unknown;
  readonly run: Run;
} {
  const judged = new CheckedArguments(contract);
  const finish = (result: unknown): unknown => inSdkWords(ToolError, () => settle(result));
  return {
    parse: (content) =>
      inSdkWords(ToolError, () => {
        const accepted = contract.accept(content);
        return judged.note(parse(accepted), accepted);
      }),
    run: (given, context) => {
      const text = streamedText(context);
      if (text !== undefined) inSdkWords(ToolError, () => contract.confirmText(text));
      const args = inSdkWords(ToolError, () => judged.take(given));
      const result = run(args, context);
      return isThenable(result) ? Promise.resolve(result).then(finish) : finish(result);
    },
  };
}

/** Not enumerable: the contract is not a field of the API, so it must not reach the request. */
export function withContract<T extends object>(tool: T, contract: ToolContract): T & Contracted {
  return Object.defineProperty(tool, "contract", { value: contract }) as T & Contracted;
}
