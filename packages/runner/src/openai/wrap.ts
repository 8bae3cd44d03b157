import { Contract } from "../contract/contract.ts";
import type { Contracted, ContractOptions } from "../contract/options.ts";
import { errorForModel } from "./error-text.ts";

/** A function tool of the OpenAI Agents SDK: only the members that are used here. */
export interface OpenAiFunctionTool {
  readonly name: string;
  readonly parameters: unknown;
  readonly outputSchema?: unknown;
  readonly invoke: unknown;
}

/** Runs a function tool; the input is JSON text. */
export type Invoke = (context: unknown, input: string, details?: unknown) => Promise<unknown>;

/**
 * Wraps a function tool (from `tool()`, or made by the SDK from an MCP server's list) so that its handler is never
 * called with arguments that break the tool's `parameters`. Checks the JSON text of the arguments, and numbers by
 * their digits. The model gets our text as the tool's output; a tool with an `outputSchema` throws it instead, as the
 * SDK itself does. The tool itself is not changed.
 *
 * In strict mode, `parameters` is the schema that the SDK made for the provider: what the author left optional is
 * required and may be null. Use {@link checkedTool} to check the author's own schema, too.
 * @throws InvalidSchemaError for a schema that cannot be used, unless `lenient`
 */
export function withValidation<T extends OpenAiFunctionTool>(
  tool: T,
  options: ContractOptions & { readonly outputSchema?: unknown } = {},
): T & Contracted {
  const output = options.outputSchema ?? tool.outputSchema;
  const contract = new Contract({ tool: tool.name, input: tool.parameters, output }, options);
  const isTyped = tool.outputSchema !== undefined;
  const call = tool.invoke as Invoke;
  const invoke: Invoke = async (context, input, details) => {
    try {
      const { value, repaired } = contract.acceptText(input);
      const text = repaired ? JSON.stringify(value) : input;
      const result = await call.call(tool, context, text, details);
      if (options.outputSchema !== undefined) contract.acceptResult(result);
      return result;
    } catch (error) {
      return errorForModel(error, isTyped);
    }
  };
  return { ...tool, invoke, contract: contract.info };
}
