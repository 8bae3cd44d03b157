import { asObjectSchema, requireObjectSchema } from "../contract/arguments.ts";
import { Contract } from "../contract/contract.ts";
import type { ContractOptions, ToolContract } from "../contract/options.ts";
import { field, isFinal, type McpCall, refusal } from "./result.ts";

/** A tool of a server: what it lists (`title`, `annotations`, `icons`, `_meta` too), and what runs it. */
export interface McpToolDefinition<Extra = unknown> {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema. */
  readonly inputSchema: unknown;
  /** JSON Schema of `structuredContent`. */
  readonly outputSchema?: unknown;
  /** Gets arguments that satisfy the schema, and what the SDK hands to a request handler. */
  readonly handler: (args: never, extra: Extra) => unknown;
}

/**
 * A tool as it is listed, with all that its definition declares. Typed as far as both SDKs ask for it
 * (a type and not an interface, so that it fits their open objects).
 */
export type ListedTool = {
  name: string;
  description?: string;
  inputSchema: { type: "object" };
};

/** What the request handlers of a low-level `Server` answer. */
export interface CheckedTools<Extra, Result> {
  /** The result of `tools/list`: every tool, without its handler. */
  list(): { tools: ListedTool[] };
  /**
   * The result of `tools/call`.
   * @throws (rejects) an error with `code` -32602 for a tool that does not exist, and what a handler
   *   throws
   */
  call(params: McpCall, extra: Extra): Promise<Result>;
  /** What is checked of each tool, by its name. */
  readonly contracts: ReadonlyMap<string, ToolContract>;
}

/** JSON-RPC's code for invalid parameters, with which MCP answers a call of an unknown tool. */
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
 * Tools of a server that are declared by JSON Schema as it is, for the low-level `Server` of either
 * MCP SDK: `list` and `call` are what its handlers of `tools/list` and `tools/call` answer. Arguments
 * are checked before a handler runs, `structuredContent` before it is sent; what breaks a schema is
 * answered by an `isError` result with a text for the model.
 * @throws InvalidSchemaError for a schema that cannot be used, is not there or allows no object, unless `lenient`
 * @throws TypeError for two tools of one name, and for one without a handler
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
    // Clients refuse the whole list for a tool that does not say so; `lenient` lets it through.
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
        return answer(refusal(error));
      }
      const result = await definition.handler(args as never, extra);
      if (!contract.info.output.checked || !isFinal(result)) return answer(result);
      try {
        contract.acceptSent(field(result, "structuredContent"));
        return answer(result);
      } catch (error) {
        return answer(refusal(error));
      }
    },
  };
}
