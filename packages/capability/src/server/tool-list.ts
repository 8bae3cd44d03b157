import { isObject } from "@touchstone/core/advanced";
import { ownMember } from "../object.ts";
import type { RequestHandler } from "./sdk-server.ts";

/** A tool's declaration by a server. */
export interface ListedTool {
  readonly name: string;
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
}

/** The maximum number of pages and of tools, so that an endless list is cut. */
const MAX_PAGES = 100;
const MAX_TOOLS = 10_000;

/**
 * Requests every page from a server's own `tools/list` handler. An unreadable tool is left out and hides no others.
 * @throws the handler's errors
 */
export async function listTools(
  handler: RequestHandler | undefined,
  context: unknown,
): Promise<ReadonlyMap<string, ListedTool>> {
  const tools = new Map<string, ListedTool>();
  let cursor: unknown;
  for (let page = 0; handler !== undefined && page < MAX_PAGES; page += 1) {
    const params = typeof cursor === "string" ? { cursor } : {};
    const request = { jsonrpc: "2.0", id: `tool-validation-${page}`, method: "tools/list", params };
    const result = await handler(request, context);
    const listed = ownMember(result, "tools");
    for (const tool of Array.isArray(listed) ? listed : []) {
      if (tools.size >= MAX_TOOLS) return tools;
      if (!isObject(tool) || typeof tool["name"] !== "string") continue;
      const { name, inputSchema, outputSchema } = tool;
      tools.set(name, { name, inputSchema, outputSchema });
    }
    cursor = ownMember(result, "nextCursor");
    if (typeof cursor !== "string") break;
  }
  return tools;
}
