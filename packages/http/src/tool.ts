/**
 * What a host declares of one tool: the fields of MCP's `Tool` (revision 2025-11-25, Server
 * Features, Tools) that this API shows. Other fields are allowed and not shown.
 */
export interface Tool {
  /** Any text; a tool is found by it. Of tools with the same name the last one counts. */
  readonly name: string;
  readonly description?: string | undefined;
  readonly title?: string | undefined;
  /** A JSON Schema (an object or a boolean); absent or `null` accepts everything. */
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  /** `readOnlyHint`, `destructiveHint`, `idempotentHint`, `openWorldHint`. */
  readonly annotations?: object | null | undefined;
  readonly icons?: readonly unknown[] | undefined;
}

/** The tools, or a function that gives them; a function is asked on every request. */
export type ToolsProvider =
  | readonly Tool[]
  | (() => readonly Tool[])
  | (() => Promise<readonly Tool[]>);
