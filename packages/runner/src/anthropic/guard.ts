import { type Contract, isThenable } from "../contract/contract.ts";
import { ToolInputError, ToolOutputError } from "../contract/errors.ts";
import { JudgedArguments } from "../contract/judged-arguments.ts";
import type { ContractOptions, ToolContract } from "../contract/options.ts";

/** What the tool runner hands to `run` beside the arguments; the part of it that is read here. */
export interface AnthropicRunContext {
  readonly toolUse?: unknown;
}

/** Options of one tool for the Anthropic SDK. */
export interface AnthropicOptions extends ContractOptions {
  /**
   * The SDK's `ToolError` (`@anthropic-ai/sdk/lib/tools/ToolError`): with it the model gets the text
   * alone, without it the runner puts `Error: ` in front. The thrown error's `cause` is ours.
   */
  readonly ToolError?: new (
    content: string,
  ) => Error;
  /**
   * JSON Schema of what `run` gives: of the JSON text in a string or in its one text block, else of
   * the value.
   */
  readonly outputSchema?: unknown;
}

/** What runs a tool. */
export type Run = (args: unknown, context?: unknown) => unknown;

/** Throws what the runner turns into an error result. */
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

/** What a guarded tool is made of. */
export interface Parts {
  readonly contract: Contract;
  readonly run: Run;
  readonly parse: (content: unknown) => unknown;
  readonly settle: (result: unknown) => unknown;
  readonly ToolError: AnthropicOptions["ToolError"];
}

/** `parse` and `run` that keep the tool from running on bad arguments, and its bad results back. */
export function guarded({ contract, run, parse, settle, ToolError }: Parts): {
  readonly parse: (content: unknown) => unknown;
  readonly run: Run;
} {
  const judged = new JudgedArguments(contract);
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

/** The contract is not a field of the API's: it must not reach the request. */
export function withContract<T extends object>(tool: T, contract: ToolContract): T & Contracted {
  return Object.defineProperty(tool, "contract", { value: contract }) as T & Contracted;
}

/** A tool that tells what is checked of it. */
export interface Contracted {
  readonly contract: ToolContract;
}
