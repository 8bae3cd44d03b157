import { asObjectSchema, requireObjectSchema } from "../contract/arguments.ts";
import { Contract } from "../contract/contract.ts";
import type { ContractOptions, ToolContract } from "../contract/options.ts";
import { isFinalResult, type McpCall, refusalResult, resultMember } from "./result.ts";

/** A tool of a server: what `tools/list` shows (also `title`, `annotations`, `icons`, `_meta`), and its handler. */
export interface McpToolDefinition<Extra = unknown> {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema. */
  readonly inputSchema: unknown;
  /** JSON Schema of `structuredContent`. */
  readonly outputSchema?: unknown;
  /** Receives arguments that satisfy the schema, and what the SDK passes to a request handler. */
  readonly handler: (args: never, extra: Extra) => unknown;
}

/**
 * A tool as listed, with everything that its definition declares. Typed only as far as both SDKs require (a type, not
 * an interface, so that it fits their open objects).
 */
export type ListedTool = {
  name: string;
  description?: string;
  inputSchema: { type: "object" };
};

/** What the request handlers of a low-level `Server` return. */
export interface CheckedTools<Extra, Result> {
  /** The result of `tools/list`: every tool, without its handler. */
  list(): { tools: ListedTool[] };
  /**
   * The result of `tools/call`.
   * @throws (rejects) an error with `code` -32602 for a tool that does not exist, and whatever a handler throws
   */
  call(params: McpCall, extra: Extra): Promise<Result>;
  /** What is checked for each tool, by tool name. */
  readonly contracts: ReadonlyMap<string, ToolContract>;
}

/** JSON-RPC's code for invalid parameters, which MCP uses for a call of an unknown tool. */
const INVALID_PARAMS = -32602;

class UnknownToolError extends Error {
  readonly code: number = INVALID_PARAMS;
}

interface Registered<Extra> {
  readonly contract: Contract;
  readonly listed: ListedTool;
  readonly definition: McpToolDefinition<Extra>;
}

/**
 * Builds tools that are declared with plain JSON Schema, for the low-level `Server` of either MCP SDK: its handlers
 * of `tools/list` and `tools/call` return what `list` and `call` return. Arguments are checked before a handler runs,
 * `structuredContent` before it is sent. If either breaks its schema, the response is an `isError` result with a text
 * for the model.
 * @throws InvalidSchemaError for a schema that cannot be used, is missing or allows no object, unless `lenient`
 * @throws TypeError for two tools with the same name, and for a tool without a handler
 */
export function checkedTools<Extra = unknown, Result = never>(
  definitions: readonly McpToolDefinition<Extra>[],
  options: ContractOptions = {},
): CheckedTools<Extra, Result> {
  const tools = new Map<string, Registered<Extra>>();
  for (const definition of definitions) {
    const { handler, ...declared } = definition;
    const { name, outputSchema: output } = definition;
    if (tools.has(name)) throw new TypeError(`two tools are named ${JSON.stringify(name)}`);
    if (typeof handler !== "function") {
      throw new TypeError(`the tool ${JSON.stringify(name)} has no handler`);
    }
    const input = asObjectSchema(definition.inputSchema);
    const contract = new Contract({ tool: name, input, output }, options);
    // Clients refuse the whole list if one tool's schema does not declare an object; `lenient` lets it through.
    const inputSchema = (
      options.lenient === true
        ? (input ?? { type: "object" })
        : requireObjectSchema(name, input, definition)
    ) as ListedTool["inputSchema"];
    tools.set(name, { contract, definition, listed: { ...declared, inputSchema } });
  }
  return {
    contracts: new Map([...tools].map(([name, { contract }]) => [name, contract.info])),
    list: () => ({ tools: [...tools.values()].map(({ listed }) => listed) }),
    async call({ name, arguments: given = {} }, extra) {
      const tool = tools.get(name);
      if (tool === undefined) throw new UnknownToolError(`Unknown tool: ${name}`);
      const { contract, definition } = tool;
      const answer = (result: unknown): Result => result as Result;
      let args: unknown;
      try {
        args = contract.accept(given);
      } catch (error) {
        return answer(refusalResult(error));
      }
      const result = await definition.handler(args as never, extra);
      if (!contract.info.output.checked || !isFinalResult(result)) return answer(result);
      try {
        contract.acceptSent(resultMember(result, "structuredContent"));
        return answer(result);
      } catch (error) {
        return answer(refusalResult(error));
      }
    },
  };
}
