import { isObject } from "@touchstone/core/advanced";
import { Contract } from "../contract/contract.ts";
import type { Contracted } from "../contract/options.ts";
import { withReplacedMembers } from "../replaced-members.ts";
import { type AnthropicOptions, guardTool, type Run, withContract } from "./guard.ts";

/** A runnable tool of the Anthropic SDK (`BetaRunnableTool`), with only the members used here. */
export interface AnthropicRunnableTool {
  readonly name?: string;
  readonly input_schema?: unknown;
  // Declared as methods, so that tools with any arguments and contexts fit.
  run(args: never, context?: never): unknown;
  parse?(content: unknown): unknown;
}

function isTextBlock(value: unknown): value is { readonly text: string } {
  if (typeof value !== "object" || value === null) return false;
  return Reflect.get(value, "type") === "text" && typeof Reflect.get(value, "text") === "string";
}

function acceptContent(contract: Contract, content: unknown): void {
  const blocks = Array.isArray(content) ? content.filter(isTextBlock) : [];
  const text = typeof content === "string" ? content : blocks.length === 1 && blocks[0]?.text;
  if (typeof text === "string") contract.acceptResultText(text);
  else contract.acceptResult(content);
}

/** Schemas from `mcpTool` are null if the server declared none. */
function withoutNulls(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const optional = new Set(["properties", "required"]);
  const isSaid = ([key, value]: [string, unknown]): boolean =>
    !(optional.has(key) && value === null);
  return Object.fromEntries(Object.entries(schema).filter(isSaid));
}

/**
 * Wraps a runnable tool of the Anthropic SDK (`betaTool`, `betaZodTool`, `mcpTool`, or one written by hand) so that
 * its `run` is never called with arguments that break its `input_schema`. `parse` then throws, synchronously, an
 * error that the tool runner turns into an error result, and so does `run` for arguments that did not come from
 * `parse`. For a streamed call, its JSON text is also checked: numbers by their digits, and a text that was cut off
 * is refused.
 *
 * Every other field is kept, including symbols and inherited members; the tool itself is not changed. A tool without
 * an `input_schema` (memory, bash, computer, text editor) is returned as it is.
 * @throws InvalidSchemaError for a schema that cannot be used, unless `lenient`
 */
export function withValidation<T extends AnthropicRunnableTool>(
  tool: T,
  options: AnthropicOptions = {},
): T & Partial<Contracted> {
  if (tool.input_schema === undefined || tool.input_schema === null) return tool;
  const { ToolError, outputSchema } = options;
  const input = withoutNulls(tool.input_schema);
  const contract = new Contract(
    { tool: tool.name ?? "tool", input, output: outputSchema },
    options,
  );
  const parts = guardTool({
    contract,
    ToolError,
    run: (args, context) => (tool.run as Run).call(tool, args, context),
    parse: (content) => (tool.parse === undefined ? content : tool.parse(content)),
    settle: (content) => {
      acceptContent(contract, content);
      return content;
    },
  });
  return withContract(withReplacedMembers(tool, parts, ["close"]), contract.info) as unknown as T &
    Partial<Contracted>;
}
