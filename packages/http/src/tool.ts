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
  /**
   * JSON texts of schemas that are there as well, in which numbers are exact and keys as they were written: shown, and
   * checked by, in their place.
   */
  readonly texts?: ToolTexts | undefined;
}

/** The JSON texts of a tool's schemas. One that is not JSON is a schema that cannot be used. */
export interface ToolTexts {
  readonly inputSchema?: string | undefined;
  readonly outputSchema?: string | undefined;
}

/** What a function that gives the tools is told. */
export interface ToolsRequest {
  /** Aborted when the client leaves before it has its response, and at `hostTimeoutMs`. */
  readonly signal: AbortSignal;
}

/** The tools, or a function that gives them, now or later; a function is asked on every request. */
export type ToolsProvider =
  | readonly Tool[]
  | ((request: ToolsRequest) => readonly Tool[])
  | ((request: ToolsRequest) => Promise<readonly Tool[]>);
