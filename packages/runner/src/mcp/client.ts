import { Contract } from "../contract/contract.ts";
import type { ContractOptions, ToolContract } from "../contract/options.ts";
import {
  isFinalResult,
  type McpCall,
  type McpRefusal,
  refusalResult,
  resultMember,
} from "./result.ts";

/** A tool as a server lists it (MCP 2025-11-25, server/tools, "Tool"). */
export interface McpTool {
  readonly name: string;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
}

/** A client that knows what its tools declare. */
export interface CheckedClient<P extends McpCall, Rest extends readonly unknown[], R> {
  callTool(params: P, ...rest: Rest): Promise<R | McpRefusal>;
  /** Which checks are on for each tool, by its name. */
  readonly contracts: ReadonlyMap<string, ToolContract>;
}

/**
 * Checks calls on the client side, against the tools that the server listed: arguments before anything is sent,
 * `structuredContent` before it is passed on. It fits wherever an SDK takes a client with `callTool` (for example,
 * Anthropic's `mcpTools`). If the arguments break the schema, the call is not sent, and any call that breaks a schema
 * resolves to an `isError` result for the model. Calls of a tool that is not in the list are passed on unchecked.
 * Absent arguments are checked as `{}`, and null as null. A result without the structured content that its tool
 * declares is refused. Results themselves are never changed.
 * @param client an MCP client of either SDK, or anything that has its `callTool`
 * @param tools what `tools/list` returned, from all pages
 * @throws InvalidSchemaError for a schema that cannot be used, unless `lenient`
 */
export function checkedClient<P extends McpCall, Rest extends readonly unknown[], R>(
  client: { callTool(params: P, ...rest: Rest): Promise<R> },
  tools: readonly McpTool[],
  options: ContractOptions = {},
): CheckedClient<P, Rest, R> {
  const contracts = new Map<string, Contract>();
  for (const { name, inputSchema: input, outputSchema: output } of tools) {
    contracts.set(name, new Contract({ tool: name, input, output }, options));
  }
  return {
    contracts: new Map([...contracts].map(([name, { info }]) => [name, info])),
    async callTool(params, ...rest) {
      const contract = contracts.get(params.name);
      if (contract === undefined) return client.callTool(params, ...rest);
      try {
        const given = params.arguments;
        const whole = given === undefined ? {} : given;
        const args = contract.accept(whole) as Record<string, unknown>;
        const sent = args === whole ? params : { ...params, arguments: args };
        const result = await client.callTool(sent, ...rest);
        if (contract.info.output.checked && isFinalResult(result)) {
          contract.acceptResult(resultMember(result, "structuredContent"));
        }
        return result;
      } catch (error) {
        return refusalResult(error);
      }
    },
  };
}
